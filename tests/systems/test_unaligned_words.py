"""Deletions, and columns for words without links: from extraction to explanations."""

from __future__ import annotations

from pathlib import Path

import pytest

import demotic
from demotic.grammar import RuleTable
from tests.systems import toys


@pytest.mark.parametrize("system", ["hiero", "phrase", "umt"])
def test_words_are_deleted_and_tuners_weigh_what_has_no_link(system: str, tmp_path: Path) -> None:
    settings = {**toys.QUICK, "extract": {"deletions": True, "unaligned": True}}
    if system == "umt":
        settings["preset"] = "full"
    model = demotic.train(
        toys.memory(400), system=system, dev=toys.text(20), config=settings, out=tmp_path / "model"
    )
    assert {"Deleted", "Inserted"} <= set(model.weights)
    table = RuleTable.load(tmp_path / "model" / "rules.bin")
    deleted = {rule.source[0] for rule in table if not rule.target}
    assert deleted
    assert toys.share_in_order(model) >= 0.5

    # At a price that is a reward, such a word goes.
    eager = model.with_weights({**model.weights, "Deleted": 50.0, "WordPenalty": -5.0})
    word = min(deleted)
    derivation = eager.decoder.decode(word)
    assert derivation.tokens == ()
    assert derivation.features["Deleted"] == 1
    assert eager.explain(word).source_tokens == (word,)
