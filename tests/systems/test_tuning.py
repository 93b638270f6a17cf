"""Tuning moves weights to where unseen text is translated better, and says what it did."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.learn import MertOptions, MiraOptions, ProOptions, TunerOptions
from demotic.model import tune
from demotic.systems.config import AUTO, TuneConfig
from demotic.systems.model import Model
from demotic.systems.records import merged
from demotic.systems.tuning import TuningTask, encoded_dev, own_tuning
from tests.systems import toys
from tests.systems.test_hiero import Interrupted

SYSTEMS = ("hiero", "phrase")


@pytest.fixture(scope="module", params=SYSTEMS)
def untuned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with the weights that tuning starts from."""
    path = tmp_path_factory.mktemp("models") / "untuned"
    demotic.train(
        toys.memory(400), system=request.param, dev=toys.text(40), config=toys.UNTUNED, out=path
    )
    return path


@pytest.fixture(scope="module")
def tuned(untuned: Path) -> Path:
    """The same model after two rounds."""
    path = untuned.with_name("tuned")
    options = MertOptions(iterations=2, restarts=0)
    tune(demotic.load(untuned), toys.text(40), out=path, options=options)
    return path


def test_tuning_again_gains_on_unseen_text(untuned: Path, tuned: Path) -> None:
    before, after = demotic.load(untuned), demotic.load(tuned)
    assert after.weights != before.weights
    assert toys.unseen_bleu(after) > toys.unseen_bleu(before) + 8
    assert toys.unseen_bleu(after) < 95, "the toy leaves room to be wrong"


TUNERS: dict[str, TunerOptions] = {
    "mert": MertOptions(iterations=3, restarts=0),
    "mira": MiraOptions(iterations=3),
    "pro": ProOptions(iterations=3, step=0.5),
}


