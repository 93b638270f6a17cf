"""The undirected decoder at its edges: unknown words, long and empty lines, threads, options."""

from __future__ import annotations

import math

import pytest

from demotic.decode import Perturbation, UndirectedDecoder, UndirectedSearch
from demotic.errors import ArgumentError
from demotic.progress import Progress
from tests.decode.grammars import language_model, rule_table
from tests.decode.undirected import ALL_WEIGHTS
from tests.oracles.cky import Rule

RULES = [
    Rule("X", ("A",), ("a",), -0.5),
    Rule("X", ("A",), ("the", "a"), -0.75),
    Rule("X", ("B",), ("b",), -0.25),
    Rule("X", ("A", "B"), ("b", "of", "a"), -1.0),
    Rule("X", ("A", "[X]"), (0, "the", "a"), -0.5),
    Rule("X", ("[X]", "C", "[X]"), (1, "of", 0), -0.125),
]
LINES = ["A B", "", "A C B", "nie gehört", " ", "B", "A A A B C A"] * 40


def decoder(rules: list[Rule] = RULES, *, order: int = 3, **options: object) -> UndirectedDecoder:
    lm = language_model(order) if order else None
    return UndirectedDecoder(
        rule_table(rules),
        lm,
        ALL_WEIGHTS,
        options=UndirectedSearch(**options),  # type: ignore[arg-type]
    )


def test_a_sentence_of_unknown_words_passes_through_in_2n_plus_1_actions() -> None:
    words = ["zu", "viele", "fremde", "worte"]
    for bounds in ("local", "words", "chart"):
        found = decoder(bounds=bounds).decode(words)
        assert found.tokens == tuple(words)
        assert len(found.actions) == len(found.steps) == 2 * len(words) + 1
        assert found.features["PassThrough"] == found.features["UnknownWord"] == len(words)
        assert found.features["Glue"] == len(words) - 1
        assert found.alignment == tuple((i, i) for i in range(len(words)))


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>", "[X]", "|||"])
def test_special_tokens_in_the_text_are_words(word: str) -> None:
    found = decoder().decode(["A", word, "B"])
    assert found.tokens.count(word) == 1
    assert found.features["PassThrough"] == found.features["UnknownWord"] == 1


def test_a_line_without_words_gives_no_words() -> None:
    search = decoder()
    for empty in ("", "   ", []):
        found = search.decode(empty)
        assert (found.tokens, found.score, found.steps, found.actions) == ((), 0.0, (), ())
        assert set(found.features.values()) == {0.0}
        assert [d.tokens for d in search.kbest(empty, 5)] == [()]


def test_a_sentence_that_the_grammar_does_not_derive_has_no_steps() -> None:
    found = decoder([Rule("S", ("A",), ("a",), 0.0)], glue="never").decode("A A")
    assert (found.tokens, found.score, found.actions) == ((), -math.inf, ())


def test_lines_keep_their_number_and_order_over_threads() -> None:
    several = {"kappa": 1.0, "beam": 3, "restarts": 2, "bounds": "chart"}
    for options in ({}, several, several | {"lookahead": True, "beam": 1}):
        one, two = decoder(**options), decoder(**options)
        expected = [one.decode(line) for line in LINES]
        for threads in (1, 3):
            found = two.decode_lines(LINES, threads=threads)
            assert [d.tokens for d in found] == [d.tokens for d in expected]
            assert [d.score for d in found] == [d.score for d in expected]
            assert [d.actions for d in found] == [d.actions for d in expected]
        lists = [two.kbest_lines(LINES, 4, threads=threads) for threads in (1, 3)]
        assert [[d.actions for d in k] for k in lists[0]] == [
            [d.actions for d in k] for k in lists[1]
        ]


@pytest.mark.parametrize("words", [200, 1000])
def test_a_long_line_is_translated_word_by_word(words: int) -> None:
    line = (["A", "B", "C", "A", "neu"] * words)[:words]
    search = decoder(kappa=1.0)
    found = search.decode(line)
    assert found.span_limit == 10
    assert found.features["PassThrough"] == sum(s.kind == "pass-through" for s in found.steps)
    score = math.log(10) * language_model(3).score(found.text)
    assert found.features["LanguageModel"] == pytest.approx(score, rel=1e-6)


