"""The phrase-based decoder at its edges: unknown words, long and empty lines, threads, options."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from demotic.decode import PhraseDecoder, PhraseSearch
from demotic.errors import ArgumentError
from demotic.grammar import RuleTable
from tests.decode.grammars import language_model, rule_table
from tests.decode.phrases import EXACT, LEXICALISED, REORDERING, WEIGHTS, decoder, phrase_table
from tests.oracles.cky import Rule
from tests.oracles.phrase_search import Phrase

PHRASES = [
    Phrase(("A",), ("a",), {"score": -0.5}),
    Phrase(("A",), ("the", "a"), {"score": -0.75}),
    Phrase(("B",), ("b",), {"score": -0.25}),
    Phrase(("C",), ("c",), {"score": -0.25}),
    Phrase(("C",), ("of", "d"), {"score": -0.125}),
    Phrase(("A", "B"), ("b", "of", "a"), {"score": -1.0}),
    Phrase(("B", "C", "A"), ("c", "the", "b"), {"score": -0.5}),
]


# -- words -----------------------------------------------------------------------------------------


def test_unknown_words_pass_through_in_the_order_they_came() -> None:
    words = ["zu", "viele", "fremde", "worte"]
    found = decoder(PHRASES).decode(words)
    assert found.tokens == tuple(words)
    assert found.features["PassThrough"] == found.features["UnknownWord"] == len(words)
    assert found.features["RulePenalty"] == found.features["Distortion"] == 0
    assert found.alignment == tuple((i, i) for i in range(len(words)))
    assert [step.kind for step in found.steps] == ["goal", *["pass-through"] * len(words)]


def test_a_passed_word_goes_to_the_language_model_as_it_is_spelled() -> None:
    found = decoder(PHRASES, options=replace(EXACT, distortion_limit=0)).decode("the d c")
    assert (found.features["PassThrough"], found.features["UnknownWord"]) == (3, 0)
    expected = math.log(10) * language_model(3).score("the d c")
    assert found.features["LanguageModel"] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>", "[X]", "|||", "NULL"])
def test_special_tokens_in_the_text_are_words(word: str) -> None:
    search = decoder(PHRASES)
    found = search.decode(["A", word, "B"])
    assert found.tokens.count(word) == 1
    assert search.kbest(["A", word, "B"], 3)[0].tokens == found.tokens


def test_repeated_words_keep_their_places_apart() -> None:
    found = decoder(PHRASES).decode("A A A")
    spans = sorted((step.begin, step.end) for step in found.steps[1:])
    assert spans == [(0, 1), (1, 2), (2, 3)]


def test_rules_with_nonterminals_are_passed_over() -> None:
    rules = [Rule("X", ("A", "[X]"), (0, "a"), 0.0), Rule("X", ("B",), ("b",), 0.0)]
    table = rule_table(rules)
    search = PhraseDecoder(table, language_model(3), WEIGHTS)
    assert search.decode("A B").features["RulePenalty"] == 1


def test_word_links_of_phrases_are_found_at_their_place(tmp_path: Path) -> None:
    text = tmp_path / "table"
    text.write_text("A B ||| b of a ||| 1 1 1 1 ||| 0-2 1-0\n", encoding="utf-8")
    table = RuleTable.from_text(text, format="moses-phrase", out=tmp_path / "table.bin")
    found = PhraseDecoder(table, None, {"Distortion": 1.0}).decode("zz A B")
    assert found.tokens == ("zz", "b", "of", "a")
    assert found.alignment == ((0, 0), (1, 3), (2, 1))


# -- lines -----------------------------------------------------------------------------------------


def test_a_line_without_words_gives_no_words() -> None:
    search = decoder(PHRASES)
    for empty in ("", "   ", []):
        found = search.decode(empty)
        assert (found.tokens, found.score, found.steps) == ((), 0.0, ())
        assert [each.tokens for each in search.kbest(empty, 5)] == [()]
        assert search.forest(empty).count() == 1


@pytest.mark.parametrize("limit", [0, 6, 100, -1])
def test_a_line_of_five_thousand_words_is_translated(limit: int) -> None:
    words = ["A", "B", "C", "zz", "B"] * 1000
    search = decoder(PHRASES, options=PhraseSearch(pops=5, distortion_limit=limit))
    found = search.decode(words)
    covered = sorted(i for step in found.steps[1:] for i in range(step.begin, step.end))
    assert covered == list(range(len(words)))
    assert found.tokens.count("zz") == 1000
    assert search.counters.shortened == (limit in (100, -1))
    assert search.counters.hypotheses <= 5 * len(words)


def test_a_bound_on_hypotheses_holds_for_long_lines() -> None:
    options = PhraseSearch(pops=200, max_hypotheses=1000)
    search = decoder(PHRASES, options=options)
    search.decode(["A", "B", "C", "zz"] * 100)
    assert search.counters.hypotheses <= 1000


@pytest.mark.parametrize("words", [63, 64, 65, 130])
def test_coverage_wider_than_a_machine_word_works_as_a_narrow_one(words: int) -> None:
    """With a reward for jumps, the first word comes last: everything else is one gap behind."""
    sentence = [f"w{i}" for i in range(words)]
    weights = WEIGHTS | {"Distortion": 0.0, "LanguageModel": 0.0, "UnknownWord": 0.0}
    weights |= {"OtherPrevious": 0.0}
    last = [Phrase((word,), (word,), {"score": 0.0, "OtherPrevious": 0.0}) for word in sentence]
    last[0] = Phrase((sentence[0],), ("first",), {"score": 0.0, "OtherPrevious": 5.0})
    last[1] = Phrase((sentence[1],), ("second",), {"score": 0.0, "OtherPrevious": 4.0})
    search = decoder(
        last, weights=weights | {"OtherPrevious": 1.0, "Distortion": -0.01},
        options=PhraseSearch(pops=30, distortion_limit=-1),
    )  # fmt: skip
    found = search.decode(sentence)
    covered = sorted(i for step in found.steps[1:] for i in range(step.begin, step.end))
    assert covered == list(range(words))
    assert found.features["OtherPrevious"] == 9.0, "a free jump is always taken"
    assert found.features["Distortion"] <= -words


# -- what must not matter --------------------------------------------------------------------------


def test_the_number_of_threads_does_not_show() -> None:
    lines = ["A B C", "", "C zz A", "B", *["A B C A B C zz"] * 5]
    search = decoder(PHRASES, options=PhraseSearch(pops=4))
    one = search.decode_lines(lines, threads=1)
    for threads in (2, 8):
        many = search.decode_lines(lines, threads=threads)
        assert [(d.tokens, d.score) for d in many] == [(d.tokens, d.score) for d in one]


def test_what_was_decoded_before_does_not_show() -> None:
    lines = ["A B C", "zz A", "C C B A", "yy zz"]
    search = decoder(PHRASES, options=PhraseSearch(pops=4))
    fresh = [decoder(PHRASES, options=PhraseSearch(pops=4)).decode(line) for line in lines]
    for _ in range(2):
        again = search.decode_lines(lines)
        assert [(d.tokens, d.score) for d in again] == [(d.tokens, d.score) for d in fresh]


def test_filtering_the_table_changes_nothing(tmp_path: Path) -> None:
    table = phrase_table(PHRASES)
    small = table.filter(["A B zz"], out=tmp_path / "small.bin")
    assert len(small) < len(table)
    options = PhraseSearch(pops=4)
    for line in ("A B zz", "zz B A"):
        whole = PhraseDecoder(table, language_model(3), WEIGHTS, options=options).decode(line)
        part = PhraseDecoder(small, language_model(3), WEIGHTS, options=options).decode(line)
        assert (part.tokens, part.score) == (whole.tokens, whole.score)


# -- options ---------------------------------------------------------------------------------------


def test_the_table_limit_keeps_the_best_by_score_and_language_model() -> None:
    found = decoder(PHRASES, options=replace(EXACT, table_limit=1))
    both = [Phrase(("A",), ("a",), {"score": 0.0}), Phrase(("A",), ("a", "a"), {"score": 0.0})]
    short = decoder(both, weights=WEIGHTS | {"WordPenalty": 9.0}, options=found.options)
    assert short.decode("A").tokens == ("a", "a")
    assert short.forest("A").count() == 1


def test_columns_of_orientations_can_be_left_out() -> None:
    scores = {"score": -0.5} | dict.fromkeys(REORDERING, -1.0)
    table = [Phrase(("A",), ("a",), scores), Phrase(("B",), ("b",), scores)]
    plain = decoder(table, weights=LEXICALISED, options=replace(EXACT, reordering=False))
    found = plain.decode("A B")
    assert all(found.features[name] == 0.0 for name in REORDERING)
    used = decoder(table, weights=LEXICALISED, options=EXACT).decode("A B")
    assert used.features["MonotonePrevious"] == used.features["MonotoneNext"] == -2.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"pops": 0}, {"stack": 0}, {"table_limit": 0}, {"max_hypotheses": 0},
        {"distortion_limit": -2}, {"threshold": 1.5}, {"threshold": -0.1}, {"method": "depth"},
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        decoder(PHRASES, options=PhraseSearch(**wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["Distortion", "score", "LanguageModel"])
def test_a_weight_that_is_no_number_is_named(name: str, value: float) -> None:
    with pytest.raises(ArgumentError, match=name):
        decoder(PHRASES, weights=WEIGHTS | {name: value})


def test_counters_add_up() -> None:
    search = decoder(PHRASES, options=PhraseSearch(pops=3))
    search.decode_lines(["A B C", "", "B"])
    counters = search.counters
    assert counters.sentences == 3
    assert 0 < counters.hypotheses <= counters.pops <= 3 * 4
    assert counters.options == 6 + 1
    assert set(counters.seconds) == {"load", "options", "search"}
    search.reset_counters()
    assert search.counters.pops == 0


def test_stack_search_reaches_what_its_room_allows() -> None:
    line = "A B C A zz B"
    best = decoder(PHRASES, options=replace(EXACT, distortion_limit=3)).decode(line).score
    found = []
    for room in (1, 3, 100_000):
        options = PhraseSearch(method="stack", stack=room, threshold=0.0, distortion_limit=3)
        search = decoder(PHRASES, options=options)
        found.append(search.decode(line).score)
        assert search.counters.hypotheses <= room * 6
    assert found[-1] == pytest.approx(best, abs=1e-5)
    assert found[0] <= found[-1]


@pytest.mark.parametrize("search", ["cube", "stack"])
@pytest.mark.parametrize("bonus", [2.0, 5.0])
def test_room_for_one_expects_the_way_back_to_a_gap(search: str, bonus: float) -> None:
    """B first is worth ``bonus``, less one word to get there, two back and one over it again."""
    plain = dict.fromkeys(("score", *REORDERING), 0.0)
    table = [Phrase((word,), (word.lower(),), plain) for word in "AC"]
    table.append(Phrase(("B",), ("b",), plain | {"OtherPrevious": bonus}))
    weights = {name: 0.0 for name in LEXICALISED} | {"Distortion": 1.0, "OtherPrevious": 1.0}
    options = replace(EXACT, method=search, stack=1, distortion_limit=6)  # type: ignore[arg-type]
    found = decoder(table, weights=weights, options=options).decode("A B C")
    assert found.score == pytest.approx(max(0.0, bonus - 4))
    assert found.tokens == (("a", "b", "c") if bonus < 4 else ("b", "a", "c"))
