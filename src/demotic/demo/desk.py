"""What a localiser does: a catalogue of another program, filled in by the model.

The program's own translations are taken out of its catalogue, and tell afterwards how many of the
model's could stay.  Where no catalogue of another program is at hand, messages that the model never
saw are made one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from demotic.corpus import Bitext
from demotic.documents import Document, State, fill_in, open_document
from demotic.documents.report import Report
from demotic.files import write_lines
from demotic.systems.model import Model

PROGRAM = "django_oscar"
"""Kept out of training, if its catalogue is there."""
SHOWN = 12
_MOST = 600  # messages that are filled in


@dataclass(frozen=True)
class Desk:
    """A file that was filled in."""

    name: str
    """Of the program."""
    empty: Path
    filled: Path
    page: Path
    report: Report
    right: int
    """Translations that are those of the program's own translators, word for word."""

    @property
    def shown(self) -> list[tuple[str, str, str]]:
        """Messages with their translations and how sure the model is, as they come in the file."""
        numbers = sorted(self.report.filled)
        step = max(1, len(numbers) // SHOWN)
        return [self._row(number) for number in numbers[::step][:SHOWN]]

    @property
    def doubtful(self) -> list[tuple[str, str, str]]:
        """Those to look at first."""
        return [self._row(number) for number in self.report.first_to_look_at(SHOWN // 2)]

    def _row(self, number: int) -> tuple[str, str, str]:
        filled = self.report.filled[number]
        said = "" if filled.sure is None else f"{filled.sure:.0%} sure"
        if filled.fill.origin == "memory":
            said = "from memory"
        return self.report.segments[number].source.text, filled.fill.target.text, said


def on_the_desk(paths: Sequence[Path]) -> list[Path]:
    """The catalogues of the program that is kept out of training; none if it is not there, or if
    there is no other."""
    found = [path for path in paths if path.suffix == ".po" and _is_of(path)]
    return found if len(found) < len(paths) else []


def _is_of(path: Path) -> bool:
    return any(part.replace("-", "_").startswith(PROGRAM) for part in path.parts)


def fill_desk(
    catalogue: Path | None, unseen: Bitext, model: Model, out: Path, *, threads: int
) -> Desk:
    """Fill in a catalogue, or one that is made of unseen messages; all files go to ``out``."""
    target = model.about.target_language
    pairs = _messages(catalogue) if catalogue is not None else ()
    name = PROGRAM.replace("_", "-") if pairs else "unseen messages"
    pairs = pairs or tuple((pair.source, pair.target) for pair in unseen)
    pairs = tuple(dict(pairs[:_MOST]).items())
    stem = name.replace(" ", "-")
    empty, filled, page = (out / f"{stem}{end}" for end in (".po", f".{target}.po", ".html"))
    write_lines(empty, _catalogue([source for source, _ in pairs], target))
    document = open_document(
        empty, source_language=model.about.source_language, target_language=target
    )
    data, report = fill_in(document, model, threads=threads)
    filled.write_bytes(data)
    write_lines(page, [report.html(empty.name).removesuffix("\n")])
    return Desk(name, empty, filled, page, report, _right(document, report, dict(pairs)))


def _messages(catalogue: Path) -> tuple[tuple[str, str], ...]:
    """What the program's own translators wrote; plural forms are left out."""
    import polib

    entries = polib.pofile(str(catalogue))
    return tuple(
        (entry.msgid, entry.msgstr)
        for entry in entries
        if entry.translated() and not entry.msgid_plural and not entry.obsolete
    )


def _catalogue(messages: Iterable[str], language: str) -> list[str]:
    import polib

    file = polib.POFile(wrapwidth=78)
    file.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": language}
    file.extend(polib.POEntry(msgid=message) for message in messages)
    return str(file).splitlines()


def _right(document: Document, report: Report, own: dict[str, str]) -> int:
    return sum(
        document.segments[number].state is State.empty
        and filled.fill.target.text.split() == own[document.segments[number].source.text].split()
        for number, filled in report.filled.items()
        if document.segments[number].source.text in own
    )
