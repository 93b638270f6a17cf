"""The examples in the docstrings hold."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from demotic.metrics import bleu, sentence_bleu


@pytest.mark.parametrize("module", [bleu, sentence_bleu])
def test_docstrings(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
