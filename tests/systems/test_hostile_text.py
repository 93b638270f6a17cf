"""Text that no file could hold, and models whose text is none: errors of ours."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import demotic
from demotic.errors import CorruptFileError, EncodingError
from demotic.systems.model import Model
from demotic.systems.weights import read_weights


@pytest.mark.parametrize(
    "use",
    [
        lambda model, text: model.translate(text),
        lambda model, text: model.nbest(text, 3),
        lambda model, text: model.explain(text),
        lambda model, text: model.matches(text),
        lambda model, text: list(model.translate_lines(["noun1", text], markup=True)),
    ],
)
def test_half_a_character_is_refused_with_its_place(
    toy_model: Path, use: Callable[[Model, str], object]
) -> None:
    model = demotic.load(toy_model)
    with pytest.raises(EncodingError, match=r"U\+D800, stands at 3"):
        use(model, "a \ud800")
    use(model, "a 👩\u200d🚀")


@pytest.mark.parametrize("part", ["source.json", "target.json", "weights.json"])
def test_a_part_that_is_no_text_is_damaged(toy_model: Path, tmp_path: Path, part: str) -> None:
    model = tmp_path / "model"
    shutil.copytree(toy_model, model)
    content = (model / part).read_bytes()
    (model / part).write_bytes(content[:5] + b"\xff" + content[6:])
    with pytest.raises(CorruptFileError, match=r"copy the model again|cannot be read") as caught:
        demotic.load(model, verify=False).translate("noun1")
    assert caught.value.path == str(model / part)


@pytest.mark.parametrize("number", ["1e999", "NaN", "9" * 400, '"Infinity"'])
def test_weights_that_are_no_numbers_are_damaged(tmp_path: Path, number: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(f'{{"LanguageModel": {number}}}')
    with pytest.raises(CorruptFileError, match="cannot be read"):
        read_weights(path)
