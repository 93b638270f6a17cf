"""Models whose rules are made on demand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.decode.lazy import LazyDecoder
from demotic.errors import ArgumentError
from demotic.grammar import HieroExtraction
from demotic.inspection import inspect
from demotic.systems.records import merged
from demotic.systems.rules_model import RulesModel
from demotic.systems.umt import Config as UmtConfig
from tests.systems import toys

LAZY: dict[str, Any] = {"extract": {"rules": "lazy"}}


@pytest.fixture(scope="module", params=["hiero", "phrase"])
def lazy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RulesModel:
    """A small model of a system, in a folder."""
    out = tmp_path_factory.mktemp("lazy") / str(request.param)
    config = merged(toys.QUICK, LAZY)
    demotic.train(toys.memory(300), dev=toys.text(30), system=request.param, config=config, out=out)
    model = demotic.load(out)
    assert isinstance(model, RulesModel)
    return model


def test_a_model_of_rules_on_demand_translates_and_has_no_table(lazy: RulesModel) -> None:
    assert toys.share_in_order(lazy) >= 0.9
    assert isinstance(lazy.decoder, LazyDecoder)
    assert {"aligned.bin", "lexical.bin"} <= lazy.bundle.parts.keys()
    assert "rules.bin" not in lazy.bundle.parts


def test_lines_translate_alone_as_they_do_together(lazy: RulesModel) -> None:
    lines = [pair.source for pair in toys.text(40)]
    together = lazy.translate_batch(lines, threads=2)
    assert [lazy.translate(line).text for line in lines[:10]] == [
        each.text for each in together[:10]
    ]
    best = lazy.nbest(lines[0], 4)
    assert len(best) > 1
    assert best[0].text == together[0].text


def test_a_translation_is_explained_by_rules_and_their_sentences(lazy: RulesModel) -> None:
    line = next(iter(toys.text(40))).source
    explanation = lazy.explain(line)
    assert explanation.text == lazy.translate(line).text
    assert explanation.steps
    assert any(step.evidence for step in explanation.steps)
    encoded, translation = lazy.translated(line)
    if translation.derivation is not None:
        rivals = lazy.rivals_of(translation, 1, 3)
        assert rivals is None or rivals.best
    assert lazy.forest(line).edges
    assert encoded.tokens


def test_inspect_says_what_the_parts_are(lazy: RulesModel) -> None:
    told = str(inspect(lazy.part("aligned.bin")))
    assert "sentence pairs" in told
    assert "aligned.bin" in str(inspect(lazy.bundle.folder))
    assert demotic.load(lazy.bundle.folder, verify=True)


def test_what_needs_a_table_is_refused_before_anything_is_read() -> None:
    with pytest.raises(ArgumentError, match="umt"):
        UmtConfig(extract=HieroExtraction(rules="lazy"))
    for more in ({"prune": {"composed": True}}, {"cdlm": {"text": "more.en"}}):
        with pytest.raises(ArgumentError, match="needs a table"):
            demotic.train(
                toys.memory(20),
                dev=toys.text(10),
                config=merged(LAZY, more),
                out=Path("nowhere"),
            )
