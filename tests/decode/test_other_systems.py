"""Grammars, inputs and expected outputs of cdec's and Joshua's own tests."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from demotic.decode import HieroDecoder, HieroSearch
from demotic.grammar import RuleTable
from demotic.lm import LanguageModel

LN10 = math.log(10)  # Joshua's scores are log10, and so is its word penalty per word
LM = 1.2373676802179452


def text_of(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def rules_of(tmp_path: Path, *paths: Path, format: str) -> RuleTable:
    text = tmp_path / "rules"
    text.write_text("".join(text_of(path) for path in paths), encoding="utf-8")
    return RuleTable.from_text(text, format=format, out=tmp_path / "rules.bin")  # type: ignore[arg-type]


def statistics(folder: Path) -> list[tuple[float, ...]]:
    """Nodes, edges and paths of the forests without language model."""
    values = [
        float(line.split()[1])
        for line in text_of(folder / "gold.statistics").splitlines()
        if line.startswith("-lm_")
    ]
    return [tuple(values[i : i + 3]) for i in range(0, len(values), 3)]


@pytest.mark.parametrize(
    ("name", "grammars", "glue"),
    [
        ("australia", ["australia.scfg.gz"], "auto"),
        ("controlled_synparse", ["scfg.biparse.gz"], "auto"),
        ("multigram", ["g1.scfg", "g2.scfg"], "auto"),
        ("mcle_gradient", ["test.grammar.gz"], "never"),
    ],
)
def test_forests_have_cdecs_nodes_edges_and_paths(
    data: Path, tmp_path: Path, name: str, grammars: list[str], glue: str
) -> None:
    folder = data / "decoder-tests" / "cdec" / name
    rules = rules_of(tmp_path, *(folder / each for each in grammars), format="cdec")
    options = HieroSearch(glue=glue)  # type: ignore[arg-type]
    decoder = HieroDecoder(rules, None, {}, options=options)
    lines = [line.split(" ||| ")[0] for line in text_of(folder / "input.txt").splitlines() if line]
    if name == "multigram":
        lines = ["foo bar"]  # the file wraps it in a tag that names the grammars
    expected = statistics(folder)
    assert len(lines) == len(expected)
    for line, (nodes, edges, paths) in zip(lines, expected, strict=True):
        forest = decoder.parse(line)
        assert (forest.nodes, forest.edges) == (nodes, edges)
        assert forest.count() == pytest.approx(paths, rel=1e-5)


def test_derivations_and_features_are_cdecs(data: Path, tmp_path: Path) -> None:
    folder = data / "decoder-tests" / "cdec" / "controlled_synparse"
    rules = rules_of(tmp_path, folder / "scfg.biparse.gz", format="cdec")
    decoder = HieroDecoder(rules, None, {})
    expected = sorted(
        (fields[1], sorted(fields[2].split()))
        for line in text_of(folder / "gold.stdout").splitlines()
        if (fields := line.split(" ||| "))[0] == "0"
    )
    sparse = {rules.sparse_name(feature) for feature in range(rules.sparse_features)}
    assert sparse
    named = {*rules.feature_names, *sparse, "Glue"}
    found = sorted(
        (
            each.text,
            sorted(f"{name}={v:g}" for name, v in each.features.items() if v and name in named),
        )
        for each in decoder.kbest("A B C D", 100, unique=False)
    )
    assert found == expected


def joshua_lm(data: Path) -> LanguageModel:
    return LanguageModel.load(data / "decoder-tests" / "joshua" / "lm.gz")


def test_a_long_kbest_list_has_joshuas_scores(data: Path, tmp_path: Path) -> None:
    folder = data / "decoder-tests" / "joshua" / "kbest_extraction"
    rules = rules_of(tmp_path, folder / "grammar", format="joshua")
    weights = {"tm_pt_0": 1.0, "LanguageModel": 1 / LN10, "Glue": 1.0}
    decoder = HieroDecoder(rules, joshua_lm(data), weights, options=HieroSearch(pops=10**6))
    lines = [line.split(" ||| ") for line in text_of(folder / "output.scores.gold.gz").splitlines()]
    # Joshua's list ends with the sentence itself, its unknown-word rules standing beside others.
    expected = {text: float(score) for _, text, score in lines if text.isupper()}
    found = {each.text: each.score for each in decoder.kbest("a b c d e", 3126)}
    assert len(found) == len(expected) == 5**5
    # Joshua counts the glue rule of the first piece, too.
    assert found == {text: pytest.approx(score - 1, abs=1e-3) for text, score in expected.items()}


@pytest.mark.parametrize(
    ("name", "line", "penalty"),
    [
        ("num_translation_options", "yo quiero taco bell", 1.0),
        ("rescoring", "el nino tomo la cucaracha", -1.0),
    ],
)
def test_best_translations_are_joshuas(
    data: Path, tmp_path: Path, name: str, line: str, penalty: float
) -> None:
    folder = data / "decoder-tests" / "joshua" / "decoder" / name
    rules = rules_of(tmp_path, folder / "grammar.gz", format="joshua")
    weights = {
        "tm_pt_0": 1.0,
        "LanguageModel": LM / LN10,
        "Glue": 1.0,
        "WordPenalty": -penalty / LN10,
        "PassThrough": -100.0,
    }
    decoder = HieroDecoder(rules, joshua_lm(data), weights)
    expected: dict[str, float] = {}
    for fields in (row.split(" ||| ") for row in text_of(folder / "output.gold").splitlines()):
        text, score = (fields[1], fields[0]) if name.startswith("num") else (fields[0], fields[2])
        expected.setdefault(text, float(score))
    found = {each.text: each.score for each in decoder.kbest(line, 20)}
    # Joshua counts one glue rule and two words (<s>, </s>) more.
    shift = 1 - 2 * penalty / LN10
    compared = {text: score for text, score in expected.items() if text in found}
    assert len(compared) >= 3
    for text, score in compared.items():
        assert found[text] + shift == pytest.approx(score, abs=2e-3)
    best = max(compared, key=lambda text: compared[text])
    assert decoder.decode(line).text == best


@pytest.mark.parametrize("name", ["n-ary", "oov-list"])
def test_rules_of_many_nonterminals_give_joshuas_translations(
    data: Path, tmp_path: Path, name: str
) -> None:
    folder = data / "decoder-tests" / "joshua" / "decoder" / name
    rules = rules_of(tmp_path, folder / "grammar", format="joshua")
    penalty = -3.6942747832593694
    weights = {"LanguageModel": LM / LN10, "WordPenalty": -penalty / LN10}
    options = HieroSearch(goal="GOAL", default_category="S")
    decoder = HieroDecoder(rules, joshua_lm(data), weights, options=options)
    for line, expected in (("CHEESE GOATS EAT", -11.503), ("3 1 4 2", -4.414)):
        found = decoder.decode(line)
        assert f"{found.text}\n" in text_of(folder / "output.gold").replace(" |||", "\n")
        # Joshua counts one glue rule and two words (<s>, </s>) more.
        assert found.score + 1 - 2 * penalty / LN10 == pytest.approx(expected, abs=2e-3)
        assert max(len(step.children) for step in found.steps) == len(line.split())


def test_trees_over_several_categories_are_joshuas(data: Path, tmp_path: Path) -> None:
    folder = data / "decoder-tests" / "joshua" / "decoder" / "tree-output"
    rules = rules_of(tmp_path, folder / "grammar.gz", format="joshua")
    decoder = HieroDecoder(rules, None, {}, options=HieroSearch(goal="GOAL"))

    def pieces(line: str) -> list[tuple[str, int, int]]:
        return [
            (s.category, s.begin, s.end) for s in decoder.decode(line).steps if s.rule is not None
        ]

    assert pieces("foo bar baz") == [("A", 0, 2), ("B", 0, 1), ("C", 1, 2), ("D", 2, 3)]
    assert pieces("baz") == [("D", 0, 1)]
    assert pieces("yo soy") == [("S", 0, 2)]
    assert decoder.decode("yo soy").text == "I AM"
    assert pieces("purchase xslot") == [("NP\\DT", 0, 2), ("NN", 1, 2)]
