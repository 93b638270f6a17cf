"""What the parsers of the experiment's source side learn from, and the trees they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from demotic.decode.transducer import over_tokens
from demotic.experiments.setup import Setup
from demotic.lm import cluster
from demotic.parse import GenerativeOptions
from demotic.parse.files import Parser, cached_parses
from demotic.parse.induced import induced_tree
from demotic.trees import Tree, read_trees

CLASSES = 50
"""Of source words, instead of tags, where trees are induced."""
INDUCED_FROM = 10_000
"""Pairs whose links show trees to learn from."""
NARROW = GenerativeOptions(items=6, width=6.0)
"""A third of the usual beam's time, for 0.4 points of F1 on the Penn sample."""
Pair = tuple[list[str], list[str]]


def trees_of_treebank(treebank: Path) -> list[Tree]:
    """Lower-cased, as the text is."""
    return [
        over_tokens(tree, [word.lower() for word in tree.words]) for tree in read_trees(treebank)
    ]


def trees_of_links(
    setup: Setup, pairs: Sequence[Pair], intersection: Sequence[Sequence[tuple[int, int]]]
) -> list[Tree]:
    """No treebank: trees that links show, with word classes for tags."""
    path = setup.out / "source.txt"
    path.write_text("".join(f"{' '.join(s)}\n" for s, _ in pairs), encoding="utf-8")
    classes = cluster(path, classes=CLASSES, threads=setup.threads)
    trees: list[Tree] = []
    for (source, target), links in zip(pairs[:INDUCED_FROM], intersection, strict=False):
        tags = [f"c{classes.get(word, 'new')}" for word in source]
        tree = induced_tree(source, target, links, tags)
        if tree is not None:
            trees.append(tree)
    return trees


def parses(setup: Setup, parser: Parser, sentences: Sequence[Sequence[str]]) -> list[Tree]:
    """Of all sentences, kept beside the results."""
    kept = cached_parses(
        parser, sentences, setup.out / "source.trees", threads=setup.threads,
        progress=setup.progress,
    )  # fmt: skip
    return [replace(tree, words=tuple(s)) for tree, s in zip(kept, sentences, strict=True)]
