"""Small decision problems whose best policy is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np

from demotic.forest.weights import Floats
from demotic.learn.decisions import DecisionEpisode, Path

Word = tuple[int, ...]


@dataclass(frozen=True)
class Spelling:
    """Write a word letter by letter; each letter's features depend on what came before it."""

    length: int
    letters: int
    rows: dict[tuple[Word, int], Floats]
    start: Word = ()

    def actions(self, state: Word) -> range:
        return range(self.letters if len(state) < self.length else 0)

    def features(self, state: Word, action: int) -> Floats:
        return self.rows[state, action]

    def next(self, state: Word, action: int) -> Word:
        return (*state, action)


@dataclass(frozen=True)
class Spellings:
    """Words to be written such that a hidden weight vector, letter by letter, likes them best."""

    hidden: Floats
    examples: list[Spelling]
    feature_names: tuple[str, ...]
    sparse_features: int = 0
    asked: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.examples)

    def episode(self, example: int) -> DecisionEpisode[Word, int]:
        self.asked.append(example)
        return DecisionEpisode(self.examples[example])

    def best(self, example: int) -> Word:
        """The word of the hidden policy."""
        word: Word = ()
        problem = self.examples[example]
        while actions := problem.actions(word):
            word = (*word, max(actions, key=lambda a: self.hidden @ problem.rows[word, a]))
        return word

    def reward(self, example: int, rollout: Path[Word, int]) -> float:
        """Letters as in the hidden policy's word, in percent."""
        wanted = self.best(example)
        right = sum(one == other for one, other in zip(rollout.end, wanted, strict=True))
        return 100.0 * right / len(wanted)


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
    found = [
        task.reward(i, task.episode(i).samples(row, [(0.0, 0.0)])[0].taken)
        for i in range(len(task))
    ]
    return float(np.mean(found))
