"""Confusion grammars: what a translator may write instead of a target side (Li et al. 2010).

    grammar = ConfusionGrammar.from_forests(rules, forests)            # of a translator's decoder
    grammar = ConfusionGrammar.from_table(rules, ConfusionOptions(group="source"))
    table = grammar.table(sentences, out="confusion.bin")  # a RuleTable
    table.to_text("confusion.txt", format="cdec")

The grammar holds classes of target sides that translate the same source.  Any two sides of a class
are a rule, each with itself, too, unless told otherwise; only :meth:`ConfusionGrammar.table` writes
rules down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from demotic import _core, files
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.grammar.filtering import match_rules
from demotic.grammar.table import RuleTable
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.forest import Forest

Group = Literal["node", "cell", "source"]
OF_A_SOURCE = 10
"""Target sides of one source side that are kept, unless told otherwise."""
_NODES = 1 << 14


@dataclass(frozen=True, kw_only=True)
class ConfusionOptions:
    """Which target sides are confused with each other."""

    group: Group = "node"
    """Those of one ``node`` of a forest, of one ``cell`` (all nodes over a span), or of one
    ``source`` side of the rule table."""
    max_options: int | None = None
    """The most probable sides of a group that take part; without it, 10 of a source side and all of
    a node or a cell."""
    same_tail_spans: bool = False
    """In forests, compare only sides whose gaps lie over the same words."""
    itself: bool = True
    """Each side is confused with itself, too; without that, a sentence is seldom among its
    confusions."""

    def __post_init__(self) -> None:
        check_choices(self)
        if self.max_options is not None:
            check_counts(self, "max_options", least=1)
        if self.same_tail_spans and self.group == "source":
            raise ArgumentError(
                "same_tail_spans asks for forests",
                remedy="group by node or cell, or leave it out",
            )

    @property
    def most(self) -> int:
        """As the core takes it; 0: all."""
        if self.max_options is not None:
            return self.max_options
        return OF_A_SOURCE if self.group == "source" else 0


BY_NODE = ConfusionOptions()
BY_SOURCE = ConfusionOptions(group="source")


class ConfusionGrammar:
    """Classes of target sides; rules of the goal, unknown words and empty sides take no part."""

    def __init__(
        self, rules: RuleTable, classes: _core.ConfusionClasses, *, itself: bool = True
    ) -> None:
        self.rules = rules
        """The translator's."""
        self.core = classes
        self._itself = itself

    @classmethod
    def from_table(
        cls,
        rules: RuleTable,
        options: ConfusionOptions = BY_SOURCE,
        *,
        goal: str = "S",
        progress: Progress = SILENT,
    ) -> ConfusionGrammar:
        """Sides that translate the same source side."""
        if options.group != "source":
            raise ArgumentError(f"a table has no {options.group}s", remedy="give forests")
        classes = _core.ConfusionClasses(rules, goal)
        with progress.step("confusing target sides", rules.nodes, "source sides") as advance:
            for begin in range(0, rules.nodes, _NODES):
                classes.add_sources(begin, begin + _NODES, options.most)
                advance(min(_NODES, rules.nodes - begin))
        return cls._finished(rules, classes, options, progress)

    @classmethod
    def from_forests(
        cls,
        rules: RuleTable,
        forests: Iterable[Forest],
        options: ConfusionOptions = BY_NODE,
        *,
        goal: str = "S",
        progress: Progress = SILENT,
    ) -> ConfusionGrammar:
        """Sides that lead to the same node, or cell, of forests which a decoder made of ``rules``.

        Forests are looked at one after the other and not kept.
        """
        if options.group == "source":
            raise ArgumentError("forests have nodes and cells", remedy="use from_table")
        classes = _core.ConfusionClasses(rules, goal)
        cells = options.group == "cell"
        with progress.step("confusing target sides", unit="forests") as advance:
            for forest in forests:
                classes.add_forest(forest.core, options.most, cells, options.same_tail_spans)
                advance(1)
        return cls._finished(rules, classes, options, progress)

    @classmethod
    def _finished(
        cls,
        rules: RuleTable,
        classes: _core.ConfusionClasses,
        options: ConfusionOptions,
        progress: Progress,
    ) -> ConfusionGrammar:
        classes.finish()
        if classes.dropped:
            progress.say(f"{classes.dropped:,} target sides beyond the most probable were left out")
        if not classes.sources:
            raise ArgumentError(
                "no target side to confuse", remedy="give a rule table, or forests, with rules"
            )
        return cls(rules, classes, itself=options.itself)

    # -- how large it is ------------------------------------------------------------------------

    @property
    def classes(self) -> int:
        """Different classes."""
        return self.core.classes

    @property
    def members(self) -> int:
        """Sides of all classes: what the grammar's memory follows."""
        return self.core.members

    @property
    def sides(self) -> int:
        """Different target sides."""
        return self.core.sides

    def __len__(self) -> int:
        """Rules, if all are written down."""
        return self.core.pairs() - (0 if self._itself else self.core.sources)

    # -- rules ----------------------------------------------------------------------------------

    def table(
        self,
        sentences: Sequence[str] | None = None,
        *,
        out: str | Path,
        bigrams: _core.TargetBigrams | None = None,
        unchanged: bool = False,
        progress: Progress = SILENT,
    ) -> RuleTable:
        """The rules as a table: all, or those that can match some tokenised sentences.

        Scores say how often both sides shared a class, and ln p of the one given the other.
        ``bigrams`` gives the rules sparse features; ``unchanged`` has only those whose sides are
        the same, which derive a sentence from itself.
        """
        with files.atomic_path(out) as temporary, TemporaryDirectory() as folder:
            matcher = None
            if sentences is not None:
                sources = Path(folder) / "sources.bin"
                self.core.write_sources(str(sources))
                matcher = match_rules(RuleTable.load(sources, verify=False), sentences, progress)
            work = _core.ConfusionTable(
                self.core, str(temporary), bigrams, not unchanged, unchanged or self._itself
            )
            size = self.core.sources
            with progress.step("writing confusion rules", size, "source sides") as advance:
                for begin in range(0, size, _NODES):
                    if matcher is None:
                        work.add(begin, begin + _NODES)
                    else:
                        work.add_matched(begin, begin + _NODES, matcher)
                    advance(min(_NODES, size - begin))
            if not work.changes and not unchanged:
                progress.warn("no confusion rule changes anything: there is nothing to learn from")
            work.finish()
        return RuleTable.load(out)

    def __repr__(self) -> str:
        return f"<ConfusionGrammar of {self.sides:,} target sides in {self.classes:,} classes>"
