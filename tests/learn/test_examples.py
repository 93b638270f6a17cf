"""The examples in docstrings do what they say."""

from __future__ import annotations

import doctest

import pytest

from demotic.learn import candidates, line_search


@pytest.mark.parametrize("module", [candidates, line_search])
def test_docstrings(module: object) -> None:
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0
