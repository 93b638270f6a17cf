"""The messages of the tour: catalogues as a bitext in two languages."""

from __future__ import annotations

from pathlib import Path

from demotic.corpus import Bitext, Cleaning, read_bitext
from demotic.demo.catalogues import find_catalogues
from demotic.errors import FormatError
from demotic.progress import Progress

WORTH_LEARNING = Cleaning(max_words=60, drop_identical=True)
"""Neither whole documents nor what both languages write alike."""


def gather(source: str, target: str, *, offline: bool, progress: Progress) -> tuple[Bitext, int]:
    """Messages in two languages, and of how many catalogues.

    Two foreign languages are joined over their English.
    """
    paths = find_catalogues([source, target], offline=offline, progress=progress)
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
        return bitexts[target], len(paths)
    if target == "en":
        pairs = ((pair.target, pair.source) for pair in bitexts[source])
    else:
        known = {pair.source: pair.target for pair in bitexts[source]}
        pairs = (
            (known[pair.source], pair.target) for pair in bitexts[target] if pair.source in known
        )
    joined = Bitext.from_pairs(pairs, source_language=source, target_language=target)
    return joined, len(paths)


def _is_for(path: Path, language: str) -> bool:
    folder = path.parent.parent.name
    return folder == language or folder.startswith((f"{language}_", f"{language}-"))
