"""The examples in docstrings and on pages do what they say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from demotic.learn import LinearPolicy, candidates, known
from demotic.learn.policies import no_draw


@pytest.mark.parametrize("module", [candidates, known])
def test_docstrings(module: object) -> None:
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0


def test_the_page_on_learning_to_search_learns_to_write_capitals() -> None:
    text = (Path(__file__).parents[2] / "docs" / "learning-to-search.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 5
    page: dict[str, Any] = {}
    exec("\n".join(blocks), page)
    task, policy = page["task"], page["policy"]

    def wrong(policy: LinearPolicy) -> float:
        return sum(policy.cost(task, task.start(i), no_draw) for i in range(len(task)))

    assert wrong(LinearPolicy(np.zeros(3))) == 8
    assert wrong(LinearPolicy(np.array(list(page["weights"].values())))) == 0
    assert [wrong(each) for each in policy.policies] == [0, 0, 0]
    assert wrong(page["faster"]) == 0
    assert wrong(page["found"].mean()) == 0
    assert policy.shares == pytest.approx([1 / 7, 2 / 7, 4 / 7])
