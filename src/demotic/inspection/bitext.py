"""Translation memories, catalogues and Arrow bitext: units, languages, what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from demotic.inspection.report import Fact
from demotic.inspection.text import Findings, Lengths


def inspect_units(path: str | Path, format: str) -> Findings:
    """The units of a TMX, XLIFF, PO or MO file, by the reader that training uses."""
    from demotic.corpus.formats import READERS
    from demotic.corpus.reading import Reading

    reading = Reading(str(path), None, None)
    facts = _pairs((source, target) for source, target, _ in READERS[format](reading))
    skipped = dict(sorted(reading.skipped.items()))
    if skipped:
        facts["units without a pair"] = skipped
    languages = list(reading.languages) or [
        language for language in (reading.source, reading.target) if language
    ]
    if languages:
        facts["languages"] = languages
    nothing = [] if facts["pairs"] else [reading.nothing_found().message]
    return facts, [], nothing


def inspect_arrow(path: str | Path) -> Findings:
    """A bitext that Demotic saved."""
    from demotic.corpus.bitext import Bitext

    bitext = Bitext.open(path)
    facts = _pairs((pair.source, pair.target) for pair in bitext)
    facts["languages"] = [bitext.source_language, bitext.target_language]
    if bitext.skipped:
        facts["units without a pair"] = bitext.skipped
    return facts, [], []


def _pairs(pairs: Iterable[tuple[str, str]]) -> dict[str, Fact]:
    source, target = Lengths(), Lengths()
    for left, right in pairs:
        source.add(left.encode())
        target.add(right.encode())
    facts: dict[str, Fact] = {"pairs": source.lines}
    for name, side in (("source", source), ("target", target)):
        facts[name] = {
            "tokens": side.tokens,
            "types": side.types,
            "longest, in tokens": side.longest,
            "empty": side.empty,
        }
    return facts
