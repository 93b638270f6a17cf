"""Explanations: every word has its rule, every rule its sentences, and the numbers add up."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import demotic
from demotic.explain import Evidence, Explanation
from demotic.explain.page import figure
from tests.systems import toys

TEXT = "The adj1 noun2 verb3 %d noun4."


@pytest.fixture(scope="module")
def explanation(toy_model: Path) -> Explanation:
    return demotic.load(toy_model).explain(TEXT)


def test_every_target_word_was_written_by_one_step(explanation: Explanation) -> None:
    written = [word for step in explanation.steps for word in step.words]
    assert sorted(written) == list(range(len(explanation.tokens)))
    for word, token in enumerate(explanation.tokens):
        assert token in explanation.step_of(word).target


def test_contributions_add_up_to_the_score(explanation: Explanation) -> None:
    total = sum(step.contribution for step in explanation.steps)
    assert total == pytest.approx(explanation.score, abs=1e-4)
    products = [explanation.weights[n] * v for n, v in explanation.features.items()]
    assert sum(products) == pytest.approx(explanation.score, abs=1e-4)


def test_steps_form_a_tree_over_the_whole_sentence(explanation: Explanation) -> None:
    children = [child for step in explanation.steps for child in step.children]
    assert sorted(children) == list(range(1, len(explanation.steps)))
    assert explanation.steps[0].span == (0, len(explanation.source_tokens))
    for step in explanation.steps:
        for child in step.children:
            begin, end = explanation.steps[child].span
            assert step.span[0] <= begin < end <= step.span[1]


def test_evidence_holds_the_words_of_its_rule(explanation: Explanation) -> None:
    pairs = {(pair.source, pair.target) for pair in toys.memory(400)}
    rules = [step for step in explanation.steps if step.kind == "rule"]
    assert rules
    for step in rules:
        assert step.evidence
        for each in step.evidence:
            assert (each.source, each.target) in pairs
            for word in step.source:
                if isinstance(word, str) and word.startswith(("noun", "verb", "adj")):
                    assert word in each.source


def test_placeholders_are_shown_as_they_were_written(explanation: Explanation) -> None:
    assert "%d" in explanation.tokens
    assert "⟦" not in explanation.tree() + figure(explanation)


def test_the_record_is_json(explanation: Explanation) -> None:
    record = json.loads(json.dumps(explanation.to_record()))
    assert record["text"] == explanation.text
    assert record["words"][0]["step"] < len(record["steps"])


def test_unknown_words_pass_through(toy_model: Path) -> None:
    explanation = demotic.load(toy_model).explain("noun1 zzz")
    word = [token.lower() for token in explanation.tokens].index("zzz")
    assert explanation.step_of(word).kind == "pass-through"
    assert explanation.step_of(word).evidence == ()


def test_a_very_long_sentence_is_explained_too(toy_model: Path) -> None:
    explanation = demotic.load(toy_model).explain("noun1 " * 1500)
    assert explanation.tree().count("nom1") >= 1500
    assert figure(explanation).count("</li>") == len(explanation.steps)


def test_long_paths_are_shown_by_their_end() -> None:
    def place(file: str) -> str:
        return Evidence("id", "a", "b", file, "7").place

    assert place("a/b/c/d/e.po") == "…/c/d/e.po:7"
    assert place("d/e.po") == "d/e.po:7"
    assert place("") == "7"


def test_a_limit_is_not_shown_as_a_count(explanation: Explanation) -> None:
    one = next(step for step in explanation.steps if step.evidence)
    few, full = (replace(one, evidence=one.evidence[:1] * n, children=()) for n in (1, 3))
    assert (few.seen, full.seen) == ("seen in 1 sentence", "seen in 3 sentences or more")
    shown = replace(explanation, steps=(full,))
    assert "sentence(s)" not in figure(shown)
    assert "seen in 3 sentences or more" in figure(shown)
    assert "seen in 3 sentences or more" in shown.tree()


def test_marks_of_tokens_are_not_shown(explanation: Explanation) -> None:
    for shown in (explanation.tree(), figure(explanation)):
        assert "\uffed" not in shown
        assert "⟦" not in shown


def test_text_from_right_to_left_is_isolated(explanation: Explanation) -> None:
    step = replace(explanation.steps[-1], source=("דף",), target=("page", 0, "סוף"))
    turned = replace(explanation, source="דף אחד", steps=(step,))
    assert turned.tree().startswith("\u2068דף אחד\u2069\n")
    assert "\u2068דף\u2069 → page [1] \u2068סוף\u2069" in turned.tree()
    assert "<bdi>דף</bdi> → " in figure(turned)
    assert "\u2068" not in explanation.tree()
