"""Models without the rules that others make up: smaller, and whole in everything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.errors import ArgumentError
from tests.systems import toys

PAIRS = 120
WHOLE: dict[str, Any] = toys.QUICK | {"validation": "part"}  # as pruning has it
SETTINGS = WHOLE | {"prune": {"composed": True, "margin": 2.0}}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """With all rules, and without those."""
    folder = tmp_path_factory.mktemp("models")
    whole = demotic.train(
        toys.memory(PAIRS), config=WHOLE, out=folder / "whole", work=folder / "work"
    )
    return whole, demotic.train(
        toys.memory(PAIRS), config=SETTINGS, out=folder / "pruned", work=folder / "work",
        resume=True,
    )  # fmt: skip


def test_rules_go_when_weights_are_known(models: tuple[Any, Any]) -> None:
    whole, pruned = models
    assert pruned.weights == whole.weights
    assert len(pruned.rules) < 0.9 * len(whole.rules)
    kept = {(str(rule), *rule.scores.values()) for rule in pruned.rules}
    assert kept < {(str(rule), *rule.scores.values()) for rule in whole.rules}
    assert pruned.about.config["prune"] == {"composed": True, "margin": 2.0}


def test_none_is_left_to_drop_that_its_parts_make_up(
    models: tuple[Any, Any], tmp_path: Path
) -> None:
    _, pruned = models
    again = pruned.decoder.without_composed(2.0, out=tmp_path / "again.bin")
    assert len(again) == len(pruned.rules)


def test_it_translates_and_tells_where_its_rules_come_from(models: tuple[Any, Any]) -> None:
    _, pruned = models
    line = toys.lines(1, 5)[0]
    assert pruned.explain(line).text == pruned.translate(line).text
    assert all(rule.origins for rule in pruned.rules)
    assert toys.share_in_order(pruned) == pytest.approx(toys.share_in_order(models[0]), abs=0.1)


def test_what_was_held_out_joins_a_pruned_model(models: tuple[Any, Any], tmp_path: Path) -> None:
    part = demotic.train(
        toys.memory(PAIRS), config=SETTINGS | {"final": "train"}, out=tmp_path / "part"
    )
    full = models[1]
    assert full.about.provenance["final"] == "full"
    assert full.weights == part.weights
    known = {str(rule) for rule in part.rules}  # type: ignore[attr-defined]
    assert {str(rule) for rule in full.rules} - known
    assert len(full.training_corpus) > len(part.training_corpus)


def test_going_on_gives_the_same_model(models: tuple[Any, Any], tmp_path: Path) -> None:
    work = tmp_path / "work"
    for resume in (False, True):
        demotic.train(
            toys.memory(PAIRS), config=SETTINGS, out=tmp_path / "model", work=work, resume=resume
        )
    assert demotic.load(tmp_path / "model").bundle.parts == models[1].bundle.parts


def test_a_margin_is_a_number_from_0_up() -> None:
    with pytest.raises(ArgumentError, match=r"prune\.margin"):
        demotic.train(toys.memory(PAIRS), config={"prune": {"margin": -1.0}})
