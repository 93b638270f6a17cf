"""What ``demotic translate`` does with a document instead of lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from demotic.progress import Progress
    from demotic.systems.model import Model


def document_of(
    paths: Sequence[Path], format: str | None, report: Path | None
) -> tuple[Path, str] | None:
    """The one document among the inputs and its format; None if they are lines of text."""
    from demotic.documents.formats import FORMATS, document_format

    if format not in (None, "text", *FORMATS):
        known = ", ".join(("text", *FORMATS))
        raise typer.BadParameter(f"there is no format {format!r} (choose from {known})")
    if report is not None and report.suffix not in (".html", ".json"):
        raise typer.BadParameter(f"--report {report} ends neither in .html nor in .json")
    found: list[tuple[Path, str]] = []
    if format != "text":
        for path in paths:
            if str(path) == "-":
                continue
            its = format or document_format(path)
            if its is not None:
                found.append((path, its))
    if found and len(paths) > 1:
        raise typer.BadParameter(
            f"{found[0][0]} is a document ({found[0][1]}): give one at a time, or --as text"
        )
    if report is not None and not found:
        raise typer.BadParameter("--report is for documents; this is plain text")
    return found[0] if found else None


def fill(
    document: tuple[Path, str],
    model: Model,
    output: Path,
    report: Path | None,
    threads: int,
    progress: Progress,
) -> None:
    """Fill the document in, and say what was done."""
    from demotic import files
    from demotic.documents import fill_in, open_document

    path, format = document
    opened = open_document(
        path,
        source_language=model.about.source_language,
        target_language=model.about.target_language,
        format=format,
    )
    with files.naming(path):
        data, made = fill_in(opened, model, threads=threads, progress=progress)
    with files.write_bytes(output) as out:
        out.write(data)
    for line in made.lines():
        progress.say(line)
    if report is not None:
        text = made.html(path.name) if report.suffix == ".html" else made.json()
        with files.write_bytes(report) as out:
            out.write(text.encode())
