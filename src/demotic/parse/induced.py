"""Trees that need no treebank: those that inversion transduction grammar sees in aligned text.

Items, the smallest units of a sentence pair, are joined in order or in reverse order until one is
left (``grammar/items.py``).  A tree has their words as leaves; I stands over an item of several
words, S over neighbours whose translations keep their order, R over those that swap.  What is
joined in order, one after the other, is one node.  The last child is the head.
"""

from __future__ import annotations

from collections.abc import Sequence

from demotic.grammar.items import ItemExtraction, items_of, operations_of
from demotic.trees import Tree
from demotic.trees.tree import TOP, TreeBuilder

_JOINED = {"R+": "S", "R-": "R"}
_EXTRACTION = ItemExtraction(max_words=255)


def induced_tree(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[tuple[int, int]],
    tags: Sequence[str],
) -> Tree | None:
    """The tree of a pair; None where there is nothing to see, such as no links."""
    items, _ = items_of(source, target, links, _EXTRACTION)
    if not items:
        return None
    stack: list[tuple[str, list[object]]] = []
    for item in items:
        begin, end = item.source
        stack.append(("I", list(range(begin, end))))
        for operation in operations_of(item.label)[1:]:
            if len(stack) > 1:
                _join(stack, _JOINED[operation])
    while len(stack) > 1:
        _join(stack, "S")
    return _built(stack[0], source, tags)


def _join(stack: list[tuple[str, list[object]]], label: str) -> None:
    right, left = stack.pop(), stack.pop()
    parts: list[object] = []
    for part in (left, right):
        if part[0] == label and label == "S":
            parts += part[1]
        else:
            parts.append(part)
    stack.append((label, parts))


def _built(root: object, source: Sequence[str], tags: Sequence[str]) -> Tree | None:
    build = TreeBuilder()
    done: list[int] = []
    waiting: list[tuple[object, bool]] = [(root, False)]
    while waiting:
        part, ready = waiting.pop()
        if isinstance(part, int):
            done.append(build.leaf(source[part], tags[part]))
            continue
        assert isinstance(part, tuple)
        label, parts = part
        if not ready:
            waiting.append((part, True))
            waiting += [(each, False) for each in reversed(parts)]
            continue
        if len(parts) == 1:
            continue  # a word is its own item
        children = done[len(done) - len(parts) :]
        del done[len(done) - len(parts) :]
        done.append(build.node(label, children, children[-1]))
    build.node(TOP, done, done[-1])
    found = build.tree()
    return found if found.words == tuple(source) else None
