"""Sparse features of a rule, by their description."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from demotic.grammar import RuleTable

Gap = tuple[str, int]  # category, and which nonterminal of the source side, from 1
Side = list[str | Gap]


def escaped(word: str) -> str:
    return "".join(f"&#{ord(c)};" if c in "_|[] \t\r\n" else c for c in word)


def sides(table: RuleTable, rule: int) -> tuple[Side, Side]:
    """Both sides as words (escaped) and gaps."""
    gaps: list[Gap] = []
    source: Side = []
    for symbol in table.source_symbols(rule):
        if symbol < 0:
            gaps.append((table.categories[-1 - symbol], len(gaps) + 1))
            source.append(gaps[-1])
        else:
            source.append(escaped(table.source_word(symbol)))
    target: Side = [
        gaps[-1 - symbol] if symbol < 0 else escaped(table.target_word(symbol))
        for symbol in table.target_symbols(rule)
    ]
    return source, target


def bigrams(prefix: str, side: Side) -> list[str]:
    def text(symbol: str | Gap) -> str:
        return symbol if isinstance(symbol, str) else f"[{symbol[0]}]"

    return [
        f"{prefix}|{text(a)}_{text(b)}"
        for a, b in pairwise(side)
        if isinstance(a, str) or isinstance(b, str)
    ]


def rule_features(table: RuleTable, rule: int, templates: tuple[str, ...]) -> Counter[str]:
    """Names with how often they are there."""
    source, target = sides(table, rule)
    found: list[str] = []
    if "rule" in templates:
        left = "_".join(s if isinstance(s, str) else f"[{s[0]},{s[1]}]" for s in source)
        right = "_".join(s if isinstance(s, str) else f"[{s[1]}]" for s in target)
        found.append(f"rule|{table.categories[table.lhs(rule)]}|{left}|{right}")
    if "source_bigrams" in templates:
        found += bigrams("source", source)
    if "target_bigrams" in templates:
        found += bigrams("target", target)
    if "pairs" in templates:
        found += [f"pair|{source[i]}_{target[j]}" for i, j in table.links(rule)]
    if "shape" in templates:
        shapes = [
            "_".join("w" if isinstance(s, str) else str(s[1]) for s in side)
            for side in (source, target)
        ]
        found.append(f"shape|{shapes[0]}|{shapes[1]}")
    return Counter(found)
