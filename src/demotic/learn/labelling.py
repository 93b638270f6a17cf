"""Sequence labelling as a search: the example of a task in one class.

    task = Labelling([("the house is small".split(), "D N V A".split()), ...])
    weights = drl(task, {}).sparse
    Labelling(other, known=task.known).labels(0, LinearPolicy(np.empty(0), weights))

Words are labelled from left to right.  Features are the word, its neighbours and the label before,
each together with the label that is chosen; the cost of an end is the number of wrong labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from demotic.errors import ArgumentError
from demotic.forest.weights import Floats
from demotic.learn.decisions import DecisionTask
from demotic.learn.policies import LinearPolicy, no_draw
from demotic.learn.search import Features, Ids

_NO_DENSE: Floats = np.empty(0)


class Labelled(NamedTuple):
    """A sentence whose first words have labels, by their numbers."""

    example: int
    labels: tuple[int, ...] = ()


@dataclass(frozen=True)
class LabelFeatures:
    """What was seen in training: the labels, and a row of weights for each thing to look at."""

    labels: tuple[str, ...]
    rows: dict[tuple[str, str], int]

    def __len__(self) -> int:
        return len(self.labels) * len(self.rows)

    def ids(self, seen: Sequence[tuple[str, str]], label: int) -> Ids:
        """The features of a label; what was never seen in training has none."""
        rows = sorted(self.rows[each] for each in seen if each in self.rows)
        return np.array([row * len(self.labels) + label for row in rows], dtype=np.uint32)


class Labelling(DecisionTask[Labelled, int]):
    """Sentences with their right labels; ``known`` are the features of another task."""

    def __init__(
        self,
        sentences: Sequence[tuple[Sequence[str], Sequence[str]]],
        *,
        known: LabelFeatures | None = None,
    ) -> None:
        for number, (words, labels) in enumerate(sentences):
            if len(words) != len(labels):
                raise ArgumentError(
                    f"sentence {number + 1} has {len(words)} words and {len(labels)} labels"
                )
        self._words = [["", *words, ""] for words, _ in sentences]
        self._right = [tuple(labels) for _, labels in sentences]
        self.known = known or self._all_features()
        self.sparse_features = len(self.known)

    def __len__(self) -> int:
        return len(self._words)

    def start(self, example: int) -> Labelled:
        """Nothing is labelled."""
        return Labelled(example)

    def actions(self, state: Labelled) -> range:
        """The labels of the next word, by their numbers."""
        at_end = len(state.labels) == len(self._right[state.example])
        return range(0 if at_end else len(self.known.labels))

    def features(self, state: Labelled, action: int) -> Features:
        """The word, its neighbours and the label before, each with the label chosen."""
        before = self.known.labels[state.labels[-1]] if state.labels else ""
        ids = self.known.ids(self._seen(state.example, len(state.labels), before), action)
        return Features(_NO_DENSE, ids, np.ones(len(ids)))

    def next(self, state: Labelled, action: int) -> Labelled:
        """One more word has its label."""
        return Labelled(state.example, (*state.labels, action))

    def end_cost(self, state: Labelled) -> float:
        """The number of wrong labels so far."""
        right = self._right[state.example]
        return float(
            sum(
                self.known.labels[label] != wanted
                for label, wanted in zip(state.labels, right, strict=False)
            )
        )

    def expert(self, state: Labelled) -> int:
        """The right label; the first one for a label that training has not seen."""
        wanted = self._right[state.example][len(state.labels)]
        return self.known.labels.index(wanted) if wanted in self.known.labels else 0

    def expert_cost(self, state: Labelled) -> float:
        """Wrong labels so far, and those that training has not seen: no need to go there."""
        rest = self._right[state.example][len(state.labels) :]
        return self.end_cost(state) + sum(label not in self.known.labels for label in rest)

    def labels(self, example: int, policy: LinearPolicy) -> list[str]:
        """What a policy makes of a sentence."""
        end = policy.follow(self, self.start(example), no_draw).states[-1]
        return [self.known.labels[label] for label in end.labels]

    def accuracy(self, policy: LinearPolicy) -> float:
        """The share of words whose label is right."""
        wrong = sum(policy.cost(self, self.start(i), no_draw) for i in range(len(self)))
        return 1.0 - wrong / max(1, sum(map(len, self._right)))

    def _seen(self, example: int, place: int, before: str) -> list[tuple[str, str]]:
        previous, word, following = self._words[example][place : place + 3]
        return [
            ("any", ""),
            ("word", word),
            ("previous word", previous),
            ("next word", following),
            ("previous label", before),
        ]

    def _all_features(self) -> LabelFeatures:
        rows: dict[tuple[str, str], int] = {}
        for example, labels in enumerate(self._right):
            for place, before in zip(range(len(labels)), ["", *labels], strict=False):
                for seen in self._seen(example, place, before):
                    rows.setdefault(seen, len(rows))
        return LabelFeatures(tuple(sorted(set(chain.from_iterable(self._right)))), rows)