@pytest.fixture(scope="module", params=["kbest", "forest"])
def start(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A model with the weights that tuning starts from, to be tuned on lists or on forests."""
    config = merged(toys.UNTUNED, {"tune": {"candidates": request.param}})
    out = tmp_path_factory.mktemp("start") / "model"
    return demotic.train(toys.memory(400), dev=toys.text(40), config=config, out=out)


@pytest.mark.parametrize("tuner", TUNERS)
def test_every_tuner_gains_on_unseen_text(start: Model, tuner: str, tmp_path: Path) -> None:
    found = tune(start, toys.text(40), out=tmp_path / "tuned", options=TUNERS[tuner])
    assert toys.unseen_bleu(found) > toys.unseen_bleu(start) + 6
    told = found.about.config["tune"]
    assert (told["method"], told["candidates"]) == (tuner, start.about.config["tune"]["candidates"])
    assert own_tuning(found).options == TUNERS[tuner]


def test_a_model_that_knows_of_mert_alone_is_tuned_by_it(start: Model, tmp_path: Path) -> None:
    """As models of earlier versions do."""
    old = demotic.load(start.bundle.folder)
    section = {"candidates": "kbest", "list_size": 7, "mert": {"iterations": 0, "restarts": 2}}
    old.about.config["tune"] = section  # type: ignore[index]
    own = own_tuning(old)
    assert own.options == MertOptions(iterations=0, restarts=2)
    assert (own.method, own.list_size, own.mira) == ("mert", 7, MiraOptions())
    assert tune(old, toys.text(40), out=tmp_path / "again").weights == pytest.approx(old.weights)


def test_options_name_their_method() -> None:
    config = TuneConfig(method="auto")
    assert type(config.options) is type(getattr(TuneConfig(), AUTO))
    assert config.with_options(config.options) == config
    changed = config.with_options(MertOptions(restarts=9))
    assert (changed.method, changed.options) == ("mert", MertOptions(restarts=9))
    assert replace(changed, method="auto", mert=MertOptions()) == config


def test_options_of_other_tuners_do_not_tune_again(tmp_path: Path) -> None:
    """A stage that is done stays done when nothing changed that shapes its weights."""
    for out, more in (("one", {}), ("two", {"tune": {"pro": {"pairs": 7}}})):
        watch = Interrupted("never")
        demotic.train(
            toys.memory(150), dev=toys.text(30), config=merged(SMALL, more), out=tmp_path / out,
            work=tmp_path / "work", resume=True, progress=watch,
        )  # fmt: skip
        assert ("tuning" in watch.steps) == (out == "one")


@pytest.mark.parametrize("system", SYSTEMS)
def test_training_tunes_as_tuning_again_does(system: str, tmp_path: Path) -> None:
    """The same text, start and options: the same weights, by either way."""
    models = {}
    for name, config in (("quick", toys.QUICK), ("untuned", toys.UNTUNED)):
        models[name] = demotic.train(
            toys.memory(150), system=system, dev=toys.text(30), config=config, out=tmp_path / name
        )
    options = own_tuning(models["quick"]).options
    again = tune(models["untuned"], toys.text(30), out=tmp_path / "again", options=options)
    assert again.weights == pytest.approx(models["quick"].weights)
    assert again.about.dev == models["quick"].about.dev
    assert again.weights != models["untuned"].weights


def test_a_tuned_model_keeps_all_but_its_weights(untuned: Path, tuned: Path) -> None:
    for part in ("rules.bin", "lm.bin", "source.json", "target.json", "corpus.arrow"):
        assert (untuned / part).read_bytes() == (tuned / part).read_bytes()
    before, after = demotic.load(untuned).about, demotic.load(tuned).about
    assert (before.system, before.provenance) == (after.system, after.provenance)
    changed = {name for name in before.config if before.config[name] != after.config[name]}
    assert changed <= {"tune"}


def test_the_score_that_is_told_is_that_of_the_tuned_weights(untuned: Path, tuned: Path) -> None:
    model = demotic.load(tuned)
    told = model.about.dev
    score = model.score(toys.text(40))
    assert [told[name] for name in ("metric", "value", "signature")] == [
        score.name, score.value, score.signature,
    ]  # fmt: skip
    assert told["value"] > demotic.load(untuned).score(toys.text(40)).value + 8
    assert json.loads((tuned / "weights.json").read_text()) == dict(model.weights)


def test_a_dev_set_is_tokens_on_both_sides_as_in_training(tuned: Path) -> None:
    model = demotic.load(tuned)
    dev = encoded_dev(model.source, model.target, toys.text(40))  # type: ignore[attr-defined]
    for pair, source, reference in zip(toys.text(40), dev.source, dev.reference, strict=True):
        encoded = model.source.encode(pair.source)  # type: ignore[attr-defined]
        assert source == str(encoded)
        assert source.split()[-1] == reference.split()[-1] == "￭."
        decoded = model.target.decode(reference.split(), encoded)  # type: ignore[attr-defined]
        assert decoded == pair.target
    words = {word for line in dev.reference for word in line.split()}
    unknown = [word for word in words if word not in model.lm]  # type: ignore[attr-defined]
    assert len(unknown) < len(words) / 10, unknown


def test_candidates_are_counted_against_the_reference_of_their_sentence(tuned: Path) -> None:
    model: Any = demotic.load(tuned)
    dev = encoded_dev(model.source, model.target, toys.text(12))
    task = TuningTask(model.decoder, dev, "kbest", 5)
    for reference, found in zip(dev.reference, task.candidates(model.weights), strict=True):
        length = len(reference.split())
        assert {int(row[-1]) for row in found.statistics} == {length}
        assert 1 < len(found.features) <= 5


# -- going on with other settings ---------------------------------------------------------------

SMALL: dict[str, Any] = {"lm": {"order": 3}, "tune": {"mert": {"iterations": 1, "restarts": 0}}}
CHANGES: dict[str, dict[str, Any]] = {
    "decoder options": {"search": {"pops": 2}},
    "candidates": {"tune": {"list_size": 3, **SMALL["tune"]}},
    "rounds": {"tune": {"mert": {"iterations": 2, "restarts": 0}}},
    "seed": {"seed": 5},
    "language model": {"lm": {"order": 2}},
    "rules": {"extract": {"max_phrase": 4}},
    "links": {"align": {"symmetrise": "union"}},
    "cleaning": {"cleaning": {"max_words": 8}},
    "writing the source": {"source": {"casing": "lower"}},
    "writing the target": {"target": {"casing": "lower"}},
}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A work folder that a training left."""
    path = tmp_path_factory.mktemp("resumed")
    train(path / "model.demotic", path / "work", {}, resume=False)
    return path


def train(
    out: Path, work: Path, settings: dict[str, Any], *, dev: int = 7, resume: bool = True
) -> Model:
    return demotic.train(
        toys.memory(150), dev=toys.text(30, dev), config={**SMALL, **settings}, out=out, work=work,
        resume=resume,
    )  # fmt: skip


@pytest.mark.parametrize("change", [*CHANGES, "development set", "nothing"])
def test_a_training_resumed_with_other_settings_is_one_begun_with_them(
    change: str, work: Path, tmp_path: Path
) -> None:
    shutil.copytree(work / "work", tmp_path / "work")
    settings, dev = CHANGES.get(change, {}), 8 if change == "development set" else 7
    train(tmp_path / "resumed.demotic", tmp_path / "work", settings, dev=dev)
    train(tmp_path / "fresh.demotic", tmp_path / "new", settings, dev=dev, resume=False)
    resumed = (tmp_path / "resumed.demotic").read_bytes()
    assert resumed == (tmp_path / "fresh.demotic").read_bytes()
    assert (resumed == (work / "model.demotic").read_bytes()) == (change == "nothing")
