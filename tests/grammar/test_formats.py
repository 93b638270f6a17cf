"""Rule tables as text of cdec, Joshua and Moses: what is read, written and refused."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from demotic import files
from demotic.errors import ArgumentError, EncodingError, FormatError
from demotic.grammar import FORMATS, Format, RuleTable, guess_format


def read(text: str, folder: Path, format: Format, **options: Any) -> RuleTable:
    path = folder / "rules.txt"
    path.write_text(text, encoding="utf-8")
    return RuleTable.from_text(path, out=folder / "rules.bin", format=format, **options)


def lines(table: RuleTable, folder: Path, format: Format) -> list[str]:
    path = folder / f"out.{format}"
    table.to_text(path, format=format)
    return path.read_text(encoding="utf-8").splitlines()


# -- what the formats say -------------------------------------------------------------------------


def test_a_cdec_rule_keeps_names_values_and_links(tmp_path: Path) -> None:
    line = "[X] ||| ne [X,1] pas ||| do not [1] ||| A=0.5 2.5 B=-1 ||| 0-1 2-1"
    (rule,) = read(line, tmp_path, "cdec")
    assert (rule.lhs, rule.source, rule.target) == (
        "X",
        ("ne", "[X,1]", "pas"),
        ("do", "not", "[X,1]"),
    )
    assert rule.scores == {"A": 0.5, "PhraseModel_0": 2.5, "B": -1.0}
    assert rule.links == ((0, 1), (2, 1))


def test_nameless_scores_of_joshua_are_costs(tmp_path: Path) -> None:
    (rule,) = read("[X] ||| a ||| b ||| 1.5 -2 lm=3", tmp_path, "joshua")
    assert rule.scores == {"tm_pt_0": -1.5, "tm_pt_1": 2.0, "lm": 3.0}


def test_numbers_say_which_nonterminals_belong_together(tmp_path: Path) -> None:
    (rule,) = read("[S] ||| [NP,2] x [VP,1] ||| [VP,1] y [NP,2] ||| 0", tmp_path, "joshua")
    assert rule.source == ("[NP,1]", "x", "[VP,2]")
    assert rule.target == ("[VP,2]", "y", "[NP,1]")


def test_moses_links_say_which_nonterminals_belong_together(tmp_path: Path) -> None:
    line = (
        "[X][X] de [X][X] [X] ||| [X][X] 's [X][X] [X] ||| 0.5 1 0.25 1 ||| 0-2 1-1 2-0 ||| 4 2 1"
    )
    (rule,) = read(line, tmp_path, "moses-hiero")
    assert rule.source == ("[X,1]", "de", "[X,2]")
    assert rule.target == ("[X,2]", "'s", "[X,1]")
    assert rule.links == ((1, 1),)
    assert rule.counts == (4, 2, 1)
    assert rule.scores["SourceGivenTarget"] == pytest.approx(math.log(0.5))
    assert rule.scores["TargetGivenSource"] == pytest.approx(math.log(0.25))


def test_zero_probabilities_are_floored(tmp_path: Path) -> None:
    (rule,) = read("a ||| b ||| 0 1e-400 1e-14 1", tmp_path, "moses-phrase")
    floor = math.log(1e-10)
    assert list(rule.scores.values()) == pytest.approx([floor, floor, math.log(1e-14), 0], abs=1e-5)


def test_scores_that_some_rules_have_are_sparse_features(tmp_path: Path) -> None:
    text = "[X] ||| a ||| b ||| A=1 C=3\n[X] ||| c ||| d ||| B=2 C=4\n[X] ||| e ||| f ||| C=0\n"
    table = read(text, tmp_path, "cdec")
    assert [rule.scores for rule in table] == [{"C": 3}, {"C": 4}, {"C": 0}]
    assert [rule.sparse for rule in table] == [{"A": 1}, {"B": 2}, {}]


def test_scores_that_are_asked_for_are_columns_and_zero_where_missing(tmp_path: Path) -> None:
    text = "[X] ||| a ||| b ||| A=1 D=5\n[X] ||| c ||| d ||| B=2\n"
    table = read(text, tmp_path, "cdec", columns=["B", "A"])
    assert table.feature_names == ["B", "A"]
    assert [rule.scores for rule in table] == [{"A": 1, "B": 0}, {"A": 0, "B": 2}]
    assert [rule.sparse for rule in table] == [{"D": 5}, {}]


def test_scores_without_names_are_columns(tmp_path: Path) -> None:
    table = read("[X] ||| a ||| b ||| 1 2\n[X] ||| c ||| d ||| 3\n", tmp_path, "cdec")
    assert [[*rule.scores.values()] for rule in table] == [[1, 2], [3, 0]]
    assert not table.sparse_features


def test_a_table_without_sparse_features_has_no_sections_for_them(tmp_path: Path) -> None:
    from demotic import _core

    read("[X] ||| a ||| b ||| A=1\n[X] ||| c ||| d ||| A=2\n", tmp_path, "cdec")
    sections = dict(_core.Container(str(tmp_path / "rules.bin")).sections)
    assert not [name for name in sections if name.startswith("sparse")]


def test_moses_sparse_features_are_pairs_after_the_counts(tmp_path: Path) -> None:
    text = (
        "a ||| b ||| 0.5 ||| 0-0 ||| 4 2 1 ||| dom_x 1 all -0.5 ||| {{Tree [X]}}\n"
        "c ||| d ||| 0.5 ||| 0-0 ||| 4 2 1 ||| all=2 a=b=1\n"
        "e ||| f ||| 0.5 ||| 0-0 ||| 4 2 1 ||| {{Tree [X]}}\n"
        "g ||| h ||| 0.5 ||| 0-0 ||| 4 2 1 ||| ||| {{Tree [X]}}\n"
    )
    table = read(text, tmp_path, "moses-phrase")
    assert [rule.sparse for rule in table] == [
        {"dom_x": 1, "all": -0.5},
        {"all": 2, "a=b": 1},
        {},
        {},
    ]
    assert {tuple(rule.scores) for rule in table} == {("TranslationModel_0",)}


def test_moses_sparse_features_are_no_columns_though_all_rules_have_them(tmp_path: Path) -> None:
    (rule,) = read("a ||| b ||| 0.5 ||| 0-0 ||| ||| x 1", tmp_path, "moses-phrase")
    assert rule.sparse == {"x": 1}
    assert rule.counts == ()


def test_two_counts_of_old_tables_give_the_third(tmp_path: Path) -> None:
    (rule,) = read("a ||| b ||| 0.25 1 1 1 ||| 0-0 ||| 8 2", tmp_path, "moses-phrase")
    assert rule.counts == pytest.approx((8, 2, 2))


def test_equal_rules_are_merged_and_those_with_other_scores_stay(tmp_path: Path) -> None:
    text = "".join(f"[X] ||| a ||| b ||| A={score}\n" for score in (1, 2, 1, 1, 3, 2))
    assert [rule.scores["A"] for rule in read(text, tmp_path, "cdec")] == [1, 2, 3]
    (rule,) = read(text, tmp_path, "cdec", first_duplicate=True)
    assert rule.scores == {"A": 1}


def test_the_order_of_features_makes_no_other_rule(tmp_path: Path) -> None:
    features = ("b ||| A=1 B=2 c=3", "b ||| c=3 B=2 A=1", "c ||| A=1")
    rules = read("".join(f"[X] ||| a ||| {each}\n" for each in features), tmp_path, "cdec")
    assert [(rule.scores, rule.sparse) for rule in rules] == [
        ({"A": 1}, {"B": 2, "c": 3}),
        ({"A": 1}, {}),
    ]


def test_rules_of_up_to_eight_nonterminals_come_back(tmp_path: Path) -> None:
    slots = [f"[X,{k}]" for k in range(1, 9)]
    text = f"[X] ||| a {' '.join(slots)} ||| {' '.join(reversed(slots))} b ||| A=1"
    (rule,) = read(text, tmp_path, "cdec")
    assert rule.target == (*reversed(slots), "b")


def test_empty_targets_can_be_allowed(tmp_path: Path) -> None:
    (rule,) = read("[X] ||| a ||| ||| A=1", tmp_path, "cdec", empty_targets=True)
    assert rule.target == ()


def test_renaming_rules_without_a_cycle_are_read(tmp_path: Path) -> None:
    text = (
        "[S] ||| [NP,1] ||| [NP,1] ||| 0\n[NP] ||| [N,1] ||| [N,1] ||| 0\n[N] ||| a ||| b ||| 0\n"
    )
    assert len(read(text, tmp_path, "joshua")) == 3


# -- what is refused ------------------------------------------------------------------------------

GOOD = "[X] ||| good ||| gut ||| A=1\n"
NINE = " ".join(f"[X,{k}]" for k in range(1, 10))
BAD = {
    "[X] ||| [X,1] ||| [X,1] ||| A=1": "cycle",
    f"[X] ||| {NINE} a ||| {NINE} b ||| A=1": "9 nonterminals",
    "[X] ||| a [X,1] ||| b ||| A=1": "mismatched nonterminals",
    "[X] ||| a ||| b [X,1] ||| A=1": "mismatched nonterminals",
    "[X] ||| a [X,1] ||| b [Y,1] ||| A=1": "mismatched nonterminals",
    "[X] ||| a [X,1] ||| [X,1] [X,1] ||| A=1": "mismatched nonterminals",
    "[X] ||| [X,1] a [X,1] ||| [X,1] ||| A=1": "share a number",
    "[X] ||| a [X,1] ||| b [X] ||| A=1": "has no number",
    "[X] ||| a ||| b ||| A=nan": "finite",
    "[X] ||| a ||| b ||| A=inf": "finite",
    "[X] ||| a ||| b ||| A=1e999": "finite",
    "[X] ||| a ||| b ||| A=1e300": "below",
    "[X] ||| a ||| b ||| A=x": "no number",
    "[X] ||| a ||| b ||| A=1 A=2": "stands twice",
    "[X] ||| a ||| b ||| A=1 ||| 0-1": "outside the rule",
    "[X] ||| a ||| b ||| A=1 ||| 0:1": "no word link",
    "[X] ||| a ||| ||| A=1": "empty target",
    "[X] ||| ||| b ||| A=1": "empty source",
    "[X] ||| a": "fields",
    "X ||| a ||| b ||| A=1": "left-hand side",
}


@pytest.mark.parametrize("line", BAD)
def test_a_bad_rule_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=BAD[line]) as caught:
        read(f"{GOOD}\n{line}\n{GOOD}", tmp_path, "cdec")
    assert caught.value.line == 3
    assert caught.value.path == str(tmp_path / "rules.txt")
    assert not (tmp_path / "rules.bin").exists()


MOSES_BAD = {
    "a b [X] ||| c [X][X] [X] ||| 1": "mismatched",
    "a [X][X] [X] ||| c [X] ||| 1": "mismatched",
    "[X][X] a [X][X] [X] ||| [X][X] b [X][X] [X] ||| 1": "no link joins",
    "a [X][NP] [X] ||| b [X][VP] [X] ||| 1 ||| 1-1": "different names",
    "a ||| b [X] ||| 1": "left-hand side",
    "a [X] ||| b [X] ||| -1": "negative",
    "a [X] ||| b [X] ||| 1 1": "first line",
    "a [X] ||| b [X] ||| A=1": "name",
    "a [X] ||| b [X] ||| 1 ||| ||| -3 1 1": "count",
    "a [X] ||| b [X] ||| 1 ||| ||| 1 1 1 ||| name": "no sparse feature",
    "a [X] ||| b [X] ||| 1 ||| ||| 1 1 1 ||| name 1 other": "no sparse feature",
    "a [X] ||| b [X] ||| 1 ||| ||| 1 1 1 ||| name inf": "finite",
    "a [X] ||| b [X] ||| 1 ||| ||| 1 1 1 ||| name 1 name 2": "stands twice",
}


@pytest.mark.parametrize("line", MOSES_BAD)
def test_a_bad_rule_of_moses_is_refused_with_its_line(line: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=MOSES_BAD[line]) as caught:
        read(f"x [X] ||| y [X] ||| 1\n{line}\n", tmp_path, "moses-hiero")
    assert caught.value.line == 2


def test_a_cycle_over_several_rules_is_found(tmp_path: Path) -> None:
    text = "[A] ||| [B,1] ||| [B,1] |||\n[B] ||| [C,1] ||| [C,1] |||\n[C] ||| [A,1] ||| [A,1] |||\n"
    with pytest.raises(FormatError, match=r"rules.txt:1: a cycle: \[A\]"):
        read(text, tmp_path, "cdec")


def test_bad_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_bytes(GOOD.encode() + b"[X] ||| \xff ||| b ||| A=1\n")
    with pytest.raises(EncodingError, match=r"rules.txt:2"):
        RuleTable.from_text(path, out=tmp_path / "rules.bin", format="cdec")


def test_columns_beyond_those_that_a_table_may_have_are_sparse_features(tmp_path: Path) -> None:
    scores = " ".join(f"F{i}={i}" for i in range(300))
    (rule,) = read(f"[X] ||| a ||| b ||| {scores}", tmp_path, "cdec")
    assert rule.scores == {f"F{i}": i for i in range(256)}
    assert rule.sparse == {f"F{i}": i for i in range(256, 300)}


def test_too_many_scores_without_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r":2: more than 256 scores"):
        read(f"[X] ||| a ||| b ||| 1\n[X] ||| b ||| c ||| {'1 ' * 257}", tmp_path, "cdec")


def test_rules_with_nonterminals_are_no_phrases(tmp_path: Path) -> None:
    table = read("[X] ||| a [X,1] ||| [1] b ||| A=1", tmp_path, "cdec")
    with pytest.raises(ArgumentError, match="nonterminals"):
        table.to_text(tmp_path / "out", format="moses-phrase")
    assert not (tmp_path / "out").exists()


# -- there and back -------------------------------------------------------------------------------

WORDS = st.text(
    st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=5
) | st.sampled_from(
    ["|", "[", "]", "[]", "|||", "[X]", "[X,1]", "[X][X]", "=", "a=b", "<s>", "&#91;"]
)


@st.composite
def rule_lines(draw: st.DrawFn) -> str:
    """A rule in Joshua's format, words escaped as ``to_text`` does."""
    arity = draw(st.integers(0, 2))
    sides = []
    for _ in range(2):
        words = [
            word.translate({ord(c): f"&#{ord(c)};" for c in "|[]"})
            for word in draw(st.lists(WORDS, min_size=1, max_size=4))
        ]
        for slot in draw(st.permutations(range(1, arity + 1))):
            words.insert(draw(st.integers(0, len(words))), f"[X,{slot}]")
        sides.append(words)
    places = [[at for at, word in enumerate(words) if not word.startswith("[")] for words in sides]
    link = st.tuples(st.sampled_from(places[0]), st.sampled_from(places[1]))
    links = " ".join(f"{i}-{j}" for i, j in sorted(draw(st.sets(link, max_size=3))))
    scores = draw(st.lists(st.floats(-50, 0, width=32), min_size=4, max_size=4))
    numbers = " ".join(f"{name}={score}" for name, score in zip(NAMES, scores, strict=True))
    for name in draw(st.sets(st.sampled_from(["s1", "a=b", "[X]", "1", "größe"]))):
        numbers += f" {name}={draw(st.floats(-9, 9, width=32))}"
    return f"[X] ||| {' '.join(sides[0])} ||| {' '.join(sides[1])} ||| {numbers} ||| {links}"


