"""Sparse features of rules in all decoders that have rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from demotic.decode import Derivation, HieroDecoder, PhraseDecoder, UndirectedDecoder
from demotic.errors import ArgumentError
from demotic.forest import Forest, risk
from demotic.forest.many import hold_sparse
from demotic.grammar import RuleTable, TemplateOptions
from tests.decode.grammars import language_model

AnyDecoder = HieroDecoder | PhraseDecoder | UndirectedDecoder

DENSE = {
    "score": 0.75,
    "LanguageModel": 0.5,
    "WordPenalty": 0.25,
    "RulePenalty": -0.25,
    "PassThrough": -1.5,
}
SPARSE = {"s1": 0.5, "s2": -1.25, "s3": 2.0}
SENTENCES = ["A B C", "A A B C C B", "B A neu C", "C C C A B", ""]
DECODERS: dict[str, Callable[[RuleTable, Mapping[str, float]], AnyDecoder]] = {
    "hiero": lambda table, weights: HieroDecoder(table, language_model(3), weights),
    "phrase": lambda table, weights: PhraseDecoder(table, language_model(3), weights),
    "undirected": lambda table, weights: UndirectedDecoder(table, language_model(3), weights),
}


def lines() -> list[tuple[str, float, dict[str, float]]]:
    """Phrases, their dense score and their sparse features; numbers exact in single precision."""
    rng = random.Random(2)
    found = {}
    for source in ("A", "B", "C", "A B", "B C", "C A"):
        for target in ("a", "b", "c", "the d", "a of b", "c the"):
            names = rng.sample(["s1", "s2", "s3", "s4"], k=rng.randint(0, 3))
            sparse = {name: rng.randint(-8, 8) / 8 for name in names}
            found[f"[X] ||| {source} ||| {target}"] = (rng.randint(-16, 0) / 8, sparse)
    return [(sides, *values) for sides, values in found.items()]


def table(text: str, folder: Path, name: str) -> RuleTable:
    (folder / name).write_text(text)
    return RuleTable.from_text(folder / name, out=folder / f"{name}.bin", format="cdec")


@pytest.fixture
def sparse(tmp_path: Path) -> RuleTable:
    text = [
        f"{sides} ||| score={score} " + " ".join(f"{n}={v}" for n, v in features.items()) + "\n"
        for sides, score, features in lines()
    ]
    return table("".join(text), tmp_path, "sparse")


@pytest.fixture
def summed(tmp_path: Path) -> RuleTable:
    """What the sparse features are worth goes into the column."""
    text = ""
    for sides, score, features in lines():
        extra = sum(SPARSE.get(name, 0) * value for name, value in features.items())
        text += f"{sides} ||| score={score} extra={extra}\n"
    return table(text, tmp_path, "summed")


@pytest.mark.parametrize("kind", DECODERS)
def test_weights_of_sparse_features_count_as_a_column_of_their_sum_would(
    kind: str, sparse: RuleTable, summed: RuleTable
) -> None:
    one = DECODERS[kind](sparse, DENSE | SPARSE)
    other = DECODERS[kind](summed, DENSE | {"extra": 1.0})
    plain = DECODERS[kind](sparse, DENSE)
    changed = 0
    for sentence in SENTENCES:
        found, wanted = one.decode(sentence), other.decode(sentence)
        assert found.tokens == wanted.tokens
        assert found.score == pytest.approx(wanted.score, abs=1e-9)
        assert [s.score for s in found.steps] == pytest.approx([s.score for s in wanted.steps])
        changed += plain.decode(sentence).tokens != found.tokens
    assert changed


@pytest.mark.parametrize("kind", DECODERS)
def test_derivations_have_the_sparse_features_of_their_rules(kind: str, sparse: RuleTable) -> None:
    decoder = DECODERS[kind](sparse, DENSE | SPARSE)
    for sentence in SENTENCES:
        for found in [decoder.decode(sentence), *decoder.kbest(sentence, 10)]:
            check(found, sparse, decoder.weights)


def check(found: Derivation, rules: RuleTable, weights: Mapping[str, float]) -> None:
    wanted: Counter[str] = Counter()
    for step in found.steps:
        if step.rule is not None:
            wanted.update(rules[step.rule].sparse)
    assert found.sparse == dict(wanted)
    assert found.features == dict(zip(found.feature_names, found.values, strict=True)) | wanted
    total = sum(weights.get(name, 0.0) * value for name, value in found.features.items())
    assert found.score == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize("kind", DECODERS)
def test_features_without_weights_change_nothing(
    kind: str, sparse: RuleTable, tmp_path: Path
) -> None:
    without = table(
        "".join(f"{sides} ||| score={score}\n" for sides, score, _ in lines()), tmp_path, "plain"
    )
    one, other = DECODERS[kind](sparse, DENSE), DECODERS[kind](without, DENSE)
    for sentence in SENTENCES:
        found, wanted = one.decode(sentence), other.decode(sentence)
        assert (found.tokens, found.score, found.values) == (
            wanted.tokens, wanted.score, wanted.values,
        )  # fmt: skip


@pytest.mark.parametrize("kind", DECODERS)
def test_a_weight_of_a_feature_that_nobody_has_is_refused(
    kind: str, sparse: RuleTable, summed: RuleTable
) -> None:
    with pytest.raises(ArgumentError, match=r"no feature 's5'.*sparse ones of the table"):
        DECODERS[kind](sparse, DENSE | {"s5": 1.0})
    with pytest.raises(ArgumentError, match="no feature 's1'"):
        DECODERS[kind](summed, DENSE | SPARSE)


@pytest.mark.parametrize("kind", DECODERS)
def test_a_weight_that_is_no_number_is_refused(kind: str, sparse: RuleTable) -> None:
    with pytest.raises(ArgumentError, match="no number"):
        DECODERS[kind](sparse, DENSE | {"s1": float("nan")})


def test_a_name_that_the_decoder_has_as_well_is_the_tables(tmp_path: Path) -> None:
    text = "[X] ||| A ||| a b ||| score=1 WordPenalty=5\n[X] ||| B ||| b ||| score=1\n"
    decoder = HieroDecoder(table(text, tmp_path, "clash"), None, {"WordPenalty": 1.0})
    found = decoder.decode("A")
    assert (found.score, found.sparse) == (5, {"WordPenalty": 5})
    assert found.features["DecoderWordPenalty"] == 2


def test_hashed_features_are_weighed_by_their_place(sparse: RuleTable, tmp_path: Path) -> None:
    hashed = sparse.with_templates(TemplateOptions(bits=10), out=tmp_path / "hashed.bin")
    places = {name: hashed.find_sparse(name) for name in SPARSE}
    assert len(set(places.values())) == len(SPARSE)
    named = HieroDecoder(sparse, language_model(3), DENSE | SPARSE)
    weights = {f"hash:{place}": SPARSE[name] for name, place in places.items()}
    other = HieroDecoder(hashed, language_model(3), DENSE | weights)
    for sentence in SENTENCES:
        assert named.decode(sentence).score == pytest.approx(other.decode(sentence).score)
        assert named.decode(sentence).tokens == other.decode(sentence).tokens
    with pytest.raises(ArgumentError, match="no feature 's1'"):  # or a slip would go unnoticed
        HieroDecoder(hashed, None, {"s1": 1.0})


def test_weights_can_be_exchanged(sparse: RuleTable) -> None:
    decoder = HieroDecoder(sparse, language_model(3), DENSE | SPARSE)
    plain = decoder.with_weights(DENSE)
    again = plain.with_weights(decoder.weights)
    for sentence in SENTENCES:
        assert again.decode(sentence).score == decoder.decode(sentence).score
    assert plain.weights.keys() == set(decoder.feature_names)


# -- forests ---------------------------------------------------------------------------------------


def forest_of(kind: str, rules: RuleTable, sentence: str, weights: Mapping[str, float]) -> Forest:
    decoder = DECODERS[kind](rules, weights)
    assert isinstance(decoder, HieroDecoder | PhraseDecoder)
    return decoder.forest(sentence)


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_edges_of_forests_have_the_sparse_features_of_their_rules(
    kind: str, sparse: RuleTable
) -> None:
    weights = DENSE | SPARSE
    for sentence in SENTENCES:
        forest = forest_of(kind, sparse, sentence, weights)
        assert forest.rescore(weights).score == pytest.approx(forest.score, abs=1e-5)
        without = forest.rescore(DENSE).score
        for edge in range(forest.edges):
            origin = forest.rule(int(forest.edge_rule[edge])).origin
            features = {} if origin is None else sparse[origin].sparse
            worth = sum(SPARSE.get(name, 0.0) * value for name, value in features.items())
            assert forest.score[edge] - without[edge] == pytest.approx(worth, abs=1e-5)


def test_a_parse_has_the_sparse_features_of_its_rules(sparse: RuleTable) -> None:
    decoder = HieroDecoder(sparse, None, DENSE | SPARSE)
    forest = decoder.parse("A B C A")
    assert forest.viterbi().score == pytest.approx(decoder.decode("A B C A").score, abs=1e-5)
    assert forest.rescore(decoder.weights).score == pytest.approx(forest.score, abs=1e-5)


def test_forests_of_one_decoder_share_their_features(sparse: RuleTable) -> None:
    decoder = HieroDecoder(sparse, language_model(3), DENSE | SPARSE)
    forests = decoder.forests(SENTENCES)
    names = [*decoder.feature_names, *(sparse.sparse_name(i) for i in range(4))]
    assert all(forest.features == names for forest in forests)
    assert all(forest.space.same_as(forests[0].space) for forest in forests)


def test_forests_of_hashed_features_name_their_places(sparse: RuleTable, tmp_path: Path) -> None:
    hashed = sparse.with_templates(TemplateOptions(bits=6), out=tmp_path / "hashed.bin")
    weights = DENSE | {f"hash:{hashed.find_sparse(name)}": SPARSE[name] for name in SPARSE}
    forest = forest_of("hiero", hashed, "A B C", weights)
    assert len(forest.space) == len(DENSE) + 2 + 64  # with Glue and UnknownWord
    assert forest.rescore(weights).score == pytest.approx(forest.score, abs=1e-5)


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_sparse_features_can_be_held_as_one_dense_feature(kind: str, sparse: RuleTable) -> None:
    weights = DENSE | SPARSE
    forests = [forest_of(kind, sparse, sentence, weights) for sentence in SENTENCES]
    for given, held in zip(forests, hold_sparse(forests, weights, name="held"), strict=True):
        assert held.features == [*given.features[: given.space.dense], "held"]
        assert held.rescore(DENSE | {"held": 1.0}).score == pytest.approx(given.score, abs=1e-5)
        assert held.score.tolist() == given.score.tolist()
    for given, bare in zip(forests, hold_sparse(forests, weights, name=None), strict=True):
        assert bare.features == given.features[: given.space.dense]
        assert bare.rescore(DENSE).score == pytest.approx(given.rescore(DENSE).score, abs=1e-5)


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_forests_have_the_sparse_features_of_their_rules(kind: str, sparse: RuleTable) -> None:
    weights = DENSE | SPARSE
    decoder = DECODERS[kind](sparse, weights)
    assert not isinstance(decoder, UndirectedDecoder)
    forests = [decoder.forest(sentence) for sentence in SENTENCES]
    for sentence, forest in zip(SENTENCES, forests, strict=True):
        assert forest.space is forests[0].space
        assert forest.viterbi().features.keys() <= {*weights, *decoder.decode(sentence).features}
        assert forest.rescore(weights).score == pytest.approx(forest.score, abs=1e-5)
    gradient = risk(forests, weights, temperature=1.0).gradient.named()
    assert any(gradient[name] != 0 for name in SPARSE)
