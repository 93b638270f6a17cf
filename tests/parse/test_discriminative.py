"""The discriminative parser makes every tree in one order, finds the cheapest, and keeps to it."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from typer.testing import CliRunner

from demotic import _core
from demotic.cli import app
from demotic.errors import ArgumentError, CorruptFileError
from demotic.parse import DiscriminativeOptions, DiscriminativeParser, evaluate, load_parser
from demotic.parse.files import save_parser
from demotic.parse.frontier import MOST_CHILDREN, Step, prepared, restored
from demotic.trees import Tree, dependency_tree, penn, read_trees
from tests.parse.test_generative import NOUNS, VERBS, treebank
from tests.trees.forests import trees

QUICK = DiscriminativeOptions(share=3, seen=2, lambda_min=0.5)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bank") / "bank.mrg"
    path.write_text(treebank())
    return path


@pytest.fixture(scope="module")
def parser(bank: Path) -> DiscriminativeParser:
    return DiscriminativeParser.train(read_trees(bank), options=QUICK)


def replayed(tree: Tree, steps: list[Step]) -> Tree:
    """The steps taken, each seen to be allowed, and the tree that they make."""
    marks = {"``", "''", ",", ".", ":", "PUNCT"}
    made: list[Any] = [(tag, []) for tag in tree.tags]
    frontier = list(made)
    for label, begin, size in steps:
        nodes = [k for k, item in enumerate(frontier) if item[1]]
        assert 1 <= size <= MOST_CHILDREN
        assert begin <= min(nodes, default=begin)
        below = frontier[begin : begin + size]
        for edge in (below[0], below[-1]):
            assert edge[1] or edge[0] not in marks
        frontier[begin : begin + size] = [(label, below)]
    left = iter(tree.words)
    text = " ".join(bracketed(item, left) for item in frontier)
    [found] = penn.parse([f"(TOP {text})"])
    return found


def bracketed(item: Any, words: Any) -> str:
    label, below = item
    if not below:
        return f"({label} {next(words)})"
    inside = " ".join(bracketed(child, words) for child in below)
    return inside if label == "TOP" or label.endswith("'") else f"({label} {inside})"


def spans(tree: Tree) -> list[tuple[str, tuple[int, int]]]:
    return sorted(
        (label, span)
        for label, below, span in zip(tree.labels, tree.children, tree.spans, strict=True)
        if below
    )


@given(trees(9))
@settings(max_examples=80, deadline=None)
def test_every_tree_is_made_in_steps_that_are_allowed(tree: Tree) -> None:
    made = prepared(tree)
    assert made is not None
    found = replayed(tree, made.steps())
    own = {each for each in spans(tree) if each[0] != "TOP"}
    assert {each for each in spans(found) if each[0] not in ("TOP", "X")} == {
        each for each in own if each[0] != "X"
    }


def test_punctuation_goes_up_and_comes_back() -> None:
    [tree] = penn.parse(["(TOP (S (NP (NN dogs) (, ,) (NN cats) (, ,)) (VP (VB run)) (. .)))"])
    made = prepared(tree)
    assert made is not None
    assert made.steps() == [
        Step("VP", 4, 1), Step("NP", 0, 3), Step("S", 0, 3), Step("TOP", 0, 1)
    ]  # fmt: skip
    assert prepared(penn_tree("(TOP (. .) (: --))")) is None


def penn_tree(text: str) -> Tree:
    [tree] = penn.parse([text])
    return tree


def test_long_productions_are_cut_and_put_together() -> None:
    words = " ".join(f"(N n{k})" for k in range(12))
    tree = penn_tree(f"(TOP (NP {words}))")
    made = prepared(tree)
    assert made is not None
    steps = made.steps()
    assert [step.label for step in steps] == ["NP'", "NP'", "NP", "TOP"]
    labels = ["N", "N", "N", "NP'", "N", "NP", ".", "TOP"]
    children: list[list[int]] = [[], [], [], [1, 2], [], [0, 3, 4], [], [5, 6]]
    found = restored(["a", "b", "c", "d", "."], labels, children, [-1, -1, -1, 2, -1, 3, -1, 5])
    assert penn.text(found) == "(TOP (NP (N a) (N b) (N c) (N d) (. .)))"
    assert found.heads == (2, 2, -1, 2, 2)


def cheapest(core: Any, tags: list[int], words: list[int], top: int) -> tuple[float, int, int]:
    """The cost of the best tree by trying all, how many there are, and how many differ."""
    costs: list[float] = []
    seen: list[Any] = []

    def go(steps: list[tuple[int, int, int]], frontier: list[Any], cost: float) -> None:
        for label, begin, size, more in core.next(tags, words, steps):
            below = frontier[begin : begin + size]
            after = [*frontier[:begin], (label, tuple(below)), *frontier[begin + size :]]
            if label == top:
                costs.append(cost + more)
                seen.append(tuple(after))
            else:
                go([*steps, (label, begin, size)], after, cost + more)

    go([], list(tags), 0.0)
    return min(costs), len(seen), len(set(seen))


@pytest.mark.parametrize("marks", [0, 1])
def test_the_search_finds_what_trying_everything_finds(
    parser: DiscriminativeParser, marks: int
) -> None:
    """With three labels, and no more pruning than what is dearer than a finished tree."""
    symbols, labels = ("A", "B", ".", "X", "TOP"), [3, 4]
    chance = np.random.default_rng(marks)
    learner = _core.FrontierLearner([0, 0, 1, 0, 0], [0, 1, 2, 3, 4], [3], [0], [0], labels, 1, 1)
    sentences = [[0, 1, 0], [1, 0, 1]] if not marks else [[0, 2, 1], [1, 0, 2]]
    for tags in sentences:
        learner.add(tags, tags, [(3, 0, 3 if tags[2] != 2 else 2), (4, 0, 1)])
    begins, atoms, _, _, keys = learner.finish(1)
    from demotic.learn import BinaryRows, train_groups

    rows = BinaryRows(begins, atoms, len(keys))
    for _ in range(4):
        made = train_groups(
            rows,
            np.array([0, len(rows)], np.uint64),
            chance.integers(0, 3, len(rows)).astype(np.uint32),
            np.array([2], np.uint32),
        )
        core = _core.FrontierParser(
            [0, 0, 1, 0, 0], [0, 1, 2, 3, 4], [3], [0], [0], labels, keys, made.core, 4
        )
        for tags in sentences:
            least, all_trees, different = cheapest(core, tags, tags, symbols.index("TOP"))
            assert all_trees == different >= 4
            [(found, *_, cost)] = core.parse([tags], [tags], 10**6, 10**6, 1)
            assert found
            assert cost == pytest.approx(least)
            [(*_, hasty)] = core.parse([tags], [tags], 1, 0, 1)
            assert hasty >= least - 1e-9


def test_a_treebank_is_parsed_as_it_was_taught(parser: DiscriminativeParser, bank: Path) -> None:
    gold = list(read_trees(bank))
    score = evaluate(parser.parse([tree.words for tree in gold]), gold)
    assert score.f1 > 99
    assert score.heads > 99
    assert score.failures == 0
    words = [tree.words for tree in itertools.islice(read_trees(bank), 70)]
    assert parser.parse(words, threads=3) == parser.parse(words)


def test_attachment_follows_the_verb(parser: DiscriminativeParser) -> None:
    lines = ("the dog sees the cat in a house .", "the cat likes the dog near a tree .")
    one, other = parser.parse([line.split() for line in lines])
    assert one.heads == (1, 2, -1, 4, 2, 2, 7, 5, 2)
    assert other.heads == (1, 2, -1, 4, 2, 4, 7, 5, 2)


def test_dependency_trees_have_their_heads() -> None:
    found = []
    for noun, verb in itertools.product(NOUNS, VERBS):
        words = ["the", noun, verb, "a", "bone"]
        tags = ["DET", "NOUN", "VERB", "DET", "NOUN"]
        relations = ["det", "nsubj", "root", "det", "obj"]
        found.append(dependency_tree(words, tags, [1, 2, -1, 4, 2], relations))
    made = DiscriminativeParser.train(found, options=QUICK)
    [tree] = made.parse([found[0].words])
    assert tree.heads == found[0].heads


def test_files_keep_the_parser_whole(parser: DiscriminativeParser, tmp_path: Path) -> None:
    save_parser(parser, tmp_path / "en.parser")
    words = [["the", "dog", "sees", "the", "zebra", "in", "a", "house", "."], ["."]]
    again = load_parser(tmp_path / "en.parser")
    assert again.parse(words) == parser.parse(words)
    assert again.parse(words)[1].flat
    save_parser(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "en.parser").read_bytes()


def test_tables_that_do_not_fit_are_refused(parser: DiscriminativeParser) -> None:
    record, arrays = parser.record(), {k: v.tobytes() for k, v in parser.arrays().items()}
    for field, wrong in (
        ("labels", parser.labels[1:]), ("symbols", parser.symbols[1:]), ("heads", [["S", "?"]]),
    ):  # fmt: skip
        with pytest.raises(CorruptFileError):
            DiscriminativeParser.of_record({**record, field: wrong}, arrays)
    with pytest.raises(ArgumentError, match="no trees"):
        DiscriminativeParser.train([], options=QUICK)


def test_the_command_trains_either_parser(bank: Path, tmp_path: Path) -> None:
    out = tmp_path / "en.parser"
    arguments = ["parse", "train", str(bank), "--method", "discriminative", "--out", str(out)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert isinstance(load_parser(out), DiscriminativeParser)
    done = CliRunner().invoke(app, ["parse", "evaluate", str(out), str(bank)])
    assert "labelled F1" in done.stdout
    assert CliRunner().invoke(app, [*arguments, "--items", "3"]).exit_code == 2
