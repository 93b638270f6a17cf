"""The parser learns what a treebank shows, finds the best tree, and keeps it in a file."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from demotic.cli import app
from demotic.errors import ArgumentError, CorruptFileError, FormatError
from demotic.parse import (
    GenerativeOptions,
    GenerativeParser,
    Tagger,
    cached_parses,
    evaluate,
    load_parser,
)
from demotic.parse.annotation import annotated, plain
from demotic.parse.files import save_parser
from demotic.trees import Tree, dependency_tree, read_trees, write_trees

NOUNS = ["dog", "cat", "house", "man", "tree"]
VERBS = ["sees", "likes", "hears"]
PLACES = ["in", "near"]


def treebank() -> str:
    """Sentences of which the verb decides where the prepositional phrase belongs."""
    lines = []
    words = itertools.product(NOUNS, VERBS, NOUNS[:3], PLACES, NOUNS[2:])
    for number, (one, verb, other, place, where) in enumerate(words):
        if number % 3 == 0:
            continue
        np = f"(NP (DT the) (NN {other}))"
        pp = f"(PP (IN {place}) (NP (DT a) (NN {where})))"
        if verb == "sees":
            vp = f"(VP (VBZ {verb}) {np} {pp})"
        else:
            vp = f"(VP (VBZ {verb}) (NP {np} {pp}))"
        lines.append(f"( (S (NP (DT the) (NN {one})) {vp} (. .)) )")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bank") / "bank.mrg"
    path.write_text(treebank())
    return path


@pytest.fixture(scope="module")
def parser(bank: Path) -> GenerativeParser:
    return GenerativeParser.train(read_trees(bank))


def test_attachment_follows_the_verb(parser: GenerativeParser) -> None:
    lines = ("the dog sees the cat in a house .", "the cat likes the dog near a tree .")
    one, other = parser.parse([line.split() for line in lines])
    assert one.heads == (1, 2, -1, 4, 2, 2, 7, 5, 2)
    assert other.heads == (1, 2, -1, 4, 2, 4, 7, 5, 2)
    assert not one.flat
    assert "NPB" not in one.labels


def test_a_treebank_is_parsed_as_it_was_taught(parser: GenerativeParser, bank: Path) -> None:
    gold = list(read_trees(bank))
    score = evaluate(parser.parse([tree.words for tree in gold]), gold)
    assert score.f1 == score.heads == score.tags == 100
    assert score.failures == 0
    assert score.relations is None


def test_threads_do_not_show(parser: GenerativeParser, bank: Path) -> None:
    words = [tree.words for tree in itertools.islice(read_trees(bank), 90)]
    assert parser.parse(words, threads=3) == parser.parse(words)


def test_unknown_words_have_shapes(parser: GenerativeParser) -> None:
    (tree,) = parser.parse([["the", "zebra", "sees", "the", "Quagga", "in", "a", "4x4", "."]])
    assert tree.words[1] == "zebra"
    assert not tree.flat


def test_what_cannot_be_parsed_is_flat(bank: Path) -> None:
    narrow = GenerativeParser.train(read_trees(bank), options=GenerativeOptions(items=2))
    known, strange = narrow.parse([["the", "dog", "sees", "the", "cat", "."], ["in", "in", "in"]])
    assert not known.flat
    assert strange.flat
    assert strange.heads == (2, 2, -1)
    assert narrow.failures == 1


def test_files_keep_the_parser_whole(parser: GenerativeParser, tmp_path: Path) -> None:
    save_parser(parser, tmp_path / "en.parser")
    words = [["the", "dog", "sees", "the", "zebra", "in", "a", "house", "."]]
    again = load_parser(tmp_path / "en.parser")
    assert again.parse(words) == parser.parse(words)
    save_parser(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "en.parser").read_bytes()
    content = bytearray((tmp_path / "en.parser").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(CorruptFileError):
        load_parser(tmp_path / "bad")


def test_parses_are_kept_until_text_or_parser_change(
    parser: GenerativeParser, bank: Path, tmp_path: Path
) -> None:
    words = [tree.words for tree in itertools.islice(read_trees(bank), 5)]
    cache = tmp_path / "text.trees"
    found = cached_parses(parser, words, cache)
    assert [tree.words for tree in found] == words
    write_trees(cache, list(reversed(found[:1])) + found[1:])
    before = cache.stat().st_mtime_ns
    assert cached_parses(parser, words, cache) == found
    assert cache.stat().st_mtime_ns == before
    assert len(cached_parses(parser, words[:2], cache)) == 2


def test_dependencies_are_learned_with_their_relations(tmp_path: Path) -> None:
    trees = []
    for noun, verb in itertools.product(NOUNS, VERBS):
        words = ["the", noun, verb, "a", "bone"]
        tags = ["DET", "NOUN", "VERB", "DET", "NOUN"]
        relations = ["det", "nsubj", "root", "det", "obj"]
        trees.append(dependency_tree(words, tags, [1, 2, -1, 4, 2], relations))
    assert all(plain(annotated(tree)) == tree for tree in trees)
    parser = GenerativeParser.train(trees[:-1])
    assert parser.parse([trees[-1].words]) == trees[-1:]
    score = evaluate(parser.parse([tree.words for tree in trees]), trees)
    assert score.relations == 100


def test_tags_are_learned() -> None:
    trees = [
        dependency_tree(["the", noun, verb], ["D", "N", "V"], [1, 2, -1])
        for noun in NOUNS
        for verb in VERBS
    ]
    tagger = Tagger.train(trees)
    assert tagger.accuracy(trees) == 100
    assert tagger.tag([["the", "Wug", "smells"], []]) == [["D", "N", "V"], []]
    again = Tagger.of_arrays(tagger.tags, tagger.core.keys, tagger.core.weights)
    assert again.tag([["the", "man"]]) == tagger.tag([["the", "man"]])
    with pytest.raises(ArgumentError, match="no trees"):
        Tagger.train([])


def test_scores_count_brackets_and_heads() -> None:
    gold = tree_of("(S (NP (D the) (N man)) (VP (V eats) (NP (N fish))) (. .))")
    found = tree_of("(S (NP (D the) (N man)) (VP (V eats) (N fish) (. .)))")
    score = evaluate([found], [gold])
    assert (score.precision, score.recall) == pytest.approx((100.0, 75.0))
    assert score.tags == 100
    assert evaluate([], []).f1 == 0.0
    with pytest.raises(ArgumentError, match="other words"):
        evaluate([tree_of("(S (N a))")], [gold])
    with pytest.raises(ArgumentError, match="1 parses for 2"):
        evaluate([found], [gold, gold])


def tree_of(text: str) -> Tree:
    from demotic.trees import penn

    (tree,) = penn.parse([text])
    return tree


def test_the_command_trains_parses_and_measures(bank: Path, tmp_path: Path) -> None:
    run = CliRunner()
    model, text, trees = (str(tmp_path / name) for name in ("en.parser", "text", "trees"))
    made = run.invoke(app, ["parse", "train", str(bank), "--out", model, "-j", "1"])
    assert made.exit_code == 0, made.output
    Path(text).write_text("the dog sees the cat in a house .\n")
    assert run.invoke(app, ["parse", "run", model, text, "--out", trees, "-q"]).exit_code == 0
    assert Path(trees).read_text().startswith("(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees)")
    shown = run.invoke(app, ["parse", "evaluate", model, str(bank), "--format", "json", "-q"])
    assert json.loads(shown.stdout)["f1"] == 100
    assert run.invoke(app, ["parse", "evaluate", model, str(bank), "-q"]).exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "BANK"], ["run", "BANK"], ["evaluate", "BANK", "BANK", "--out", "x"],
        ["evaluate", "BANK", "BANK", "--items", "3"],
    ],
)  # fmt: skip
def test_wrong_usage_ends_with_2(bank: Path, arguments: list[str]) -> None:
    filled = [str(bank) if each == "BANK" else each for each in arguments]
    assert CliRunner().invoke(app, ["parse", *filled]).exit_code == 2


def test_lines_without_words_are_named(parser: GenerativeParser, tmp_path: Path) -> None:
    save_parser(parser, tmp_path / "p")
    (tmp_path / "text").write_text("the dog\n\n")
    arguments = ["parse", "run", str(tmp_path / "p"), str(tmp_path / "text"), "--out", "-"]
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, FormatError)
    assert result.exception.line == 2


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("(S (NN a))\n")
    with pytest.raises(FormatError, match=r"x: no parser \(demotic parse train"):
        load_parser(tmp_path / "x")


def test_inspect_tells_what_a_parser_knows(parser: GenerativeParser, tmp_path: Path) -> None:
    from demotic.inspection import inspect

    save_parser(parser, tmp_path / "p")
    report = inspect(tmp_path / "p")
    assert report.kind == "parser"
    assert report.facts["tags"] == len(parser.tagger.tags)
