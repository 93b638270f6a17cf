"""Rule tables in the text formats of other systems: cdec, Joshua, Moses.

    table = read_rules("grammar.gz", out="rules.bin")              # guesses the format
    write_rules(table, "phrase-table.gz", format="moses-phrase")

Scores become natural logs: Moses' probabilities by their logarithm, 0 as 1e-10;
Joshua's nameless numbers, which are costs, by their negative; cdec's values as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from demotic import _core, files
from demotic.errors import ArgumentError, FormatError
from demotic.grammar.table import Format, RuleTable
from demotic.progress import SILENT, Progress

FORMATS: tuple[str, ...] = get_args(Format)
_RULES = 1 << 14  # printed at a time
_GUESSED = 100  # lines looked at to tell the format


def guess_format(path: str | Path) -> Format:
    """The format of a file, by its first rules; refuses to guess where cdec and Joshua disagree."""
    for line in islice(files.read_lines(path), _GUESSED):
        fields = [field.split() for field in f" {line} ".split(" ||| ")]
        if not line.strip():
            continue
        if len(fields) < 2 or not fields[0] or not fields[1]:
            break
        if len(fields[0]) > 1 or len(fields) == 2 or not _is_nonterminal(fields[0][0]):
            ends = _is_nonterminal(fields[0][-1]) and _is_nonterminal(fields[1][-1])
            return "moses-hiero" if ends else "moses-phrase"
        if (guess := _cdec_or_joshua(*fields[1:4])) is not None:
            return guess
    raise FormatError(
        "the rules do not tell their format",
        path=path,
        remedy=f"name it: {', '.join(FORMATS)}; nameless scores are costs to Joshua, not to cdec",
    )


def _cdec_or_joshua(
    _source: list[str], target: list[str], scores: Sequence[str] = ()
) -> Format | None:
    """Only cdec's target sides leave out names; named scores mean the same to both."""
    if any(word[1:-1].isdigit() for word in target if _is_nonterminal(word)):
        return "cdec"
    return "cdec" if scores and all("=" in score for score in scores) else None


def read_rules(
    path: str | Path,
    *,
    out: str | Path,
    format: Format | Literal["auto"] = "auto",
    empty_targets: bool = False,
    first_duplicate: bool = False,
    progress: Progress = SILENT,
) -> RuleTable:
    """Turn a text file (``.gz`` too) into a table; errors name the file and the line.

    ``empty_targets`` accepts rules that delete words.  Equal rules are merged; of rules that differ
    only in their scores ``first_duplicate`` keeps the first, else they are refused.
    """
    if format == "auto":
        if str(path) == "-":
            raise ArgumentError(
                "the format of standard input cannot be guessed",
                remedy=f"name it: {', '.join(FORMATS)}",
            )
        format = guess_format(path)
    elif format not in FORMATS:
        raise ArgumentError(f"no such format: {format}", remedy=f"one of {', '.join(FORMATS)}")
    reader = _core.RuleTextReader(format, empty_targets, first_duplicate)
    with files.atomic_path(out) as temporary, progress.step("reading rules", unit="lines") as done:
        for block in files.read_text(path):
            with files.naming(path):
                reader.feed(block)
            done(block.count(b"\n"))
        with files.naming(path):
            reader.finish(str(temporary))
    return RuleTable.load(out)


def write_rules(
    table: _core.RuleTable, path: str | Path, *, format: Format, progress: Progress = SILENT
) -> None:
    """Write a table as text; ``.gz`` compresses, ``-`` is the standard output."""
    if format not in FORMATS:
        raise ArgumentError(f"no such format: {format}", remedy=f"one of {', '.join(FORMATS)}")
    with (
        files.write_bytes(path) as stream,
        progress.step("writing rules", len(table), "rules") as done,
    ):
        for begin in range(0, len(table), _RULES):
            end = min(begin + _RULES, len(table))
            stream.write(_core.print_rules(table, format, begin, end))
            done(end - begin)


def _is_nonterminal(token: str) -> bool:
    return len(token) > 2 and token[0] == "[" and token[-1] == "]"
