"""Confusion grammars: pairs of target sides, their counts, and how they are written down."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic import _core
from demotic.decode import HieroDecoder, HieroSearch
from demotic.errors import ArgumentError, FormatError
from demotic.forest import Forest
from demotic.grammar import ConfusionGrammar, ConfusionOptions, RuleTable, Symbols
from demotic.lm.classes import WordClasses
from demotic.progress import SpokenProgress
from tests.decode.grammars import WEIGHTS, grammars, language_model, rule_table, sentences
from tests.oracles.cky import Rule
from tests.oracles.confusion import Pair, Side, by_source, confusion_rules, is_odd, swapped

ALL = ConfusionOptions(group="source", max_options=1000)


class Heard(SpokenProgress):
    """Remembers what was said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, message: str) -> None:
        self.said.append(message)


def written(grammar: ConfusionGrammar, lines: Sequence[str] | None = None) -> RuleTable:
    with TemporaryDirectory() as folder:
        return grammar.table(lines, out=Path(folder) / "confusion.bin")


def pairs_of(table: RuleTable) -> dict[Pair, float]:
    found = {}
    for rule in table:
        slots = [symbol for symbol in rule.source if symbol.startswith("[")]
        source = tuple("[X]" if symbol in slots else symbol for symbol in rule.source)
        target = tuple(slots.index(s) if s in slots else s for s in rule.target)
        assert (source, target) not in found, "a rule is there twice"
        found[source, target] = rule.scores["ConfusionCount"]
    return found


def test_gaps_are_matched_by_their_source() -> None:
    """c = X0 de X1, e1 = X1 of X0, e2 = X0 's X1: X0 of X1 is confused with X1 's X0."""
    rules = [
        Rule("X", ("[X]", "de", "[X]"), (1, "of", 0)),
        Rule("X", ("[X]", "de", "[X]"), (0, "'s", 1)),
    ]
    found = pairs_of(written(ConfusionGrammar.from_table(rule_table(rules))))
    assert (("[X]", "of", "[X]"), (1, "'s", 0)) in found
    assert (("[X]", "'s", "[X]"), (1, "of", 0)) in found
    assert len(found) == 4


@given(grammars)
def test_rules_of_one_source_are_paired_as_by_hand(rules: list[Rule]) -> None:
    expected = confusion_rules(by_source(rules))
    table = rule_table(rules)
    if not expected:
        with pytest.raises(ArgumentError):
            ConfusionGrammar.from_table(table, ALL)
        return
    grammar = ConfusionGrammar.from_table(table, ALL)
    made = written(grammar)
    assert pairs_of(made) == expected
    assert len(grammar) == len(expected)
    totals: dict[tuple[str, ...], int] = {}
    for (source, _), count in expected.items():
        totals[source] = totals.get(source, 0) + count
    for rule in made:
        source = tuple("[X]" if symbol.startswith("[") else symbol for symbol in rule.source)
        share = rule.scores["ConfusionCount"] / totals[source]
        assert rule.scores["ConfusionProbability"] == pytest.approx(math.log(share), abs=1e-6)


@given(grammars)
def test_a_confusion_grammar_is_symmetric_and_every_side_stays(rules: list[Rule]) -> None:
    pairs = confusion_rules(by_source(rules))
    for pair, count in pairs.items():
        if is_odd(pair[1]):
            continue  # no source
        assert swapped(swapped(pair)) == pair
        assert pairs[swapped(pair)] == count
        slots = iter(range(len(pair[0])))
        same = tuple(next(slots) if symbol == "[X]" else symbol for symbol in pair[0])
        assert (pair[0], same) in pairs


def test_a_class_of_n_sides_makes_n_squared_rules_in_n_places() -> None:
    rules = [Rule("X", ("A",), (f"e{i}",)) for i in range(40)]
    grammar = ConfusionGrammar.from_table(rule_table(rules), ALL)
    assert (len(grammar), grammar.members, grammar.classes) == (1600, 40, 1)


