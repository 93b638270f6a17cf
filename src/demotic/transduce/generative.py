"""The generative tree transducer, a baseline: probabilities counted from bitrees.

    model = GenerativeTransducer.count(bitrees, targets)
    found = model.transduce(tree, options=TreeSearch(unknown="drop"))

Of Pr(t) = Pr(root) x the product over nodes given their parents (Wellington, Turian and Melamed,
equation 7.14), with nodes lexicalised by the translation of their head word: the root word costs
P(t|s); a sibling P(t_sibling | s_sibling, t_head) and P(keep or swap | labels, words); the head
child inherits its word.  Estimates are interpolated by Witten and Bell, from two words to one to
none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from demotic.decode.tree_search import Transduction, TreeSearch, transduce
from demotic.trees import Bitree, Cells, Tree, binarise, choices

NULL = ""
_LEAST = 1e-12


@dataclass
class Interpolated:
    """Relative frequencies of outcomes, each context backing off to another estimate."""

    counts: Counter[tuple[Hashable, Hashable]] = field(default_factory=Counter)
    totals: Counter[Hashable] = field(default_factory=Counter)
    types: Counter[Hashable] = field(default_factory=Counter)

    def add(self, context: Hashable, outcome: Hashable) -> None:
        """One event."""
        key = (context, outcome)
        self.types[context] += key not in self.counts
        self.counts[key] += 1
        self.totals[context] += 1

    def share(self, context: Hashable, outcome: Hashable, backoff: float) -> float:
        """P(outcome | context); what was never seen is left to the other estimate."""
        total = self.totals[context]
        if not total:
            return backoff
        types = self.types[context]
        return (self.counts[context, outcome] + types * backoff) / (total + types)


class GenerativeTransducer:
    """Counts of translations and of orders."""

    def __init__(self) -> None:
        self.word = Interpolated()
        """Of a translation, given the source word."""
        self.pair = Interpolated()
        """Given the translation of the head as well."""
        self.orders = [Interpolated(), Interpolated(), Interpolated()]
        """Of swapping: given the parent, all labels, these and both words."""
        self.known: dict[str, list[str]] = {}
        """Translations seen with a word, the most frequent first."""

    @classmethod
    def count(
        cls, bitrees: Iterable[Bitree], targets: Iterable[Sequence[str]]
    ) -> GenerativeTransducer:
        """From bitrees and the target sentences they are over."""
        made = cls()
        seen: dict[str, Counter[str]] = {}
        for found, target in zip(bitrees, targets, strict=False):
            tree = found.tree
            words = [target[link] if link >= 0 else NULL for link in found.links]
            for source, word in zip(tree.words, words, strict=True):
                made.word.add(source, word)
                seen.setdefault(source, Counter())[word] += 1
            for token, word in enumerate(words):
                above = tree.head_of(token)
                if above >= 0:
                    made.pair.add((tree.words[token], words[above]), word)
            tokens = _tokens(tree, found.cells)
            for choice in choices(found):
                if choice.label == 2:  # another sibling came first
                    continue
                head, sibling = tokens[choice.attachment]
                contexts = _context_of(tree, found.cells, choice.attachment, head, sibling)
                for estimate, context in zip(made.orders, contexts, strict=True):
                    estimate.add(context, bool(choice.label))
        made.known = {
            source: sorted(found, key=lambda word: (-found[word], word))
            for source, found in seen.items()
        }
        return made

    def of_word(self, source: str, target: str) -> float:
        """P(target | source), smoothed towards what was seen with the source word."""
        uniform = 1 / max(1, len(self.known.get(source, ())))
        return self.word.share(source, target, uniform)

    def of_sibling(self, source: str, target: str, head: str) -> float:
        """P(target | source, translation of the head)."""
        return self.pair.share((source, head), target, self.of_word(source, target))

    def of_swap(self, contexts: Sequence[Hashable]) -> float:
        """P(swap), from the least to the most that is known."""
        value = 0.5
        for estimate, context in zip(self.orders, contexts, strict=True):
            value = estimate.share(context, True, value)
        return value

    def orders_of(self, found: Bitree) -> list[float]:
        """The probability of each order that a bitree has."""
        tokens = _tokens(found.tree, found.cells)
        shares = []
        for choice in choices(found):
            if choice.label == 2:  # another sibling came first
                continue
            head, sibling = tokens[choice.attachment]
            swap = self.of_swap(
                _context_of(found.tree, found.cells, choice.attachment, head, sibling)
            )
            shares.append(swap if choice.label else 1 - swap)
        return shares

    def transduce(
        self, tree: Tree, *, options: TreeSearch | None = None
    ) -> tuple[Transduction, list[str]]:
        """The cheapest translation of a tree, and the names of its translations."""
        options = options or TreeSearch(unknown="drop")
        cells = binarise(tree, right_first=options.right_first)
        numbers: dict[str, int] = {NULL: 0}
        candidates = []
        for word in tree.words:
            unseen = NULL if options.unknown == "drop" else word
            known = self.known.get(word, [unseen])[: options.candidates]
            candidates.append(known)
            for each in known:
                numbers.setdefault(each, len(numbers))
        root = tree.head[-1]
        leaves = [
            [
                (numbers[t], _cost(self.of_word(s, t)) if token == root else 0.0)
                for t in candidates[token]
            ]
            for token, s in enumerate(tree.words)
        ]
        begins, tables, keep, swap = [], [], [], []
        place: dict[tuple[int, int], int] = {}
        size = 0
        for attachment, (head, sibling) in enumerate(_tokens(tree, cells)):
            if (head, sibling) not in place:
                place[head, sibling] = size
                source = tree.words[sibling]
                tables += [
                    _cost(self.of_sibling(source, t, above))
                    for above in candidates[head]
                    for t in candidates[sibling]
                ]
                size = len(tables)
            begins.append(place[head, sibling])
            share = self.of_swap(_context_of(tree, cells, attachment, head, sibling))
            keep.append(_score(1 - share))
            swap.append(_score(share))
        found = transduce(
            tree, leaves, keep=keep, swap=swap, options=options, cells=cells,
            pairs=(np.array(begins, np.uint32), np.array(tables, np.float64)),
        )  # fmt: skip
        return found, [*numbers]


def _cost(probability: float) -> float:
    return -math.log(max(_LEAST, min(1.0, probability)))


def _score(probability: float) -> float:
    """The h that costs as much: ln(1 + exp(-h)) = -ln p."""
    p = min(1 - _LEAST, max(_LEAST, probability))
    return math.log(p / (1 - p))


def _tokens(tree: Tree, cells: Cells) -> list[tuple[int, int]]:
    """Of each attachment the tokens that head the block and the sibling."""
    found = []
    for cell in range(cells.tokens, len(cells)):
        for number in range(cells.begins[cell], cells.begins[cell + 1]):
            nodes = (cells.node[cell], cells.node[cells.sibling[number]])
            found.append((tree.head[nodes[0]], tree.head[nodes[1]]))
    return found


def _context_of(
    tree: Tree, cells: Cells, attachment: int, head: int, sibling: int
) -> list[Hashable]:
    node = int(np.searchsorted(cells.begins[cells.tokens :], attachment, side="right")) - 1
    parent = int(cells.node[cells.tokens + node])
    below = int(cells.node[cells.sibling[attachment]])
    side = bool(cells.right[attachment])
    label = tree.labels[parent]
    labels = (label, tree.labels[tree.head_child[parent]], tree.labels[below], side)
    return [(label, side), labels, (*labels, tree.words[head], tree.words[sibling])]
