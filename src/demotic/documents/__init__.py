"""Documents: files that are filled in with translations and otherwise stay as they are."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.documents.code_placing import place_codes as place_codes
    from demotic.documents.document import Document as Document
    from demotic.documents.document import Fill as Fill
    from demotic.documents.document import Segment as Segment
    from demotic.documents.document import State as State
    from demotic.documents.filling import fill_in as fill_in
    from demotic.documents.formats import document_format as document_format
    from demotic.documents.formats import open_document as open_document
    from demotic.documents.formats import recognise as recognise
    from demotic.documents.inline import Code as Code
    from demotic.documents.inline import Inline as Inline
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