def test_only_the_most_probable_sides_take_part_and_the_rest_is_told() -> None:
    scores = [-2.0, -0.5, -1.0, -3.0]
    lines = "".join(
        f"[X] ||| A ||| e{i} ||| TargetGivenSource={score}\n" for i, score in enumerate(scores)
    )
    with TemporaryDirectory() as folder:
        text = Path(folder) / "rules.txt"
        text.write_text(lines, encoding="utf-8")
        table = RuleTable.from_text(text, out=Path(folder) / "rules.bin")
    heard = Heard()
    options = ConfusionOptions(group="source", max_options=2)
    grammar = ConfusionGrammar.from_table(table, options, progress=heard)
    assert {source for source, _ in pairs_of(written(grammar))} == {("e1",), ("e2",)}
    assert heard.said == ["2 target sides beyond the most probable were left out"]


def test_rules_of_the_goal_and_empty_and_bare_sides() -> None:
    rules = [
        Rule("S", ("[X]", "A"), (0, "goal")),
        Rule("X", ("[X]", "A"), (0,)),
        Rule("X", ("[X]", "A"), (0, "a")),
        Rule("X", ("B",), ()),
    ]
    found = pairs_of(written(ConfusionGrammar.from_table(rule_table(rules), ALL)))
    assert set(found) == {(("[X]", "a"), (0,)), (("[X]", "a"), (0, "a"))}


@given(grammars)
def test_sides_need_not_be_confused_with_themselves(rules: list[Rule]) -> None:
    expected = confusion_rules(by_source(rules))
    if not expected:
        return
    options = ConfusionOptions(group="source", max_options=1000, itself=False)
    grammar = ConfusionGrammar.from_table(rule_table(rules), options)

    def same(pair: Pair) -> bool:
        slots = iter(range(len(pair[0])))
        return pair[1] == tuple(next(slots) if s == "[X]" else s for s in pair[0])

    changes = {pair: count for pair, count in expected.items() if not same(pair)}
    assert pairs_of(written(grammar)) == changes
    assert len(grammar) == len(changes)
    with TemporaryDirectory() as folder:  # what leaves sentences as they are can be asked for still
        unchanged = grammar.table(out=Path(folder) / "u.bin", unchanged=True)
        assert set(pairs_of(unchanged)) == expected.keys() - changes.keys()


def test_a_grammar_that_changes_nothing_is_told() -> None:
    heard = Heard()
    grammar = ConfusionGrammar.from_table(rule_table([Rule("X", ("A",), ("a",))]), ALL)
    with TemporaryDirectory() as folder:
        grammar.table(out=Path(folder) / "c.bin", progress=heard)
    assert "nothing to learn from" in heard.said[-1]


@given(grammars, sentences)
def test_rules_for_sentences_are_those_that_can_match(
    rules: list[Rule], sentence: list[str]
) -> None:
    rules = [*rules, Rule("X", ("Z",), ("a",)), Rule("X", ("Z",), ("zebra",))]
    grammar = ConfusionGrammar.from_table(rule_table(rules), ALL)
    line = " ".join(sentence).lower().replace("d", "a of")
    with TemporaryDirectory() as folder:
        whole = written(grammar)
        expected = whole.filter([line], out=Path(folder) / "filtered.bin")
        assert pairs_of(written(grammar, [line])) == pairs_of(expected)


# -- from forests -------------------------------------------------------------------------------


def groups_of(
    forest: Forest, table: RuleTable, *, cells: bool, spans: bool = False
) -> list[list[Side]]:
    """Target sides by node or cell, read off the forest in plain Python."""
    groups: dict[tuple[object, ...], list[Side]] = {}
    for edge in range(forest.edges):
        node = int(forest.head[edge])
        rule = forest.rule(int(forest.edge_rule[edge]))
        if rule.origin is None or rule.lhs == "S":
            continue
        tails = [tuple(forest.spans[t]) for t in forest.tails_of(edge)]
        place = tuple(forest.spans[node]) if cells else (node,)
        key = (place, len(tails), tuple(tails) if spans else ())
        groups.setdefault(key, []).append(rule.target)
    return list(groups.values())


