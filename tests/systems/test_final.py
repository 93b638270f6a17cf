"""Text held out for tuning joins the rest in the end; weights and score stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import demotic
from demotic.cli import app
from demotic.corpus import Bitext, split
from demotic.systems.model import Model
from tests.systems import toys

PAIRS = 120


def trained(out: Path, system: str = "hiero", **settings: object) -> Model:
    config = toys.QUICK | {"validation": "part"} | settings
    return demotic.train(toys.memory(PAIRS), system=system, config=config, out=out)


def held_out() -> Bitext:
    return split(toys.memory(PAIRS), dev=PAIRS // 10, test=0, seed=1).dev


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Model]:
    folder = tmp_path_factory.mktemp("models")
    return trained(folder / "full"), trained(folder / "train", final="train")


def test_what_was_held_out_is_known_in_the_end(models: tuple[Model, Model]) -> None:
    full, part = models
    missed = [pair for pair in held_out() if part.translate(pair.source).memory is None]
    assert missed
    for pair in held_out():
        assert full.translate(pair.source).memory is not None
    assert len(full.training_corpus) > len(part.training_corpus)
    assert len(full.rules) > len(part.rules)  # type: ignore[attr-defined]


def test_weights_and_score_are_those_of_the_text_before(models: tuple[Model, Model]) -> None:
    full, part = models
    assert full.weights == part.weights
    assert full.about.dev == part.about.dev
    assert full.about.provenance["final"] == "full"
    assert full.about.provenance["pairs"] == PAIRS


@pytest.mark.parametrize("system", ["umt", "blocks"])
def test_other_systems_remember_all_of_it(system: str, tmp_path: Path) -> None:
    model = trained(tmp_path / "model", system)
    assert all(model.translate(pair.source).memory is not None for pair in held_out())


def test_going_on_gives_the_same_model(models: tuple[Model, Model], tmp_path: Path) -> None:
    work = tmp_path / "work"
    for resume in (False, True):
        demotic.train(
            toys.memory(PAIRS), config=toys.QUICK | {"validation": "part"},
            out=tmp_path / "model", work=work, resume=resume,
        )  # fmt: skip
    again = demotic.load(tmp_path / "model").bundle.parts
    assert again == models[0].bundle.parts


def test_learned_sparse_features_are_those_of_the_text_before(tmp_path: Path) -> None:
    settings = {
        "lm": {"order": 3},
        "extract": {"sparse": {"templates": ["pairs"], "min_count": 3}},
        "tune": {
            "method": "minrisk",
            "candidates": "forest",
            "minrisk": {"iterations": 2, "evaluations": 10},
        },
    }
    full, part = (
        demotic.train(toys.memory(PAIRS), config=settings | {"final": final}, out=tmp_path / final)
        for final in ("full", "train")
    )
    learned = {name for name in full.weights if name.startswith("pair|")}
    assert learned
    lost = part.weights.keys() - full.weights.keys()  # other links: some pairs are not there again
    assert part.weights == full.weights | {name: part.weights[name] for name in lost}
    assert all(name.startswith("pair|") for name in lost)
    rules = full.rules  # type: ignore[attr-defined]
    assert len(rules) > len(part.rules)  # type: ignore[attr-defined]
    kept = {rules.sparse_name(feature) for feature in range(rules.sparse_features)}
    assert kept
    assert kept <= learned  # what got no weight is forgotten here, too


def test_a_model_of_confusions_is_that_of_the_text_before(tmp_path: Path) -> None:
    mono = tmp_path / "mono"
    mono.write_text("\n".join(toys.text(160, 5).target_lines()) + "\n", encoding="utf-8")
    learn = {"rounds": 1, "held_out": 4}
    settings = toys.QUICK | {
        "cdlm": {"text": str(mono), "sentences": 60, "sources": 10, "learn": learn}
    }
    full, part = (
        demotic.train(toys.memory(PAIRS), config=settings | {"final": final}, out=tmp_path / final)
        for final in ("full", "train")
    )
    assert full.weights == part.weights
    assert full.weights["ConfusionModel"]
    assert full.part("cdlm.json").read_bytes() == part.part("cdlm.json").read_bytes()
    rules, fewer = full.rules, part.rules  # type: ignore[attr-defined]
    assert len(rules) > len(fewer)
    shared = {(rule.source, rule.target): rule.scores["ConfusionModel"] for rule in fewer}
    both = [rule for rule in rules if (rule.source, rule.target) in shared]
    assert any(rule.scores["ConfusionModel"] for rule in both)
    for rule in both:
        assert rule.scores["ConfusionModel"] == shared[rule.source, rule.target]


def test_a_development_set_of_its_own_is_no_training_text(tmp_path: Path) -> None:
    model = demotic.train(
        toys.memory(60), dev=toys.text(12), config=toys.UNTUNED, out=tmp_path / "model"
    )
    assert "final" not in model.about.provenance
    assert model.about.provenance["pairs"] == 60


def test_the_command_says_so(tmp_path: Path) -> None:
    table = tmp_path / "memory.tsv"
    toys.memory(PAIRS).write(table)
    arguments = ["train", "--bitext", str(table), "--from", "en", "--to", "fr"]
    quick = ["--set", "lm.order=2", "--set", "tune.mira.iterations=1"]
    quick += ["--set", "validation=part"]
    said = {}
    for final in ("full", "train"):
        out = ["--out", str(tmp_path / final), "--final", final]
        found = CliRunner().invoke(app, [*arguments, *quick, *out])
        assert found.exit_code == 0, found.output
        said[final] = found.output
    assert f"made again from all {PAIRS} pairs" in said["full"]
    assert "made again" not in said["train"]
    assert all("on text held out" in text for text in said.values())
