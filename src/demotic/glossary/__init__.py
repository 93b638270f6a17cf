"""Terms whose translation is decided, and words that stay as they are.

glossary = read_glossary(["terms.tsv"], source="en", target="de")
for found in Finder(glossary, english).terms_in(english.encode("Delete the files")):
    found.term.targets, found.first, found.last
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.glossary.finding import Finder as Finder
    from demotic.glossary.finding import Occurrence as Occurrence
    from demotic.glossary.reading import read_glossary as read_glossary
    from demotic.glossary.term import Glossary as Glossary
    from demotic.glossary.term import Term as Term
    from demotic.glossary.term import TermUse as TermUse
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
