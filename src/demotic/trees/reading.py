"""Trees from files and back, whatever their form."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from demotic import files
from demotic.errors import ArgumentError, DemoticError, FormatError
from demotic.trees import conllu, penn
from demotic.trees.heads import HeadRules
from demotic.trees.tree import Tree


def read_trees(path: str | Path, *, heads: HeadRules | None = None) -> Iterator[Tree]:
    """The trees of a file: brackets, one or more lines each, or CoNLL-U; plain or gzip."""
    try:
        lines = files.read_lines(path)
        start: list[str] = []
        for line in lines:
            start.append(line)
            if line.strip() and not line.startswith("#"):
                break
        else:
            return
        whole = itertools.chain(start, lines)
        if start[-1].lstrip().startswith("("):
            # Comments before the first tree are CoNLL-U's; brackets have none.
            yield from penn.parse(whole, heads)
        elif "\t" in start[-1]:
            yield from conllu.parse(whole)
        else:
            raise FormatError(
                "neither a tree in brackets nor a line of CoNLL-U",
                line=len(start),
                remedy="give (S (NP ...) ...) or ten fields with tabs between them",
            )
    except DemoticError as error:
        raise error.at(path) from None


def write_trees(path: str | Path, trees: Iterable[Tree], *, form: str = "penn") -> int:
    """Write trees in brackets, or as ``conllu``; the number written."""
    if form not in ("penn", "conllu"):
        raise ArgumentError(f"there is no form '{form}' of trees", remedy="penn or conllu")
    text = penn.text if form == "penn" else conllu.text
    return files.write_lines(path, (text(tree) for tree in trees))


def check_yields(
    trees: Sequence[Tree], sentences: Sequence[Sequence[str]], path: str | Path
) -> None:
    """Raise unless each tree has the words of its sentence, whatever their case."""
    if len(trees) != len(sentences):
        raise FormatError(
            f"{len(trees)} trees for {len(sentences)} sentences",
            path=path,
            remedy="a tree for each line of the text",
        )
    for number, (tree, words) in enumerate(zip(trees, sentences, strict=True), 1):
        if not same_words(tree, words):
            raise FormatError(
                f"tree {number} has other words than line {number} of the text: "
                f"'{' '.join(tree.words)}' and '{' '.join(words)}'",
                path=path,
                remedy="parse the text as it is, leave such pairs out, or set trees.lenient",
            )


def same_words(tree: Tree, words: Sequence[str]) -> bool:
    """Does a tree stand over these words, whatever their case?"""
    if len(tree.words) != len(words):
        return False
    pairs = zip(tree.words, words, strict=True)
    return all(one == other or one.lower() == other.lower() for one, other in pairs)
