"""How good parses are: labelled brackets as PARSEVAL counts them, heads, relations, tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from demotic.errors import ArgumentError
from demotic.trees import Tree
from demotic.trees.tree import TOP

PUNCTUATION = frozenset({"``", "''", ",", ".", ":", "PUNCT"})
"""Tags whose words brackets do not count, as evalb's COLLINS.prm has them."""


@dataclass(frozen=True)
class ParseScore:
    """All in percent."""

    precision: float
    """Of labelled brackets, TOP and punctuation aside."""
    recall: float
    f1: float
    heads: float
    """Words with the right head (UAS), all words."""
    relations: float | None
    """With the right head and relation (LAS); None where trees have no relations."""
    tags: float
    """Words with the right tag."""
    sentences: int
    failures: int
    """Parses that are flat."""


def evaluate(found: Sequence[Tree], gold: Sequence[Tree]) -> ParseScore:
    """Parses against a treebank."""
    if len(found) != len(gold):
        raise ArgumentError(f"{len(found)} parses for {len(gold)} trees")
    matched = made = wanted = words = heads = related = tags = 0
    has_relations = all(tree.relations for tree in gold) and bool(gold)
    for number, (one, other) in enumerate(zip(found, gold, strict=True), 1):
        if one.words != other.words:
            raise ArgumentError(f"parse {number} has other words than its tree")
        ours, theirs = brackets(one, other.tags), brackets(other, other.tags)
        matched += sum((ours & theirs).values())
        made += sum(ours.values())
        wanted += sum(theirs.values())
        words += len(other.words)
        tags += sum(a == b for a, b in zip(one.tags, other.tags, strict=True))
        right = [a == b for a, b in zip(one.heads, other.heads, strict=True)]
        heads += sum(right)
        if has_relations and one.relations:
            pairs = zip(right, one.relations, other.relations, strict=True)
            related += sum(same and a == b for same, a, b in pairs)
    precision = matched / made if made else 0.0
    recall = matched / wanted if wanted else 0.0
    f1 = 2 * precision * recall / (precision + recall) if matched else 0.0
    return ParseScore(
        100 * precision,
        100 * recall,
        100 * f1,
        100 * heads / max(1, words),
        100 * related / max(1, words) if has_relations else None,
        100 * tags / max(1, words),
        len(gold),
        sum(tree.flat for tree in found),
    )


def brackets(tree: Tree, tags: Sequence[str]) -> Counter[tuple[str, int, int]]:
    """Labels and spans of a tree's inner nodes, over the words that are no punctuation."""
    place = [0]
    for tag in tags:
        place.append(place[-1] + (tag not in PUNCTUATION))
    found: Counter[tuple[str, int, int]] = Counter()
    for label, below, (begin, end) in zip(tree.labels, tree.children, tree.spans, strict=True):
        if below and label != TOP and place[begin] < place[end]:
            found["ADVP" if label == "PRT" else label, place[begin], place[end]] += 1
    return found
