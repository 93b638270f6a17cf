"""The messages of the tour: catalogues as a bitext in two languages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from demotic.corpus import Bitext, Cleaning, read_bitext
from demotic.demo.catalogues import find_catalogues
from demotic.demo.desk import on_the_desk
from demotic.errors import FormatError
from demotic.progress import Progress

WORTH_LEARNING = Cleaning(max_words=60, drop_identical=True)
"""Neither whole documents nor what both languages write alike."""


@dataclass(frozen=True)
class Gathered:
    """Messages in two languages."""

    bitext: Bitext
    files: int
    """The catalogues that they come from."""
    desk: Path | None = None
    """A catalogue of a program whose messages are not among them."""


def gather(
    source: str, target: str, *, desk: bool = True, offline: bool, progress: Progress
) -> Gathered:
    """Messages in two languages; two foreign ones are joined over their English.

    ``desk``: a program is left out, so that its catalogue can be filled in.
    """
    paths = find_catalogues([source, target], offline=offline, progress=progress)
    apart = on_the_desk(paths) if desk and source == "en" else []
    paths = [path for path in paths if path not in apart]
    largest = max(apart, key=lambda path: path.stat().st_size, default=None)
    by_language = {
        language: [path for path in paths if _is_for(path, language)]
        for language in (source, target)
        if language != "en"
    }
    if missing := [language for language, found in by_language.items() if not found]:
        raise FormatError(f"no catalogues found for {' and '.join(missing)}")
    bitexts = {
        language: read_bitext(found, source="en", target=language, progress=progress)
        for language, found in by_language.items()
    }
    if source == "en":
        return Gathered(bitexts[target], len(paths), largest)
    if target == "en":
        pairs = ((pair.target, pair.source) for pair in bitexts[source])
    else:
        known = {pair.source: pair.target for pair in bitexts[source]}
        pairs = (
            (known[pair.source], pair.target) for pair in bitexts[target] if pair.source in known
        )
    joined = Bitext.from_pairs(pairs, source_language=source, target_language=target)
    return Gathered(joined, len(paths))


def _is_for(path: Path, language: str) -> bool:
    folder = path.parent.parent.name
    return folder == language or folder.startswith((f"{language}_", f"{language}-"))
