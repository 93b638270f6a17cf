"""The text formats of other systems that hold rules: cdec, Joshua, Moses.

    table = RuleTable.from_text("grammar.gz", out="rules.bin")     # guesses the format
    table.to_text("phrase-table.gz", format="moses-phrase")

Scores become natural logs: Moses' probabilities by their logarithm, 0 as 1e-10;
Joshua's nameless numbers, which are costs, by their negative; cdec's values as they are.  A score
whose name stands on some rules only is a sparse feature, and so are Moses' scores with names.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, cast, get_args

from demotic import files
from demotic.errors import ArgumentError, FormatError

Format = Literal["cdec", "joshua", "moses-hiero", "moses-phrase"]
FORMATS: tuple[str, ...] = get_args(Format)
_GUESSED = 100  # lines looked at to tell the format


def guess_format(path: str | Path) -> Format:
    """The format of a file, by its first rules; refuses to guess where cdec and Joshua disagree."""
    rules = 0
    for number, line in enumerate(islice(files.read_lines(path), _GUESSED), 1):
        fields = [field.split() for field in f" {line} ".split(" ||| ")]
        if not line.strip():
            continue
        rules += 1
        if len(fields) < 2 or not fields[0] or not fields[1]:
            raise FormatError(
                "this is no rule",
                path=path,
                line=number,
                remedy="a rule's sides and scores are separated by |||",
            )
        if len(fields[0]) > 1 or len(fields) == 2 or not _is_nonterminal(fields[0][0]):
            ends = _is_nonterminal(fields[0][-1]) and _is_nonterminal(fields[1][-1])
            return "moses-hiero" if ends else "moses-phrase"
        if (guess := _cdec_or_joshua(*fields[1:4])) is not None:
            return guess
    if not rules:
        raise FormatError("there are no rules", path=path, remedy="give a table that has some")
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


def checked_format(format: str, path: str | Path | None = None) -> Format:
    """A format that exists; ``auto`` is the one that the rules in ``path`` tell."""
    if format == "auto" and path is not None:
        if str(path) == "-":
            raise ArgumentError(
                "the format of standard input cannot be guessed",
                remedy=f"name it: {', '.join(FORMATS)}",
            )
        return guess_format(path)
    if format not in FORMATS:
        raise ArgumentError(f"no such format: {format}", remedy=f"one of {', '.join(FORMATS)}")
    return cast(Format, format)


def _is_nonterminal(token: str) -> bool:
    return len(token) > 2 and token[0] == "[" and token[-1] == "]"
