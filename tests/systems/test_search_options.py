"""Models search as they are told, when they are trained, when they are opened, and later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.errors import ArgumentError
from tests.systems import toys

SEARCH: dict[str, dict[str, Any]] = {
    "hiero": {"pops": 3, "span_limit": 4},
    "phrase": {"stack": 7, "distortion_limit": 2},
    "blocks": {"beam": 3, "min_left": 2},
    "umt": {"beam": 2, "span_limit": 4},
    "amasis": {"beam": 7, "labels": 2},
    "transducer": {"beam": 7, "candidates": 3},
}
SETTINGS: dict[str, dict[str, Any]] = {
    "hiero": toys.UNTUNED,
    "phrase": toys.UNTUNED,
    "blocks": {"preset": "row4", "learn": {"lm_folds": 0}},
    "umt": {"lm": {"order": 3}, "preset": "full", "learn": {"drl": {"epochs": 0}}},
    "amasis": {**toys.UNTUNED, "learn": {"min_count": 1}},
    "transducer": {"trees": {"source": "induced"}, "tune": {"mira": {"iterations": 0}}},
}


@pytest.mark.parametrize("system", SEARCH)
def test_a_decoder_has_the_options_of_its_model(system: str, tmp_path: Path) -> None:
    told = SEARCH[system]
    trained: Any = demotic.train(
        toys.memory(100), system=system, dev=toys.text(15), out=tmp_path / "model",
        config={**SETTINGS[system], "search": told},
    )  # fmt: skip
    opened: Any = demotic.load(tmp_path / "model")
    for model in (trained, opened):
        assert {name: getattr(model.decoder.options, name) for name in told} == told
    name, value = next(iter(told.items()))
    wider = opened.with_search({name: value + 1})
    assert getattr(wider.decoder.options, name) == value + 1
    assert wider.weights == opened.weights
    other = dict(list(told.items())[1:])
    assert {name: getattr(wider.decoder.options, name) for name in other} == other
    with pytest.raises(ArgumentError, match="searches without 'colour'"):
        opened.with_search({"colour": 1})


def test_a_forest_of_umt_holds_what_its_search_allows(tmp_path: Path) -> None:
    model: Any = demotic.train(
        toys.memory(100), system="umt", dev=toys.text(15), config=SETTINGS["umt"]
    )
    line = "The adj1 noun2 verb3 a noun4."
    narrow = model.with_search({"span_limit": 2})
    assert narrow.forest(line).edges < model.forest(line).edges
    told = {
        "span_limit": 4,
        "max_edges": 1000,
        "goal": "T",
        "default_category": "Y",
        "glue": "never",
    }
    parser = model.with_search(told)._parser
    assert {name: getattr(parser.options, name) for name in told} == told
    fewer = model.with_weights({**model.weights, "LanguageModel": 0.0, "WordPenalty": 0.0})
    plain = fewer.forest(line).viterbi()
    names = {*plain.features} & {*model.weights}
    worth = sum(fewer.weights[name] * plain.features[name] for name in names)
    assert plain.score == pytest.approx(worth, abs=1e-4)
