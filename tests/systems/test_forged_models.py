"""Bundles whose checksums fit and whose parts make no sense."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import demotic
from demotic.bundle import Bundle
from demotic.errors import CorruptFileError
from tests.decode.test_forged_tables import Sections, forged


def shuffled_parents(parts: Sections) -> None:
    parents = np.frombuffer(parts[b"parents"], np.uint8).copy()  # numbers are packed
    parents[1:] = np.random.default_rng(1).permutation(parents[1:])
    parts[b"parents"] = parents.tobytes()


def infinite_unigrams(parts: Sections) -> None:
    parts[b"lm.1"] = np.full(len(parts[b"lm.1"]) // 4, np.inf, np.float32).tobytes()


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        ("rules.bin", shuffled_parents, "damaged rule table"),
        ("lm.bin", infinite_unigrams, "damaged language model"),
    ],
)
@pytest.mark.parametrize("name", ["forged", "forged.demotic"])
def test_who_verifies_a_model_looks_into_its_parts(
    toy_model: Path, tmp_path: Path, part: str, change: object, said: str, name: str
) -> None:
    sound = Bundle.open(toy_model)
    path = tmp_path / name
    with Bundle.create(path, sound.about) as folder:
        for each in sound.parts:
            shutil.copyfile(sound.path(each), folder / each)
        forged(folder / part, change)  # type: ignore[arg-type]
    line = "The adj1 noun2 verb3 %d noun4."
    for verify in (None, False):
        assert demotic.load(path, verify=verify).translate(line).text
    with pytest.raises(CorruptFileError, match=said):
        demotic.load(path, verify=True)
    assert demotic.load(toy_model, verify=True).translate(line).text
