"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = [
    "casing",
    "compounds",
    "marks",
    "normalise",
    "orthography",
    "protect",
    "segment",
    "tokenise",
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"demotic.corpus.{name}")).failed == 0
