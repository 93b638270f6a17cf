"""Rule tables cut down to what some sentences can use.

filter_rules(table, ["ein kleines haus"], out="small.bin")
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from demotic import _core, files
from demotic.grammar.table import RuleTable
from demotic.progress import SILENT, Progress

_LINES = 1 << 7  # matched between two looks at the keyboard


def filter_rules(
    table: _core.RuleTable,
    sentences: Iterable[str],
    *,
    out: str | Path,
    progress: Progress = SILENT,
) -> RuleTable:
    """The rules whose source side can match a sentence, a nonterminal standing for any words.

    Sentences are tokenised as the table's text was.  Scores stay what they are.
    """
    matched = match_rules(table, sentences, progress)
    with files.atomic_path(out) as temporary:
        matched.write(str(temporary))
    return RuleTable.load(out)


def match_rules(
    table: _core.RuleTable, sentences: Iterable[str], progress: Progress = SILENT
) -> _core.RuleFilter:
    """Which rules these are."""
    matcher = _core.RuleFilter(table)
    lines = iter(sentences)
    with progress.step("matching rules", unit="sentences") as done:
        while batch := list(islice(lines, _LINES)):
            text = "".join(line.replace("\n", " ") + "\n" for line in batch)
            matcher.add(text.encode("utf-8"))
            done(len(batch))
    return matcher
