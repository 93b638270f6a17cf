"""Parts of speech by an averaged perceptron; the work is done in the core."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic.errors import ArgumentError
from demotic.trees import Tree


class Tagger:
    """Gives each word of a sentence a tag."""

    def __init__(self, tags: Sequence[str], core: _core.Tagger) -> None:
        self.tags = tuple(tags)
        self.core = core

    @classmethod
    def of_arrays(
        cls, tags: Sequence[str], keys: NDArray[np.uint64], weights: NDArray[np.float32]
    ) -> Tagger:
        """What a file keeps of a tagger."""
        return cls(tags, _core.Tagger(len(tags), keys, weights))

    @classmethod
    def train(cls, trees: Sequence[Tree], *, passes: int = 8, seed: int = 1) -> Tagger:
        """Learn from the leaves of trees."""
        counts = Counter(tag for tree in trees for tag in tree.tags)
        if not counts:
            raise ArgumentError("no trees to learn from")
        tags = sorted(counts, key=lambda tag: (-counts[tag], tag))  # ties: the more frequent one
        number = {tag: k for k, tag in enumerate(tags)}
        learner = _core.TaggerLearner(len(tags))
        for tree in trees:
            learner.add(list(tree.words), [number[tag] for tag in tree.tags])
        return cls(tags, learner.learn(passes, seed))

    def tag(self, sentences: Sequence[Sequence[str]], *, threads: int = 1) -> list[list[str]]:
        """The tags of each sentence."""
        found = self.core.tag([list(words) for words in sentences], threads)
        return [[self.tags[tag] for tag in each] for each in found]

    def accuracy(self, trees: Sequence[Tree], *, threads: int = 1) -> float:
        """The share of tags that are right, in percent."""
        found = self.tag([tree.words for tree in trees], threads=threads)
        pairs = zip(trees, found, strict=True)
        right = sum(
            one == other for tree, own in pairs for one, other in zip(tree.tags, own, strict=True)
        )
        return 100.0 * right / max(1, sum(len(tree.words) for tree in trees))
