"""A search whose actions depend on the state, as a shift-reduce decoder's do.

Words are shifted on a stack, and the two pieces on its top are joined in their order or swapped.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import NamedTuple

import numpy as np
import pytest

from demotic.learn import CostTask, DecisionTask, Features, LinearPolicy, Policy
from tests.learn.imitation import dagger, lols, searn

ACTIONS = SHIFT, JOIN, SWAP = "shift", "join", "swap"
WORDS = ("the", "red", "house")
SEEN = (*WORDS, "pieces", "none")
Piece = tuple[int, ...]


class Reading(NamedTuple):
    """Pieces of the sentence, by the places of their words, and how many words were read."""

    example: int
    stack: tuple[Piece, ...] = ()
    read: int = 0


class Reordering(DecisionTask[Reading, str]):
    """``red house`` becomes ``house red``, and all else stays as it is."""

    sparse_features = len(ACTIONS) * len(SEEN) ** 3

    def __init__(self, sentences: list[list[str]]) -> None:
        self._sentences = sentences
        self._rank = [_ranks(words) for words in sentences]

    def __len__(self) -> int:
        return len(self._sentences)

    def start(self, example: int) -> Reading:
        return Reading(example)

    def actions(self, state: Reading) -> list[str]:
        shift = [SHIFT] if state.read < len(self._sentences[state.example]) else []
        return shift + ([JOIN, SWAP] if len(state.stack) > 1 else [])

    def features(self, state: Reading, action: str) -> Features:
        sentence = self._sentences[state.example]
        words = [sentence[p[0]] if len(p) == 1 else "pieces" for p in state.stack[-2:]]
        seen = (
            ["none"] * (2 - len(words)) + words + [*sentence, "none"][state.read : state.read + 1]
        )
        number = ACTIONS.index(action)
        for word in seen:
            number = len(SEEN) * number + SEEN.index(word)
        return Features.of((), {number: 1.0})

    def next(self, state: Reading, action: str) -> Reading:
        if action == SHIFT:
            return state._replace(stack=(*state.stack, (state.read,)), read=state.read + 1)
        *below, left, right = state.stack
        joined = left + right if action == JOIN else right + left
        return state._replace(stack=(*below, joined))

    def end_cost(self, state: Reading) -> float:
        """Pairs of words in the wrong order."""
        rank = self._rank[state.example]
        return sum(rank[a] > rank[b] for piece in state.stack for a, b in combinations(piece, 2))

    def expert(self, state: Reading) -> str:
        """Joins what belongs together as soon as it can, and everything at the end."""
        rank = self._rank[state.example]
        if len(state.stack) > 1:
            left, right = ([rank[word] for word in piece] for piece in state.stack[-2:])
            if max(right) + 1 == min(left):
                return SWAP
            if state.read == len(rank):
                return JOIN if min(left) < min(right) else SWAP
        return SHIFT


def _ranks(words: list[str]) -> list[int]:
    """The place of each word in the right order."""
    order = list(range(len(words)))
    for place in range(len(words) - 1):
        if words[place : place + 2] == ["red", "house"]:
            order[place], order[place + 1] = place + 1, place
    return [order.index(place) for place in range(len(words))]


def task(seed: int) -> Reordering:
    random = Random(seed)
    return Reordering([random.choices(WORDS, k=random.randint(1, 7)) for _ in range(40)])


def wrong(task: Reordering, policy: Policy) -> float:
    draw = Random(1).random
    return sum(policy.cost(task, task.start(example), draw) for example in range(len(task)))


@pytest.mark.parametrize("learner", [dagger, lols, searn])
def test_a_shift_reduce_task_is_learned_by_any_of_them(
    learner: Callable[[CostTask], Policy],
) -> None:
    learned, unseen = learner(task(1)), task(2)
    assert sum(unseen.expert_cost(unseen.start(example)) for example in range(len(unseen))) == 0
    monotone = LinearPolicy(np.empty(0), np.zeros(unseen.sparse_features))
    assert wrong(unseen, monotone) > 10
    assert wrong(unseen, learned) == 0


def test_costs_count_what_an_action_cannot_undo() -> None:
    search = Reordering([["the", "red", "house"]])
    state = search.start(0)
    for action in (SHIFT, SHIFT):
        state = search.next(state, action)
    assert [search.expert_cost(search.next(state, each)) for each in (SHIFT, JOIN, SWAP)] == [
        0,
        1,
        2,
    ]
