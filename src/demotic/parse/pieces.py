"""Long sentences are parsed in pieces, so that time grows with their length and no faster.

    begins = cuts(words, 30)                          where pieces begin, and the end
    tree = joined([tree of each piece])

Pieces have at most 30 words, since parsing takes time that grows faster than that, and end with
punctuation where that leaves them half as long as they may be.  Eight of them at a time are put
below a node X, whose head is the first, until one is left: no word has more than a few dependents,
however long the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from demotic.trees import Tree, flat_tree
from demotic.trees.tree import TOP, TreeBuilder

LABEL = "X"
MOST = 30
"""Words of a piece."""
TOGETHER = 8
_BESIDE = "parataxis"
"""The relation of a piece's root to that of the first one."""
_STOPS = frozenset(".!?;:。！？；：।؟")
_Words = Sequence[Sequence[str]]
_Group = int | list["_Group"]


def in_pieces(
    sentences: _Words, tags: _Words, most: int, parse: Callable[[_Words, _Words], list[Tree | None]]
) -> Iterator[Tree]:
    """A tree for each sentence, flat where ``parse`` has none for it; those of more than ``most``
    words are parsed in pieces."""
    ends = [
        cuts(words, min(MOST, most)) if len(words) > most else [0, len(words)]
        for words in sentences
    ]
    words, own = (
        [side[k][a:b] for k, each in enumerate(ends) for a, b in pairwise(each) if a < b]
        for side in (sentences, tags)
    )
    found = iter(zip(words, own, parse(words, own), strict=True))
    for sentence, each in zip(sentences, ends, strict=True):
        if not sentence:
            yield flat_tree(sentence, ())  # complains
        parts = [next(found) for _ in pairwise(each)]
        yield joined([tree or flat_tree(piece, its) for piece, its, tree in parts])


def cuts(words: Sequence[str], most: int) -> list[int]:
    """Where pieces of at most ``most`` words begin, and where the last one ends."""
    found = [0]
    while (left := len(words) - found[-1]) > most:
        size = -(-left // -(-left // most))  # as if all that is left were cut evenly
        found.append(found[-1] + _piece(words[found[-1] : found[-1] + size]))
    return [*found, len(words)]


def _piece(words: Sequence[str]) -> int:
    """How many of these words to take: up to the last stop, or the last other sign, or all."""
    ends = range(len(words), len(words) // 2, -1)
    signs = [end for end in ends if not any(c.isalnum() for c in words[end - 1])]
    stops = [end for end in signs if words[end - 1][-1:] in _STOPS]
    return next(iter([*stops, *signs, len(words)]))


def joined(trees: Sequence[Tree]) -> Tree:
    """One tree of those of a sentence's pieces."""
    if len(trees) == 1:
        return trees[0]
    level: list[_Group] = [*range(len(trees))]
    while len(level) > 1:
        groups = [level[k : k + TOGETHER] for k in range(0, len(level), TOGETHER)]
        level = [group[0] if len(group) == 1 else group for group in groups]
    build = TreeBuilder()
    root = _built(level[0], trees, build)
    build.node(TOP, [root], root)
    return build.tree(_relations(trees), flat=all(tree.flat for tree in trees))


def _built(group: _Group, trees: Sequence[Tree], build: TreeBuilder) -> int:
    if isinstance(group, int):
        return _copied(trees[group], build)
    roots = [_built(each, trees, build) for each in group]
    return build.node(LABEL, roots, roots[0])


def _copied(tree: Tree, build: TreeBuilder) -> int:
    """A piece in the tree that is built; its TOP is X, or nothing over a single node."""
    first = len(build.labels)
    words = iter(tree.words)
    for label, below, head in zip(tree.labels[:-1], tree.children, tree.head_child, strict=False):
        if below:
            build.node(label, [first + k for k in below], first + head)
        else:
            build.leaf(next(words), label)
    if len(tree.children[-1]) == 1:
        return first + tree.children[-1][0]
    below, head = tree.children[-1], tree.head_child[-1]
    return build.node(LABEL, [first + k for k in below], first + head)


def _relations(trees: Sequence[Tree]) -> list[str]:
    if not any(tree.relations for tree in trees):
        return []
    found: list[str] = []
    for tree in trees:
        own = [*(tree.relations or ["dep"] * len(tree.words))]
        if found:
            own[tree.head[-1]] = _BESIDE
        found += own
    return found
