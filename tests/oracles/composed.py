"""Rules that two others make up, by putting all pairs of rules together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.oracles.cky import Rule, Symbol, is_nonterminal


def words(rule: Rule) -> int:
    return sum(not is_nonterminal(symbol) for symbol in rule.source)


def put_together(outer: Rule, inner: Rule) -> Iterator[tuple[tuple[str, ...], tuple[Symbol, ...]]]:
    """Both sides of what comes of ``inner`` in the place of each nonterminal of ``outer``."""
    holes = [place for place, symbol in enumerate(outer.source) if is_nonterminal(symbol)]
    more = sum(map(is_nonterminal, inner.source)) - 1
    for hole, place in enumerate(holes):
        if outer.source[place] != f"[{inner.lhs}]":
            continue
        target: list[Symbol] = []
        for symbol in outer.target:
            if symbol == hole:
                target += [each + hole if isinstance(each, int) else each for each in inner.target]
            elif isinstance(symbol, int) and symbol > hole:
                target.append(symbol + more)
            else:
                target.append(symbol)
        yield (*outer.source[:place], *inner.source, *outer.source[place + 1 :]), tuple(target)


def uncomposed(rules: Sequence[Rule], worth: Sequence[float], margin: float) -> list[int]:
    """The rules that are left, where each is worth so much; parts have fewer words."""
    left: list[int] = []
    for number in sorted(range(len(rules)), key=lambda each: words(rules[each])):
        rule = rules[number]
        made = any(
            (rule.source, rule.target) in put_together(rules[outer], rules[inner])
            and worth[outer] + worth[inner] >= worth[number] - margin
            for outer in left
            for inner in left
            if rules[outer].lhs == rule.lhs and rules[inner].target
            if 0 < words(rules[outer]) < words(rule) and 0 < words(rules[inner]) < words(rule)
        )
        if not made:
            left.append(number)
    return sorted(left)
