"""All derivations of a sentence under a synchronous grammar, by trying everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

Symbol = str | int
"""On a source side ``"[X]"`` is a nonterminal; on a target side 0, 1, ... are the slots."""


@dataclass(frozen=True)
class Rule:
    lhs: str
    source: tuple[str, ...]
    target: tuple[Symbol, ...]
    score: float = 0.0


@dataclass(frozen=True)
class Tree:
    """A derivation: its words and its features (``score`` sums the rules' scores)."""

    words: tuple[str, ...]
    features: tuple[tuple[str, float], ...]
    shape: str


def is_nonterminal(symbol: str) -> bool:
    return symbol.startswith("[")


def splits(source: Sequence[str], words: Sequence[str], i: int, j: int) -> Iterator[list[tuple]]:
    """Every way in which a source side covers words i to j: the nonterminals' spans."""
    if not source:
        if i == j:
            yield []
    elif not is_nonterminal(source[0]):
        if i < j and words[i] == source[0]:
            yield from splits(source[1:], words, i + 1, j)
    else:
        for k in range(i + 1, j + 1):
            for rest in splits(source[1:], words, k, j):
                yield [(source[0][1:-1], i, k), *rest]


def derivations(
    rules: Sequence[Rule], sentence: Sequence[str], *, span_limit: int = 10, glue: bool = True
) -> list[Tree]:
    """All of them, glue and pass-through included, as the decoder defines them."""
    n = len(sentence)
    categories = ["X"]  # what glue rules take

    def put_together(rule: Rule | None, name: str, parts: Sequence[Tree], target, extra) -> Tree:
        words: list[str] = []
        for symbol in target:
            words.extend(parts[symbol].words if isinstance(symbol, int) else [symbol])
        features: Counter[str] = Counter(extra)
        for part in parts:
            features.update(dict(part.features))
        shape = f"({name} {' '.join(part.shape for part in parts)})"
        return Tree(tuple(words), tuple(sorted(features.items())), shape)

    def product(spans) -> Iterator[list[Tree]]:
        if not spans:
            yield []
            return
        for first in trees(*spans[0]):
            for rest in product(spans[1:]):
                yield [first, *rest]

    @cache
    def trees(category: str, i: int, j: int) -> tuple[Tree, ...]:
        found: list[Tree] = []
        if category == "S" and glue:
            if i > 0:
                return ()
            for below in categories:
                for tree in trees(below, 0, j):
                    found.append(put_together(None, "glue", [tree], [0], {}))
                for k in range(1, j):
                    for left in trees("S", 0, k):
                        for right in trees(below, k, j):
                            found.append(
                                put_together(None, "glue", [left, right], [0, 1], {"Glue": 1})
                            )
            return tuple(found)
        if category != "S" and j - i > span_limit:
            return ()
        for number, rule in enumerate(rules):
            if rule.lhs != category:
                continue
            for spans in splits(rule.source, sentence, i, j):
                for parts in product(spans):
                    own = {
                        "score": rule.score,
                        "RulePenalty": 1,
                        "WordPenalty": sum(isinstance(s, str) for s in rule.target),
                    }
                    found.append(put_together(rule, f"r{number}", parts, rule.target, own))
        alone = any(rule.source == (sentence[i],) for rule in rules)
        if category == "X" and j == i + 1 and not alone:
            own = {"PassThrough": 1, "WordPenalty": 1}
            found.append(put_together(None, f"pass{i}", [], [sentence[i]], own))
        return tuple(found)

    return list(trees("S", 0, n))


def model_score(tree: Tree, weights: Mapping[str, float]) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in tree.features)
