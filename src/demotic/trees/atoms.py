"""What a tree says about a word: the dependency features of word choice and permutations.

M is the highest node that the word heads.  Atoms are the label of M, label and head word of what is
above it, label and head word of each dependent (every child along the spine from M to the word that
is not the head child), the labels of the head children below M, and relations where there are any.
"""

from __future__ import annotations

from sys import intern

from demotic.trees.tree import Tree

ROOT = "ROOT"


def dependency_atoms(tree: Tree) -> list[list[str]]:
    """The atoms of each token, sorted, each once."""
    return [_of_token(tree, token) for token in range(len(tree.words))]


def _of_token(tree: Tree, token: int) -> list[str]:
    node = tree.projections[token]
    above = tree.parent[node]
    found = {f"D:M={tree.labels[node]}"}
    found.add(f"D:P={tree.labels[above] if above >= 0 else ROOT}")
    found.add(f"D:PH={tree.words[tree.head[above]].lower() if above >= 0 else ROOT}")
    if tree.relations:
        found.add(f"D:r={tree.relations[token]}")
    while tree.children[node]:
        spine = tree.head_child[node]
        for child in tree.children[node]:
            if child != spine:
                below = tree.head[child]
                found.add(f"D:d={tree.labels[child]}")
                found.add(f"D:dh={tree.words[below].lower()}")
                if tree.relations:
                    found.add(f"D:dr={tree.relations[below]}")
        node = spine
        found.add(f"D:h={tree.labels[node]}")
    return [intern(atom) for atom in sorted(found)]  # most are in many trees
