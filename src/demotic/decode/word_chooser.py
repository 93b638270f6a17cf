"""Classifiers of words asked about a tree's words, by the words and atoms of the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from demotic.trees import Tree, dependency_atoms

if TYPE_CHECKING:
    from demotic import _core


class WordChooser:
    """Candidates of each word of a sentence, with what they cost."""

    def __init__(self, choices: _core.WordChoices) -> None:
        self.names = choices.target_words()
        self._choices = choices
        self._source = {word: k for k, word in enumerate(choices.source_words()) if k}
        self._tags = {tag: k for k, tag in enumerate(choices.tag_words())}
        self._others = {name: k for k, name in enumerate(choices.other_words()) if k}

    def costs(self, tree: Tree, most: int) -> list[list[tuple[int, float]]]:
        """Of each word the cheapest candidates, (target, ln(1 + exp(-h))): none of words that
        training has not seen."""
        ids = [self._source.get(word, 0) for word in tree.words]
        tags = [self._tags.get(tag, 0) for tag in tree.tags]
        others = [
            [self._others[name] for name in row if name in self._others]
            for row in dependency_atoms(tree)
        ]
        found = []
        for place, h in enumerate(self._choices.scores(ids, tags, others)):
            targets = self._choices.candidates(ids[place])[0]
            # Of equals the more frequent one: candidates stand in that order.
            costs = np.logaddexp(0.0, -np.asarray(h))
            best = np.argsort(costs, kind="stable")[:most]
            found.append([(targets[k], float(costs[k])) for k in best.tolist()] if targets else [])
        return found


def sides_of(insertion: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words before and after, of what ``insertion_of`` made."""
    before, _, after = insertion.partition("\t")
    return tuple(before.split()), tuple(after.split())


def insertion_of(before: Sequence[str], after: Sequence[str]) -> str:
    """Words before and after a translation, as a name of classifiers."""
    return f"{' '.join(before)}\t{' '.join(after)}"
