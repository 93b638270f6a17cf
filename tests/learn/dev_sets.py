"""Random dev sets as the oracle sees them and as Demotic does, and tasks that decode them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from demotic.forest import Forest
from demotic.learn import Candidates, ForestCandidates, KBestCandidates, Known
from demotic.learn.candidates import statistics_against
from tests.forest.toys import FEATURES, Pair, built
from tests.oracles.forest import random_toy
from tests.oracles.mert import Hypothesis, Lists, random_lists

lists = st.integers(0, 2**32).map(lambda seed: random_lists(random.Random(seed)))


def line(seed: int) -> tuple[list[float], list[float]]:
    """Weights and a direction along which no two different hypotheses are equally good."""
    rng = random.Random(seed)
    return [rng.gauss(0, 1) for _ in FEATURES], [rng.gauss(0, 1) for _ in FEATURES]


lines = st.integers(0, 2**32).map(line)


def candidates(hypotheses: Sequence[Hypothesis]) -> KBestCandidates:
    return KBestCandidates(
        np.array([h.features for h in hypotheses]), np.array([h.statistics for h in hypotheses])
    )


def search_of(given: Lists, threads: int = 1) -> Known:
    search = Known(FEATURES, len(given), threads=threads)
    search.add([candidates(hypotheses) for hypotheses in given])
    return search


def toys(seed: int, sentences: int = 3, most: int = 40) -> list[Pair]:
    """Forests whose edges differ in their features, which 32-bit floats hold exactly."""
    rng = random.Random(seed)
    cases = []
    for _ in range(sentences):
        toy = random_toy(rng, most=most)
        for edge in toy.edges:
            edge.features = {name: rng.randrange(-4096, 4096) / 256 for name in FEATURES}
        cases.append(Pair(toy, built(toy, rng)))
    return cases


def references_of(rng: random.Random) -> list[str]:
    """Two references over the words of toys."""
    return [" ".join(rng.choices("abcd", k=rng.randint(4, 9))) for _ in range(2)]


def forest_candidates(forest: Forest, references: list[str]) -> ForestCandidates:
    words = [line.split() for line in references]
    return ForestCandidates(forest, statistics_against(references), words)


def derivations(case: Pair, references: list[str]) -> list[Hypothesis]:
    """Every derivation of a toy as a hypothesis."""
    count = statistics_against(references)
    result = []
    for tree in case.trees():
        features = case.toy.features(tree)
        values = [features.get(name, 0.0) for name in FEATURES]
        statistics = count([" ".join(case.toy.words(tree))])[0].tolist()
        result.append(Hypothesis(values, statistics))
    return result


class ListTask:
    """A decoder that knows all hypotheses and shows the k best."""

    def __init__(self, known: Lists, k: int, features: Sequence[str] = FEATURES) -> None:
        self.feature_names = features
        self.known = known
        self.k = k
        self.decoded = 0

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        self.decoded += 1
        w = [weights[name] for name in self.feature_names]
        return [
            candidates(sorted(all_of_it, key=lambda h: -float(np.dot(h.features, w)))[: self.k])
            for all_of_it in self.known
        ]


class ForestTask:
    """A decoder whose forests are pruned around the best derivation."""

    feature_names = FEATURES

    def __init__(self, cases: list[Pair], references: list[list[str]]) -> None:
        self.cases = cases
        self.references = references

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        return [
            forest_candidates(case.forest.rescore(weights).prune(20.0), references)
            for case, references in zip(self.cases, self.references, strict=True)
        ]