NAMES = [
    "SourceGivenTarget",
    "LexicalSourceGivenTarget",
    "TargetGivenSource",
    "LexicalTargetGivenSource",
]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.lists(rule_lines(), min_size=1, max_size=5), format=st.sampled_from(FORMATS[:3]))
def test_every_format_brings_rules_back(text: list[str], format: Format, tmp_path: Path) -> None:
    # One rule without sparse features, so that none of them becomes a column.
    text = [*text, f"[X] ||| last ||| last ||| {' '.join(f'{name}=0' for name in NAMES)}"]
    table = read("\n".join(text), tmp_path, "joshua", first_duplicate=True)
    table.to_text(tmp_path / "written", format=format)
    again = RuleTable.from_text(tmp_path / "written", out=tmp_path / "again.bin", format=format)
    assert sorted(map(str, again)) == sorted(map(str, table))
    by_name = {str(rule): rule for rule in again}
    for rule in table:
        other = by_name[str(rule)]
        assert other.links == rule.links
        assert other.scores == pytest.approx(rule.scores, abs=1e-5)
        assert other.sparse == rule.sparse


def test_a_name_that_would_end_a_field_is_escaped(tmp_path: Path) -> None:
    text = "[X] ||| a ||| b ||| |||=1 A=2\n[X] ||| c ||| d ||| A=2\n"
    table = read(text, tmp_path, "cdec")
    assert table[0].sparse == {"|||": 1}
    table.to_text(tmp_path / "text", format="moses-hiero")
    again = RuleTable.from_text(tmp_path / "text", out=tmp_path / "again.bin")
    assert again[0].sparse == {"&#124;&#124;&#124;": 1}


