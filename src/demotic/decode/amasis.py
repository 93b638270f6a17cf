"""Decoding by labels: items from left to right over the source, target fragments on a stack.

    decoder = AmasisDecoder(rules, lm, weights, labels=LabelModel("labels.bin", None))
    derivation = decoder.decode("das haus ist klein .")
    print(derivation.text, derivation.score)
    print(derivation.tree())                      # the ITG tree that the labels amount to
    for step in derivation.shifts(): ...          # each item, its label, the stack behind it

Rules are items (``demotic.grammar.extract_items``), or any phrases; those with nonterminals are
passed over.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from demotic import _core
from demotic.decode.core_decoder import MOST, CoreForestDecoder, check_positive, counted
from demotic.decode.derivation import Derivation, Step
from demotic.errors import ArgumentError, check_choices

if TYPE_CHECKING:
    from demotic.grammar import RuleTable
    from demotic.lm import FurtherModel, LanguageModel


@dataclass(frozen=True, kw_only=True)
class AmasisSearch:
    """How to search."""

    beam: int = 100
    """Hypotheses kept for each prefix of the sentence."""
    pops: int = 0
    """Hypotheses made for each prefix, the most promising ones by cube pruning; 0 makes all."""
    table_limit: int = 20
    """Items of each source side, the best by weighted score and language model."""
    labels: int = 1
    """Labels tried for each item, the best ones; 0 tries all."""
    order: Literal["learned", "monotone", "all"] = "learned"
    """Labels by their learned scores; every item behind what is before it; or any label, none
    better than another."""
    close: Literal["join", "forced"] = "join"
    """What is left on the stack at the end is joined in its order; or only labels are taken that
    let the stack end with one fragment, as labels learned with ``mask = "full"`` ask for."""
    prune_lm: Literal["concat", "fragments"] = "concat"
    """Hypotheses are compared as if their stacks were joined in order, or by the language model's
    score of each fragment by itself."""
    reductions: int = 0
    """Of a label, where ``order`` is ``all``; 0: as many as were learned."""
    zones: bool = True
    """What brackets or quotation marks enclose is translated in one piece."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_positive(self, "beam", "table_limit")
        if self.pops < 0:
            raise ArgumentError("pops must be 0 or more", remedy="0 makes all hypotheses")
        if self.labels < 0:
            raise ArgumentError("labels must be 0 or more", remedy="0 tries all")
        if not 0 <= self.reductions <= 127:
            raise ArgumentError("reductions must be from 0 to 127")


@dataclass(frozen=True)
class AmasisCounters:
    """What the decoder did so far."""

    sentences: int
    shortened: int
    """Sentences whose stacks reached their limit of 255 fragments."""
    options: int
    """Items for the sentences' pieces."""
    candidates: int
    """Hypotheses times items times labels; with ``pops`` the most promising of these."""
    hypotheses: int
    recombined: int
    fragments: int
    """That look different to the language models."""
    joins: int
    """Of two fragments, each once."""
    unclosed: int
    """Sentences whose stack was joined at the end."""
    empty: int
    """Sentences whose translation has no words."""
    seconds: dict[str, float]
    """CPU time by phase: ``load`` (making the decoder ready), ``search``."""


@dataclass(frozen=True)
class Shift:
    """An item as it came, and what its label did."""

    step: int
    """Its place in ``Derivation.steps``."""
    source: tuple[str, ...]
    target: tuple[str, ...]
    operations: tuple[str, ...]
    """``("S", "R+", "R-")``: shift, then join the top two in order, then in reverse order."""
    stack: tuple[tuple[str, ...], ...]
    """The fragments afterwards, from the bottom up."""


