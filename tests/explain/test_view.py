"""The view: numbers add up, places are those of the text, rivals are all that the table has."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.explain.view import view
from demotic.glossary import Glossary
from demotic.grammar import Rule
from demotic.systems import SYSTEMS
from tests.systems import toys

TEXT = "The adj1 noun2 does not verb3 %d noun4 zzz."
RULES = ("hiero", "umt", "phrase", "amasis")
TEXTS = [TEXT, *toys.lines(4, 5)]


def decoded(path: Path) -> Any:
    return demotic.load(path).with_memory({"use": False})


def target(record: dict[str, Any], begin_end: list[int]) -> str:
    return str(record["text"][slice(*begin_end)])


@pytest.fixture(scope="module", params=SYSTEMS)
def system(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_view_is_an_explanation_and_more(every_system: dict[str, Path], system: str) -> None:
    model = decoded(every_system[system])
    found = view(model, TEXT)
    record = json.loads(json.dumps(model.explain(TEXT).to_record()))
    for name, value in record.items():
        if name != "steps":
            assert found[name] == value
    for one, other in zip(found["steps"], record["steps"], strict=True):
        assert {name: one[name] for name in other} == other
    assert (found["system"], found["languages"]) == (system, {"source": "en", "target": "fr"})
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("text", TEXTS)
def test_features_of_steps_add_up(every_system: dict[str, Path], system: str, text: str) -> None:
    found = view(decoded(every_system[system]), text)
    total: Counter[str] = Counter()
    for step in found["steps"]:
        told = sum(each["contribution"] for each in step["features"])
        assert told == pytest.approx(step["contribution"], abs=3e-4)
        for each in step["features"]:
            assert each["value"] * each["weight"] == pytest.approx(each["contribution"])
            total[each["name"]] += each["contribution"]
    for each in found["contributions"]:
        assert each["value"] * each["weight"] == pytest.approx(each["contribution"])
        assert total[each["name"]] == pytest.approx(each["contribution"], abs=2e-3), each["name"]
    assert sum(total.values()) == pytest.approx(found["score"], abs=2e-3)


def test_values_whose_sum_alone_is_known_are_said_together(every_system: dict[str, Path]) -> None:
    from dataclasses import replace

    from demotic.explain import shares

    explanation = decoded(every_system["amasis"]).explain(TEXT)
    features = {**explanation.features, "Label": -1.0, "Sublabel": -2.0}
    weights = {**explanation.weights, "Label": 0.5, "Sublabel": 0.25}
    steps = list(explanation.steps)
    at = next(i for i, step in enumerate(steps) if step.kind == "rule")
    steps[at] = replace(steps[at], contribution=steps[at].contribution - 1.0)
    changed = replace(explanation, features=features, weights=weights, steps=tuple(steps))
    [together] = [each for each in shares.of_steps(changed)[at] if each.value is None]
    assert together.name == "Label + Sublabel"
    assert together.contribution == pytest.approx(-1.0, abs=0.5)


def test_tokens_are_found_in_the_texts(every_system: dict[str, Path], system: str) -> None:
    found = view(decoded(every_system[system]), TEXT)
    places = found["places"]
    assert len(places) == len(found["tokens"])
    assert [target(found, each).lower() for each in places] == [
        token.lower() for token in found["tokens"]
    ]
    words = [TEXT[begin:end].lower() for begin, end in found["source_places"]]
    assert words == [*map(str.lower, found["source_tokens"])]


def covers(side: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Can a source side stand for the words, each gap for one or more of them?"""
    if not side or not words:
        return not side and not words
    if side[0].startswith("[X,"):
        return any(covers(side[1:], words[n:]) for n in range(1, len(words) + 1))
    return side[0] == words[0] and covers(side[1:], words[1:])


@pytest.mark.parametrize("name", RULES)
def test_rivals_are_all_rules_that_cover_the_words(
    every_system: dict[str, Path], name: str
) -> None:
    model = decoded(every_system[name])
    derivation = model.translate(TEXT).derivation
    found = view(model, TEXT, rivals=3)["steps"]

    def score(rule: Rule) -> float:
        own = sum(model.weights[name] * value for name, value in rule.scores.items())
        words = sum(not each.startswith("[X,") for each in rule.target)
        return float(own + model.weights["WordPenalty"] * words)

    for step, record in zip(derivation.steps, found, strict=True):
        rivals = record["rivals"]
        if step.rule is None:
            assert rivals is None
            continue
        words = derivation.source[step.begin : step.end]
        rules = [rule for rule in model.rules if covers(rule.source, words)]
        own = model.rules[step.rule]
        same = [rule for rule in rules if rule.source == own.source]
        others = [rule for rule in rules if rule.source != own.source]
        assert (rivals["same"], rivals["others"]) == (len(same), len(others))
        better = sum(score(rule) > score(own) for rule in same)
        assert rivals["rank"] > better
        scores = [each["score"] for each in rivals["best"]]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] == pytest.approx(max(map(score, same)))
        assert [each["chosen"] for each in rivals["best"]].count(True) == 1
        assert len(rivals["best"]) <= 4
        best = {rule.source: -math.inf for rule in others}
        for rule in others:
            best[rule.source] = max(best[rule.source], score(rule))
        assert [each["score"] for each in rivals["other"]] == pytest.approx(
            sorted(best.values(), reverse=True)[:3]
        )