@given(grammars, sentences, st.sampled_from(["node", "cell"]), st.booleans())
def test_rules_of_a_node_or_cell_are_paired_as_by_hand(
    rules: list[Rule], sentence: list[str], group: str, spans: bool
) -> None:
    table = rule_table(rules)
    decoder = HieroDecoder(table, language_model(2), WEIGHTS, options=HieroSearch(pops=100))
    forests = [decoder.forest(sentence), decoder.forest(sentence[:2])]
    expected = confusion_rules(
        side
        for forest in forests
        for side in groups_of(forest, table, cells=group == "cell", spans=spans)
    )
    options = ConfusionOptions(group=group, same_tail_spans=spans)  # type: ignore[arg-type]
    if not expected:
        return
    grammar = ConfusionGrammar.from_forests(table, forests, options)
    assert pairs_of(written(grammar)) == expected


def test_forests_of_another_table_are_refused() -> None:
    large = rule_table([Rule("X", ("A",), (f"e{i}",)) for i in range(5)])
    small = rule_table([Rule("X", ("A",), ("a",))])
    forest = HieroDecoder(large, language_model(2), {}).forest("A")
    with pytest.raises(ArgumentError, match="not in the table"):
        ConfusionGrammar.from_forests(small, [forest])


@pytest.mark.parametrize(
    "options",
    [
        {"group": "word"},
        {"max_options": 0},
        {"group": "source", "same_tail_spans": True},
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        ConfusionOptions(**options)  # type: ignore[arg-type]


def test_tables_have_sources_and_forests_have_nodes() -> None:
    table = rule_table([Rule("X", ("A",), ("a",))])
    with pytest.raises(ArgumentError):
        ConfusionGrammar.from_table(table, ConfusionOptions(group="node"))
    with pytest.raises(ArgumentError):
        ConfusionGrammar.from_forests(table, [], ConfusionOptions(group="source"))
    with pytest.raises(ArgumentError, match="no target side"):
        ConfusionGrammar.from_forests(table, [])


def test_the_grammar_of_figure_1_makes_its_four_strings() -> None:
    """The figure's grammar as a table of its own: a cat on the mat, glue S -> X alone.

    The grammar is reconstructed from what the paper's text says of the figure and its four strings:
    which rule makes which of them is our reading.
    """
    on = ("[X]", "on", "[X]")
    rules = [
        Rule("S", ("[X]",), (0,)),
        Rule("X", ("a", "cat"), ("the", "cat")),
        Rule("X", ("the", "mat"), ("the", "mat")),
        Rule("X", on, (0, 1)),
        Rule("X", on, (0, "'s", 1)),
        Rule("X", on, (1, "on", 0)),
        Rule("X", on, (1, "of", 0)),
    ]
    search = HieroSearch(glue="never", pops=1000)
    forest = HieroDecoder(rule_table(rules), None, {}, options=search).parse("a cat on the mat")
    assert {each.text for each in forest.kbest(100, unique=True)} == {
        "the cat the mat",
        "the cat 's the mat",
        "the mat on the cat",
        "the mat of the cat",
    }


@given(grammars)
def test_a_sentence_is_among_its_confusions(rules: list[Rule]) -> None:
    """Identity, glue and words that pass through are enough, before anything is pruned."""
    if not confusion_rules(by_source(rules)):
        return
    table = written(ConfusionGrammar.from_table(rule_table(rules), ALL))
    sentence = ["a", "the", "of", "zebra", "b"]
    forest = HieroDecoder(table, None, {}, options=HieroSearch(pops=1000)).parse(sentence)
    assert forest.restrict(sentence) is not None
    passing = {
        rule.target[0]
        for rule in map(forest.rule, set(forest.edge_rule.tolist()))
        if rule.origin is None and rule.target != (0,) and rule.target != (0, 1)
    }
    one_word = {source[0] for source, _ in pairs_of(table) if len(source) == 1}
    assert passing <= set(sentence) - one_word


# -- features -----------------------------------------------------------------------------------


def tagged(words: Iterable[str], *, gap: str = "X") -> Symbols:
    return Symbols({"<other>": "OTHER", "<gap>": gap, **{w: w.upper() for w in words}})


def test_bigrams_of_a_side_with_words_as_symbols_and_gaps_as_x() -> None:
    """[1] of the [2]: X_OF, OF_THE, THE_X; words without a symbol are one."""
    rules = [
        Rule("X", ("[X]", "de", "[X]"), (1, "of", "the", 0)),
        Rule("X", ("[X]", "de", "[X]"), (0, "zebra", 1)),
    ]
    table = rule_table(rules)
    grammar = ConfusionGrammar.from_table(table, ALL)
    bigrams = tagged(["of", "the"]).bigrams(table)
    bigrams.meet_sides(grammar.core)
    bigrams.freeze()
    names = {bigrams.name(i) for i in range(len(bigrams))}
    assert names == {
        "bigram|X_OF", "bigram|OF_THE", "bigram|THE_X", "bigram|X_OTHER", "bigram|OTHER_X",
    }  # fmt: skip
    with TemporaryDirectory() as folder:
        made = grammar.table(out=Path(folder) / "c.bin", bigrams=bigrams)
    found = [rule.sparse for rule in made if "of" in rule.target]
    assert found == [{"bigram|X_OF": 1.0, "bigram|OF_THE": 1.0, "bigram|THE_X": 1.0}] * 2


def test_the_column_of_a_table_is_the_sum_of_its_sides_weights() -> None:
    rules = [
        Rule("X", ("A",), ("of", "the", "of", "the"), -1.0),
        Rule("X", ("B", "[X]"), ("the", 0, "b"), -2.0),
        Rule("X", ("C",), ("c",), -3.0),
    ]
    table = rule_table(rules)
    bigrams = tagged(["of", "the"]).bigrams(table)
    for rule in range(2):
        bigrams.meet(table.target_symbols(rule))
    bigrams.freeze()
    theta = {"bigram|OF_THE": 0.5, "bigram|THE_OF": -0.25, "bigram|THE_X": 2.0}
    weights = [theta.get(bigrams.name(i), 0.0) for i in range(len(bigrams))]
    with TemporaryDirectory() as folder:
        out = Path(folder) / "rules.bin"
        bigrams.add_column(table, str(out), "ConfusionModel", weights)
        made = RuleTable.load(out)
        columns = [(rule.scores["score"], rule.scores["ConfusionModel"]) for rule in made]
        assert columns == [(-1.0, 0.75), (-2.0, 2.0), (-3.0, 0.0)]
        with pytest.raises(ArgumentError, match="already"):
            bigrams.add_column(made, str(out), "ConfusionModel", weights)


def test_symbols_of_classes_by_preset() -> None:
    classes = WordClasses({"the": 0, "a": 0, "dog": 1, "rare_": 1})
    paper = Symbols.of_classes(classes, preset="paper", frequent=2)
    assert dict(paper.of) == {"<other>": "OTHER", "<gap>": "X", "the": "c0", "a": "c0"}
    lexical = Symbols.of_classes(classes, preset="lexical", frequent=2)
    assert lexical.of["the"] == "w:the"
    assert lexical.of["dog"] == "c1"


def test_tables_of_symbols_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "tags"
    tagged(["the"]).write(path)
    assert dict(Symbols.read(path).of) == {"<other>": "OTHER", "<gap>": "X", "the": "THE"}
    for text, message in (
        ("the\tDT\n", "without <other>"),
        ("<other>\tO\nthe\tDT\n", "without <gap>"),
        ("the DT\n", "not a word and its symbol"),
        ("the\tDT\nthe\tDT\n", "twice"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises((ArgumentError, FormatError), match=message) as error:
            Symbols.read(path)
        assert str(path) in str(error.value)


def test_names_of_symbols_are_escaped() -> None:
    table = rule_table([Rule("X", ("A",), ("a_b", "c|d"))])
    symbols = Symbols({"<other>": "O", "<gap>": "X", "a_b": "a_b", "c|d": "c|d"})
    bigrams = symbols.bigrams(table)
    bigrams.meet(table.target_symbols(0))
    bigrams.freeze()
    assert bigrams.name(0) == "bigram|a&#95;b_c&#124;d"


def test_symbols_without_names_are_refused() -> None:
    for names, symbols, x in (([], [], 0), (["a"], [1], 0), (["a"], [0], 1)):
        with pytest.raises(ArgumentError):
            _core.TargetBigrams(names, symbols, x)
