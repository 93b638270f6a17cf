"""Exhaustive search with a language model: score the whole string of every derivation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from demotic.lm import LanguageModel
from tests.oracles.cky import Tree, model_score


def total_score(tree: Tree, lm: LanguageModel | None, weights: Mapping[str, float]) -> float:
    score = model_score(tree, weights)
    if lm is not None:
        score += weights["LanguageModel"] * math.log(10) * lm.score(" ".join(tree.words))
        score += weights["UnknownWord"] * sum(word not in lm for word in tree.words)
    return score


def best_strings(
    trees: Iterable[Tree], lm: LanguageModel | None, weights: Mapping[str, float]
) -> list[tuple[float, tuple[str, ...]]]:
    """Each string with the score of its best derivation, best first."""
    best: dict[tuple[str, ...], float] = {}
    for tree in trees:
        score = total_score(tree, lm, weights)
        best[tree.words] = max(score, best.get(tree.words, -math.inf))
    return sorted(((score, words) for words, score in best.items()), reverse=True)


def all_scores(
    trees: Sequence[Tree], lm: LanguageModel | None, weights: Mapping[str, float]
) -> list[float]:
    """The scores of all derivations, best first."""
    return sorted((total_score(tree, lm, weights) for tree in trees), reverse=True)
