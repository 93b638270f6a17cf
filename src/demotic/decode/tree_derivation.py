"""A source tree with its translation, as the tree transducer found it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from demotic.decode.tree_search import FEATURES


class TreeNode(NamedTuple):
    """A word with its translation, or a head block and a sibling that was attached to it."""

    label: str
    begin: int
    end: int
    children: tuple[int, ...]
    """Block and sibling, by their place in ``TreeDerivation.nodes``, in source order."""
    swapped: bool
    word: str | None
    """The translation that a leaf writes, if any."""
    score: float
    """What it adds, under the weights."""
    choice: int = -1
    """The attachment, or the candidate of a leaf; only of best translations."""
    before: tuple[str, ...] = ()
    """Words that are put in before the translation."""
    after: tuple[str, ...] = ()
    inserting: float = 0.0
    """What it adds that these are put in, or none, under the weights."""
    language: float = 0.0
    """What the language model adds, under the weights."""
    values: tuple[float, ...] = ()
    """Of ``FEATURES``."""


@dataclass(frozen=True, eq=False)
class TreeDerivation:
    """A source tree with its translation; nodes stand before their parents."""

    source: tuple[str, ...]
    score: float
    values: tuple[float, ...]
    nodes: tuple[TreeNode, ...]
    flat: bool = False
    """No parse was found."""
    feature_names: tuple[str, ...] = field(default=FEATURES, repr=False)

    @cached_property
    def written(self) -> tuple[int, ...]:
        """The leaves that write words, in target order, by their place in ``nodes``."""
        found = []
        waiting = [len(self.nodes) - 1] if self.nodes else []
        while waiting:
            node = self.nodes[at := waiting.pop()]
            if node.children:
                waiting += node.children if node.swapped else node.children[::-1]
            elif node.word is not None:
                found.append(at)
        return tuple(found)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words of the translation."""
        found: list[str] = []
        for at in self.written:
            node = self.nodes[at]
            found += [*node.before, node.word or "", *node.after]
        return tuple(found)

    @cached_property
    def places(self) -> dict[int, tuple[int, ...]]:
        """Where each leaf's words stand in the translation, by its place in ``nodes``."""
        found, begin = {}, 0
        for at in self.written:
            end = begin + len(self.nodes[at].before) + 1 + len(self.nodes[at].after)
            found[at] = tuple(range(begin, end))
            begin = end
        return found

    @property
    def text(self) -> str:
        """The tokens, separated by spaces."""
        return " ".join(self.tokens)

    @property
    def alignment(self) -> tuple[tuple[int, int], ...]:
        """Word links (source position, target position)."""
        links = ((self.nodes[at], places) for at, places in self.places.items())
        return tuple(sorted((node.begin, places[len(node.before)]) for node, places in links))

    @property
    def features(self) -> dict[str, float]:
        """Features by name."""
        return dict(zip(self.feature_names, self.values, strict=True))

    def tree(self) -> str:
        """The tree as indented text, one node to a line: label, span, order or word, score.

        NP 0-2  swapped  -0.200
          JJ 0-1  red / rouge  -0.100
          NN 1-2  house / maison  -0.050
        """
        lines = []
        waiting = [(len(self.nodes) - 1, 0)] if self.nodes else []
        while waiting:
            at, depth = waiting.pop()
            node = self.nodes[at]
            if node.children:
                what = "swapped" if node.swapped else "kept"
            else:
                word = " ".join([*node.before, *filter(None, [node.word]), *node.after])
                what = f"{self.source[node.begin]} / {word or '-'}"
            span = f"{node.begin}-{node.end}"
            lines.append(f"{'  ' * depth}{node.label} {span}  {what}  {node.score:.3f}")
            waiting += [(child, depth + 1) for child in node.children[::-1]]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from demotic.notebook import card, outline

        return card(self.text, outline(self.tree()))

    def __len__(self) -> int:
        return len(self.nodes)
