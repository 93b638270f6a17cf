"""Sparse features of rules in models: trained with, weighed, tuned beside, explained."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

import demotic
from demotic.errors import ArgumentError
from demotic.explain.page import figure
from demotic.learn import MertOptions
from demotic.model import tune
from demotic.systems.model import Model
from tests.systems import toys

SPARSE = {"templates": ["pairs", "shape"], "min_count": 3}
CONFIG: dict[str, dict[str, object]] = {
    "hiero": {**toys.QUICK, "extract": {"sparse": SPARSE}},
    "phrase": {**toys.QUICK, "extract": {"sparse": SPARSE}},
    "umt": {
        "lm": {"order": 3},
        "preset": "full",
        "learn": {"drl": {"epochs": 1}},
        "extract": {"sparse": SPARSE},
    },
}
WEIGHTS = {"pair|verb3_agir3": -2.0, "pair|noun2_nom2": 0.5, "pair|verb3_%d": 0.25}
TEXT = "The adj1 noun2 verb3 %d noun4."


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The model of each system, trained when it is first asked for."""

    @cache
    def of(system: str) -> Path:
        path = tmp_path_factory.mktemp("sparse") / system
        demotic.train(
            toys.memory(300),
            system=system,
            dev=toys.text(20),
            config=CONFIG[system],
            out=path,
        )
        return path

    return of


def weighed(path: Path) -> Model:
    """A model with weights for those of WEIGHTS that its table has."""
    model = demotic.load(path)
    known = {n: w for n, w in WEIGHTS.items() if model.rules.find_sparse(n) is not None}  # type: ignore[attr-defined]
    assert len(known) >= 2
    return model.with_weights({**model.weights, **known})


@pytest.mark.parametrize("system", CONFIG)
def test_features_are_counted_and_named_when_rules_are_extracted(
    system: str, trained: Callable[[str], Path]
) -> None:
    rules = demotic.load(trained(system)).rules  # type: ignore[attr-defined]
    names = {rules.sparse_name(feature) for feature in range(rules.sparse_features)}
    assert {"pair|verb3_agir3", "shape|w|w"} <= names
    assert {name.split("|")[0] for name in names} == {"pair", "shape"}
    assert all(rule.sparse.keys() <= names for rule in rules)


@pytest.mark.parametrize("system", CONFIG)
def test_weights_change_translations_and_are_explained(
    system: str, trained: Callable[[str], Path]
) -> None:
    model = weighed(trained(system))
    explanation = model.explain(TEXT)
    products = [explanation.weights[n] * v for n, v in explanation.features.items()]
    assert sum(products) == pytest.approx(explanation.score, abs=1e-4)
    assert sum(s.contribution for s in explanation.steps) == pytest.approx(
        explanation.score, abs=1e-4
    )
    assert explanation.features["pair|noun2_nom2"] == 1
    assert explanation.weights["pair|noun2_nom2"] == 0.5
    assert "pair|noun2_nom2" in explanation.tree()
    assert "pair|noun2_nom2" in figure(explanation)
    shown = json.loads(json.dumps(explanation.to_record()))
    assert any(step["scores"].get("pair|noun2_nom2") == 1 for step in shown["steps"])
    plain = demotic.load(trained(system)).explain(TEXT)
    assert plain.features["pair|noun2_nom2"] == 1, "features without weights are shown, too"
    assert plain.score != pytest.approx(explanation.score)


@pytest.mark.parametrize("system", CONFIG)
def test_forests_have_the_model_s_sparse_features(
    system: str, trained: Callable[[str], Path]
) -> None:
    model = weighed(trained(system))
    forest = model.forest(TEXT)
    assert forest.space.find("pair|noun2_nom2") is not None
    known = {name: model.weights.get(name, 0.0) for name in forest.features}
    assert forest.rescore(known).score == pytest.approx(forest.score, abs=1e-4)


@pytest.mark.parametrize("candidates", ["kbest", "forest"])
@pytest.mark.parametrize("system", ["hiero", "phrase"])
def test_tuning_holds_weights_of_sparse_features_together(
    system: str, candidates: str, trained: Callable[[str], Path], tmp_path: Path
) -> None:
    model = weighed(trained(system))
    model.about.config["tune"]["candidates"] = candidates
    options = MertOptions(iterations=2, restarts=0)
    tuned = tune(model, toys.text(20, 21), out=tmp_path / "tuned", options=options)
    sparse = {name for name in WEIGHTS if name in model.weights}
    assert tuned.weights.keys() == model.weights.keys()
    for one, other in combinations(sparse, 2):
        assert tuned.weights[one] / tuned.weights[other] == pytest.approx(
            model.weights[one] / model.weights[other]
        )
    assert all(tuned.weights[name] * model.weights[name] > 0 for name in sparse)
    assert demotic.load(tmp_path / "tuned").weights == tuned.weights


def test_tuning_moves_dense_weights_around_those_that_are_held(
    trained: Callable[[str], Path], tmp_path: Path
) -> None:
    """What else is held has a common factor with them: the scale of all weights is free."""
    model = weighed(trained("hiero"))
    options = MertOptions(iterations=2, restarts=5, fixed=("LanguageModel",))
    tuned = tune(model, toys.text(40, 21), out=tmp_path / "tuned", options=options)
    factor = tuned.weights["LanguageModel"] / model.weights["LanguageModel"]
    held = {"LanguageModel", *WEIGHTS} & model.weights.keys()
    for name, weight in model.weights.items():
        if name in held:
            assert tuned.weights[name] == pytest.approx(factor * weight), name
    assert any(
        tuned.weights[name] != pytest.approx(factor * weight)
        for name, weight in model.weights.items()
        if name not in held
    )


def test_umt_does_not_learn_again_beside_weights_of_sparse_features(
    trained: Callable[[str], Path], tmp_path: Path
) -> None:
    with pytest.raises(ArgumentError, match="does not learn again"):
        tune(weighed(trained("umt")), toys.text(20, 21), out=tmp_path / "tuned")


def test_features_without_weights_change_no_model(tmp_path: Path) -> None:
    for name, config in (("with", CONFIG["hiero"]), ("without", toys.QUICK)):
        demotic.train(toys.memory(200), dev=toys.text(20), config=config, out=tmp_path / name)
    one, other = tmp_path / "with", tmp_path / "without"
    assert (one / "weights.json").read_bytes() == (other / "weights.json").read_bytes()
    assert (one / "rules.bin").read_bytes() != (other / "rules.bin").read_bytes()


def test_a_table_of_another_system_gets_features_too(tmp_path: Path) -> None:
    lines = [
        f"{source}{i} ||| {target}{i} ||| 0.5 0.5 0.5 0.5 ||| 0-0 ||| 1 1 1 ||| domain 1"
        for source, target in (("noun", "nom"), ("verb", "agir"), ("adj", "qual"))
        for i in range(10)
    ]
    (tmp_path / "table").write_text("\n".join(lines) + "\n")
    extract = {"table": str(tmp_path / "table"), "sparse": {"templates": ["shape"]}}
    model = demotic.train(
        toys.memory(100),
        system="phrase",
        dev=toys.text(20),
        config={**toys.QUICK, "extract": extract},
        out=tmp_path / "model",
    )
    assert {tuple(rule.sparse) for rule in model.rules} == {("domain", "shape|w|w")}  # type: ignore[attr-defined]


def test_unknown_templates_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    config = {"extract": {"sparse": {"templates": ["trigrams"]}}}
    with pytest.raises(ArgumentError, match="templates"):
        demotic.train(toys.memory(20), config=config, out=tmp_path / "model")
