"""What each feature adds at each step of a derivation.

A step knows its score, its rule's scores and the language models' part. Penalties follow from what
it is and writes. What is left belongs to the features that are not accounted for yet: to one of
them (distortion, labels), or to several together, whose values at a step nobody keeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demotic.explain.explanation import ExplainedStep, Explanation

if TYPE_CHECKING:
    from demotic.decode import Derivation
    from demotic.forest import Forest

_NOTHING = 1e-4
"""Scores are added up in another order here, and some of them have single precision."""


@dataclass(frozen=True)
class Share:
    """A feature's value times its weight."""

    name: str
    """Several names with `` + `` between them, where only their sum is known."""
    value: float | None
    weight: float | None
    contribution: float


def of_translation(explanation: Explanation) -> list[Share]:
    """The features of the whole translation."""
    return _weighed(explanation.features, explanation.weights)


def of_steps(
    explanation: Explanation, known: Sequence[Mapping[str, float]] | None = None
) -> list[list[Share]]:
    """Those of each step; ``known`` are the values where a system keeps them."""
    weights = explanation.weights
    if known is not None:
        return [_weighed(values, weights) for values in known]
    found = [_values(step, explanation.features) for step in explanation.steps]
    passed = sum(step.kind == "pass-through" for step in explanation.steps)
    if passed and explanation.features.get("UnknownWord") == passed:
        for values in found:
            values["UnknownWord"] = values.get("PassThrough", 0.0)
    missing = [
        name
        for name, value in explanation.features.items()
        if abs(weights[name] * (value - sum(each.get(name, 0.0) for each in found))) > _NOTHING
    ]
    shares = []
    for step, values in zip(explanation.steps, found, strict=True):
        told = _weighed(values, weights)
        rest = step.contribution - sum(each.contribution for each in told)
        if abs(rest) > _NOTHING and len(missing) == 1:
            [name] = missing
            told = [each for each in told if each.name != name]
            rest = step.contribution - sum(each.contribution for each in told)
            told.append(Share(name, rest / weights[name], weights[name], rest))
        elif abs(rest) > _NOTHING:
            told.append(Share(" + ".join(missing) or "rounding", None, None, rest))
        shares.append(told)
    return shares


def of_chain(forest: Forest, derivation: Derivation) -> list[dict[str, float]] | None:
    """The values of each step where a forest has the translation's phrases from the last one on.

    None if the best derivation of the forest is another one, as where consensus has chosen.
    """
    if not derivation.steps:
        return None
    edges = [int(each) for each in forest.viterbi().edges]
    edges = [edges[0], *reversed(edges[1 : len(derivation.steps)])]
    if [forest.rule(int(forest.edge_rule[each])).origin for each in edges] != [
        step.rule for step in derivation.steps
    ]:
        return None
    return [forest.edge_features(each) for each in edges]


def _values(step: ExplainedStep, features: Mapping[str, float]) -> dict[str, float]:
    """The values that a step is known to have."""
    values = {name: value for name, value in step.scores.items() if name in features}
    values["LanguageModel"] = step.language_model
    values["WordPenalty"] = len(step.words)
    values["RulePenalty"] = step.kind == "rule"
    values["PassThrough"] = step.kind == "pass-through"
    return {name: float(value) for name, value in values.items() if name in features}


def _weighed(values: Mapping[str, float], weights: Mapping[str, float]) -> list[Share]:
    return [
        Share(name, value, weights.get(name, 0.0), value * weights.get(name, 0.0))
        for name, value in values.items()
        if value
    ]
