"""Minimum risk in systems: its weights, those of sparse features, several references."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import demotic
from demotic.errors import ArgumentError
from demotic.learn import MinriskOptions
from demotic.model import tune
from demotic.systems import configured
from demotic.systems.tuning import DevSet, check_references, streams
from tests.systems import toys

QUICK: dict[str, int] = {"iterations": 3, "evaluations": 20}
MINRISK = {"method": "minrisk", "candidates": "forest", "minrisk": QUICK}


@pytest.mark.parametrize("system", ["hiero", "phrase", "amasis"])
def test_weights_that_minimum_risk_finds_translate_better(system: str, tmp_path: Path) -> None:
    settings = {"lm": {"order": 3}, "tune": MINRISK}
    model = demotic.train(
        toys.memory(250), system=system, dev=toys.text(40), config=settings, out=tmp_path / "m"
    )
    config = configured(system, settings)
    assert model.about.config["tune"]["method"] == "minrisk"
    assert toys.unseen_bleu(model) > 40
    assert config.tune.learns_sparse  # type: ignore[attr-defined]


def test_sparse_features_are_learned_and_only_some_kept(tmp_path: Path) -> None:
    sparse = {"templates": ["pairs"], "min_count": 3}
    settings = {"lm": {"order": 3}, "tune": MINRISK, "extract": {"sparse": sparse}}
    model = demotic.train(
        toys.memory(250), system="phrase", dev=toys.text(40), config=settings, out=tmp_path / "m"
    )
    weights = json.loads((tmp_path / "m" / "weights.json").read_text())
    learned = {name: w for name, w in weights.items() if name.startswith("pair|")}
    assert learned
    assert all(learned.values())
    assert "SparseFeatures" not in weights
    rules = model.rules  # type: ignore[attr-defined]
    names = {rules.sparse_name(feature) for feature in range(rules.sparse_features)}
    assert names == learned.keys()  # the rules have forgotten all others
    assert {name for rule in rules for name in rule.sparse} <= names

    options = MinriskOptions(iterations=2, evaluations=10, l1=1e6)
    plain = model.with_weights({n: w for n, w in weights.items() if n not in learned})
    none = tune(plain, toys.text(40, 8), out=tmp_path / "none", options=options)
    assert none.weights.keys() == plain.weights.keys()
    some = tune(model, toys.text(40, 8), out=tmp_path / "some", options=MinriskOptions(**QUICK))
    assert learned.keys() & some.weights.keys()  # they are not forgotten


def test_lists_have_no_sparse_features_to_learn() -> None:
    settings = {
        "tune": {"method": "minrisk", "candidates": "kbest"},
        "extract": {"sparse": {"templates": ["pairs"]}},
    }
    with pytest.raises(ArgumentError, match="learned from forests") as error:
        configured("hiero", settings)
    assert error.value.remedy == "say tune.candidates=forest"
    settings["tune"] = {"method": "mira", "candidates": "kbest"}
    configured("hiero", settings)  # they are held


def test_several_references_are_all_seen() -> None:
    dev = DevSet(["s"] * 10, ["a b c d"] * 10, (["x y z v", *[" "] * 9], ["p q r s"] * 10))
    assert dev.references[0] == ["a b c d", "x y z v", "p q r s"]
    assert dev.references[1] == ["a b c d", "p q r s"]
    assert dev.bleu(["x y z v", *["p q r s"] * 9]) == pytest.approx(100)
    assert dev.bleu(["x y z v"] * 10) < 50
    assert streams(["a", "b"], ["", "c"]) == [["a", "b"], ["a", "c"]]
    part = dev.select([0, *range(1, 10)])
    assert part == dev
    with pytest.raises(ArgumentError, match="10 sentences and 9 translations"):
        DevSet(["s"] * 10, ["a"] * 10, (["a"] * 9,))


def test_a_model_is_tuned_and_scored_on_several_references(tmp_path: Path) -> None:
    dev = toys.text(30)
    others = [["rien", *[""] * 29], list(dev.target_lines())]
    with pytest.raises(ArgumentError, match="reference 2 29"):
        check_references(dev, [others[0][1:]])
    with pytest.raises(ArgumentError, match="references without a development set"):
        demotic.train(toys.memory(150), references=others)
    settings = {"lm": {"order": 3}, "tune": {"method": "mira", "mira": {"iterations": 2}}}
    model = demotic.train(
        toys.memory(150), system="phrase", dev=dev, references=others, config=settings,
        out=tmp_path / "m", work=tmp_path / "work",
    )  # fmt: skip
    assert (tmp_path / "work" / "dev.target3").exists()
    assert "nrefs:3" in model.about.dev["signature"]
    both = model.score(dev, references=[[each.text for each in model.translate_lines(
        dev.source_lines())]])  # fmt: skip
    assert both.value == pytest.approx(100)
    assert model.score(dev).value < 100
    again = tune(model, dev, out=tmp_path / "t", references=others)
    assert "nrefs:3" in again.about.dev["signature"]
