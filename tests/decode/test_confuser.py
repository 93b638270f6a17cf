"""Confusion forests: what sentences of one language may be taken for."""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from demotic.decode import HieroDecoder, HieroSearch
from demotic.decode.confusion import PASS_THROUGH, START, Confuser, ConfusionSearch
from demotic.errors import ArgumentError
from demotic.forest import Forest, linear_bleu
from demotic.grammar import ConfusionGrammar, RuleTable, Symbols
from tests.decode.grammars import language_model, rule_table
from tests.oracles.cky import Rule

RULES = [
    Rule("X", ("A",), ("a",)),
    Rule("X", ("A",), ("the", "a")),
    Rule("X", ("B",), ("b",)),
    Rule("X", ("B",), ("c",)),
    Rule("X", ("B",), ("d", "c")),
    Rule("X", ("[X]", "C", "[X]"), (0, "of", 1)),
    Rule("X", ("[X]", "C", "[X]"), (1, "the", 0)),
    Rule("X", ("[X]", "C", "[X]"), (0, 1)),
]
LINES = ["a of b", "the a of c of b", "zebra b", "d c of the a"]


def tables(*, with_bigrams: bool = True) -> tuple[RuleTable, RuleTable]:
    """Confusion rules with bigrams of words, and those that change nothing."""
    table = rule_table(RULES)
    grammar = ConfusionGrammar.from_table(table)
    words = ("a", "the", "of", "b")
    symbols = Symbols({"<other>": "O", "<gap>": "X", **{w: w for w in words}})
    bigrams = symbols.bigrams(table)
    bigrams.meet_sides(grammar.core)
    bigrams.freeze()
    given = bigrams if with_bigrams else None
    with TemporaryDirectory() as folder:
        place = Path(folder)
        return (
            grammar.table(out=place / "confusion.bin", bigrams=given),
            grammar.table(out=place / "unchanged.bin", bigrams=given, unchanged=True),
        )


def confuser(order: int = 3, **options: int) -> Confuser:
    rules, unchanged = tables()
    return Confuser(
        rules,
        language_model(order),
        unchanged=unchanged,
        options=ConfusionSearch(**options),
    )


def lm_score(text: str) -> float:
    """Natural log, of the words and the end of the sentence."""
    return language_model(3).score(text) * math.log(10)


def strings(forest: Forest) -> set[str]:
    return {each.text for each in forest.kbest(10_000, unique=True)}


def test_forests_are_small_and_their_features_those_of_their_strings() -> None:
    for line, forest in zip(LINES, confuser(edges_per_word=12).forests(LINES, START), strict=True):
        assert forest.edges <= 12 * len(line.split())
        assert forest.core.context_width == 3
        for each in forest.kbest(20):
            assert each.features["WordPenalty"] == len(each.tokens)
            assert each.features["LanguageModel"] == pytest.approx(lm_score(each.text), abs=1e-4)


def test_the_best_derivation_is_kept_and_is_that_of_the_decoder() -> None:
    found = confuser(edges_per_word=5)
    best = found.best(LINES, START)
    for each, forest in zip(best, found.forests(LINES, START), strict=True):
        assert forest.viterbi().text == each.text


def test_small_forests_hold_less_than_large_ones() -> None:
    small = list(confuser(edges_per_word=5).forests(LINES, START))
    large = list(confuser(edges_per_word=100_000).forests(LINES, START))
    for few, many, line in zip(small, large, LINES, strict=True):
        assert strings(few) < strings(many)
        assert line in strings(many), "a sentence is among its own confusions"


def test_words_without_rules_pass_through_at_a_fixed_price() -> None:
    [forest] = confuser().forests(["zebra b"], START)
    for each in forest.kbest(100):
        assert "zebra" in each.tokens
        assert each.features["PassThrough"] == 1
    weights = {"LanguageModel": 0.0, "WordPenalty": 0.0}
    best = confuser().best(["zebra"], weights)[0]
    assert best.score == PASS_THROUGH


