"""The same work on many forests over threads; the number of threads never shows in the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic._core import FeatureSpace
from demotic.errors import ArgumentError
from demotic.forest.derivation import ForestDerivation
from demotic.forest.forest import Forest
from demotic.forest.weights import Floats, Weights, weight_array


@dataclass(frozen=True, eq=False)
class KBestList:
    """The k best derivations of one forest, best first."""

    derivations: list[ForestDerivation]
    truncated: bool
    """A node gave up after ``max_pops`` candidates: some strings may be missing."""


def kbest(
    forests: Sequence[Forest],
    k: int,
    *,
    unique: bool = False,
    max_pops: int = 0,
    threads: int = 1,
) -> list[KBestList]:
    """The k best derivations of each forest (Huang & Chiang 2005, Algorithm 3)."""
    _check(k >= 1, "k must be at least 1")
    _check(max_pops >= 0, "max_pops must not be negative")
    lists = _core.forest_kbest([f.core for f in forests], k, unique, max_pops, threads)
    return [
        KBestList(_unpacked(forest, score, off, edges), truncated)
        for forest, (score, off, edges, truncated) in zip(forests, lists, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class ConsensusList:
    """Derivations with the gain of their words."""

    own: tuple[ForestDerivation, float]
    """That of the best score."""
    best: list[tuple[ForestDerivation, float]]
    """Those of the largest gain, no two of the same words."""


def consensus(
    forests: Sequence[Forest],
    k: int = 1,
    *,
    scale: float = 1.0,
    weights: Sequence[float],
    model: float = 0.0,
    density: int = 0,
    threads: int = 1,
) -> list[ConsensusList]:
    """The k derivations of each forest whose n-grams are the most probable in it.

    The gain is linear BLEU (Tromble et al. 2008) under p(d) proportional to exp(scale score(d)):
    ``weights[0]`` a word, and for each n-gram ``weights[n]`` times the expected number of its
    occurrences, or 1 if that is less (orders count for more in short sentences, which have fewer
    n-grams); see :func:`linear_bleu` for weights.  ``model`` times the log of p(d) / p(best) is
    added.  Only the best ``density`` edges for each source word take part, or all if it is 0.
    """
    lists = _core.forest_consensus(
        [f.core for f in forests], k, scale, list(weights), model, density, threads
    )
    result = []
    for forest, (gain, off, edges) in zip(forests, lists, strict=True):
        score = np.array([forest.score[edges[a:b]].sum() for a, b in pairwise(off)])
        own, *best = zip(_unpacked(forest, score, off, edges), gain.tolist(), strict=True)
        result.append(ConsensusList(own, best))
    return result


def sample(
    forests: Sequence[Forest], count: int, seed: int, *, first_stream: int = 0, threads: int = 1
) -> list[list[ForestDerivation]]:
    """``count`` derivations of each forest; forest i draws from stream ``first_stream`` + i."""
    _check(count >= 0, "the number of samples must not be negative")
    _check(seed >= 0 and first_stream >= 0, "seed and stream must not be negative")
    lists = _core.forest_sample([f.core for f in forests], count, seed, first_stream, threads)
    result = []
    for forest, (off, edges) in zip(forests, lists, strict=True):
        score = [forest.score[edges[a:b]].sum() for a, b in pairwise(off)]
        result.append(_unpacked(forest, np.array(score), off, edges))
    return result


def prune(
    forests: Sequence[Forest],
    threshold: float | None = None,
    *,
    max_edges: int | None = None,
    threads: int = 1,
) -> list[Forest]:
    """Each forest without edges far below its best derivation; see :meth:`Forest.prune`."""
    cores = [f.core for f in forests]
    if threshold is not None and max_edges is None:
        return [Forest(core) for core in _core.forest_prune(cores, threshold, threads)]
    if threshold is not None or max_edges is None:
        raise ArgumentError("give either a threshold or max_edges")
    _check(max_edges >= 0, "max_edges must not be negative")
    return [Forest(core) for core in _core.forest_prune_to(cores, max_edges, threads)]


def rescore(forests: Sequence[Forest], weights: Weights, *, threads: int = 1) -> list[Forest]:
    """Each forest with score(e) = w . f(e); all must share their features."""
    array = shared_weights(forests, weights)
    cores = _core.forest_rescore([f.core for f in forests], array, threads)
    return [Forest(core) for core in cores]


def hold_sparse(
    forests: Sequence[Forest], weights: Weights, *, name: str | None, threads: int = 1
) -> list[Forest]:
    """Each forest with its dense features alone, for learners of few weights; all must share them.

    What the sparse features are worth under ``weights`` becomes the dense feature ``name``; where
    that is None, they are dropped.
    """
    space = shared_space(forests)
    names = [space.name(feature) for feature in range(space.dense)]
    held = FeatureSpace(names if name is None else [*names, name])
    array = weight_array(space, {} if name is None else weights)
    cores = _core.forest_hold_sparse([f.core for f in forests], held, array, threads)
    return [Forest(core) for core in cores]


def shared_weights(forests: Sequence[Forest], weights: Weights) -> Floats:
    """One array of weights for forests that share their features."""
    return weight_array(shared_space(forests), weights)


def shared_space(forests: Sequence[Forest]) -> FeatureSpace:
    """The one feature space of all forests."""
    space = forests[0].space if forests else FeatureSpace()
    for i, forest in enumerate(forests):
        own = forest.space
        if own is not space and not own.same_as(space):
            raise ArgumentError(
                f"forest {i} names other features than forest 0",
                remedy="bring all forests into one space with Forest.in_space",
            )
    return space


def joined_space(forests: Sequence[Forest]) -> FeatureSpace:
    """The forests' own space if they share it, or one with the names of all."""
    return _core.forest_joined_space([forest.core for forest in forests])


def _unpacked(
    forest: Forest, score: Floats, off: NDArray[np.uint32], edges: NDArray[np.uint32]
) -> list[ForestDerivation]:
    return [
        ForestDerivation(forest, edges[off[i] : off[i + 1]], float(value))
        for i, value in enumerate(score)
    ]


def _check(good: bool, message: str) -> None:
    if not good:
        raise ArgumentError(message)
