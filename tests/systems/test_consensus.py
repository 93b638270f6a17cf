"""Every system translates by consensus when it is told to, and says so."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.bundle import Bundle
from demotic.decode import Consensus
from demotic.decode.consensus import SCALES
from demotic.errors import ArgumentError
from demotic.forest import consensus, linear_bleu
from demotic.model import tune
from demotic.systems import SYSTEMS, configured
from tests.systems import toys
from tests.systems.test_search_options import SETTINGS

LINES = [*toys.lines(12, 5), "", "unknown words only"]
FORESTS = [name for name in SYSTEMS if name != "umt"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("models")
    return {
        name: demotic.train(
            toys.memory(150), system=name, dev=toys.text(15), out=folder / name,
            config=SETTINGS[name],
        ).with_memory({"use": False})
        for name in SYSTEMS
    }  # fmt: skip


def texts(model: Any, most: int = 1, **options: Any) -> list[list[str]]:
    return [[each.text for each in best] for best in model.nbest_lines(LINES, most, **options)]


def methods(name: str) -> list[str]:
    return ["kbest"] if name == "umt" else ["kbest", "forest"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_translates_with_it(name: str, models: dict[str, Any]) -> None:
    model = models[name]
    assert model.consensus.method == "off"
    for method in methods(name):
        told = {"method": method, "list_size": 20, "scale": 0.5}
        chosen = model.with_consensus(told)
        found = list(chosen.nbest_lines(LINES, 3))
        assert [[each.text for each in best] for best in found] == texts(chosen, 3, threads=2)
        assert [best[0].text for best in found] == [best[0] for best in texts(chosen)]
        for best in found:
            gains = [each.consensus.gain for each in best]
            assert gains == pytest.approx(sorted(gains, reverse=True), abs=1e-6)
            assert gains[0] >= best[0].consensus.own_gain - 1e-6
        if name != "umt":  # whose lists may hold better ones than its first path
            own = [best[0].consensus.own for best in found]
            assert own == [best[0] for best in texts(model)]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_large_scale_gives_the_best_score(name: str, models: dict[str, Any]) -> None:
    for method in methods(name):
        model = models[name].with_consensus({"method": method, "scale": 1e6, "model": 1.0})
        found = model.translate_batch(LINES)
        listed = models[name].nbest_lines(LINES, model.consensus.list_size)
        best = [each[0] for each in listed]
        assert [each.score for each in found] == pytest.approx([each.score for each in best])


@pytest.mark.parametrize("name", FORESTS)
def test_a_decoder_chooses_what_its_forest_agrees_on(name: str, models: dict[str, Any]) -> None:
    decoder = models[name].decoder
    sentences = [models[name].source.encode(line).tokens for line in LINES]
    options: dict[str, Any] = {
        "scale": 0.5, "weights": linear_bleu(), "model": 0.1, "density": 20,
    }  # fmt: skip
    in_forests = consensus(decoder.forests(sentences), 3, **options)
    found = decoder.consensus_lines(sentences, 3, **options)
    for choices, wanted in zip(found, in_forests, strict=True):
        assert [each.found.text for each in choices.best] == [each.text for each, _ in wanted.best]
        assert [each.gain for each in choices.best] == [gain for _, gain in wanted.best]
        assert choices.own.found.score == pytest.approx(wanted.own[0].score, abs=1e-4)
        for each, (derivation, _) in zip(choices.best, wanted.best, strict=True):
            assert each.found.score == pytest.approx(derivation.score, abs=1e-4)


def test_one_tree_is_no_forest(models: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="no forest"):
        models["umt"].with_consensus({"method": "forest"})
    with pytest.raises(ArgumentError, match="kbest"):
        configured("umt", {"consensus": {"method": "forest"}})


@pytest.mark.parametrize(
    "wrong",
    [{"method": "vote"}, {"scale": -1.0}, {"scale": float("inf")}, {"list_size": 0},
     {"density": -1}, {"model": -1.0}, {"precision": 0.0}, {"ratio": 1.5}],
)  # fmt: skip
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        Consensus(**wrong)


@pytest.mark.parametrize("method", ["forest", "kbest"])
def test_a_model_is_trained_with_it_and_keeps_it(method: str, tmp_path: Path) -> None:
    told = {"method": method, "list_size": 10}
    trained = demotic.train(
        toys.memory(100), system="hiero", dev=toys.text(15), out=tmp_path / "model",
        config={**toys.UNTUNED, "consensus": told},
    )  # fmt: skip
    opened = demotic.load(tmp_path / "model")
    for model in (trained, opened):
        assert {name: getattr(model.consensus, name) for name in told} == told
        assert model.consensus.scale in SCALES
        assert model.score(toys.text(15)).value == pytest.approx(model.about.dev["value"])
    again = tune(opened, toys.text(15, 3), out=tmp_path / "again")
    assert again.consensus.method == method
    assert again.about.config["consensus"] == asdict(again.consensus)


def test_a_model_of_an_earlier_version_has_none(toy_model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(toy_model, copy)
    model = demotic.load(copy)
    config = {name: value for name, value in model.about.config.items() if name != "consensus"}
    earlier = type(model.about)(**{**vars(model.about), "config": config})
    with Bundle.create(tmp_path / "earlier", earlier) as folder:
        for part in model.bundle.parts:
            shutil.copyfile(model.bundle.path(part), folder / part)
    opened = demotic.load(tmp_path / "earlier")
    assert opened.consensus == Consensus()
    assert texts(opened) == texts(model)


def test_an_explanation_shows_what_it_was_preferred_to(models: dict[str, Any]) -> None:
    model = models["hiero"].with_consensus({"method": "kbest", "scale": 0.1})
    explained = [model.explain(line) for line in LINES[:12]]
    for each in explained:
        shown, record = each.tree(), json.loads(json.dumps(each.to_record()))
        assert "consensus (kbest, scale 0.1): gain" in shown
        assert "best score: " in shown
        assert record["consensus"]["gain"] >= record["consensus"]["own_gain"]
    assert any(each.consensus.own != each.text for each in explained)
    plain = models["hiero"].explain(LINES[0])
    assert "consensus" not in plain.tree()
    assert "consensus" not in plain.to_record()
