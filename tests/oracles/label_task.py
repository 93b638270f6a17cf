"""Labelling items as a task in one class: what the core's fast path is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from demotic.learn import DecisionTask, Features

NEVER = 10**9


class State(NamedTuple):
    example: int
    labels: tuple[int, ...] = ()


def reductions(label: int) -> int:
    return (label + 1) // 2


class LabelTask(DecisionTask[State, int]):
    """Gold labels, which of them are forced, and rows of weights for each item.

    Items whose label is forced are gone over without a choice.  ``counts`` are those of labels in
    training; the loss is the number of wrong labels.
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[tuple[int, bool]]],
        empty: Sequence[Sequence[bool]],
        rows: Sequence[Sequence[Sequence[int]]],
        counts: Sequence[int],
        stride: int,
        *,
        masked: bool,
    ) -> None:
        self.gold, self.empty, self.rows = sentences, empty, rows
        self.counts, self.stride = counts, stride
        self.masked = masked
        self.most = len(counts) // 2
        self.order = sorted(range(len(counts)), key=lambda x: (-counts[x], x))
        self.cost_to_go = cache(self._cost_to_go)

    def __len__(self) -> int:
        return len(self.gold)

    def start(self, example: int) -> State:
        return State(example)

    def depth(self, state: State) -> int:
        depth = 0
        for place, label in enumerate(state.labels):
            depth = self.after(state.example, place, depth, label)
        return depth

    def after(self, example: int, place: int, depth: int, label: int) -> int:
        if self.gold[example][place][1]:
            return max(depth, 1)
        return depth + 1 - min(reductions(label), depth)

    def left(self, example: int, place: int) -> int:
        """Items with target words behind this one."""
        return sum(not self.is_empty(example, i) for i in range(place + 1, len(self.gold[example])))

    def is_empty(self, example: int, place: int) -> bool:
        return self.empty[example][place]

    def allowed(self, example: int, place: int, depth: int, label: int) -> bool:
        if not self.masked:
            return True
        rest = depth + 1 - reductions(label)
        if reductions(label) > depth:
            return False
        left = self.left(example, place)
        return rest == 1 if left == 0 else rest <= 1 + left * (self.most - 1)

    def actions(self, state: State) -> list[int]:
        place = len(state.labels)
        items = self.gold[state.example]
        if place == len(items):
            return []
        if items[place][1]:
            return [items[place][0]]
        depth = self.depth(state)
        fitting = [x for x in self.order if self.allowed(state.example, place, depth, x)]
        return [x for x in fitting if self.counts[x]] or fitting

    def features(self, state: State, action: int) -> Features:
        rows = sorted(r for r in self.rows[state.example][len(state.labels)] if r >= 0)
        ids = np.array([row * self.stride + action for row in rows], dtype=np.uint32)
        return Features(np.empty(0), ids, np.ones(len(ids)))

    def next(self, state: State, action: int) -> State:
        return State(state.example, (*state.labels, action))

    def end_cost(self, state: State) -> float:
        items = self.gold[state.example]
        return float(
            sum(label != gold for label, (gold, forced) in zip(state.labels, items, strict=True)
                if not forced)
        )  # fmt: skip

    def _cost_to_go(self, example: int, place: int, depth: int) -> int:
        """By trying everything."""
        items = self.gold[example]
        if place == len(items):
            return 0 if depth == 1 or not self.masked else NEVER
        gold, forced = items[place]
        if forced:
            return self.cost_to_go(example, place + 1, max(depth, 1))
        return min(
            (
                (label != gold)
                + self.cost_to_go(example, place + 1, self.after(example, place, depth, label))
                for label in range(len(self.counts))
                if self.allowed(example, place, depth, label)
            ),
            default=NEVER,
        )

    def expert(self, state: State) -> int:
        place, depth = len(state.labels), self.depth(state)
        gold = self.gold[state.example][place][0]
        if not self.masked:
            return gold
        right = tuple(label for label, _ in self.gold[state.example][: place + 1])
        golden = self.depth(State(state.example, right))

        def worth(label: int) -> tuple[int, bool, int, int]:
            behind = self.after(state.example, place, depth, label)
            cost = (label != gold) + self.cost_to_go(state.example, place + 1, behind)
            return cost, label != gold, abs(behind - golden), label

        fitting = [
            x for x in range(len(self.counts)) if self.allowed(state.example, place, depth, x)
        ]
        return min(fitting, key=worth)
