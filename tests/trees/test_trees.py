"""Trees go through both forms and back; what is wrong with a file is said with its line."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import EncodingError, FormatError
from demotic.trees import (
    HeadRules,
    Tree,
    check_yields,
    dependency_atoms,
    dependency_tree,
    flat_tree,
    read_trees,
    write_trees,
)
from demotic.trees.conllu import projective
from tests.trees.forests import trees

PENN = """( (S (NP-SBJ-1 (DT The) (JJ old) (NN house))
     (VP (VBZ is) (VP (VBN sold) (NP (-NONE- *-1)) (PP-TMP=2 (IN in) (NP (NNP May)))))
     (-LRB- -LRB-) (PRN (NN a\\/b)) (. .)) )
(NP (NP (NNS cats)) (CC and) (NP (NNS dogs)))
"""


def read(tmp_path: Path, text: str, name: str = "trees") -> list[Tree]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return list(read_trees(path))


def test_brackets_lose_traces_functions_and_escapes(tmp_path: Path) -> None:
    house, cats = read(tmp_path, PENN)
    assert house.words == ("The", "old", "house", "is", "sold", "in", "May", "(", "a/b", ".")
    assert house.labels[-2:] == ("S", "TOP")
    assert "NP-SBJ-1" not in house.labels
    assert house.labels.count("NP") == 2
    # is - sold: the first VBZ is the head of the outer VP; houses: NN; in: IN
    assert house.heads == (2, 2, 3, -1, 3, 4, 5, 3, 3, 3)
    assert cats.heads == (-1, 0, 0)  # coordination: the first member


@pytest.mark.parametrize(
    ("text", "line", "match"),
    [
        ("(S (NN a))\n(S (NN b)\n", 2, "never closed"),
        ("(S (NN a)))\n", 1, "outside"),
        ("(S\n(NN))\n", 2, "without words"),
        ("(S (NN a b))\n", 1, "where a bracket"),
        ("(S (NN a (X b)))\n", 1, "behind a word"),
        ("hello\n", 1, "neither"),
        ("1\ta\t_\tNOUN\t_\t_\t0\troot\t_\n", 1, "9 fields"),
        ("1\ta\t_\tX\t_\t_\t2\td\t_\t_\n2\tb\t_\tX\t_\t_\t1\td\t_\t_\n", 1, "itself"),
        ("1\ta\t_\tX\t_\t_\t1\td\t_\t_\n", 1, "itself"),
        ("1\ta\t_\tX\t_\t_\t7\td\t_\t_\n", 1, "no head"),
        ("# c\n1\ta\t_\tX\t_\t_\t0\td\t_\t_\n3\tb\t_\tX\t_\t_\t1\td\t_\t_\n", 3, "should be"),
        ("x\ta\t_\tX\t_\t_\t0\td\t_\t_\n", 1, "no number"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(
    tmp_path: Path, text: str, line: int, match: str
) -> None:
    with pytest.raises(FormatError, match=match) as caught:
        read(tmp_path, text)
    assert caught.value.line == line
    assert caught.value.path == str(tmp_path / "trees")


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("(S (NN caf\xe9))\n".encode("latin-1"))
    with pytest.raises(EncodingError):
        list(read_trees(tmp_path / "latin"))


def test_ranges_and_empty_nodes_are_skipped_and_relations_kept(tmp_path: Path) -> None:
    rows = [
        "# text = du vin rouge", "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tde\t_\tADP\t_\t_\t3\tcase\t_\t_", "2\tle\t_\tDET\t_\t_\t3\tdet\t_\t_",
        "2.1\tx\t_\tX\t_\t_\t_\t_\t_\t_", "3\tvin\t_\tNOUN\t_\t_\t0\troot\t_\t_",
        "4\trouge\t_\t_\tA\t_\t3\tamod\t_\t_",
    ]  # fmt: skip
    (tree,) = read(tmp_path, "\n".join(rows))
    assert tree.labels == ("ADP", "DET", "NOUN", "A", "NOUNP", "TOP")
    assert tree.heads == (2, 2, -1, 2)
    atoms = dependency_atoms(tree)[2]
    assert {"D:d=ADP", "D:dh=le", "D:dr=amod", "D:r=root", "D:h=NOUNP", "D:P=ROOT"} <= set(atoms)
    assert atoms == sorted(set(atoms))


@given(trees(), st.sampled_from(["penn", "conllu"]))
def test_head_dependent_pairs_survive_both_forms(tmp_path_factory, tree: Tree, form: str) -> None:  # type: ignore[no-untyped-def]
    """Section 12, test 10: brackets give heads, heads give CoNLL-U, and that a tree again."""
    path = tmp_path_factory.mktemp("trees") / "file"
    write_trees(path, [tree, tree], form=form)
    back, again = read_trees(path)
    assert back == again
    assert back.words == tree.words
    assert back.tags == tree.tags
    if form == "penn":
        assert back.labels == tree.labels
        assert back.children == tree.children
    else:
        assert back.heads == tree.heads


def test_several_roots_stand_below_one_and_the_first_is_the_head() -> None:
    tree = dependency_tree("abc", "XYZ", [-1, 0, -1])
    assert tree.labels == ("X", "Y", "XP", "Z", "TOP")
    assert tree.heads == (-1, 0, 0)


@given(st.integers(1, 12), st.randoms(use_true_random=False))
def test_lifting_gives_trees_without_crossing_arcs(size: int, chance: random.Random) -> None:
    order = list(range(size))
    chance.shuffle(order)
    heads = [-1] * size
    for place, token in enumerate(order[1:], 1):
        heads[token] = chance.choice(order[:place])
    lifted = projective(heads)
    arcs = [(min(k, h), max(k, h)) for k, h in enumerate(lifted) if h >= 0]
    assert not any(a < c < b < d for a, b in arcs for c, d in arcs)
    root = order[0]
    assert all(not min(k, h) < root < max(k, h) for k, h in enumerate(lifted) if h >= 0)
    for token, head in enumerate(heads):
        above = head
        while above != lifted[token]:  # only ever to a head's head
            above = heads[above]
    assert dependency_tree(["w"] * size, ["X"] * size, heads).heads == tuple(lifted)


def test_arcs_that_do_not_cross_stay() -> None:
    assert projective([1, -1, 1, 2]) == [1, -1, 1, 2]


def test_depth_is_no_matter(tmp_path: Path) -> None:
    deep = 20_000
    (tree,) = read(tmp_path, "(X " * deep + "(N a)" + ")" * deep + "\n")
    assert len(tree.labels) == deep + 2
    assert tree.heads == (-1,)
    assert len(dependency_atoms(tree)[0]) == 5
    chain = dependency_tree(["w"] * 3000, ["X"] * 3000, [-1, *range(2999)])
    assert chain.heads == (-1, *range(2999))
    path = tmp_path / "chain"
    write_trees(path, [chain])
    assert [back.words for back in read_trees(path)] == [chain.words]


def test_tables_of_rules_can_be_edited(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("NP R\nVP LS NP VB # any\nX E Z\nX L Y\n")
    rules = HeadRules.read(tmp_path / "mine")
    assert rules.find("NP", ["NN", "DT"]) == 1
    assert rules.find("VP", ["RB", "VB", "NP"]) == 1
    assert rules.find("X", ["Y", "Q", "Z"]) == 2
    assert rules.find("X", ["Q", "Y"]) == 1
    assert rules.find("unknown", ["A", "B"]) == 0
    (tmp_path / "bad").write_text("NP R\nNP up NN\n")
    with pytest.raises(FormatError, match="not a rule") as caught:
        HeadRules.read(tmp_path / "bad")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", "DT NN POS", 2), ("NP", "DT NN NN JJ", 2), ("NP", "NP PP", 0),
        ("NP", "DT JJ", 1), ("NP", "DT FW", 1), ("PP", "RB IN NP", 1), ("VP", "RB VBD VP", 1),
        ("VP", "VP CC VP", 0), ("S", "NP VP .", 1), ("SBAR", "S IN", 1), ("NP", "NN CC NN", 0),
    ],
)  # fmt: skip
def test_heads_are_those_of_collins(label: str, children: str, head: int) -> None:
    assert HeadRules.collins().find(label, children.split()) == head


def test_trees_must_have_the_words_of_the_text() -> None:
    tree = flat_tree(["The", "cat"], ["D", "N"])
    assert tree.flat
    assert tree.heads == (1, -1)
    check_yields([tree], [["the", "cat"]], "file")
    with pytest.raises(FormatError, match="tree 2 has other words than line 2"):
        check_yields([tree, tree], [["the", "cat"], ["a", "cat"]], "file")
    with pytest.raises(FormatError, match="1 trees for 2 sentences"):
        check_yields([tree], [["the", "cat"]] * 2, "file")
    with pytest.raises(FormatError, match="without words"):
        flat_tree([], [])
