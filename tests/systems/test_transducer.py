"""The transducer as a system: trees from anywhere, translations, k-best lists, explanations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import demotic
from demotic.cli import app
from demotic.corpus import Bitext
from demotic.decode.transducer import Prepared
from demotic.decode.tree_derivation import TreeDerivation
from demotic.decode.word_chooser import sides_of
from demotic.errors import ArgumentError, FormatError
from demotic.explain.page import figure
from demotic.parse import DiscriminativeParser, GenerativeParser
from demotic.parse.files import save_parser
from demotic.parse.induced import induced_tree
from demotic.progress import Progress
from demotic.systems.transducer import TransducerModel
from demotic.systems.transducer.config import CHAPTER
from demotic.systems.transducer.learning import words_put_in
from demotic.trees import Tree, penn, read_trees
from tests.systems import toys

LINE = "The adj1 noun2 verb3 %d noun4."
SETTINGS: dict[str, Any] = {"tune": {"mira": {"iterations": 1}}, "learn": {"held_out": 20}}


def tree_of(words: list[str]) -> Tree:
    """Of a sentence of the toy language: what stands before the verb, the verb, the rest."""
    verb = next(i for i, word in enumerate(words) if word.startswith("verb"))

    def leaf(word: str) -> str:
        tag = "".join(c for c in word if c.isalpha()).upper() or "SIGN"
        return f"({tag} {word})"

    before, after = (" ".join(map(leaf, part)) for part in (words[:verb], words[verb + 1 :]))
    [tree] = penn.parse([f"(TOP (NP {before}) (VP {leaf(words[verb])} {after}))"])
    return tree


def tokenised(bitext: Bitext) -> Bitext:
    def cut(line: str) -> str:
        return line.replace(".", " .").lower()

    pairs = [(cut(pair.source), cut(pair.target)) for pair in bitext]
    return Bitext.from_pairs(pairs, source_language="en", target_language="fr", file="toy")


@pytest.fixture(scope="module")
def text() -> Bitext:
    return tokenised(toys.memory(250))


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory, text: Bitext) -> Path:
    path = tmp_path_factory.mktemp("trees") / "train.mrg"
    trees = [tree_of(line.split()) for line in text.source_lines()]
    path.write_text("\n".join(penn.text(tree) for tree in trees) + "\n")
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, text: Bitext, treebank: Path) -> Path:
    out = tmp_path_factory.mktemp("transducer") / "model"
    demotic.train(
        text, system="transducer", dev=tokenised(toys.text(30)), out=out,
        config={**SETTINGS, "tokenised": True, "trees": {"file": str(treebank)}},
    )  # fmt: skip
    return out


@pytest.fixture(scope="module")
def model(path: Path) -> TransducerModel:
    model = demotic.load(path, verify=True).with_memory({"use": False})
    assert isinstance(model, TransducerModel)
    return model


def lines(count: int, seed: int = 77) -> list[str]:
    return list(tokenised(toys.text(count, seed)).source_lines())


def test_it_translates_and_reorders(model: TransducerModel) -> None:
    """Nouns and verbs are translated, and verbs go behind what followed them."""
    found = [model.translate(line) for line in lines(40)]
    inverted = sum(
        node.swapped for each in found if each.derivation is not None
        for node in each.derivation.nodes  # type: ignore[attr-defined]
    )  # fmt: skip
    assert inverted > 10
    assert model.score(tokenised(toys.text(60, 78))).value > 10


def test_scores_are_sums_of_weighted_features(model: TransducerModel) -> None:
    decoder = model.decoder.with_weights({"WordChoice": 0.7, "Order": 1.3, "WordPenalty": 0.4})
    sentences = [line.split() for line in lines(8)]
    for derivation, listed, forest in zip(
        decoder.decode_lines(sentences),
        decoder.kbest_lines(sentences, 4),
        decoder.forests(sentences),
        strict=True,
    ):
        weighed = sum(decoder.weights[name] * v for name, v in derivation.features.items())
        assert derivation.score == pytest.approx(weighed, abs=1e-4)
        assert sum(node.score for node in derivation.nodes) == pytest.approx(derivation.score)
        assert listed[0].score == pytest.approx(derivation.score, abs=1e-4)
        assert listed[0].tokens == derivation.tokens
        assert listed[0].alignment == derivation.alignment
        assert len({each.tokens for each in listed}) == len(listed)
        assert [d.score for d in listed] == sorted((d.score for d in listed), reverse=True)
        for each in listed:
            weighed = sum(decoder.weights[name] * v for name, v in each.features.items())
            assert each.score == pytest.approx(weighed, abs=1e-3)
            assert each.features["WordPenalty"] == len(each.tokens)
        assert forest.kbest(1)[0].tokens == derivation.tokens


def test_the_number_of_threads_never_shows(model: TransducerModel) -> None:
    sentences = [line.split() for line in lines(10)]
    one = model.decoder.decode_lines([*sentences, []])
    two = model.decoder.decode_lines([*sentences, []], threads=2)
    assert [d.tokens for d in one] == [d.tokens for d in two]
    assert [d.score for d in one] == [d.score for d in two]
    assert one[-1].tokens == ()
    [empty] = model.decoder.forests([[]])
    assert empty.kbest(1)[0].tokens == ()


def test_a_longer_translation_can_be_rewarded(model: TransducerModel) -> None:
    sentences = [line.split() for line in lines(20)]
    plain, long = (
        model.decoder.with_weights({"WordChoice": 1.0, "Order": 1.0, "WordPenalty": weight})
        for weight in (0.0, 5.0)
    )
    lengths = [
        sum(len(d.tokens) for d in decoder.decode_lines(sentences)) for decoder in (plain, long)
    ]
    assert lengths[0] < lengths[1]


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([1, 2, -1], ["a", "| d", ""]),  # before the first one, behind the last
        ([0, -1, 3], ["", "", "b c"]),
        ([3, 0], ["b c", ""]),  # whatever the order of the source
        ([0], ["| b c"]),  # at the end, two at most
        ([-1, -1], ["", ""]),
    ],
)
def test_words_without_a_link_belong_to_the_next_with_one(
    links: list[int], expected: list[str]
) -> None:
    found = words_put_in(links, ["a", "b", "c", "d"])
    sides = [sides_of(each) for each in found]
    texts = [
        f"{' '.join(one)} | {' '.join(other)}".strip(" |" if not other else " ")
        for one, other in sides
    ]
    assert texts == expected


def test_words_are_put_in_where_training_saw_them(text: Bitext) -> None:
    """Every noun has an article in the target, which no source word stands for."""
    pairs = [
        (" ".join(w for w in s.split() if w not in ("the", "a")), t)
        for s, t in zip(text.source_lines(), text.target_lines(), strict=True)
    ]
    made = demotic.train(
        Bitext.from_pairs(pairs, source_language="en", target_language="fr", file="toy"),
        system="transducer",
        config={**SETTINGS, "tokenised": True, "trees": {"source": "induced"}},
    ).with_memory({"use": False})
    explained = made.explain(pairs[3][0])
    several = [step for step in explained.steps if len(step.words) > 1]
    assert several
    assert all("Insertion" in step.scores for step in several)
    assert sorted(w for step in explained.steps for w in step.words) == list(
        range(len(explained.tokens))
    )
    plain = made.with_search({"insertions": 0}).explain(pairs[3][0])
    assert all(len(step.words) <= 1 for step in plain.steps)


def test_words_that_were_not_known_are_counted(model: TransducerModel) -> None:
    line = lines(1)[0].replace("adj", "unheard")
    assert model.translate(line).unknown == 1
    assert model.translate(lines(1)[0]).unknown == 0


def test_unknown_words_are_copied_or_dropped(model: TransducerModel) -> None:
    line = "the gizmo verb3 a noun4 ."
    copied = model.translate(line)
    assert "gizmo" in copied.tokens
    assert (1, copied.tokens.index("gizmo")) in copied.alignment
    assert "gizmo" not in model.with_search({"unknown": "drop"}).translate(line).tokens
    with pytest.raises(ArgumentError, match="unknown"):
        model.with_search({"unknown": "guess"})


def test_explanations_have_the_tree_its_orders_and_compounds(model: TransducerModel) -> None:
    line = lines(1)[0]
    explained = model.explain(line)
    root, *steps = explained.steps
    assert root.span == (0, len(line.split()))
    assert {step.lhs for step in explained.steps} >= {"NP", "VP"}
    assert {step.kind for step in steps} <= {"straight", "inverted", "word"}
    assert sum(step.contribution for step in explained.steps) == pytest.approx(explained.score)
    words = [step for step in steps if step.kind == "word"]
    assert sorted(word for step in words for word in step.words) == [*range(len(explained.tokens))]
    assert any(step.reasons for step in words)
    assert any(step.reasons for step in explained.steps if step.kind != "word")
    tree, page = explained.tree(), figure(explained)
    reason = next(reason for step in words for reason in step.reasons)
    assert reason in tree
    assert reason.split(" ")[0] in page
    assert explained.to_record()["steps"][0]["kind"] in ("straight", "inverted")


def test_reasons_add_up_to_what_the_classifier_says(model: TransducerModel) -> None:
    """All compounds that hold, not the few that are shown."""
    from demotic.explain import transducer as explain

    line = lines(1, seed=5)[0]
    derivation = model.decoder.decode(line)
    assert isinstance(derivation, TreeDerivation)
    most, explain.MOST_REASONS = explain.MOST_REASONS, 10_000
    try:
        steps = model.explain(line).steps
    finally:
        explain.MOST_REASONS = most
    import math

    compared = 0
    weights = model.decoder.weights
    for step in steps:
        if not step.reasons:
            continue
        h = sum(float(reason.split(" ")[0]) for reason in step.reasons)
        cost = math.log1p(math.exp(-h))
        if step.kind == "word":
            expected = -weights["WordChoice"] * cost + weights["WordPenalty"] * len(step.words)
        else:
            expected = -weights["Order"] * cost
        known = sum(step.scores[name] for name in ("WordChoice", "Order") if name in step.scores)
        assert known == pytest.approx(expected, abs=0.03 + 0.005 * len(step.reasons))
        beside = step.scores.get("Insertion", 0.0) + step.language_model
        assert step.contribution == pytest.approx(known + beside)
        compared += 1
    assert compared > 3


def test_weights_can_be_tuned_again(model: TransducerModel, tmp_path: Path) -> None:
    from demotic.learn import MiraOptions
    from demotic.model import tune

    dev = tokenised(toys.text(12, 3))
    tuned = tune(model, dev, out=tmp_path / "tuned", options=MiraOptions(iterations=1))
    assert tuned.weights.keys() == model.weights.keys()


def test_a_treebank_a_parser_or_links_will_do(tmp_path: Path, text: Bitext, treebank: Path) -> None:
    parser = tmp_path / "en.parser"
    trees = [tree_of(line.split()) for line in text.source_lines()]
    save_parser(GenerativeParser.train(trees[:100]), parser)
    other = tmp_path / "other.parser"
    save_parser(DiscriminativeParser.train(trees[:100]), other)
    dev = tokenised(toys.text(12))
    found = {}
    for name, settings in (
        ("treebank", {"treebank": str(treebank)}),
        ("parser", {"parser": str(parser)}),
        ("other parser", {"parser": str(other)}),
        ("induced", {"source": "induced"}),
    ):
        made = demotic.train(
            text.select(range(120)), system="transducer", dev=dev, out=tmp_path / name,
            config={**SETTINGS, "tokenised": True, "trees": settings},
        )  # fmt: skip
        found[name] = made.with_memory({"use": False}).translate("the noun2 verb3 a noun4 .").text
    assert all("nom2" in text for text in found.values())


def test_a_few_pairs_without_a_development_set_keep_the_chapters_weights(text: Bitext) -> None:
    settings = {
        "tokenised": True, "trees": {"source": "induced"},
        "learn": {"language_model": False, "insertions": False},
    }  # fmt: skip
    made = demotic.train(text.select(range(60)), system="transducer", config=settings)
    assert {name: w for name, w in made.weights.items() if w} == CHAPTER
    assert not made.about.dev


def test_without_trees_training_stops_at_once(tmp_path: Path, text: Bitext) -> None:
    with pytest.raises(ArgumentError, match="--treebank FILE"):
        demotic.train(text, system="transducer", out=tmp_path / "model")
    (tmp_path / "s").write_text("a\n")
    texts = ["--source", str(tmp_path / "s"), "--target", str(tmp_path / "s")]
    rest = ["--from", "en", "--to", "fr", "--out", str(tmp_path / "m")]
    command = ["train", "--system", "transducer", *texts, *rest]
    done = CliRunner().invoke(app, command)
    assert done.exit_code != 0
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"source": "induced", "treebank": "x"}, "induced"),
        ({"parser": "x", "treebank": "y"}, "treebank to train"),
        ({"source": "guessed"}, "source"),
    ],
)
def test_trees_that_contradict_each_other_are_refused(
    text: Bitext, settings: dict[str, str], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        demotic.train(text, system="transducer", config={"trees": settings})


def test_trees_of_other_sentences_are_refused(tmp_path: Path, text: Bitext, treebank: Path) -> None:
    dev = tokenised(toys.text(12))
    for part, kind in (
        ("\n".join(treebank.read_text().splitlines()[:-1]), ArgumentError),
        ("\n".join([*treebank.read_text().splitlines()[1:], "(TOP (A a))"]), FormatError),
    ):
        (tmp_path / "trees").write_text(part + "\n")
        with pytest.raises(kind, match=r"trees|words"):
            demotic.train(
                text, system="transducer", dev=dev, out=tmp_path / "model",
                config={"tokenised": True, "trees": {"file": str(tmp_path / "trees")}},
            )  # fmt: skip
        assert not (tmp_path / "model").exists()


def test_trees_stay_with_their_sentences_where_some_are_held_out(
    tmp_path: Path, text: Bitext, treebank: Path
) -> None:
    """No development set: one is taken from the text."""
    (tmp_path / "trees").write_text(treebank.read_text())
    config = {**SETTINGS, "tokenised": True, "trees": {"file": str(tmp_path / "trees")}}
    model = demotic.train(text, system="transducer", config=config, work=tmp_path / "work")
    assert model.translate(LINE).text
    used = (tmp_path / "work" / "train.source").read_text().splitlines()
    assert 0 < len(used) < len(text)
    assert list(read_trees(tmp_path / "work" / "train.trees")) == [
        tree_of(line.split()) for line in used
    ]
    some = treebank.read_text().splitlines()[:200]
    (tmp_path / "trees").write_text("\n".join(some) + "\n")
    with pytest.raises(ArgumentError, match=r"have no tree among the \d+ of"):
        demotic.train(text, system="transducer", config=config)


def test_lenient_training_parses_what_has_trees_of_other_words(
    tmp_path: Path, text: Bitext, treebank: Path
) -> None:
    given = treebank.read_text().splitlines()
    (tmp_path / "trees").write_text("\n".join([*given[:-2], "(TOP (A a))", given[-1]]) + "\n")
    said: list[str] = []

    class Hearing(Progress):
        def say(self, message: str) -> None:
            said.append(message)

    model = demotic.train(
        text, system="transducer", dev=tokenised(toys.text(12)), progress=Hearing(),
        config={
            **SETTINGS, "tokenised": True,
            "trees": {"file": str(tmp_path / "trees"), "lenient": True},
        },
    )  # fmt: skip
    assert any(line.startswith("1 trees with other words") for line in said)
    assert model.translate(LINE).text


def test_induced_trees_show_what_swaps() -> None:
    tree = induced_tree(["a", "b", "c"], ["x", "z", "y"], [(0, 0), (1, 2), (2, 1)], ["t"] * 3)
    assert tree is not None
    assert tree.words == ("a", "b", "c")
    assert penn.text(tree) == "(TOP (S (t a) (R (t b) (t c))))"
    straight = induced_tree(["a", "b", "c"], ["x", "y", "z"], [(i, i) for i in range(3)], ["t"] * 3)
    assert straight is not None
    assert penn.text(straight) == "(TOP (S (t a) (t b) (t c)))"
    assert induced_tree(["a"], ["x"], [], ["t"]) is None


@pytest.mark.parametrize("method", ["forest", "kbest"])
def test_reasons_are_the_same_where_consensus_chose(model: TransducerModel, method: str) -> None:
    chosen = model.with_consensus({"method": method, "model": 1000.0})
    for line in lines(8):
        own, other = model.explain(line), chosen.explain(line)
        assert own.text == other.text
        assert any(step.reasons for step in other.steps)
        assert other.score == pytest.approx(own.score)
        assert {(step.span, step.reasons) for step in own.steps} == {
            (step.span, step.reasons) for step in other.steps
        }


def test_what_is_kept_of_sentences_may_be_cleared_at_any_time(model: TransducerModel) -> None:
    class Forgetful(dict[tuple[str, ...], Prepared]):
        def __setitem__(self, key: tuple[str, ...], value: Prepared) -> None:
            """As if another thread had cleared it at once."""

    decoder = model.decoder.with_weights(model.decoder.weights)
    decoder._kept = Forgetful()
    line = model.encode(lines(1)[0]).tokens
    assert decoder.decode(line).tokens == model.decoder.decode(line).tokens
