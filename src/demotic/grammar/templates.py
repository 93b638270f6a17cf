"""Sparse features that follow from a rule alone, for learners that can weigh thousands of them.

options = TemplateOptions(templates=("pairs", "shape"), min_count=2)
table = rules.with_templates(options, out="rules.sparse.bin")
table.rules_for("ne [X,1] pas")[0].sparse      # {"pair|ne_not": 1.0, "shape|w_1_w|w_w_1": 1.0}
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from demotic import _core, files
from demotic.errors import ArgumentError, check_counts
from demotic.grammar.table import RuleTable
from demotic.progress import SILENT, Progress

Template = Literal["rule", "source_bigrams", "target_bigrams", "pairs", "shape"]
TEMPLATES: tuple[str, ...] = get_args(Template)
_RULES = 1 << 14  # at a time
_MOST_BITS = 24


@dataclass(frozen=True, kw_only=True)
class TemplateOptions:
    """Which features rules get; see docs/grammar.md for what each template makes of a rule."""

    templates: tuple[Template, ...] = ()
    """What to make features of: rule, source_bigrams, target_bigrams, pairs, shape."""
    min_count: int = 0
    """Features of rules that were extracted fewer times, all together, are left out."""
    bits: int = 0
    """Hash names to 2**bits places instead of keeping them; 0 keeps them."""

    def __post_init__(self) -> None:
        for name in self.templates:
            if name not in TEMPLATES:
                raise ArgumentError(
                    f"no such template of features: {name}",
                    remedy=f"choose from {', '.join(TEMPLATES)}",
                )
        check_counts(self, "min_count")
        check_counts(self, "bits", most=_MOST_BITS)


NO_TEMPLATES = TemplateOptions()


def add_templates(
    table: RuleTable, options: TemplateOptions, *, out: str | Path, progress: Progress = SILENT
) -> RuleTable:
    """A copy of a table whose rules have the features of ``options`` as well as their own."""
    with files.atomic_path(out) as temporary:
        work = _core.RuleTemplates(
            table, str(temporary), list(options.templates), options.min_count, options.bits
        )
        if options.min_count:
            with progress.step("counting features", len(table), "rules") as advance:
                for begin in range(0, len(table), _RULES):
                    work.count(begin, begin + _RULES)
                    advance(min(_RULES, len(table) - begin))
        with progress.step("adding features", len(table), "rules") as advance:
            for begin in range(0, len(table), _RULES):
                work.add(begin, begin + _RULES)
                advance(min(_RULES, len(table) - begin))
        work.finish()
    return RuleTable.load(out)


def keep_features(table: RuleTable, names: Iterable[str], *, out: str | Path) -> RuleTable:
    """A copy of a table whose rules have only these of their sparse features."""
    wanted = [found for name in names if (found := table.find_sparse(name)) is not None]
    with files.atomic_path(out) as temporary:
        work = _core.RuleTemplates(table, str(temporary), [], 0, table.sparse_bits)
        work.keep(sorted(wanted))
        for begin in range(0, len(table), _RULES):
            work.add(begin, begin + _RULES)
        work.finish()
    return RuleTable.load(out)
