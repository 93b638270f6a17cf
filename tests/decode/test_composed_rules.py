"""Rules that two others make up: which they are, and that translations lose nothing by them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.decode import HieroDecoder, HieroSearch
from demotic.grammar import RuleTable
from tests.decode.grammars import WEIGHTS, grammars, language_model, rule_table, sentences
from tests.oracles import composed
from tests.oracles.cky import Rule

EXACT = HieroSearch(pops=10**9, init="eager")
MARGINS = st.sampled_from([0.0, 0.5, 2.0])
RULES = [
    Rule("X", ("A",), ("a",), -0.25),
    Rule("X", ("B",), ("b",), -0.5),
    Rule("X", ("A", "[X]"), (0, "a"), -0.5),
    Rule("X", ("A", "B"), ("b", "a"), -1.5),
    Rule("X", ("[X]", "C", "[X]"), (1, "of", 0), -0.125),
    Rule("X", ("[X]", "C", "B"), ("b", "of", 0), -0.75),
    Rule("X", ("A", "C", "B"), ("b", "of", "a"), -3.0),
    Rule("X", ("A", "C", "B"), ("a", "of", "b"), -3.0),
]


@st.composite
def put_together(draw: st.DrawFn) -> list[Rule]:
    """A grammar with some rules that come of others."""
    rules = draw(grammars)
    for _ in range(draw(st.integers(0, 4))):
        outer, inner = draw(st.sampled_from(rules)), draw(st.sampled_from(rules))
        made = [
            each
            for each in composed.put_together(outer, inner)
            if sum(symbol == "[X]" for symbol in each[0]) <= 3
        ]
        if made:
            score = outer.score + inner.score + draw(st.integers(-4, 4)) / 8
            rule = Rule("X", *draw(st.sampled_from(made)), min(score, 0.0))
            rules = [*dict.fromkeys([*rules, rule])]
    return rules


def decoder(table: RuleTable, order: int = 0, search: HieroSearch = EXACT) -> HieroDecoder:
    lm = language_model(order) if order else None
    return HieroDecoder(table, lm, WEIGHTS, options=search)


def worth(rule: Rule) -> float:
    """By the table's scores and the words, as long as the language model knows them all."""
    target = sum(isinstance(symbol, str) for symbol in rule.target)
    own = WEIGHTS["score"] * rule.score + WEIGHTS["RulePenalty"]
    return own + WEIGHTS["WordPenalty"] * target


def described(table: RuleTable) -> list[tuple[str, float]]:
    return sorted((str(rule), rule.scores["score"]) for rule in table)


@settings(max_examples=150, deadline=None)
@given(rules=put_together(), margin=MARGINS)
def test_exactly_those_go_that_two_others_make_up(
    rules: list[Rule], margin: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # A little more than the margin: sums of floating point numbers end in other digits.
    table = rule_table(rules)
    out = tmp_path_factory.mktemp("kept") / "rules.bin"
    kept = decoder(table).without_composed(margin + 1e-6, out=out)
    left = composed.uncomposed(rules, [worth(rule) for rule in rules], margin + 1e-6)
    assert described(kept) == described(rule_table([rules[number] for number in left]))


@settings(max_examples=60, deadline=None)
@given(rules=put_together(), sentence=sentences, order=st.integers(0, 3))
def test_what_never_wins_is_not_missed(
    rules: list[Rule], sentence: list[str], order: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = decoder(rule_table(rules), order)
    out = tmp_path_factory.mktemp("kept") / "rules.bin"
    kept = decoder(whole.without_composed(0.0, out=out), order)
    assert kept.decode(sentence).score == pytest.approx(whole.decode(sentence).score, abs=1e-5)


def test_rules_are_decided_upon_from_the_shortest_on(tmp_path: Path) -> None:
    kept = decoder(rule_table(RULES)).without_composed(0.0, out=tmp_path / "kept.bin")
    sources = [rule.source for rule in kept]
    assert ("A", "B") not in sources  # A X over B: the same words in the same order, and better
    assert len([source for source in sources if source == ("A", "C", "B")]) == 1  # "a of b" is not
    assert len(kept) == 6
    assert ("[X,1]", "C", "B") in sources  # alone better than its parts ...
    wide = decoder(rule_table(RULES)).without_composed(1.0, out=tmp_path / "wide.bin")
    assert ("[X,1]", "C", "B") not in [rule.source for rule in wide]  # ... by less than 1


def test_all_that_a_rule_has_stays(tmp_path: Path) -> None:
    text = tmp_path / "rules.txt"
    text.write_text(
        "[X] ||| A ||| a ||| score=-1 ||| 0-0\n"
        "[X] ||| A B ||| a b ||| score=-1 rare=2 ||| 0-0 1-1\n"
    )
    table = RuleTable.from_text(text, format="cdec", out=tmp_path / "rules.bin")
    kept = decoder(table).without_composed(0.0, out=tmp_path / "kept.bin")
    assert list(kept) == list(table)
