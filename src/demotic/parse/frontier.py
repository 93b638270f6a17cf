"""Trees as the discriminative parser makes them, and back.

No node begins or ends with punctuation: it moves up, at most to the root.  No node has more than
five children: those on the right come below a node of the same label with a prime.  No chain of
single children has a label twice.  TOP has one child that is no punctuation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from demotic.parse.evaluation import PUNCTUATION
from demotic.trees import Tree
from demotic.trees.tree import TOP, TreeBuilder

MOST_CHILDREN = 5
PRIME = "'"
_SEVERAL = "X"
"""Over several children of the root."""


class Node(NamedTuple):
    """Of a prepared tree: leaves come first, one for each word."""

    label: str
    children: tuple[int, ...]
    head: int
    """Which of the children; -1 of leaves."""


class Step(NamedTuple):
    """A node over items of the frontier."""

    label: str
    begin: int
    size: int


@dataclass(frozen=True)
class Prepared:
    """A tree as the parser would make it."""

    nodes: tuple[Node, ...]

    def steps(self) -> list[Step]:
        """Its nodes in the one order in which they are made: the rightmost first, children before
        parents."""
        leaves = [k for k, node in enumerate(self.nodes) if not node.children]
        frontier = list(leaves)
        found = []
        waiting = [(len(self.nodes) - 1, False)]
        while waiting:
            at, below_done = waiting.pop()
            node = self.nodes[at]
            if not node.children:
                continue
            if not below_done:
                waiting.append((at, True))
                waiting += [(child, False) for child in node.children]
                continue
            begin = frontier.index(node.children[0])
            found.append(Step(node.label, begin, len(node.children)))
            frontier[begin : begin + len(node.children)] = [at]
        return found


def prepared(tree: Tree) -> Prepared | None:
    """The tree to learn; None of one that has nothing but punctuation."""
    make = _Maker(tree.tags)
    above: list[list[int]] = []
    leaves = iter(range(len(tree.words)))
    heads: list[int] = []  # leaf
    for label, below, child in zip(tree.labels, tree.children, tree.head_child, strict=True):
        if not below:
            heads.append(next(leaves))
            above.append([heads[-1]])
            continue
        heads.append(heads[child])
        flat = [item for each in below for item in above[each]]
        if label != TOP:
            above.append(make.node(label, flat, heads[-1]))
            continue
        inside = [k for k, item in enumerate(flat) if not make.is_punctuation(item)]
        if not inside:
            return None
        core = flat[inside[0] : inside[-1] + 1]
        if len(core) > 1:
            core = make.node(_SEVERAL, core, heads[-1])
        make.nodes.append(Node(TOP, (core[0],), 0))
    return Prepared(tuple(make.nodes))


class _Maker:
    def __init__(self, tags: Sequence[str]) -> None:
        self.nodes = [Node(tag, (), -1) for tag in tags]
        self.token = list(range(len(tags)))
        """The leaf that heads each node."""

    def is_punctuation(self, item: int) -> bool:
        return not self.nodes[item].children and self.nodes[item].label in PUNCTUATION

    def node(self, label: str, items: Sequence[int], token: int) -> list[int]:
        """A node over what is between marks on the edges, which stay beside it."""
        inside = [k for k, item in enumerate(items) if not self.is_punctuation(item)]
        if not inside:
            return list(items)
        begin, end = inside[0], inside[-1] + 1
        core = list(items[begin:end])
        while len(core) > MOST_CHILDREN:
            cut = next(
                k for k in range(len(core) - MOST_CHILDREN, len(core))
                if not self.is_punctuation(core[k])
            )  # fmt: skip
            cut = min(cut, len(core) - 2)
            core[cut:] = [self._add(f"{label}{PRIME}", core[cut:], token)]
        if len(core) > 1 or not self._chain_has(core[0], label):
            core = [self._add(label, core, token)]
        return [*items[:begin], *core, *items[end:]]

    def _add(self, label: str, children: Sequence[int], token: int) -> int:
        last = max(k for k, child in enumerate(children) if not self.is_punctuation(child))
        head = next((k for k, child in enumerate(children) if self.token[child] == token), last)
        self.nodes.append(Node(label, tuple(children), head))
        self.token.append(self.token[children[head]])
        return len(self.nodes) - 1

    def _chain_has(self, item: int, label: str) -> bool:
        node = self.nodes[item]
        while node.children:
            if node.label == label:
                return True
            if len(node.children) > 1:
                return False
            node = self.nodes[node.children[0]]
        return False


def restored(
    words: Sequence[str],
    labels: Sequence[str],
    children: Sequence[Sequence[int]],
    heads: Sequence[int],
) -> Tree:
    """A tree of the parser, in post-order, as others know it; marks at the root go one down."""
    build = TreeBuilder()
    made: list[list[int]] = []
    heading: list[int] = []
    left = iter(words)
    root = len(labels) - 1
    core = heads[root]
    for node, below in enumerate(children):
        label = labels[node]
        if not below:
            heading.append(build.leaf(next(left), label))
            made.append([heading[-1]])
            continue
        flat = [item for child in below for item in made[child]]
        head = heading[heads[node]]
        if node == core or label.endswith(PRIME):
            made.append(flat)
            heading.append(head)
            continue
        if node == root and children[core]:
            head = build.node(labels[core].rstrip(PRIME), flat, head)
            flat = [head]
        heading.append(build.node(label, flat, head))
        made.append([heading[-1]])
    return build.tree()


@dataclass(frozen=True)
class HeadTable:
    """Which child of a node is its head, as trees show it."""

    pairs: tuple[tuple[str, str], ...]
    """Label and child: the likeliest heads first."""
    right: tuple[bool, ...]
    """For each of these: is the last of equal children the head, not the first?"""

    @classmethod
    def learn(cls, trees: Sequence[Prepared]) -> HeadTable:
        """From nodes with several children."""
        head: Counter[tuple[str, str]] = Counter()
        present: Counter[tuple[str, str]] = Counter()
        sides: Counter[tuple[str, str]] = Counter()
        for tree in trees:
            for node in tree.nodes:
                if not node.children:
                    continue
                labels = [tree.nodes[child].label for child in node.children]
                chosen = labels[node.head]
                head[node.label, chosen] += 1
                present.update((node.label, label) for label in set(labels))
                alike = [k for k, label in enumerate(labels) if label == chosen]
                if len(alike) > 1:
                    sides[node.label, chosen] += (node.head == alike[-1]) - (node.head == alike[0])
        order = sorted(head, key=lambda pair: (-head[pair] / (present[pair] + 1), pair))
        return cls(tuple(order), tuple(sides[pair] > 0 for pair in order))
