"""A sentence's tree with its heads, as flat tuples: nothing here recurses, however deep it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from demotic.errors import FormatError

TOP = "TOP"


@dataclass(frozen=True, eq=True)
class Tree:
    """Nodes are numbered in post-order: children before parents, the root last."""

    words: tuple[str, ...]
    """Tokens in surface order."""
    labels: tuple[str, ...]
    """Of each node; a leaf's is its tag."""
    children: tuple[tuple[int, ...], ...]
    """Of each node, from left to right; none for a leaf."""
    head_child: tuple[int, ...]
    """The node among the children that the head comes from; -1 for a leaf."""
    relations: tuple[str, ...] = ()
    """Of each token to its head, where the treebank says so; else empty."""
    flat: bool = False
    """No parse was found: all words are children of the root."""

    @cached_property
    def parent(self) -> tuple[int, ...]:
        """Of each node; -1 for the root."""
        found = [-1] * len(self.labels)
        for node, below in enumerate(self.children):
            for child in below:
                found[child] = node
        return tuple(found)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The leaf of each token."""
        return tuple(node for node, below in enumerate(self.children) if not below)

    @cached_property
    def head(self) -> tuple[int, ...]:
        """The position of each node's head word."""
        found: list[int] = []
        seen = 0
        for below, child in zip(self.children, self.head_child, strict=True):
            found.append(found[child] if below else seen)
            seen += not below
        return tuple(found)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The part of speech of each token."""
        return tuple(self.labels[leaf] for leaf in self.leaves)

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The tokens below each node, from one up to before the other."""
        found: list[tuple[int, int]] = []
        seen = 0
        for below in self.children:
            if below:
                found.append((found[below[0]][0], found[below[-1]][1]))
            else:
                found.append((seen, seen + 1))
                seen += 1
        return tuple(found)

    @cached_property
    def projections(self) -> tuple[int, ...]:
        """The highest node that each token is the head of."""
        found = list(self.leaves)
        for node, token in enumerate(self.head):
            found[token] = node  # ancestors have higher numbers
        return tuple(found)

    def head_of(self, token: int) -> int:
        """The token that this one depends on; -1 for that of the root."""
        above = self.parent[self.projections[token]]
        return self.head[above] if above >= 0 else -1

    @property
    def heads(self) -> tuple[int, ...]:
        """``head_of`` each token."""
        return tuple(self.head_of(token) for token in range(len(self.words)))


class TreeBuilder:
    """Puts a tree together from the bottom up; nodes must come in post-order."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.labels: list[str] = []
        self.children: list[tuple[int, ...]] = []
        self.head_child: list[int] = []

    def leaf(self, word: str, tag: str) -> int:
        """A new token."""
        self.words.append(word)
        return self.node(tag, (), -1)

    def node(self, label: str, children: Sequence[int], head_child: int) -> int:
        """A node over others."""
        self.labels.append(label)
        self.children.append(tuple(children))
        self.head_child.append(head_child)
        return len(self.labels) - 1

    def tree(self, relations: Sequence[str] = (), *, flat: bool = False) -> Tree:
        """What was built."""
        return Tree(
            tuple(self.words),
            tuple(self.labels),
            tuple(self.children),
            tuple(self.head_child),
            tuple(relations) if any(relations) else (),
            flat,
        )


def flat_tree(words: Sequence[str], tags: Sequence[str]) -> Tree:
    """All words below the root, the last one its head: for sentences that have no parse."""
    if not words:
        raise FormatError("a sentence without words has no tree")
    build = TreeBuilder()
    leaves = [build.leaf(word, tag) for word, tag in zip(words, tags, strict=True)]
    build.node(TOP, leaves, leaves[-1])
    return build.tree(flat=True)
