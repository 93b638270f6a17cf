"""cdec's JSON: read, written, refused with the place."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given

from demotic.errors import ArgumentError, FormatError
from demotic.forest import Forest, ForestBuilder, from_cdec, read_cdec, to_cdec, write_cdec
from tests.forest.toys import FEATURES, Pair, small_pairs

RULES = (
    '"rules":[1,"[X] ||| mao ||| a cat",2,"[X] ||| mao ||| the cat",'
    '3,"[X] ||| zai [X] ||| on [1]",4,"[S] ||| [X] de [X] ||| [2] of [1]"]'
)
TEXT = (
    "{" + RULES + ',"features":["lm","length"],'
    '"edges":[{"tail":[],"spans":[0,1,-1,-1],"feats":[0,-1.5,1,2],"rule":1},'
    '{"tail":[],"spans":[0,1,-1,-1],"feats":[0,-2],"rule":2}],'
    '"node":{"in_edges":[0,1],"cat":"X"},'
    '"edges":[{"tail":[0],"spans":[2,4,-1,-1],"feats":["extra",0.5],"rule":3}],'
    '"node":{"in_edges":[2],"cat":"X"},'
    '"edges":[{"tail":[0,1],"spans":[0,4,-1,-1],"feats":[1,1],"rule":4}],'
    '"node":{"in_edges":[3],"cat":"S"}}\n'
)
LATTICE = """{"rules": [1, "[X] ||| [X] a ||| [1] a", 2, "[X] ||| [X] b ||| [1] b"],
    "features": ["cost"],
    "edges": [], "node": {"in_edges": []},
    "edges": [{"tail": [0], "feats": [0, -0.2], "rule": 1},
              {"tail": [0], "feats": [0, -0.6], "rule": 2}],
    "node": {"in_edges": [0, 1]}}"""


def strings(forest: Forest) -> list[tuple[str, float]]:
    found = [(d.text, round(d.score, 5)) for d in forest.kbest(1000, unique=False)]
    return sorted(found)


def test_a_forest_of_cdec_has_its_derivations_and_features() -> None:
    forest = from_cdec(TEXT)
    assert (forest.nodes, forest.edges, forest.count()) == (3, 4, 4)
    scored = forest.rescore({"lm": 1.0, "length": 0.5, "extra": 2.0})
    best = scored.viterbi()
    assert best.text == "on a cat of a cat"
    assert best.score == pytest.approx(2 * (-1.5 + 0.5 * 2) + 2.0 * 0.5 + 0.5)
    assert best.source == ("mao", "de", "zai", "mao")
    assert [tuple(span) for span in forest.spans] == [(0, 1), (2, 4), (0, 4)]
    assert [forest.labels[label] for label in forest.node_label] == ["X", "X", "S"]


def test_a_node_without_edges_begins_a_lattice() -> None:
    scored = from_cdec(LATTICE).rescore({"cost": 1.0})
    assert strings(scored) == [("a", -0.2), ("b", -0.6)]


def test_rules_may_stand_at_edges_or_be_left_out() -> None:
    text = (
        '{"edges":[{"tail":[],"feats":["f",1],"rule":"[X] ||| u ||| v"},{"feats":["f",2]}],'
        '"node":{"in_edges":[0,1],"cat":"X"},"is_sorted":true}'
    )
    assert strings(from_cdec(text).rescore({"f": 1.0})) == [("", 2.0), ("v", 1.0)]


@given(small_pairs)
def test_what_is_written_is_read_again(case: Pair) -> None:
    weights = dict(zip(FEATURES, (0.5, -1.0, 0.25), strict=True))
    again = from_cdec(to_cdec(case.forest))
    assert again.count() == case.forest.count()
    found, expected = strings(again.rescore(weights)), strings(case.forest.rescore(weights))
    for (text, score), (wanted, right) in zip(found, expected, strict=True):
        assert text == wanted
        assert math.isclose(score, right, abs_tol=1e-3)
    assert to_cdec(again) == to_cdec(from_cdec(to_cdec(again)))


def test_files_plain_and_compressed(tmp_path: Path) -> None:
    forest = from_cdec(TEXT)
    for name in ("f.json", "f.json.gz"):
        write_cdec(forest, tmp_path / name)
        assert strings(read_cdec(tmp_path / name)) == strings(forest)


@pytest.mark.parametrize("word", ["[X]", "|||", "two words", ""])
def test_words_that_a_rule_of_cdec_cannot_hold_are_refused(word: str) -> None:
    builder = ForestBuilder()
    root = builder.add_node("S", 0, 1)
    builder.add_edge(root, [], builder.add_rule("S", ["a"], [word]))
    with pytest.raises(ArgumentError, match="cannot be written"):
        to_cdec(builder.finalize(root))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (TEXT, "[]", "not a JSON object"),
        (TEXT, "{}", "at least one node"),
        (TEXT, TEXT[:60], "not JSON"),
        ('"features":["lm","length"]', '"weights":[]', "unknown part 'weights'"),
        ('3,"[X]', '"3","[X]', "rules, number 3: expected a whole number"),
        ("[X] ||| zai [X] ||| on [1]", "[X] ||| zai", "rules, number 3: '\\[X\\] ||| zai'"),
        ("||| on [1]", "||| on [X]", "rules, number 3: .* which tail"),
        ("||| on [1]", "||| on [2]", "rule 2: the target side"),
        ('"rule":3', '"rule":9', "edge 2: there is no rule 9"),
        ('"tail":[0,1]', '"tail":[0,2]', r"edge 3: tail\[1\]: 2 is out of range"),
        ('"in_edges":[2]', '"in_edges":[7]', r"node 1: in_edges\[0\]: 7 is out of range"),
        ('"feats":[1,1]', '"feats":[2,1]', "edge 3: feats: 2 is out of range"),
        ('"feats":[1,1]', '"feats":[1]', "edge 3: feats: expected names and values"),
        ('"feats":[1,1]', '"feats":[1,1e999]', "edge 3: feats: not a finite"),
        ('"feats":[1,1]', '"feats":[1,NaN]', "not a finite number"),
        ('{"in_edges":[2],"cat":"X"}', "[2]", "node 1: expected an object"),
        ('{"tail":[0],', '[],{"tail":[0],', "edge 2: expected an object"),
    ],
)
def test_what_cannot_be_a_forest_is_refused_with_its_place(
    old: str, new: str, message: str
) -> None:
    assert old in TEXT
    with pytest.raises(FormatError, match=message):
        from_cdec(TEXT.replace(old, new, 1))
