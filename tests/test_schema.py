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
    assert upgraded(old, 1) == new
    assert upgraded(new, SCHEMA) == new
