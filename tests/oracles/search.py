"""Ends and costs of a small search by trying everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demotic.learn.policies import Mixture, no_draw
from demotic.learn.search import Search


def ends(search: Search[Any, Any], state: Any) -> Iterator[Any]:
    """All ends that can be reached, one for each way to get there."""
    actions = search.actions(state)
    if not actions:
        yield state
    for action in actions:
        yield from ends(search, search.next(state, action))


def least_cost(search: Search[Any, Any], state: Any) -> float:
    """Of the best end."""
    return min(search.end_cost(end) for end in ends(search, state))


def costs_above_best(search: Search[Any, Any], state: Any) -> list[float]:
    """Of each action, if all goes well afterwards."""
    costs = [least_cost(search, search.next(state, action)) for action in search.actions(state)]
    return [cost - min(costs) for cost in costs]


def expected_cost(search: Search[Any, Any], state: Any, policy: Mixture) -> float:
    """Of the ends that a mixture reaches which is drawn anew at each step."""
    actions = search.actions(state)
    if not actions:
        return search.end_cost(state)
    return sum(
        share
        * expected_cost(
            search, search.next(state, each.action(search, state, actions, no_draw)), policy
        )
        for each, share in zip(policy.policies, policy.shares, strict=True)
    )