class AmasisDerivation(Derivation):
    """The tree of items that labels built; X joins by a label, J what was left at the end."""

    @cached_property
    def items(self) -> tuple[int, ...]:
        """The items in source order, by their places in ``steps``."""
        leaves = [i for i, step in enumerate(self.steps) if not step.children]
        return tuple(sorted(leaves, key=lambda i: self.steps[i].begin))

    def shifts(self) -> list[Shift]:
        """Item by item: its label, and the stack behind it."""
        words: dict[int, list[str]] = {item: [] for item in self.items}
        for token, item in zip(self.tokens, self.word_steps, strict=True):
            words[item].append(token)
        ends = self._reductions()
        stack: list[tuple[str, ...]] = []
        found = []
        for item in self.items:
            step, operations = self.steps[item], ["S"]
            stack.append(tuple(words[item]))
            for kind in ends.get(item, ()):
                right, left = stack.pop(), stack.pop()
                stack.append(left + right if kind == "straight" else right + left)
                operations.append("R+" if kind == "straight" else "R-")
            found.append(
                Shift(
                    item,
                    self.source[step.begin : step.end],
                    tuple(words[item]),
                    tuple(operations),
                    tuple(stack),
                )
            )
        return found

    def _reductions(self) -> dict[int, list[str]]:
        """By item: the joins that its label made, from the lowest up."""
        parents = {child: i for i, step in enumerate(self.steps) for child in step.children}
        found: dict[int, list[str]] = {}
        for item in self.items:
            at = item
            while (above := parents.get(at)) is not None:
                step = self.steps[above]
                if step.category != "X" or step.children[-1] != at:
                    break
                found.setdefault(item, []).append(step.kind)
                at = above
        return found

    def describe(self, step: Step) -> str:
        """Joins in reverse order with their target side turned round."""
        if step.kind != "inverted":
            return super().describe(step)
        one, other = (f"[{self.steps[c].category},{i}]" for i, c in enumerate(step.children, 1))
        return f"{one} {other} / {other} {one}"


class AmasisDecoder(CoreForestDecoder):
    """Translates lists of tokens; safe to share between threads."""

    KIND = AmasisDerivation

    rules: RuleTable
    _search: _core.AmasisDecoder

    def __init__(
        self,
        rules: RuleTable,
        lm: LanguageModel | None,
        weights: Mapping[str, float],
        *,
        labels: _core.LabelModel | None = None,
        further: Sequence[FurtherModel] = (),
        classifiers: _core.WordChoices | None = None,
        options: AmasisSearch | None = None,
    ) -> None:
        begin = time.thread_time()
        options = options or AmasisSearch()
        self.rules, self.lm, self.options = rules, lm, options
        self.labels = labels
        self.further = tuple(further)
        self.classifiers = classifiers
        own = [model.name for model in self.further]
        names = _core.amasis_feature_names(rules, own, classifiers is not None)
        self._use_weights(names, weights, rules)
        self._search = _core.AmasisDecoder(
            rules,
            lm,
            labels,
            self._dense_weights,
            self._sparse_weights,
            self.further,
            self.classifiers,
            beam=min(options.beam, MOST),
            pops=min(options.pops, MOST),
            table_limit=min(options.table_limit, MOST),
            choices=options.labels,
            order=options.order,
            close=options.close,
            concatenate=options.prune_lm == "concat",
            reductions=options.reductions,
        )
        self._labels = tuple(self._search.labels)
        self._load_seconds = time.thread_time() - begin

    def with_weights(self, weights: Mapping[str, float]) -> AmasisDecoder:
        """The same decoder with other weights."""
        return AmasisDecoder(
            self.rules,
            self.lm,
            weights,
            labels=self.labels,
            further=self.further,
            classifiers=self.classifiers,
            options=self.options,
        )

    @property
    def counters(self) -> AmasisCounters:
        """Work done since the decoder was made or :meth:`reset_counters` was called."""
        core = self._search.counters
        seconds = {"load": self._load_seconds, "search": core.search_seconds}
        return counted(AmasisCounters, core, seconds=seconds)

    def _lowered(self) -> str:
        return "stack"