def test_weights_are_scaled_by_that_of_the_language_model_alone() -> None:
    found = confuser()
    weights = {"LanguageModel": 0.5, "WordPenalty": 0.25, "bigram|X_of": 1.0}
    decoder = found.decoder(weights)
    assert decoder.weights["LanguageModel"] == 1.0
    assert decoder.weights["WordPenalty"] == 0.5
    assert decoder.weights["bigram|X_of"] == 2.0
    assert decoder.weights["PassThrough"] == PASS_THROUGH
    tiny = {"LanguageModel": 1e-5, "WordPenalty": 0.25}
    assert found.decoder(tiny).weights["WordPenalty"] == 0.25
    with pytest.raises(ArgumentError, match="fixed"):
        found.decoder({"PassThrough": 0.0})


def test_a_sentence_stands_for_itself_and_can_be_put_among_its_confusions() -> None:
    found = confuser()
    for line, forest in zip(LINES, found.forests(LINES, START), strict=True):
        own = found.identity(line, START)
        assert strings(own) == {line}
        merged = forest.merge(own)
        assert strings(merged) >= strings(forest) | {line}
        trees = [each.tree() for each in merged.kbest(2000)]
        assert len(trees) == len(set(trees)), "a derivation is there twice"
    rules, _ = tables()
    with pytest.raises(ArgumentError, match="as they are"):
        Confuser(rules, language_model(3)).identity("a", START)


def test_threads_do_not_show() -> None:
    one, two = (list(confuser().forests(LINES, START, threads=n)) for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert a.to_json() == b.to_json()


def test_losses_along_a_derivation_are_those_of_its_string() -> None:
    gain = linear_bleu()
    line = "a of b"
    [forest] = confuser().forests([line], START)
    for each in forest.kbest(50):
        expected = gain[0] * len(each.tokens)
        for n in range(1, 5):
            references = {tuple(line.split()[i : i + n]) for i in range(4 - n)}
            own = [each.tokens[i : i + n] for i in range(len(each.tokens) + 1 - n)]
            expected += gain[n] * sum(gram in references for gram in own)
        assert each.total(forest.bleu_gain([line.split()], gain)) == pytest.approx(expected)


def test_a_column_ranks_translations_as_its_bigrams_do() -> None:
    """The sum of the column along a derivation is that of the weighted bigrams of its rules."""
    table = rule_table(RULES)
    symbols = Symbols({"<other>": "O", "<gap>": "X", "a": "a", "of": "of"})
    bigrams = symbols.bigrams(table)
    bigrams.meet_rules(table)
    bigrams.freeze()
    theta = [0.1 * (i + 1) * (-1) ** i for i in range(len(bigrams))]
    with TemporaryDirectory() as folder:
        out = Path(folder) / "rules.bin"
        bigrams.add_column(table, str(out), "ConfusionModel", theta)
        with_column = RuleTable.load(out)
    decoder = HieroDecoder(
        with_column, language_model(2), {"ConfusionModel": 1.0}, options=HieroSearch(pops=100)
    )
    for each in decoder.forest("A C B C A").kbest(30):
        by_hand = sum(
            bigrams.score(table.target_symbols(rule.origin), theta)
            for rule in each.rules
            if rule.origin is not None
        )
        assert each.features.get("ConfusionModel", 0.0) == pytest.approx(by_hand, abs=1e-5)
        assert each.score == pytest.approx(by_hand, abs=1e-5)


def test_words_that_look_like_grammars_are_words() -> None:
    lines = ["a ||| the [X,1]", "[X] of ]"]
    given = confuser()
    for line, best, forest in zip(
        lines, given.best(lines, START), given.forests(lines, START), strict=True
    ):
        odd = {word for word in line.split() if not word.isalpha()}
        assert odd <= set(best.tokens)
        assert forest.restrict(line.split()) is not None


def test_no_edges_for_a_word_are_refused() -> None:
    with pytest.raises(ArgumentError):
        ConfusionSearch(edges_per_word=0)
