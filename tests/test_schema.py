"""Models of earlier versions are read, and say today's names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.errors import CorruptFileError
from demotic.schema import SCHEMA, upgraded
from demotic.systems.records import from_record
from demotic.systems.umt.config import AHEAD, Config
from demotic.systems.umt.start import holding
from tests.systems import toys


def rewritten(model: Path, to: Path, schema: int, **renamed: str) -> Path:
    """A copy of a model whose description is of another schema, sections under other names."""
    shutil.copytree(model, to)
    record = json.loads((to / "model.json").read_bytes())
    record["schema"] = schema
    record["config"] = {renamed.get(name, name): value for name, value in record["config"].items()}
    del record["sha256"]
    (to / "model.json").write_text(json.dumps(record))
    return to


def test_a_model_of_the_first_schema_translates_as_it_did(toy_model: Path, tmp_path: Path) -> None:
    old = rewritten(toy_model, tmp_path / "old", 1, extract="grammar", search="decode")
    first, now = demotic.load(old), demotic.load(toy_model)
    assert first.about.config == now.about.config
    for source in toys.lines(10, 9):
        assert first.translate(source).text == now.translate(source).text


def test_a_newer_model_is_refused_with_what_to_do(toy_model: Path, tmp_path: Path) -> None:
    new = rewritten(toy_model, tmp_path / "new", SCHEMA + 1)
    with pytest.raises(CorruptFileError, match="upgrade Demotic"):
        demotic.load(new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"grammar": {"tight": True}}, {"extract": {"tight": True}}),
        ({"phrases": {"max_phrase": 3}}, {"extract": {"max_phrase": 3}}),
        ({"decode": {"search": "cube", "pops": 3}}, {"search": {"method": "cube", "pops": 3}}),
        (
            {"preset": "tuned", "blocks": {"extraction": "projection"}, "events": {"rare": "drop"}},
            {"preset": "tuned", "extract": {"method": "projection"}, "events": {"rare": "drop"}},
        ),
        (
            {"tuned": {"beam": [4]}, "tune": {"mert": {"fixed": []}}},
            {"choice": {"beam": [4]}, "tune": {"mert": {"fixed": []}}},
        ),
    ],
)
def test_settings_of_the_first_schema_have_a_place(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert upgraded(old, 1, "hiero") == new
    assert upgraded(new, SCHEMA, "hiero") == new


@pytest.mark.parametrize(
    ("old", "new", "features"),
    [
        ("paper", "lookahead", "printed"),
        ("literal", "literal", "printed"),
        ("full", "full", "all"),
        ("tuned", "tuned", "all"),
    ],
)
def test_presets_of_umt_mean_what_they_meant(old: Any, new: str, features: str) -> None:
    learn = {"drl": {"update": "replay"}}
    then = {"preset": old, "learn": learn}
    assert upgraded(then, 2, "umt") == {"preset": new, "features": features, "learn": learn}
    assert upgraded(then, 2, "blocks") == then, "presets of its own"
    assert upgraded(then, SCHEMA, "umt") == then


def test_a_model_of_the_preset_paper_as_it_was_goes_on_learning_what_it_learned() -> None:
    """P(f|e) moves, what the preset left out stays."""
    now = from_record(Config, upgraded({"preset": "paper"}, 2, "umt"))
    assert now.search == AHEAD
    assert now.learn.drl.update == "replay"
    start = {"SourceGivenTarget": 1.0, "TargetGivenSource": 0.0, "Glue": 0.5}
    held = holding(start, now.learn.drl, now.features, now.search).fixed
    assert "TargetGivenSource" in held
    assert not {"SourceGivenTarget", "Glue"} & {*held}
