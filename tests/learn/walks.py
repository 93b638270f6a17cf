"""Small decision problems whose best policy is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from demotic.forest.weights import Floats
from demotic.learn import DecisionTask, Features, LinearPolicy
from demotic.learn.policies import no_draw

Word = tuple[int, ...]


class Spelt(NamedTuple):
    """The letters written so far, and of which example."""

    example: int
    word: Word = ()


@dataclass(frozen=True)
class Spelling:
    """Write a word letter by letter; each letter's features depend on what came before it."""

    length: int
    letters: int
    rows: dict[tuple[Word, int], Floats]


@dataclass(frozen=True)
class Spellings(DecisionTask[Spelt, int]):
    """Words to be written such that a hidden weight vector, letter by letter, likes them best."""

    hidden: Floats
    examples: list[Spelling]
    feature_names: tuple[str, ...]
    sparse_features: int = 0
    asked: list[int] = field(default_factory=list)
    told: list[Floats] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.examples)

    def prepare(self, policy: LinearPolicy) -> None:
        self.told.append(policy.dense.copy())

    def start(self, example: int) -> Spelt:
        self.asked.append(example)
        return Spelt(example)

    def actions(self, state: Spelt) -> range:
        problem = self.examples[state.example]
        return range(problem.letters if len(state.word) < problem.length else 0)

    def features(self, state: Spelt, action: int) -> Features:
        return Features.of(self.examples[state.example].rows[state.word, action])

    def next(self, state: Spelt, action: int) -> Spelt:
        return Spelt(state.example, (*state.word, action))

    def best(self, example: int) -> Word:
        """The word of the hidden policy."""
        hidden = LinearPolicy(self.hidden)
        return hidden.follow(self, Spelt(example), no_draw).states[-1].word

    def end_cost(self, state: Spelt) -> float:
        """Letters as in the hidden policy's word save so many percent."""
        wanted = self.best(state.example)
        right = sum(one == other for one, other in zip(state.word, wanted, strict=True))
        return -100.0 * right / len(wanted)


def spellings(
    count: int = 30, length: int = 3, letters: int = 3, features: int = 4, seed: int = 5
) -> Spellings:
    """Random words; feature ``potential`` telescopes: it is a difference of a potential."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=features)
    hidden[-1] = 0.0
    examples = []
    for _ in range(count):
        rows: dict[tuple[Word, int], Floats] = {}
        height = {
            word: 0.0 if len(word) in (0, length) else float(rng.normal())
            for size in range(length + 1)
            for word in product(range(letters), repeat=size)
        }
        for word in height:
            if len(word) < length:
                for letter in range(letters):
                    row = rng.normal(size=features)
                    row[-1] = height[(*word, letter)] - height[word]
                    rows[word, letter] = row
        examples.append(Spelling(length, letters, rows))
    names = (*(f"f{i}" for i in range(features - 1)), "potential")
    return Spellings(hidden, examples, names)


def mean_reward(task: Spellings, weights: dict[str, float]) -> float:
    """What the policy's own words are worth."""
    row = np.array([weights[name] for name in task.feature_names])
    found = [LinearPolicy(row).cost(task, Spelt(i), no_draw) for i in range(len(task))]
    return -float(np.mean(found))
