"""Word alignments in Pharaoh format."""

from __future__ import annotations

from pathlib import Path

from demotic import files
from demotic.errors import FormatError
from demotic.inspection.report import Fact
from demotic.inspection.text import Findings

_DIGITS = 9  # of a position


def inspect_pharaoh(path: str | Path) -> Findings:
    """Links per sentence, and words without a link up to the last one linked."""
    sentences = empty = sure = possible = 0
    source = target = linked_source = linked_target = 0
    lowest: int | None = None
    for number, line in enumerate(files.read_lines(path), start=1):
        pairs = [_link(link, path, number) for link in line.split()]
        sentences += 1
        empty += not pairs
        sure += sum(is_sure for _, _, is_sure in pairs)
        possible += sum(not is_sure for _, _, is_sure in pairs)
        if pairs:
            rows, columns = {i for i, _, _ in pairs}, {j for _, j, _ in pairs}
            lowest = min(*rows, *columns, *([] if lowest is None else [lowest]))
            source += max(rows) + 1
            target += max(columns) + 1
            linked_source += len(rows)
            linked_target += len(columns)
    facts: dict[str, Fact] = {
        "sentence pairs": sentences,
        "without links": empty,
        "links": sure + possible,
        "links per pair": round((sure + possible) / sentences, 3) if sentences else 0.0,
    }
    if possible:
        facts["possible links"] = possible
    if source and target:
        # The text is not at hand: words after the last link cannot be seen.
        facts["unaligned source words, at least"] = round(1 - linked_source / source, 4)
        facts["unaligned target words, at least"] = round(1 - linked_target / target, 4)
    remarks = ["no position is 0; perhaps it counts from 1"] if lowest else []
    return facts, remarks, []


def _link(text: str, path: str | Path, line: int) -> tuple[int, int, bool]:
    for sign in "-?p":
        source, found, target = text.partition(sign)
        target = target.partition(":")[0]  # a score may follow
        numbers = source.isdecimal() and target.isdecimal()
        if found and numbers and max(len(source), len(target)) <= _DIGITS:
            return int(source), int(target), sign == "-"
    raise FormatError(
        f"not a link: '{text}'", path=path, line=line, remedy="links look like 0-0 1-2"
    )
