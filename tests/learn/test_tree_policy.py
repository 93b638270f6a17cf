"""A policy of trees takes the action whose classifier says most of the state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from demotic.errors import ArgumentError
from demotic.learn.boosting import BinaryRows, BoostingOptions, train_groups
from demotic.learn.policies import no_draw, policy_of_arrays
from demotic.learn.search import Features
from demotic.learn.tree_policy import TreePolicy

ROWS = [[i % 3, 3 + i % 2] for i in range(30)]


def trained() -> TreePolicy:
    """Atom 0, 1 or 2 asks for the action of its number."""
    return TreePolicy(
        train_groups(
            BinaryRows.from_lists(ROWS, 5),
            np.array([0, len(ROWS)], dtype=np.uint64),
            np.array([row[0] for row in ROWS], dtype=np.uint32),
            np.array([3], dtype=np.uint32),
            options=BoostingOptions(lambda_min=0.5),
        )
    )


class Told:
    """A search whose states are their own features."""

    def features(self, state: list[int], action: object) -> Features:
        return Features(np.empty(0), np.array(state), np.ones(len(state)))


def test_trees_choose_by_the_features_of_the_state() -> None:
    policy = trained()
    again = policy_of_arrays(policy.arrays())
    turned = policy.blend(-1.0, [])
    search: Any = Told()
    for row in ROWS:
        assert policy.action(search, row, [0, 1, 2], no_draw) == row[0]
        assert again.action(search, row, [2, 1, 0], no_draw) == row[0]
        assert turned.action(search, row, [0, 1, 2], no_draw) != row[0]
        assert policy.blend(0.5, [(0.5, again)]).action(search, row, [0, 1, 2], no_draw) == row[0]
    assert policy.action(search, ROWS[0], ["only"], no_draw) == "only"
    with pytest.raises(ArgumentError, match="choose among numbers"):
        policy.action(search, ROWS[0], ["a", "b"], no_draw)