def test_rivals_of_blocks_are_those_of_the_same_words(every_system: dict[str, Path]) -> None:
    model = decoded(every_system["blocks"])
    derivation = model.translate(TEXT).derivation
    for step, record in zip(derivation.steps, view(model, TEXT)["steps"], strict=True):
        if step.rule is None:
            assert record["rivals"] is None
            continue
        same = [each for each in model.blocks if each.source == model.blocks[step.rule].source]
        assert record["rivals"]["same"] == len(same)
        total = sum(each.count for each in same)
        top = max(each.count for each in same) / total
        assert record["rivals"]["best"][0]["score"] == pytest.approx(math.log(top))


def test_rivals_of_a_transducers_word_are_its_translations(every_system: dict[str, Path]) -> None:
    found = view(decoded(every_system["transducer"]), TEXT)
    leaves = [step for step in found["steps"] if not step["children"]]
    assert leaves
    assert any(step["rivals"]["same"] > 1 for step in leaves)
    for step in leaves:
        [chosen] = [each for each in step["rivals"]["best"] if each["chosen"]]
        assert chosen["target"] == step["target"]
        heard = [each for each in step["features"] if each["name"] == "LanguageModel"]
        alone = step["contribution"] - sum(each["contribution"] for each in heard)
        assert chosen["score"] == pytest.approx(alone, abs=1e-4)
    assert all(step["rivals"] is None for step in found["steps"] if step["children"])


def test_the_order_of_growth_and_the_stack_are_told(every_system: dict[str, Path]) -> None:
    grown = view(decoded(every_system["umt"]), TEXT)["steps"]
    assert sorted(step["order"] for step in grown) == [*range(1, len(grown) + 1)]
    assert next(step for step in grown if step["order"] == 1)["action"] == "start"
    shifted = view(decoded(every_system["amasis"]), TEXT)["steps"]
    stacks = [step["stack"] for step in shifted if step["stack"] is not None]
    assert len(stacks) > 1


def test_the_memory_is_told_with_what_differs(toy_model: Path) -> None:
    model = demotic.load(toy_model)
    stored, translated = _pair()
    exact = view(model, stored)
    assert exact["memory"]["kind"] == "exact"
    assert exact["text"] == translated
    assert exact["steps"] == exact["places"] == []
    mended = view(model, stored.rstrip(".") + "!")
    assert mended["memory"]["kind"] == "mended"
    differing = [each for each in mended["memory"]["difference"] if each["stored"] != each["given"]]
    assert len(differing) == 1
    similar = view(model, stored.replace("noun", "zzz", 1))
    assert similar["matches"]
    assert any(each["stored"] != each["given"] for each in similar["matches"][0]["difference"])


def _pair() -> tuple[str, str]:
    bitext = toys.memory(400)
    lines = [*zip(bitext.source_lines(), bitext.target_lines(), strict=True)]
    count = Counter(source for source, _ in lines)
    return next((one, other) for one, other in lines if count[one] == 1 and len(one) > 40)


def test_terms_and_confidence_are_told(toy_model: Path) -> None:
    model = demotic.load(toy_model).with_memory({"use": False})
    model = model.with_glossary(Glossary.of([("noun2", "Hauptwort")]))
    found = view(model, TEXT)
    assert [each["outcome"] for each in found["terms"]] == ["put in"]
    assert "Hauptwort" in found["text"]
    begin, end = found["source_places"][2]
    assert TEXT[begin:end] == "noun2"
    assert found["confidence"] == model.sure(model.translate(TEXT))


@pytest.mark.parametrize("text", ["", "   ", "."])
def test_next_to_nothing_can_be_viewed(
    every_system: dict[str, Path], system: str, text: str
) -> None:
    found = view(decoded(every_system[system]), text)
    assert found["source"] == text
    json.dumps(found, allow_nan=False)


def test_a_very_long_sentence_is_viewed_without_rivals(every_system: dict[str, Path]) -> None:
    found = view(decoded(every_system["hiero"]), "noun1 " * 500)
    assert len(found["steps"]) > 300
    assert all(step["rivals"] is None for step in found["steps"])
