"""Classifiers of words as features of rules, from settings to translations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import demotic
from demotic.decode import HieroDecoder
from demotic.errors import ArgumentError
from demotic.systems import configured
from demotic.systems.rules_model import WORDS_PART, RulesModel
from tests.systems import toys

FEATURES = {"WordShare", "WordCost"}
LEAST = -7.0
LINES = ["The adj1 noun2 verb3 %d noun4.", "The noun7 does not verb1 a adj3 noun3.", "Unheard of."]


@pytest.fixture(scope="module", params=["hiero", "phrase", "amasis"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("classifiers") / str(request.param)
    settings: dict[str, Any] = {
        **toys.QUICK, "classifiers": {"method": "boosted", "classes": 8, "held_out": 20},
    }  # fmt: skip
    demotic.train(
        toys.memory(250), system=request.param, dev=toys.text(30), config=settings, out=out
    )
    return out


def model_of(path: Path) -> RulesModel:
    model = demotic.load(path, verify=True)
    assert isinstance(model, RulesModel)
    return model


def heavy(model: RulesModel) -> Any:
    """Its decoder, with much weight on what classifiers say."""
    return model.decoder.with_weights({**model.weights, "WordShare": 0.6, "WordCost": 0.3})


def links_say(model: RulesModel, derivation: Any) -> dict[str, float]:
    """The features from their definition: over links, what the classifiers say of each."""
    words: Any = model.classifiers
    names = words.target_words()
    ids = [words.find_source(token) for token in derivation.source]
    scores = words.scores(ids, [words.tag_of(word) for word in ids], [])
    share = cost = 0.0
    for i, j in derivation.alignment:
        known = [names[target] for target in words.candidates(ids[i])[0]]
        if derivation.steps[derivation.word_steps[j]].rule is None or not ids[i] or not known:
            continue
        if derivation.tokens[j] not in known:
            share, cost = share + LEAST, cost + LEAST
            continue
        h = np.array(scores[i])
        at = known.index(derivation.tokens[j])
        share += max(LEAST, float(h[at] - np.logaddexp.reduce(h)))
        cost += max(LEAST, -float(np.logaddexp(0, -h[at])))
    return {"WordShare": share, "WordCost": cost}


def tokens(model: RulesModel) -> list[tuple[str, ...]]:
    return [model.encode(line).tokens for line in LINES]


def test_features_are_what_classifiers_say_of_the_links(path: Path) -> None:
    model = model_of(path)
    assert model.weights.keys() >= FEATURES
    assert model.bundle.parts.keys() >= {WORDS_PART}
    said = 0.0
    for found in heavy(model).kbest_lines(tokens(model), 5):
        for derivation in found:
            for name, value in links_say(model, derivation).items():
                assert derivation.features[name] == pytest.approx(value, abs=1e-3)
                said += abs(value)
    assert said > 1, "or there is nothing to compare"


def test_scores_are_sums_of_weighted_features(path: Path) -> None:
    model = model_of(path)
    decoder = heavy(model)
    best = decoder.decode_lines(tokens(model))
    for derivation, listed, forest in zip(
        best, decoder.kbest_lines(tokens(model), 1), decoder.forests(tokens(model)), strict=True
    ):
        weighed = sum(decoder.weights[name] * v for name, v in derivation.features.items())
        assert derivation.score == pytest.approx(weighed, abs=1e-3)
        assert derivation.score == pytest.approx(listed[0].score, abs=1e-3)
        [packed] = forest.kbest(1)
        assert packed.score == pytest.approx(derivation.score, abs=1e-3)
        steps = sum(step.score for step in derivation.steps)
        assert steps == pytest.approx(derivation.score, abs=1e-3)


def test_the_same_source_words_elsewhere_get_other_scores(path: Path) -> None:
    """A sentence must not be scored by what was found for the one before it."""
    model = model_of(path)
    decoder = heavy(model)
    alone = [decoder.decode(line) for line in tokens(model)]
    for threads in (1, 2):
        together = decoder.decode_lines(tokens(model) * 3, threads=threads)
        assert [d.score for d in together] == [d.score for d in alone] * 3
        assert [d.tokens for d in together] == [d.tokens for d in alone] * 3


def test_they_change_what_is_chosen(path: Path) -> None:
    model = model_of(path)
    lines = [model.encode(line).tokens for line in toys.lines(30, seed=5)]
    without = {**model.weights, "WordShare": 0.0, "WordCost": 0.0}
    plain = model.decoder.with_weights(without).decode_lines(lines)  # type: ignore[attr-defined]
    led = model.decoder.with_weights({**without, "WordShare": 5.0}).decode_lines(lines)  # type: ignore[attr-defined]
    gains = [
        b.features["WordShare"] - a.features["WordShare"] for a, b in zip(plain, led, strict=True)
    ]
    assert sum(gains) > 0
    assert any(a.tokens != b.tokens for a, b in zip(plain, led, strict=True))


def test_a_decoder_keeps_its_classifiers_alive(path: Path) -> None:
    model = model_of(path)
    line = tokens(model)[0]
    decoder = heavy(model)
    before = decoder.decode(line).score
    decoder.classifiers = None
    del model
    assert decoder.decode(line).score == before


def test_eager_search_agrees_where_nothing_is_pruned(path: Path) -> None:
    model = model_of(path)
    if model.SYSTEM != "hiero":
        pytest.skip("the others have one way to search")
    assert isinstance(model.decoder, HieroDecoder)
    weights = {**model.weights, "WordShare": 0.6, "WordCost": 0.3}
    scores = [
        model.with_search({"init": init, "pops": 5000})
        .decoder.with_weights(weights)  # type: ignore[attr-defined]
        .decode(tokens(model)[0])
        .score
        for init in ("eager", "lazy")
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ArgumentError, match="method"):
        configured("hiero", {"classifiers": {"method": "bagged"}})
    with pytest.raises(ArgumentError, match="lambda_min"):
        configured("phrase", {"classifiers": {"lambda_min": 0.0}})
    with pytest.raises(ArgumentError, match="classifiers"):
        configured("blocks", {"classifiers": {"method": "boosted"}})