def test_words_that_look_like_marks_are_escaped(tmp_path: Path) -> None:
    from demotic.align import Links, Text
    from demotic.grammar import extract_hiero

    links = Links()
    links.append([(0, 0), (1, 1)])
    table = extract_hiero(
        Text.of(["||| [X,1]"]), Text.of(["[X] a\tb"]), links, out=tmp_path / "rules.bin"
    )
    for format in ("cdec", "joshua", "moses-hiero"):
        table.to_text(tmp_path / "text", format=format)
        again = RuleTable.from_text(tmp_path / "text", out=tmp_path / "again.bin", format=format)
        assert len(again) == len(table)
        assert "&#124;&#124;&#124;" in {word for rule in again for word in rule.source}
        assert "a&#9;b" in {word for rule in again for word in rule.target}


# -- other systems' own files ---------------------------------------------------------------------

FILES: dict[str, tuple[Format, int]] = {
    "cdec/australia/australia.scfg.gz": ("cdec", 33737),
    "cdec/controlled_synparse/scfg.biparse.gz": ("cdec", 11),
    "cdec/lattice/lattice.scfg": ("cdec", 7),
    "cdec/mcle_gradient/test.grammar.gz": ("cdec", 15),
    "cdec/multigram/g1.scfg": ("cdec", 4),
    "joshua/decoder/tree-output/glue-grammar": ("joshua", 6),
    "joshua/grammar/sparse-features/grammar": ("joshua", 1),
    "joshua/lattice/grammar.test": ("joshua", 204),
    "joshua/scripts/support/moses_grammar/input": ("moses-hiero", 10),
    "joshua/phrase_decoder/rules.1.gz": ("moses-phrase", 165161),
    "moses/models/lexicalized-reordering/phrase-table.0-0.gz": ("moses-phrase", 41915),
    "moses/models/ptable-with-alignment/phrase-table.gz": ("moses-phrase", 4813),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_other_systems_are_read(name: str, data: Path, tmp_path: Path) -> None:
    format, rules = FILES[name]
    table = RuleTable.from_text(
        data / "decoder-tests" / name, out=tmp_path / "rules.bin", format=format
    )
    assert len(table) == rules


def test_the_sparse_features_of_joshua_are_read(data: Path, tmp_path: Path) -> None:
    grammar = data / "decoder-tests" / "joshua" / "grammar" / "sparse-features" / "grammar"
    text = grammar.read_text() + "[X] ||| el ||| the ||| -2\n"
    table = read(text, tmp_path, "joshua")
    (rule,), (other,) = table.rules_for("el chico"), table.rules_for("el")
    assert rule.scores == {"tm_pt_0": 1}
    assert rule.sparse == {"sparse_test_feature": 1, "svd": 1, "the_boy": 1}
    assert other.sparse == {}


def test_the_consolidated_table_of_moses_comes_back_as_it_was(data: Path, tmp_path: Path) -> None:
    truth = (
        data / "decoder-tests" / "moses" / "tests" / "misc.consolidate" / "truth" / "results.txt"
    )
    table = RuleTable.from_text(truth, out=tmp_path / "rules.bin")

    def fields(line: str) -> tuple[str, str, list[float], list[float]]:
        source, target, scores, _, counts, *_ = (part.strip() for part in f"{line} ".split("|||"))
        return source, target, [*map(float, scores.split())], [*map(float, counts.split())]

    found = {line[:2]: line[2:] for line in map(fields, lines(table, tmp_path, "moses-phrase"))}
    wanted = {line[:2]: line[2:] for line in map(fields, files.read_lines(truth))}
    assert found.keys() == wanted.keys()
    for rule, (scores, counts) in wanted.items():
        assert found[rule][0] == pytest.approx(scores, rel=1e-5)
        assert found[rule][1] == pytest.approx(counts, rel=1e-5)


def test_moses_rules_become_those_that_joshua_makes_of_them(data: Path, tmp_path: Path) -> None:
    folder = data / "decoder-tests" / "joshua" / "scripts" / "support" / "moses_grammar"
    table = RuleTable.from_text(folder / "input", out=tmp_path / "rules.bin")
    wanted = RuleTable.from_text(
        folder / "output.expected", out=tmp_path / "x.bin", format="joshua"
    )
    assert [str(rule) for rule in table] == [str(rule) for rule in wanted]
    for rule, other in zip(table, wanted, strict=True):
        assert list(rule.scores.values()) == pytest.approx([*other.scores.values()], abs=1e-4)
        assert rule.links == other.links


# -- which format is it? --------------------------------------------------------------------------

GUESSES: dict[str, Format] = {
    "[X] ||| a [X,1] ||| b [1] ||| 1 2": "cdec",
    "[X] ||| a [X,1] ||| b [X,1] ||| A=1": "cdec",
    "a [X][X] [X] ||| b [X][X] [X] ||| 1": "moses-hiero",
    "a b ||| b ||| 1": "moses-phrase",
    "[ ||| ] ||| 1": "moses-phrase",
}


@pytest.mark.parametrize("line", GUESSES)
def test_the_format_is_told_by_a_rule(line: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.gz"
    path.write_bytes(gzip.compress(f"\n{line}\n".encode()))
    assert guess_format(path) == GUESSES[line]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no rules"),
        ("\n\n", "there are no rules"),
        ("\nwords\n", r":2: this is no rule \(a rule's sides and scores are separated by"),
        ("[X] ||| a [X,1] ||| b [X,1] ||| 1 2\n", "name it: cdec, joshua"),
    ],
)
def test_a_format_that_nothing_tells_is_asked_for(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text(text)
    with pytest.raises(FormatError, match=message):
        guess_format(tmp_path / "rules")
