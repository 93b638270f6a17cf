"""What minimum risk learns from: forests of the latest rounds, and lists as forests of one node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic._core import FeatureSpace
from demotic.errors import ArgumentError
from demotic.forest import Forest
from demotic.forest.many import prune, rescore
from demotic.forest.weights import Floats
from demotic.learn.candidates import (
    STATISTICS,
    Candidates,
    ForestCandidates,
    Statistics,
    statistics_rows,
)
from demotic.learn.known import Known, corpus_bleu
from demotic.learn.risk_set import ORDER, RiskSet, with_bleu_counts


@dataclass(frozen=True, eq=False)
class _Example:
    """A sentence: its derivations, their counts, and BLEU statistics of any of them."""

    forest: Forest
    counts: NDArray[np.float32]
    sentence: int
    """Its number."""
    weight: float = 1.0
    """How often it counts."""
    given: ForestCandidates | None = None
    """Where the forest came from; None: a list."""
    rows: Statistics | None = None
    """Of a list."""

    def statistics(self, edges: NDArray[np.uint32], text: str) -> Statistics:
        """Of one derivation."""
        if self.rows is not None:
            return self.rows[edges]
        assert self.given is not None
        return statistics_rows(self.given.statistics([text]))


class ForestsKnown(Known):
    """Keeps the forests of the latest rounds, pruned, with the n-grams that references have."""

    def __init__(
        self,
        features: Sequence[str],
        sentences: int,
        *,
        memory: int = 1,
        density: int = 0,
        threads: int = 1,
    ) -> None:
        super().__init__(features, sentences, threads=threads)
        self._names = tuple(features)
        self._memory, self._density = memory, density
        self._rounds: list[list[_Example]] = []

    def add(self, candidates: Sequence[Candidates]) -> int:
        """As :meth:`Known.add`; forests are prepared to be learned from."""
        new = super().add(candidates)
        given = {
            number: each
            for number, each in enumerate(candidates)
            if isinstance(each, ForestCandidates) and each.weight
        }
        full = [each.forest if each.full is None else each.full for each in given.values()]
        if self._density:
            full = [thinned(forest, self._density) for forest in full]
        found = []
        for (number, each), forest in zip(given.items(), full, strict=True):
            if not each.references:
                raise ArgumentError(
                    f"sentence {number + 1} has no reference", remedy="give its words"
                )
            found.append(
                _Example(*with_bleu_counts(forest, each.references), number, each.weight, each)
            )
        self._rounds = [*self._rounds, found][-self._memory :]
        return new

    def examples(self, dense: Floats, sparse: Mapping[str, float], *, threads: int = 1) -> Examples:
        """All that there is to learn from, for weights that one begins with."""
        found = [example for examples in self._rounds for example in examples]
        found += self._listed()
        if not found:
            raise ArgumentError("there is nothing to learn from")
        return Examples(found, self._names, dense, sparse, threads)

    def _listed(self) -> Iterator[_Example]:
        """Each list as a forest of one node, a hypothesis to an edge."""
        off, features, statistics = self.lists()
        space = FeatureSpace(list(self._names))
        for number, (first, end) in enumerate(pairwise(off.tolist())):
            if end > first and (weight := self.latest[number].weight):
                rows = statistics[first:end]
                counts = rows[:, [2 * ORDER, *range(ORDER)]].astype(np.float32)
                forest = list_forest(space, features[first:end])
                yield _Example(forest, counts, number, weight, rows=rows)


class Examples:
    """Forests with counts, in one space, and the weights that learning begins with."""

    def __init__(
        self,
        found: Sequence[_Example],
        names: Sequence[str],
        dense: Floats,
        sparse: Mapping[str, float],
        threads: int,
    ) -> None:
        self.space = found[0].forest.space
        self._found = found
        self._names = names
        self._dense = dense
        self.forests = [each.forest for each in found]
        self.risk_set = RiskSet(self.space, ORDER + 1)
        for each in found:
            self.risk_set.add(each.forest, each.counts, weight=each.weight)
        # What is no feature of the forests stands for held ones, and is not learned.
        self._ids = [self.space.find(name) for name in names]
        self.start = np.zeros(len(self.space))
        for name, value in sparse.items():
            if (at := self.space.find(name)) is not None:
                self.start[at] = value
        for at, value in zip(self._ids, dense.tolist(), strict=True):
            if at is not None:
                self.start[at] = value
        self._best = self._statistics(self.start, threads)

    @cached_property
    def sparse(self) -> NDArray[np.bool_]:
        """Which features are not among the task's own."""
        found = np.ones(len(self.space), np.bool_)
        found[[at for at in self._ids if at is not None]] = False
        return found

    def free(self, dense: Floats, min_support: int) -> NDArray[np.bool_]:
        """Which weights may change: ``dense`` says so of the task's features."""
        found = self.sparse.copy()
        if min_support > 1 and found.any():
            ids = self.risk_set.features()
            sentences = [each.sentence for each in self._found]
            seldom = ids[self.risk_set.support(ids, sentences) < min_support]
            found[seldom] = False
        for at, free in zip(self._ids, dense.tolist(), strict=True):
            if at is not None:
                found[at] = free > 0
        return found

    @property
    def statistics(self) -> Floats:
        """BLEU statistics of the best derivations to begin with, as often as they count."""
        rows: Floats = self._best * np.array(self.weights)[:, None]
        return rows

    @property
    def weights(self) -> list[float]:
        """How often each forest counts."""
        return [each.weight for each in self._found]

    @property
    def reference_lengths(self) -> list[float]:
        """Of the references that are closest to these derivations in length, as often as these
        count."""
        lengths: list[float] = self.statistics[:, STATISTICS - 1].tolist()
        return lengths

    def bleu(self, weights: Floats, *, threads: int = 1) -> float:
        """Corpus BLEU of the best derivations under ``weights``."""
        return corpus_bleu(self._statistics(weights, threads).sum(axis=0, keepdims=True))

    def named(self, weights: Floats) -> tuple[Floats, dict[str, float]]:
        """Weights of the task's features, and those of others that are not 0, by name."""
        dense = self._dense.copy()
        for i, at in enumerate(self._ids):
            if at is not None:
                dense[i] = weights[at]
        others = np.flatnonzero(self.sparse & (weights != 0)).tolist()
        return dense, {self.space.name(at): float(weights[at]) for at in others}

    def right(self, gain: Sequence[float]) -> list[Forest]:
        """Of each forest the derivations of the string that gains most."""
        found = []
        for each in self._found:
            worth = each.counts.astype(np.float64) @ np.asarray(gain)
            if each.rows is not None:
                found.append(each.forest.keep(worth == worth.max()))
                continue
            right = each.forest.restrict(each.forest.oracle(worth).tokens)
            assert right is not None  # it has this string
            found.append(right)
        return found

    def _statistics(self, weights: Floats, threads: int) -> Statistics:
        """A row for each forest's best derivation."""
        rows = []
        for each, forest in zip(
            self._found, rescore(self.forests, weights, threads=threads), strict=True
        ):
            best = forest.viterbi()
            rows.append(each.statistics(best.edges, best.text if each.rows is None else ""))
        return np.concatenate(rows).reshape(-1, STATISTICS)


