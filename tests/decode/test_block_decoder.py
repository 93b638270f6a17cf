"""Block search against enumeration, and what its results may not depend on."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic import _core
from demotic.align import Links, Text
from demotic.decode import BlockDecoder, BlockSearch
from demotic.errors import ArgumentError
from demotic.forest import Forest, risk
from demotic.grammar import (
    BlockExtraction,
    BlockPairs,
    BlockTable,
    EventOptions,
    extract_blocks,
    orient,
)
from demotic.learn import CrfExample, CrfOptions, crf
from demotic.lm import LanguageModel
from demotic.metrics import SentenceBleu
from tests.oracles import backoff
from tests.oracles import block_search as oracle

EXACT = BlockSearch(beam=0, delta=math.inf, min_left=1)
PAIRS: list[tuple[str, str, str]] = [
    ("a b c", "x y z", "0-0 1-1 2-2"),
    ("a b c", "y x z", "0-1 1-0 2-2"),
    ("b a", "x y", "0-1 1-0"),
    ("c b a", "y z x", "0-1 1-0 2-2"),
    ("a c", "z x z", "0-1 1-0 1-2"),
    ("b c", "z y y", "0-1 0-2 1-0"),
]


@cache
def model() -> tuple[BlockTable, BlockPairs, LanguageModel]:
    """Blocks with swaps among them, weighted pairs, a trigram model."""
    links = Links()
    for _, _, line in PAIRS:
        links.append(sorted((int(p[0]), int(p[2])) for p in line.split()))
    source, target = Text.of(s for s, _, _ in PAIRS), Text.of(t for _, t, _ in PAIRS)
    options = BlockExtraction(max_words=2)
    table = extract_blocks(source, target, links, options=options)
    found = orient(
        table, source, target, links, options=EventOptions(pair_threshold=0), extraction=options
    )
    weights = np.random.default_rng(4).normal(size=len(found.pairs)).astype(np.float32)
    ngrams = {(w,): (-0.4 - 0.1 * i, -0.1) for i, w in enumerate(["<unk>", "<s>", "</s>", "x"])}
    ngrams |= {("y",): (-0.6, -0.3), ("z",): (-0.9, -0.4), ("<s>", "x"): (-0.2, -0.3)}
    ngrams |= {("x", "y"): (-0.3, -0.2), ("y", "z"): (-0.4, -0.1), ("z", "</s>"): (-0.1, 0.0)}
    ngrams |= {("<s>", "x", "y"): (-0.1, 0.0), ("x", "y", "z"): (-0.15, 0.0)}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "toy.arpa"
        path.write_text(backoff.write_arpa(ngrams, 3))
        return found.blocks, found.pairs.with_weights(weights), LanguageModel.load(path)


NAMES = tuple(_core.block_feature_names())
weights = st.fixed_dictionaries({n: st.floats(-2, 1, width=32) for n in NAMES}).map(
    lambda w: {**w, "Partition": 1.0, "Pairs": 1.0}
)
sentences = st.lists(st.sampled_from("aabbccq"), min_size=1, max_size=5)


@settings(max_examples=40)
@given(
    sentences,
    weights,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1, 2, 9]),
    st.sampled_from([0, 1, 2]),
    st.booleans(),
)
def test_search_without_limits_equals_enumeration(
    tokens: list[str],
    w: dict[str, float],
    swap: bool,
    start: bool,
    with_pairs: bool,
    alternatives: int,
    min_left: int,
    z_alternatives: bool,
) -> None:
    table, pairs, lm = model()
    tokens = tokens[:4] if alternatives == 9 else tokens
    search = oracle.Search(
        table, lm, w, pairs if with_pairs else None, swap, alternatives, min_left, start,
        z_alternatives,
    )  # fmt: skip
    decoder = BlockDecoder(
        table,
        lm,
        w,
        pairs=pairs if with_pairs else None,
        options=BlockSearch(
            reorder="swap" if swap else "monotone",
            alternatives=alternatives,
            min_left=min_left,
            boundary="start" if start else "neutral",
            partition="alternatives" if z_alternatives else "half",
            beam=0,
            delta=math.inf,
        ),
    )
    expected = search.derivations(tokens)
    scores = [score for score, _ in expected]
    best = decoder.decode(tokens)
    forest = decoder.forest(tokens)
    assert best.score == pytest.approx(max(scores), rel=1e-6, abs=1e-6)
    assert forest.count() == len(expected)
    top = max(scores)
    log_sum = top + math.log(math.fsum(math.exp(score - top) for score in scores))
    assert forest.log_z() == pytest.approx(log_sum, rel=1e-6, abs=1e-6)


def test_orders_of_a_segmentation_are_fibonacci_numbers() -> None:
    search = oracle.Search(*model()[::2], {})  # type: ignore[arg-type]
    pieces = [oracle.Piece(None, i, i + 1) for i in range(5)]
    assert [len(list(search.orders(pieces[:n]))) for n in range(1, 6)] == [1, 2, 3, 5, 8]


@given(sentences, weights)
def test_swaps_never_lower_the_best_score_and_none_is_monotone(
    tokens: list[str], w: dict[str, float]
) -> None:
    table, _, lm = model()
    # One scoring of every transition, as orientation may not matter here.
    same = {name: w[name.removeprefix("Neutral")] for name in NAMES if "Neutral" in name}
    w = {**w, **same, "Orientation": 0.0}

    def best(reorder: str, min_left: int) -> float:
        options = BlockSearch(
            reorder=reorder,
            min_left=min_left,
            beam=0,
            delta=math.inf,  # type: ignore[arg-type]
        )
        return BlockDecoder(table, lm, w, options=options).decode(tokens).score

    monotone = best("monotone", 0)
    assert best("swap", 0) >= monotone - 1e-9
    assert best("swap", 2**32) == pytest.approx(monotone, abs=1e-9)


@given(sentences, weights)
def test_scores_equal_features_times_weights_and_the_language_model_adds_up(
    tokens: list[str], w: dict[str, float]
) -> None:
    table, pairs, lm = model()
    decoder = BlockDecoder(table, lm, w, pairs=pairs, options=EXACT)
    for each in [decoder.decode(tokens), *decoder.kbest(tokens, 5)]:
        total = sum(w[name] * value for name, value in each.features.items())
        assert each.score == pytest.approx(total, rel=1e-6, abs=1e-6)
        assert each.score == pytest.approx(sum(s.score for s in each.steps), abs=1e-6)
        costs = sum(value for name, value in each.features.items() if "Word" in name)
        assert costs == pytest.approx(-lm.score(each.text) * math.log(10), rel=1e-5)
        assert sorted(i for s in each.steps[1:] for i in range(s.begin, s.end)) == list(
            range(len(tokens))
        )


@given(sentences, weights, st.booleans())
def test_kbest_is_sorted_unique_and_begins_with_the_best(
    tokens: list[str], w: dict[str, float], with_pairs: bool
) -> None:
    table, pairs, lm = model()
    decoder = BlockDecoder(table, lm, w, pairs=pairs if with_pairs else None, options=EXACT)
    found = decoder.kbest(tokens, 20, unique=False)
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(decoder.decode(tokens).score, abs=1e-9)
    shapes = [tuple((s.rule, s.begin, s.end) for s in each.steps) for each in found]
    assert len(set(shapes)) == len(shapes)
    texts = [each.text for each in decoder.kbest(tokens, 20)]
    assert len(set(texts)) == len(texts)


@given(sentences, weights, st.integers(1, 4), st.floats(0, 3))
def test_pruned_search_gives_derivations_of_the_exact_one(
    tokens: list[str], w: dict[str, float], beam: int, delta: float
) -> None:
    table, pairs, lm = model()
    exact = BlockDecoder(table, lm, w, pairs=pairs, options=EXACT)
    narrow = BlockDecoder(
        table, lm, w, pairs=pairs, options=BlockSearch(beam=beam, delta=delta, min_left=1)
    )
    assert narrow.decode(tokens).score <= exact.decode(tokens).score + 1e-9
    assert narrow.forest(tokens).count() <= exact.forest(tokens).count()


@given(st.lists(sentences, min_size=1, max_size=3), weights)
def test_filtering_the_table_and_threads_change_nothing(
    texts: list[list[str]], w: dict[str, float]
) -> None:
    table, pairs, lm = model()
    small, few = table.filter([" ".join(each) for each in texts], pairs)
    assert len(small) <= len(table)
    whole = BlockDecoder(table, lm, w, pairs=pairs).decode_lines(texts)
    part = BlockDecoder(small, lm, w, pairs=few).decode_lines(texts, threads=3)
    assert [(each.tokens, each.score) for each in whole] == [
        (each.tokens, each.score) for each in part
    ]


def test_pair_features_are_their_own_in_pair_forests() -> None:
    table, pairs, lm = model()
    decoder = BlockDecoder(table, lm, {"FirstWord": -1.0}, pairs=pairs, options=EXACT)
    [forest] = decoder.forests(["a b c"], pairs=True)
    named = [name for name in forest.features if name.startswith("pair ")]
    assert named
    weights = dict.fromkeys(forest.features, 0.0) | {
        "FirstWord": -1.0, "Partition": 1.0,
    }  # fmt: skip
    for name in named:
        previous, block = name.split(" ")[1:]
        first = _core.BEGIN_BLOCK if previous == "<s>" else int(previous)
        weights[name] = float(pairs.weights[pairs.find(first, int(block))])
    rescored = forest.rescore(weights)
    assert rescored.log_z() == pytest.approx(decoder.forest("a b c").log_z(), abs=1e-5)


def test_pair_forests_of_a_model_share_its_features_and_can_be_learned_from() -> None:
    table, pairs, lm = model()
    decoder = BlockDecoder(table, lm, {"FirstWord": -1.0}, pairs=pairs, options=EXACT)
    forests = decoder.forests(["a b c", "b a", "c c a", ""], pairs=True)
    space = forests[0].space
    assert all(forest.space is space for forest in forests)
    assert len(space) == space.dense + len(pairs)
    weights = {"FirstWord": -1.0, "Partition": 1.0}
    forests = [f.with_loss(np.arange(f.edges) % 3) for f in forests]
    together = risk(forests, weights, threads=2)
    assert together.value == pytest.approx(sum(risk([f], weights).value for f in forests))
    learned = {name for name in together.gradient.named() if name.startswith("pair ")}
    assert learned == {name for f in forests for name in _pairs_of(f)}
    examples = []
    for forest in forests:
        right = forest.restrict(forest.kbest(3)[-1].tokens)
        assert right is not None
        examples.append(CrfExample(forest, right))
    found = crf(examples, weights, options=CrfOptions(passes=3))
    assert found.losses[-1] < found.losses[0]
    assert learned & set(found.weights)
    assert set(found.weights) <= set(space.names())


def _pairs_of(forest: Forest) -> set[str]:
    rows = (forest.edge_features(edge) for edge in range(forest.edges))
    return {name for row in rows for name in row if name.startswith("pair ")}


@given(sentences, weights)
def test_oracles_are_the_best_of_the_list_by_bleu(tokens: list[str], w: dict[str, float]) -> None:
    table, _, lm = model()
    decoder = BlockDecoder(table, lm, w, options=EXACT)
    reference = "x y z x"
    [found] = decoder.oracles([tokens], [[reference]], 15)
    listed = decoder.kbest(tokens, 15, unique=False)
    bleu = SentenceBleu([reference], tokenise="none", smoothing="add-k", smoothing_value=1.0)
    assert bleu.score(found.best.text) == max(bleu.score(each.text) for each in listed)
    assert found.first.text == listed[0].text
    assert found.listed == {
        (s.rule, s.begin, s.end) for each in listed for s in each.steps if s.rule is not None
    }


def test_unknown_words_pass_through_and_empty_lines_stay_empty() -> None:
    table, _, lm = model()
    decoder = BlockDecoder(table, lm, {"FirstWord": -1.0, "PassThrough": -7.0})
    found = decoder.decode("a qux b")
    assert "qux" in found.tokens
    assert found.features["PassThrough"] == 1.0
    step = next(s for s in found.steps if s.kind == "pass-through")
    assert (step.begin, step.end, step.rule) == (1, 2, None)
    empty = decoder.decode("")
    assert (empty.tokens, empty.score, empty.steps) == ((), 0.0, ())
    assert decoder.forest("").count() == 1
    assert [each.tokens for each in decoder.kbest("", 3)] == [()]


def test_repeated_words_at_different_places_stay_apart() -> None:
    table, _, lm = model()
    found = BlockDecoder(table, lm, {"FirstWord": -1.0}).decode("a a a")
    assert sorted((s.begin, s.end) for s in found.steps[1:])[0][0] == 0
    assert sum(s.end - s.begin for s in found.steps[1:]) == 3


def test_long_sentences_are_decoded_with_a_narrower_beam() -> None:
    table, _, lm = model()
    options = BlockSearch(max_nodes=1000)
    decoder = BlockDecoder(table, lm, {"FirstWord": -1.0}, options=options)
    found = decoder.decode(["a", "b", "c"] * 100)
    assert sum(s.end - s.begin for s in found.steps[1:]) == 300
    assert decoder.counters.narrowed == 1


def test_bad_settings_are_refused() -> None:
    table, pairs, lm = model()
    with pytest.raises(ArgumentError, match="no feature"):
        BlockDecoder(table, lm, {"Nonsense": 1.0})
    with pytest.raises(ArgumentError, match="not finite"):
        BlockDecoder(table, lm, {"Unigram": math.nan})
    with pytest.raises(ArgumentError, match="alternatives"):
        BlockDecoder(table, lm, {}, options=BlockSearch(alternatives=0))
    with pytest.raises(ArgumentError, match="beam"):
        BlockDecoder(table, lm, {}, options=BlockSearch(beam=-1))
    with pytest.raises(ArgumentError, match="delta"):
        BlockDecoder(table, lm, {}, options=BlockSearch(delta=math.nan))
    small, _ = table.filter(["a"])
    with pytest.raises(ArgumentError, match="another set of blocks"):
        BlockDecoder(small, lm, {}, pairs=pairs)
