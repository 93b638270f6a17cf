"""The decoder at its edges: unknown words, long and empty lines, other grammars, threads."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from demotic.decode import HieroDecoder, HieroSearch, PhraseDecoder, UndirectedDecoder
from demotic.errors import ArgumentError
from demotic.grammar import RuleTable
from tests.decode.grammars import WEIGHTS, language_model, rule_table
from tests.oracles import cky
from tests.oracles.cky import Rule

RULES = [
    Rule("X", ("A",), ("a",), -0.5),
    Rule("X", ("A",), ("the", "a"), -0.75),
    Rule("X", ("B",), ("b",), -0.25),
    Rule("X", ("A", "B"), ("b", "of", "a"), -1.0),
    Rule("X", ("A", "[X]"), (0, "the", "a"), -0.5),
    Rule("X", ("[X]", "C", "[X]"), (1, "of", 0), -0.125),
]


def decoder(rules: list[Rule] = RULES, *, order: int = 3, **options: object) -> HieroDecoder:
    lm = language_model(order) if order else None
    return HieroDecoder(rule_table(rules), lm, WEIGHTS, options=HieroSearch(**options))  # type: ignore[arg-type]


# -- words -----------------------------------------------------------------------------------------


def test_a_sentence_of_unknown_words_passes_through_in_2n_plus_1_edges() -> None:
    words = ["zu", "viele", "fremde", "worte"]
    found = decoder().decode(words)
    assert found.tokens == tuple(words)
    assert len(found) == len(found.steps) == 2 * len(words) + 1
    assert found.features["PassThrough"] == found.features["UnknownWord"] == len(words)
    assert found.features["Glue"] == len(words) - 1
    assert found.alignment == tuple((i, i) for i in range(len(words)))


def test_a_passed_word_goes_to_the_language_model_as_it_is_spelled() -> None:
    found = decoder().decode("the d c")
    assert found.features["PassThrough"] == 3
    assert found.features["UnknownWord"] == 0
    expected = math.log(10) * language_model(3).score("the d c")
    assert found.features["LanguageModel"] == pytest.approx(expected, abs=1e-5)


def test_only_words_without_a_rule_of_their_own_pass_through() -> None:
    forest = decoder(order=0).parse("A C")
    rules = [forest.rule(int(number)) for number in forest.edge_rule]
    passed = {rule.target for rule in rules if rule.origin is None and rule.lhs == "X"}
    assert passed == {("C",)}


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>", "[X]", "[X,1]", "|||", "\\", "NULL"])
def test_special_tokens_in_the_text_are_words(word: str) -> None:
    search = decoder()
    found = search.decode(["A", word, "B"])
    assert found.tokens.count(word) == 1
    assert found.features["PassThrough"] == found.features["UnknownWord"] == 1
    assert search.kbest(["A", word, "B"], 3)[0].tokens == found.tokens


def test_special_tokens_on_a_target_side_are_unknown_words() -> None:
    found = decoder([Rule("X", ("A",), ("</s>", "<s>"), 0.0)]).decode("A")
    assert found.tokens == ("</s>", "<s>")
    assert found.features["UnknownWord"] == 2


# -- lines -----------------------------------------------------------------------------------------


def test_a_line_without_words_gives_no_words() -> None:
    search = decoder()
    for empty in ("", "   ", []):
        found = search.decode(empty)
        assert (found.tokens, found.score, found.steps, found.alignment) == ((), 0.0, (), ())
        assert set(found.features.values()) == {0.0}
        assert found.tree() == ""
        assert [d.tokens for d in search.kbest(empty, 5)] == [()]
        assert search.forest(empty).viterbi().tokens == search.parse(empty).viterbi().tokens == ()


def test_lines_keep_their_number_and_order_over_threads() -> None:
    lines = ["A B", "", "A C B", "nie gehört", " ", "B", "A A A B C A"] * 40
    one = decoder(pops=3)
    two = decoder(pops=3)
    expected = [one.decode(line) for line in lines]
    for threads in (1, 3):
        found = two.decode_lines(lines, threads=threads)
        assert [d.tokens for d in found] == [d.tokens for d in expected]
        assert [d.score for d in found] == [d.score for d in expected]
        assert [d.values for d in found] == [d.values for d in expected]
        assert [d.steps for d in found] == [d.steps for d in expected]
    lists = [two.kbest_lines(lines, 4, threads=threads) for threads in (1, 3)]
    assert [[d.score for d in k] for k in lists[0]] == [[d.score for d in k] for k in lists[1]]
    forests = [two.forests(lines, threads=threads) for threads in (1, 3)]
    assert [f.to_json() for f in forests[0]] == [f.to_json() for f in forests[1]]


def test_a_line_of_5000_words_is_translated_within_its_budget() -> None:
    line = ["A", "B", "C", "A", "neu"] * 1000
    plain = decoder(pops=5)
    found = plain.decode(line)
    assert found.span_limit == 10
    budget = plain.counters.edges // 2
    tight = decoder(pops=5, max_edges=budget)
    small = tight.decode(line)
    assert small.span_limit < 10
    assert tight.counters.shortened == 1
    assert tight.counters.edges <= budget
    assert tight.counters.pops < plain.counters.pops
    for each in (found, small):
        assert sum(s.end - s.begin for s in each.steps if not s.children) <= len(line)
        assert each.features["PassThrough"] == sum(s.kind == "pass-through" for s in each.steps)
        assert each.tokens.count("neu") == 1000


def test_a_budget_of_one_edge_still_translates() -> None:
    found = decoder(pops=50, max_edges=1).decode("A B C A")
    assert found.span_limit == 1
    assert len(found.tokens) >= 4


# -- what is told ----------------------------------------------------------------------------------


def test_counters_count_and_start_again() -> None:
    search = decoder(pops=2)
    search.decode_lines(["A B", "A C B"])
    counters = search.counters
    assert counters.sentences == 2
    assert counters.edges == sum(search.parse(line).edges for line in ("A B", "A C B"))
    assert 0 < counters.pops <= counters.lm_evaluations <= counters.lm_words + counters.pops * 4
    assert set(counters.seconds) == {"load", "parse", "rescore"}
    search.reset_counters()
    assert (search.counters.sentences, search.counters.pops) == (0, 0)


def test_lazy_asks_the_language_model_less_often() -> None:
    line = "A B C A B A C B A"
    counts = {}
    for init in ("eager", "lazy"):
        search = decoder(init=init, pops=2)
        search.decode(line)
        counts[init] = search.counters.lm_evaluations
    assert counts["lazy"] < counts["eager"]


def test_word_alignment_follows_the_rules_links(tmp_path: Path) -> None:
    text = tmp_path / "rules"
    text.write_text(
        "[X] ||| ne [X,1] pas ||| do not [1] ||| score=-1 ||| 0-1 2-1\n"
        "[X] ||| parle ||| speak now ||| score=-1 ||| 0-0\n"
    )
    rules = RuleTable.from_text(text, format="cdec", out=tmp_path / "rules.bin")
    found = HieroDecoder(rules, None, {"score": 1.0, "PassThrough": -5.0}).decode(
        "oui ne parle pas"
    )
    assert found.text == "oui do not speak now"
    assert found.alignment == ((0, 0), (1, 2), (2, 3), (3, 2))
    assert [found.steps[owner].kind for owner in found.word_steps] == ["pass-through"] + [
        "rule"
    ] * 4


def test_tree_shows_rules_and_spans() -> None:
    found = decoder(order=0).decode("A C B")
    lines = found.tree().splitlines()
    assert lines[0].startswith("Goal 0-3  [S,1] / [S,1]")
    assert lines[1].startswith("  S 0-3  [X,1] / [X,1]")
    assert "    X 0-3  [X,1] C [X,2] / [X,2] of [X,1]  " in found.tree()
    assert "      X 2-3  B / b  " in found.tree()


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({"pops": 0}, {}),
        ({"inner": 0.0}, {}),
        ({"inner": 1.5}, {}),
        ({"span_limit": 0}, {}),
        ({"max_edges": 0}, {}),
        ({"init": "soon"}, {}),
        ({"glue": "maybe"}, {}),
        ({"goal": "X"}, {}),
        ({}, {"Nonsense": 1.0}),
        ({}, {"Glue": math.nan}),
        ({}, {"score": math.inf}),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, object], weights: dict[str, float]) -> None:
    with pytest.raises(ArgumentError):
        HieroDecoder(rule_table(RULES), None, weights, options=HieroSearch(**options))  # type: ignore[arg-type]


def test_numbers_of_results_and_threads_must_be_positive() -> None:
    with pytest.raises(ArgumentError):
        decoder().kbest("A", 0)
    with pytest.raises(ArgumentError):
        decoder().decode_lines(["A"], threads=0)


# -- grammars of other kinds -----------------------------------------------------------------------

SYNTAX = [
    Rule("S", ("[NP]", "[VP]"), (0, 1), -0.5),
    Rule("S", ("[S]", "und", "[S]"), (0, "and", 1), -0.25),
    Rule("VP", ("[V]", "[NP]"), (0, 1), -0.5),
    Rule("VP", ("[V]",), (0,), -1.0),
    Rule("NP", ("[N]",), (0,), -0.125),
    Rule("N", ("hunde",), ("dogs",), -0.5),
    Rule("N", ("katzen",), ("cats",), -0.25),
    Rule("V", ("jagen",), ("chase",), -0.5),
    Rule("V", ("jagen",), ("hunt",), -0.75),
    Rule("X", ("fremd",), ("strange",), 0.0),
]


@pytest.mark.parametrize("order", [0, 2])
@pytest.mark.parametrize(
    "line", ["hunde jagen", "hunde jagen katzen", "hunde jagen und katzen jagen hunde"]
)
def test_a_grammar_with_rules_for_the_goal_is_used_without_glue(line: str, order: int) -> None:
    search = decoder(SYNTAX, order=order, pops=10**9, span_limit=3)
    trees = cky.derivations(SYNTAX, line.split(), span_limit=3, glue=False)
    assert len(trees) > 0
    assert search.parse(line).count() == len(trees)
    assert search.decode(line).features["Glue"] == 0
    assert search.decode(line).text in {" ".join(tree.words) for tree in trees}


def test_glue_helps_where_such_a_grammar_has_no_derivation() -> None:
    line = "jagen fremd neu"
    found = decoder(SYNTAX, order=0).decode(line)
    assert found.tokens[1:] == ("strange", "neu")
    assert found.features["Glue"] == 2
    refused = decoder(SYNTAX, order=0, glue="never")
    assert refused.decode(line).score == -math.inf
    assert refused.decode(line).tokens == refused.kbest(line, 2)[0].tokens == ()
    with pytest.raises(ArgumentError, match="no derivation of 'jagen fremd neu'"):
        refused.forest(line)
    with pytest.raises(ArgumentError, match=r"of 'jagen fremd neu( jagen){5} \.\.\.'"):
        refused.forest(line + 6 * " jagen")


@pytest.mark.parametrize("glue", ["auto", "always"])
def test_words_that_only_the_goal_translates_are_glued_too(glue: str) -> None:
    rules = [
        Rule("S", ("a",), ("x",)),
        Rule("S", ("b", "[S]"), ("y", 0)),
        Rule("X", ("c",), ("z",)),
    ]
    for line, wanted in (("c a", "z x"), ("a a c b a", "x x z y x"), ("q a", "q x")):
        found = decoder(rules, order=0, glue=glue).decode(line)
        assert found.text == wanted
        assert found.features["Glue"] == len(line.split()) - 1 - ("b a" in line)


def test_glue_always_stands_beside_the_grammars_own_rules() -> None:
    rules = [*SYNTAX, Rule("X", ("hunde",), ("hounds",)), Rule("X", ("jagen",), ("pursue",))]
    line = "hunde jagen"
    own = {d.text for d in decoder(rules, order=0).parse(line).kbest(1000)}
    assert own == {"dogs chase", "dogs hunt"}
    both = {d.text for d in decoder(rules, order=0, glue="always").parse(line).kbest(1000)}
    assert both == own | {"hounds pursue"}


def test_another_goal_and_another_default_category_may_be_named() -> None:
    rules = [
        Rule("ROOT", ("[Y]", "[Y]"), (1, 0), 0.0),
        Rule("Y", ("a",), ("b",), 0.0),
    ]
    search = decoder(rules, order=0, goal="ROOT", default_category="Y")
    assert search.decode("a neu").text == "neu b"


def test_columns_of_a_foreign_grammar_keep_their_names(tmp_path: Path) -> None:
    names = ("WordPenalty", "PassThrough", "LanguageModel", "Glue", "Distortion", "Cff1", "f")
    scores = " ".join(f"{name}={i + 1}" for i, name in enumerate(names))
    (tmp_path / "rules").write_text(f"[X] ||| a ||| b c ||| {scores}\n")
    table = RuleTable.from_text(tmp_path / "rules", format="joshua", out=tmp_path / "rules.bin")
    for kind in (HieroDecoder, PhraseDecoder, UndirectedDecoder):
        weights = {"WordPenalty": 0.5, "DecoderWordPenalty": 0.25, "DecoderPassThrough": -2.0}
        search = kind(table, None, weights)  # type: ignore[operator]
        assert len(set(search.feature_names)) == len(search.feature_names)
        found = search.decode("a strange")
        assert sorted(found.tokens) == ["b", "c", "strange"]
        for i, name in enumerate(names):
            assert found.features[name] == i + 1
        assert found.features["DecoderWordPenalty"] == 3
        assert found.features["DecoderPassThrough"] == 1
        assert found.score == pytest.approx(0.5 * 1 + 0.25 * 3 - 2.0)
