"""Trees as the grammar learns them, and back.

In brackets, a noun phrase without another one below it is NPB, always below an NP (Collins 1999).
In dependency trees, every word has a node of its own, and the node's label ends with its relation.
"""

from __future__ import annotations

from demotic.trees import Tree
from demotic.trees.tree import TOP, TreeBuilder

_BASE = "NPB"
_RELATION = "|"


def annotated(tree: Tree) -> Tree:
    """A tree as the grammar learns it."""
    return _with_relations(tree) if tree.relations else _with_base_phrases(tree)


def plain(tree: Tree) -> Tree:
    """A tree of the grammar as others know it."""
    build = TreeBuilder()
    made: list[int] = []
    words = iter(tree.words)
    relations = [""] * len(tree.words)
    for node, below in enumerate(tree.children):
        if not below:
            made.append(build.leaf(next(words), tree.labels[node]))
            continue
        label, mark, relation = tree.labels[node].rpartition(_RELATION)
        if mark:
            relations[tree.head[node]] = relation
        else:
            label, relation = relation, ""
        children = [made[child] for child in below]
        head = made[tree.head_child[node]]
        own = "NP" if label == _BASE else label
        alike = len(below) == 1 and build.labels[head] == own and own != TOP
        # A word's own node is no phrase where nothing depends on the word.
        bare = len(below) == 1 and bool(relation) and not build.children[head]
        made.append(head if alike or bare else build.node(own, children, head))
    return build.tree(relations, flat=tree.flat)


def _with_base_phrases(tree: Tree) -> Tree:
    build = TreeBuilder()
    made: list[int] = []
    words = iter(tree.words)
    for node, below in enumerate(tree.children):
        label = tree.labels[node]
        if not below:
            made.append(build.leaf(next(words), label))
            continue
        children = [made[child] for child in below]
        head = made[tree.head_child[node]]
        if label == "NP" and not any(tree.labels[child] == "NP" for child in below):
            head = build.node(_BASE, children, head)
            children = [head]
        made.append(build.node(label, children, head))
    return build.tree()


def _with_relations(tree: Tree) -> Tree:
    build = TreeBuilder()
    made: list[int] = []
    words = iter(tree.words)
    for node, below in enumerate(tree.children):
        token, label, above = tree.head[node], tree.labels[node], tree.parent[node]
        head = made[tree.head_child[node]] if below else build.leaf(next(words), label)
        children = [made[child] for child in below]
        if label == TOP and below:
            made.append(build.node(label, children, head))
        elif tree.labels[above] != TOP and tree.head_child[above] == node:
            made.append(head)  # a word with dependents: the node above is its own
        else:
            own = f"{label if below else f'{label}P'}{_RELATION}{tree.relations[token] or 'dep'}"
            made.append(build.node(own, children or [head], head))
    return build.tree()