def test_a_line_beyond_its_budget_gets_a_lower_span_limit_and_a_warning() -> None:
    line = ["A", "B", "C", "A", "neu"] * 200
    plain = decoder()
    assert plain.decode(line).span_limit == 10
    budget = plain.counters.edges // 2
    tight = decoder(max_edges=budget)
    said: list[str] = []

    class Listener(Progress):
        def say(self, message: str) -> None:
            said.append(message)

    found = tight.decode_lines([line, "A"], progress=Listener())
    assert [d.span_limit < 10 for d in found] == [True, False]
    assert tight.counters.shortened == 1
    assert tight.counters.edges <= budget + 100
    assert any("span limit" in message for message in said)


def test_counters_add_up() -> None:
    search = decoder(kappa=0.5)
    found = search.decode_lines(LINES, threads=2)
    counters = search.counters
    assert counters.sentences == len(LINES)
    steps = sum(len(d.actions) for d in found)
    assert counters.steps == counters.starts + counters.downs + counters.ups == steps
    kinds = [action.kind for d in found for action in d.actions]
    assert counters.starts == kinds.count("start") == sum(bool(line.split()) for line in LINES)
    assert counters.downs == kinds.count("down")
    assert counters.ups == kinds.count("up")
    assert counters.lm_evaluations >= steps
    assert counters.lm_words >= counters.lm_evaluations / 2
    assert set(counters.seconds) == {"load", "parse", "inside-outside", "rescore"}
    search.reset_counters()
    assert search.counters.steps == 0


def test_kbest_is_sorted_and_holds_the_plain_translation() -> None:
    search = decoder(kappa=1.0)
    for line in ("A C B", "A A B C A"):
        plain = search.decode(line)
        unique = search.kbest(line, 6)
        assert len({d.tokens for d in unique}) == len(unique) > 1
        scores = [d.score for d in unique]
        assert scores == sorted(scores, reverse=True)
        assert any(d.tokens == plain.tokens and d.score >= plain.score for d in unique)
        every = search.kbest(line, 6, unique=False)
        assert len({tuple(d.steps) for d in every}) == len(every)
        for found in every:
            model = sum(search.weights[name] * value for name, value in found.features.items())
            assert found.score == pytest.approx(model, abs=1e-9)


def test_the_noise_of_a_kbest_list_depends_on_seed_and_sentence_alone() -> None:
    search = decoder()
    noise = Perturbation(seed=3, temperature=2.0)
    alone = search.kbest("A A B C A", 5, perturbation=noise)
    among = search.kbest_lines(["B", "A A B C A"], 5, perturbation=noise, threads=2)[1]
    assert [d.actions for d in alone] == [d.actions for d in among]
    other = search.kbest("A A B C A", 5, perturbation=Perturbation(seed=4, temperature=2.0))
    assert [d.actions for d in alone] != [d.actions for d in other]
    still = search.kbest("A A B C A", 5, perturbation=Perturbation(temperature=0.0))
    assert [d.tokens for d in still] == [search.decode("A A B C A").tokens]


def test_other_weights_make_another_decoder() -> None:
    search = decoder()
    changed = search.with_weights({"WordPenalty": -50.0})
    assert len(changed.decode("A A").tokens) < len(search.decode("A A").tokens)
    assert changed.weights["LanguageModel"] == 0.0


def test_wrong_options_and_weights_are_named() -> None:
    table, lm = rule_table(RULES), language_model(2)
    for name in ("restarts", "beam", "span_limit", "max_edges"):
        with pytest.raises(ArgumentError, match=name):
            decoder(**{name: 0})
    with pytest.raises(ArgumentError, match="kappa"):
        decoder(kappa=1.5)
    with pytest.raises(ArgumentError, match="cff"):
        decoder(cff="on")
    with pytest.raises(ArgumentError, match="bounds"):
        decoder(bounds="none")
    with pytest.raises(ArgumentError, match="eager"):
        decoder(argmax="never")
    with pytest.raises(ArgumentError, match="there is no feature 'Cff3'"):
        UndirectedDecoder(table, lm, {"Cff3": 1.0})
    with pytest.raises(ArgumentError, match="no number"):
        UndirectedDecoder(table, lm, {"Cff1": math.inf})
    with pytest.raises(ArgumentError, match="k must be"):
        decoder().kbest("A", 0)
    with pytest.raises(ArgumentError, match="temperature"):
        decoder().kbest("A", 1, perturbation=Perturbation(temperature=-1.0))
