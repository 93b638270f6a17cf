"""What expat and defusedxml have to say about a file, as errors of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from demotic.errors import DemoticError, EncodingError, FormatError


@contextmanager
def xml_errors(path: str | Path, line: Callable[[], int | None] = lambda: None) -> Iterator[None]:
    """Raise FormatError where parsing fails; ``line`` says how far the parser has come."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError

    try:
        yield
    except DemoticError as error:
        error.line = line() if error.path is None and error.line is None else error.line
        raise error.at(path) from None
    except ParseError as error:
        raise FormatError(
            f"broken XML: {str(error).rpartition(': line')[0] or error}",
            path=path,
            line=error.position[0],
            remedy="write the file again, or repair it with an XML editor",
        ) from None
    except DefusedXmlException as error:
        raise FormatError(
            f"refused XML that declares entities or reads other files ({type(error).__name__})",
            path=path,
            line=line(),
            remedy="remove the declarations from its DOCTYPE",
        ) from None
    except (LookupError, ValueError) as error:  # what the declaration names
        raise EncodingError(
            f"an encoding that cannot be read: {str(error)[:60]}",
            path=path,
            line=1,
            remedy="convert the file to UTF-8, and correct its XML declaration",
        ) from None
