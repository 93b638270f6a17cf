"""One translation with everything that made it: rules, spans, features, word alignment."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, cast

from demotic import _core

if TYPE_CHECKING:
    from demotic.grammar import RuleTable

Kind = Literal["rule", "glue", "goal", "pass-through", "straight", "inverted"]


class Entry(Protocol):
    """What a derivation knows of a rule, a phrase pair or a block."""

    @property
    def source(self) -> tuple[str, ...]: ...
    @property
    def target(self) -> tuple[str, ...]: ...
    @property
    def scores(self) -> dict[str, float]: ...
    @property
    def sparse(self) -> dict[str, float]: ...
    @property
    def counts(self) -> tuple[float, ...]: ...
    @property
    def origins(self) -> tuple[int, ...]: ...


class Rulebook(Protocol):
    """A table of these, by number."""

    def __getitem__(self, rule: int, /) -> Entry: ...


@dataclass(frozen=True)
class Step:
    """One rule at one place: it covers source words ``begin`` to ``end`` (exclusive)."""

    kind: Kind
    rule: int | None
    """Its number in the rule table; None for glue, goal, words that pass through, and two pieces
    joined in order or in reverse order."""
    category: str
    begin: int
    end: int
    children: tuple[int, ...]
    """The steps below, in source order, by their place in ``Derivation.steps``."""
    score: float
    """What it adds to the derivation's score, the language model's part included."""
    lm: float
    """The language model's part: natural log of what this step adds, without the weight."""
    further: tuple[float, ...] = ()
    """The same of each further language model; their features are the decoder's last ones."""


@dataclass(frozen=True, eq=False)
class Derivation:
    """The tree behind a translation; ``tokens`` are the words that it writes.

    A sentence without words has no steps and scores 0; one that a grammar used without glue cannot
    derive has no steps and scores minus infinity.
    """

    source: tuple[str, ...]
    tokens: tuple[str, ...]
    score: float
    span_limit: int
    """The limit in force; lower than the decoder's where a long sentence had to be kept small."""
    rules: Rulebook = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    core: _core.Derivation = field(repr=False)

    @property
    def text(self) -> str:
        """The tokens, separated by spaces."""
        return " ".join(self.tokens)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The vector of dense features, in the order of ``feature_names``."""
        return tuple(self.core.features)

    @property
    def features(self) -> dict[str, float]:
        """Features by name: the vector, zeros included, and the sparse features that there are."""
        return dict(zip(self.feature_names, self.values, strict=True)) | self.sparse

    @cached_property
    def sparse(self) -> dict[str, float]:
        """The sparse features of the rules, summed, by name."""
        if not (ids := self.core.sparse_ids):
            return {}
        table = cast("RuleTable", self.rules)  # no other has any
        return {
            table.sparse_name(feature): value
            for feature, value in zip(ids, self.core.sparse_values, strict=True)
        }

    @cached_property
    def alignment(self) -> tuple[tuple[int, int], ...]:
        """Word links (source position, target position), as far as the rules know them."""
        return tuple([(source, target) for source, target in self.core.alignment])

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Depth first from Goal: a step, then the steps of its children in source order."""
        return tuple(
            Step(
                kind, rule, self.labels[category], begin, end, children, score, lm * _LN10,
                tuple(_LN10 * each for each in further),
            )
            for kind, rule, category, begin, end, children, score, lm, further in self.core.steps
        )  # fmt: skip

    @cached_property
    def word_steps(self) -> tuple[int, ...]:
        """For each target word the step whose rule wrote it."""
        return tuple(self.core.word_steps)

    def scores_of(self, number: int) -> dict[str, float]:
        """What the rule table says of a step, by its place in ``steps``: the scores that hold.

        What further language models say of it stands beside them.
        """
        step = self.steps[number]
        own = self.feature_names[len(self.feature_names) - len(step.further) :]
        further = dict(zip(own, step.further, strict=True))
        if step.rule is None:
            return further
        entry = self.rules[step.rule]
        return entry.scores | entry.sparse | further

    def describe(self, step: Step) -> str:
        """A step's rule as ``source / target``, nonterminals as ``[X,1]``."""
        if step.kind == "rule" and step.rule is not None:
            rule = self.rules[step.rule]
            return f"{' '.join(rule.source)} / {' '.join(rule.target) or '-'}"
        if step.kind == "pass-through":
            return f"{self.source[step.begin]} / {self.source[step.begin]}"
        parts = [
            f"[{self.steps[child].category},{slot}]" for slot, child in enumerate(step.children, 1)
        ]
        return f"{' '.join(parts)} / {' '.join(parts)}"

    def tree(self) -> str:
        """The tree as indented text, one step to a line: category, span, rule, score.

        Goal 0-3  [S,1] / [S,1]  -2.100
          S 0-3  [X,1] / [X,1]  0.000
            X 0-3  [X,1] de [X,2] / [X,2] of [X,1]  -1.250
              X 0-1  mao / a cat  -0.500
              X 2-3  dianzi / the mat  -0.750
        """
        lines: list[str] = []
        depths = [0]  # of steps still to come, the next one last
        for step in self.steps:
            depth = depths.pop()
            lines.append(
                f"{'  ' * depth}{step.category} {step.begin}-{step.end}"
                f"  {self.describe(step)}  {step.score:.3f}"
            )
            depths.extend([depth + 1] * len(step.children))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from demotic.notebook import card, outline

        return card(self.text, outline(self.tree()))

    def __len__(self) -> int:
        return int(self.core.size)


_LN10 = 2.302585092994045684
