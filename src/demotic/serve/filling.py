"""Fills in one file in a process of its own: ``python -m demotic.serve.filling``.

An order comes in as JSON, what became of it goes out: the report as JSON, ``null`` where there is
none; or, with the exit status 2, why the file cannot be filled in.
Files that need more memory or time than they may end the process, and nothing else.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any, NoReturn

from demotic.errors import DemoticError

REFUSED = 2
"""Exit status: what was said is why."""
_MOST_DATA = 2 << 30
"""Bytes of memory besides what is mapped."""
_MOST_FILE = 512 << 20
"""Bytes of a file that is written."""


def main() -> None:
    """Take the order and carry it out."""
    order = json.loads(sys.stdin.buffer.read())
    seconds = int(order["seconds"]) * int(order["threads"]) + 1
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_DATA, _MOST_DATA))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_FILE, _MOST_FILE))
    try:
        report = _filled(order)
    except DemoticError as error:
        said = f"{error.message} ({error.remedy})" if error.remedy else error.message
        _refuse(said if error.line is None else f"line {error.line}: {said}")
    except RecursionError:
        _refuse("it is nested too deeply")
    sys.stdout.buffer.write(json.dumps(report).encode())


def _refuse(why: str) -> NoReturn:
    sys.stdout.buffer.write(why.encode("utf-8", "replace"))
    sys.stdout.flush()
    sys.exit(REFUSED)


def _filled(order: dict[str, Any]) -> dict[str, Any] | None:
    from demotic.documents import fill_in, open_document
    from demotic.documents.formats import recognise
    from demotic.model import load
    from demotic.serve.suggesting import from_files

    data = Path(order["input"]).read_bytes()
    format = recognise(data, order["name"])
    model = load(order["model"])
    if order["suggestions"]:
        model = from_files(model, map(Path, order["suggestions"]))
    if format == "text":
        Path(order["output"]).write_bytes(_lines(data, model, order["threads"]))
        return None
    document = open_document(
        order["name"],
        source_language=model.about.source_language,
        target_language=model.about.target_language,
        format=format,
        data=data,
    )
    filled, report = fill_in(document, model, threads=order["threads"])
    Path(order["output"]).write_bytes(filled)
    Path(order["page"]).write_text(report.html(order["name"]), encoding="utf-8")
    record: dict[str, Any] = report.record()
    return record


def _lines(data: bytes, model: Any, threads: int) -> bytes:
    """Plain text, sentence by sentence; what is between them stays as it is."""
    from demotic.errors import EncodingError
    from demotic.serve.passages import Passage
    from demotic.serve.refusal import Refusal

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EncodingError(
            f"not UTF-8 at byte {error.start}", remedy="convert the file to UTF-8 first"
        ) from None
    if "\0" in text:
        raise EncodingError("a binary file (it holds a NUL byte)", remedy="give a text file")
    try:
        passage = Passage.of(text, model.about.source_language)
    except Refusal as refusal:
        raise EncodingError(refusal.message) from None
    found = model.translate_lines(passage.texts, threads=threads)
    filled: str = passage.filled([each.text for each in found])
    return filled.encode()


if __name__ == "__main__":
    main()
