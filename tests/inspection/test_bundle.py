"""Trained models are described from their own files, whole or damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import demotic
from demotic.errors import CorruptFileError
from demotic.grammar import RuleTable
from demotic.inspection import Kind, Report, detect, inspect
from demotic.lm import LanguageModel


@pytest.fixture(params=["model", "model.demotic"])
def model(request: pytest.FixtureRequest, toy_model: Path, tmp_path: Path) -> Path:
    path = tmp_path / str(request.param)
    demotic.load(toy_model).save(path)
    return path


def test_a_model_says_what_it_is(model: Path, toy_model: Path) -> None:
    assert detect(model) is Kind.model
    report = inspect(model)
    loaded = demotic.load(toy_model)
    facts = report.facts
    assert report.kind == "translation model"
    assert (facts["system"], facts["source language"], facts["target language"]) == (
        "hiero", "en", "fr",
    )  # fmt: skip
    assert facts["development set"] == loaded.about.dev
    assert facts["configuration"] == loaded.about.config
    assert facts["provenance"] == loaded.about.provenance
    sizes = {path.name: path.stat().st_size for path in toy_model.iterdir()}
    del sizes["model.json"]
    assert facts["bytes by part"] == sizes
    assert report.bytes == sum(sizes.values())


def test_weights_come_by_size(model: Path) -> None:
    weights = inspect(model).facts["weights"]
    assert isinstance(weights, dict)
    assert weights == demotic.load(model).weights
    sizes = [abs(weight) for weight in weights.values()]
    assert sizes == sorted(sizes, reverse=True)


def test_rules_and_language_model_are_counted(toy_model: Path) -> None:
    facts = inspect(toy_model).facts
    rules = RuleTable.load(toy_model / "rules.bin")
    described = facts["rules.bin"]
    assert isinstance(described, dict)
    assert described["rules"] == len(rules)
    shapes = described["rules by source side (w: words, X: nonterminal)"]
    assert sum(shapes.values()) == len(rules)
    assert set(shapes) >= {"w", "w X", "X w", "w X w"}
    lm = facts["lm.bin"]
    assert isinstance(lm, dict)
    assert list(lm["n-grams by order"].values()) == list(
        LanguageModel.load(toy_model / "lm.bin").counts
    )
    assert inspect(toy_model / "rules.bin").facts["rules"] == len(rules)


def test_the_report_can_be_read_by_people_and_by_machines(model: Path) -> None:
    report = inspect(model)
    lines = report.lines()
    assert lines[0].startswith(f"{model}: translation model, ")
    assert "  system: hiero" in lines
    assert "    mert:" not in lines  # it is one level deeper
    assert "      mert:" in lines
    assert json.loads(json.dumps(dict(report.facts))) == report.facts


def test_nested_facts_are_indented_and_long_lists_cut() -> None:
    report = Report("f", "k", None, {"a": {"n": 1, "m": 20, "in": {"x": None}}, "l": [*range(20)]})
    assert report.lines() == [
        "f: k",
        "  a:",
        "    n   1",
        "    m  20",
        "    in:",
        "      x  none",
        "  l: 0, 1, 2, 3, 4, 5, 6, 7, ... (20 in all)",
    ]


def test_damage_is_found_and_what_is_no_model_named(toy_model: Path, tmp_path: Path) -> None:
    demotic.load(toy_model).save(tmp_path / "model")
    part = tmp_path / "model" / "rules.bin"
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes(content)
    with pytest.raises(CorruptFileError, match=r"rules\.bin has changed"):
        inspect(tmp_path / "model")
    (tmp_path / "other.zip").write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(CorruptFileError, match="not a model"):
        inspect(tmp_path / "other.zip")


def test_it_says_whether_the_parts_were_compared_this_time(model: Path) -> None:
    inspect(model)
    assert "--verify" in str(inspect(model).facts["checksums"])
    assert inspect(model, verify=True).facts["checksums"] == "all parts compared"