def list_forest(space: FeatureSpace, features: Floats) -> Forest:
    """A forest of one node, whose edges have these rows as features; nobody knows their words."""
    edges, width = features.shape
    integers: dict[str, object] = {
        "rule_lhs": [0], "rule_origin": [0xFFFFFFFF], "source_off": [0, 0], "target_off": [0, 0],
        "rule_feature_off": [0, 0], "rule_feature_id": [], "label": [0], "span": [0, 0],
        "context_off": [0, 0], "dense_id": np.arange(width), "head": np.zeros(edges),
        "tail_off": np.zeros(edges + 1), "tails": [], "rule": np.zeros(edges),
        "edge_feature_off": np.zeros(edges + 1), "edge_feature_id": [],
    }  # fmt: skip
    arrays: dict[str, NDArray[np.generic]] = {
        name: np.asarray(values, dtype=np.uint32) for name, values in integers.items()
    }
    arrays |= {name: np.zeros(0, np.int32) for name in ("source", "target", "context")}
    arrays |= {
        "rule_feature_value": np.zeros(0, np.float32), "score": np.zeros(edges),
        "loss": np.zeros(edges, np.float32),
        "dense": np.ascontiguousarray(features, dtype=np.float32).reshape(-1),
        "edge_feature_value": np.zeros(0, np.float32),
    }  # fmt: skip
    return Forest(_core.forest_build(arrays, [], ["S"], space, 0, 0))


def thinned(forest: Forest, density: int) -> Forest:
    """So many edges for each source word, those whose best derivations are best."""
    begin, end = forest.spans[-1]
    return prune([forest], max_edges=density * max(1, int(end) - int(begin)))[0]
