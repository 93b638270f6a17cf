"""Minimum imputed risk: sources made up for sentences of the target language, and tuned on."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.errors import ArgumentError, FileAccessError
from demotic.learn import MinriskOptions, MiraOptions
from demotic.model import tune
from demotic.systems import configured
from demotic.systems.imputing import NONE, Imputed, ImputedConfig, impute, probabilities
from demotic.systems.model import Model
from tests.systems import toys

MINRISK: dict[str, Any] = {"method": "minrisk", "minrisk": {"iterations": 2, "evaluations": 20}}


@pytest.fixture(scope="module")
def reverse(tmp_path_factory: pytest.TempPathFactory) -> Model:
    out = tmp_path_factory.mktemp("reverse") / "back"
    return demotic.train(toys.turned(toys.memory(200)), config=toys.UNTUNED, out=out)


@pytest.fixture(scope="module")
def mono(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Careful text in the target language, the first line one that the reverse model has seen."""
    path = tmp_path_factory.mktemp("mono") / "mono.fr"
    seen = next(iter(toys.memory(200).target_lines()))
    path.write_text("\n".join([seen, *toys.text(40, 21).target_lines()]), encoding="utf-8")
    return path


def settings(mono: Path, reverse: Model, **more: Any) -> dict[str, Any]:
    back = str(reverse.bundle.folder)
    imputed = {"text": str(mono), "reverse": back, "sources": 3, **more}
    return {"lm": {"order": 3}, "tune": {**MINRISK, "imputed": imputed}}


def test_shares_are_probabilities() -> None:
    assert probabilities([-1000.0, -1000.0 + math.log(3)]) == pytest.approx([0.25, 0.75])
    assert probabilities([0.0, math.log(3)], scale=2.0) == pytest.approx([0.1, 0.9])
    assert probabilities([]) == []


def test_each_sentence_gets_different_sources_that_share_its_weight(
    mono: Path, reverse: Model
) -> None:
    config = ImputedConfig(
        text=mono, reverse=reverse.bundle.folder, sentences=20, sources=4, scale=0.5, weight=0.5
    )
    found = impute(config, reverse.target, reverse.source, ("en", "fr"))
    by_sentence: dict[str, dict[str, float]] = {}
    for source, reference, weight in zip(found.source, found.reference, found.weights, strict=True):
        own = by_sentence.setdefault(reference, {})
        assert source not in own
        own[source] = weight
    assert len(by_sentence) == 20
    assert max(map(len, by_sentence.values())) == 4
    for own in by_sentence.values():
        assert sum(own.values()) == pytest.approx(0.5)
        assert [*own.values()] == sorted(own.values(), reverse=True)  # as the model ranks them
    # What is known by heart has no probability: the decoder is asked, not the memory.
    assert len(next(iter(by_sentence.values()))) == 4

    # Sources are what a translator makes of them, in this direction's tokens.
    text = reverse.source.decode(next(iter(by_sentence)).split())
    best = reverse.decoder.kbest_lines([str(reverse.source.encode(text))], 1)[0][0]
    assert found.source[0].split() == [*best.tokens]


def test_what_is_kept_in_the_work_folder_is_read_again(tmp_path: Path) -> None:
    given = Imputed(["a b", "c"], ["x", "x"], [0.1, 1 / 3], alone=True)
    given.write(tmp_path / "imputed.tsv")
    read = Imputed.read(tmp_path / "imputed.tsv")
    assert [read.source, read.reference] == [["a b", "c"], ["x", "x"]]
    assert read.weights == [0.1, 1 / 3]
    assert read.alone
    NONE.write(tmp_path / "none.tsv")
    assert not Imputed.read(tmp_path / "none.tsv").source


def test_weights_are_found_without_a_single_source(
    mono: Path, reverse: Model, tmp_path: Path
) -> None:
    """The development set only says which round was best."""
    memory, dev = toys.memory(200), toys.text(12)
    untuned = demotic.train(memory, dev=dev, config=toys.UNTUNED, out=tmp_path / "untuned")
    alone = demotic.train(
        memory, dev=dev, config=settings(mono, reverse, alone=True), out=tmp_path / "alone",
        work=tmp_path / "work",
    )  # fmt: skip
    assert toys.unseen_bleu(alone) > toys.unseen_bleu(untuned) + 3
    again = demotic.train(
        memory, dev=dev, config=settings(mono, reverse, alone=True), out=tmp_path / "again",
        work=tmp_path / "work", resume=True,
    )  # fmt: skip
    assert again.weights == alone.weights
    both = demotic.train(memory, dev=dev, config=settings(mono, reverse), out=tmp_path / "both")
    assert both.weights != alone.weights


def test_a_model_is_tuned_again_with_imputed_sources(
    mono: Path, reverse: Model, tmp_path: Path
) -> None:
    model = demotic.train(
        toys.memory(250), dev=toys.text(12), config=toys.UNTUNED, out=tmp_path / "model"
    )
    imputed = ImputedConfig(text=mono, reverse=reverse.bundle.folder)
    options = MinriskOptions(iterations=2, evaluations=10)
    dev = toys.text(12, 8)
    tuned = tune(model, dev, out=tmp_path / "tuned", options=options, imputed=imputed)
    plain = tune(model, dev, out=tmp_path / "plain", options=options)
    assert tuned.weights != plain.weights
    assert tuned.about.config["tune"]["imputed"]["text"] == str(mono)
    # A model tuned again does not look for the text of the first time.
    third = tune(tuned, dev, out=tmp_path / "third", options=options)
    assert third.about.config["tune"]["imputed"]["text"] is None


def test_what_cannot_be_done_is_refused(mono: Path, reverse: Model, tmp_path: Path) -> None:
    back = reverse.bundle.folder
    with pytest.raises(ArgumentError, match="go together"):
        ImputedConfig(text=mono)
    with pytest.raises(ArgumentError, match="a weight of 0"):
        ImputedConfig(weight=0.0)
    with pytest.raises(ArgumentError, match="a scale of inf"):
        ImputedConfig(scale=math.inf)
    given = settings(mono, reverse)
    given["tune"]["method"] = "mira"
    with pytest.raises(ArgumentError, match="mira cannot weigh imputed sources"):
        configured("hiero", given)
    given["tune"]["method"] = "minrisk"
    for system, preset in (("umt", "full"), ("blocks", "row1")):
        with pytest.raises(ArgumentError, match="nothing is tuned"):
            configured(system, {**given, "preset": preset})
    hurried = configured("hiero", given).for_trials()
    assert hurried.tune.imputed.files() == ()  # type: ignore[attr-defined]
    missing = configured("hiero", settings(tmp_path / "nowhere", reverse))
    with pytest.raises(FileAccessError, match="nowhere"):
        missing.check_files()
    wrong = ImputedConfig(text=mono, reverse=back)
    with pytest.raises(ArgumentError, match="a model from fr to en"):
        impute(wrong, reverse.target, reverse.source, ("fr", "en"))
    empty = tmp_path / "empty"
    empty.write_text("\n\n", encoding="utf-8")
    config = ImputedConfig(text=empty, reverse=back)
    with pytest.raises(ArgumentError, match="no sentence to tune on"):
        impute(config, reverse.target, reverse.source, ("en", "fr"))
    model = demotic.train(
        toys.memory(60), dev=toys.text(12), config=toys.UNTUNED, out=tmp_path / "model"
    )
    with pytest.raises(ArgumentError, match="cannot weigh"):
        tune(model, toys.text(12), out=tmp_path / "new", options=MiraOptions(), imputed=wrong)
