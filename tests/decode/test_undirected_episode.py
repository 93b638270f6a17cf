"""Learning from roll-outs: what episodes give, against the oracle."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from demotic.decode import Sample, UndirectedDecoder, UndirectedSearch
from demotic.errors import ArgumentError
from tests.decode.grammars import grammars, language_model, rule_table, sentences
from tests.decode.undirected import ALL_WEIGHTS, Sentence, told_apart
from tests.oracles import cky
from tests.oracles.undirected import LN10

kappas = st.sampled_from([0.0, 0.5, 1.0])
draws = st.floats(0, 1, exclude_max=True)
RULES = [cky.Rule("X", ("A",), (word,), -i / 8) for i, word in enumerate("abcde")]


@settings(max_examples=60, deadline=None)
@given(rules=grammars, tokens=sentences, order=st.integers(0, 4), kappa=kappas)
def test_a_roll_out_is_the_decoders_own_path(
    rules: list[cky.Rule], tokens: list[str], order: int, kappa: float
) -> None:
    at = Sentence(rules, tokens, order=order, kappa=kappa)
    episode = at.decoder.episode(tokens)
    found = at.decoder.decode(tokens)
    for _ in range(2):
        rollout = episode.decode(at.array)
        assert rollout.tokens == found.tokens
        turn = {action.step: number for number, action in enumerate(found.actions)}
        assert rollout.turns.tolist() == [turn[step] for step in found.word_steps]
        assert rollout.steps == len(found.actions)
        assert rollout.action.tolist() == list(found.actions[0].features.values())
        sums = [
            sum(action.features[name] for action in found.actions)
            for name in at.decoder.feature_names
        ]
        assert rollout.features.tolist() == pytest.approx(sums, abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(
    rules=grammars,
    tokens=sentences,
    order=st.integers(0, 3),
    kappa=kappas,
    state=draws,
    rank=draws,
    lazy=st.booleans(),
)
def test_an_alternative_takes_the_action_of_its_rank_and_then_follows_the_policy(
    rules: list[cky.Rule],
    tokens: list[str],
    order: int,
    kappa: float,
    state: float,
    rank: float,
    lazy: bool,
) -> None:
    argmax = "lazy" if lazy else "eager"
    at = Sentence(told_apart(rules), tokens, order=order, kappa=kappa, argmax=argmax)
    sample = at.decoder.episode(tokens).sample(at.array, state, rank)
    found = at.decoder.decode(tokens)
    if sample is None:
        assert all(action.choices == 1 for action in found.actions)
        return
    assert found.actions[sample.state].choices == sample.choices >= 2
    assert 1 <= sample.rank < sample.choices
    assert sample.steps == len(found.actions)
    turn = {action.step: number - sample.state for number, action in enumerate(found.actions)}
    assert sample.taken.turns.tolist() == [max(0, turn[step]) for step in found.word_steps]
    assert sample.taken.steps == sample.steps - sample.state
    assert len(sample.alternative.turns) == len(sample.alternative.tokens)
    assert all(sample.alternative.turns < sample.alternative.steps)
    before = at.states(found)[sample.state]
    ranking = at.problem.ranking(before)
    closest = min(a[0] - b[0] for a, b in itertools.pairwise(ranking))
    score, other = ranking[sample.rank]
    weights = np.array(at.array)
    assert weights @ sample.alternative.action == pytest.approx(score, abs=1e-6)
    assume(closest > 1e-6)
    phi = at.problem.phi(before, other)
    assert dict(zip(at.decoder.feature_names, sample.alternative.action, strict=True)) == (
        pytest.approx(phi, abs=1e-6)
    )
    end, closest = at.problem.follow(at.problem.apply(before, other))
    assume(closest > 1e-6)
    assert sample.alternative.tokens == at.problem.words(end)


@settings(max_examples=80, deadline=None)
@given(
    rules=grammars, tokens=sentences, order=st.integers(1, 4), kappa=kappas, state=draws, rank=draws
)
def test_differences_are_those_of_whole_derivations(
    rules: list[cky.Rule], tokens: list[str], order: int, kappa: float, state: float, rank: float
) -> None:
    at = Sentence(rules, tokens, order=order, kappa=kappa, cff="delta")
    sample = at.decoder.episode(tokens).sample(at.array, state, rank)
    assume(sample is not None)
    assert sample is not None
    names = at.decoder.feature_names
    change = dict(zip(names, sample.alternative.features - sample.taken.features, strict=True))
    lm = language_model(order)

    def total(words: tuple[str, ...]) -> float:
        return LN10 * math.fsum(score.log10 for score in lm.full_scores(" ".join(words)))

    # Estimates and bounds telescope: they are gone whatever the state was.
    assert change["LanguageModel"] == pytest.approx(
        total(sample.alternative.tokens) - total(sample.taken.tokens), abs=1e-9
    )
    for name in ("Cff1", "Cff2", "CffHead"):
        assert change[name] == pytest.approx(0, abs=1e-9)
    assert change["WordPenalty"] == len(sample.alternative.tokens) - len(sample.taken.tokens)


@settings(max_examples=40, deadline=None)
@given(rules=grammars, tokens=sentences, order=st.integers(0, 3), rank=st.integers(1, 50))
def test_lazy_and_eager_agree_at_every_rank(
    rules: list[cky.Rule], tokens: list[str], order: int, rank: int
) -> None:
    found: list[list[Sample]] = []
    for argmax in ("lazy", "eager"):
        at = Sentence(rules, tokens, order=order, kappa=0.5, argmax=argmax)
        episode = at.decoder.episode(tokens)
        choices = [action.choices for action in at.decoder.decode(tokens).actions]
        found.append(
            [
                episode.alternative(at.array, state, rank)
                for state, count in enumerate(choices)
                if count > 1
            ]
        )
    for a, b in zip(*found, strict=True):
        assert a.rank == b.rank == min(rank, a.choices - 1)
        assert a.alternative.tokens == b.alternative.tokens
        assert a.alternative.action.tolist() == b.alternative.action.tolist()
        assert a.alternative.features.tolist() == b.alternative.features.tolist()


def test_ranks_follow_zipfs_law() -> None:
    stats = pytest.importorskip("scipy.stats")
    at = Sentence(RULES, ["A"], order=2)
    rng = np.random.default_rng(7)
    for exponent in (0.0, 1.0, 2.5):
        samples = at.decoder.episode(["A"]).samples(
            at.array, [tuple(pair) for pair in rng.random((4000, 2))], exponent=exponent
        )
        ranks = [sample.rank for sample in samples if sample.choices == 5]
        assert len(ranks) == len(samples)  # of the leaf alone there is a choice
        mass = np.arange(1, 5, dtype=float) ** -exponent
        counts = np.bincount(ranks, minlength=5)[1:]
        assert stats.chisquare(counts, mass / mass.sum() * len(ranks)).pvalue > 0.001


def test_states_are_drawn_uniformly_from_those_with_a_choice() -> None:
    tokens = ["A", "neu", "A"]
    at = Sentence(RULES, tokens, order=2)
    choices = [action.choices for action in at.decoder.decode(tokens).actions]
    states = [state for state, count in enumerate(choices) if count > 1]
    grid = [((i + 0.5) / 1000, 0.0) for i in range(1000)]
    counts = np.bincount([s.state for s in at.decoder.episode(tokens).samples(at.array, grid)])
    assert 1 < len(states) < len(choices)
    assert [state for state, count in enumerate(counts) if count] == states
    assert max(counts[states]) - min(counts[states]) <= 1


def test_weights_of_one_call_leave_no_trace_in_the_next() -> None:
    at = Sentence(RULES, ["A", "A"], order=3)
    episode = at.decoder.episode(["A", "A"])
    before = at.decoder.decode(["A", "A"]).actions
    own, other = np.array(at.array), -np.array(at.array)
    first, changed = episode.decode(own), episode.decode(other)
    assert changed.tokens != first.tokens
    assert episode.decode(own).features.tolist() == first.features.tolist()
    assert at.decoder.decode(["A", "A"]).actions == before


def test_without_words_there_is_nothing_to_sample() -> None:
    at = Sentence(RULES, ["A"], order=3)
    for empty in ("", []):
        episode = at.decoder.episode(empty)
        assert episode.sample(at.array, 0.5, 0.5) is None
        assert episode.decode(at.array).tokens == ()
    single = at.decoder.episode("neu")
    assert single.sample(at.array, 0.5, 0.5) is None
    with pytest.raises(ArgumentError, match="no other action"):
        single.alternative(at.array, 0, 1)
    with pytest.raises(ArgumentError, match="draws"):
        at.decoder.episode("A").sample(at.array, 0.5, 1.0)
    with pytest.raises(ArgumentError, match="number of weights"):
        at.decoder.episode("A").decode(at.array[:-1])
    with pytest.raises(ArgumentError, match="no number"):
        at.decoder.episode("A").decode([math.nan] * len(at.array))


def test_episodes_keep_parses_within_their_memory() -> None:
    decoder = UndirectedDecoder(
        rule_table(RULES), language_model(2), ALL_WEIGHTS, options=UndirectedSearch()
    )
    lines = ["A A", "A neu", "A"]
    kept, dropped = decoder.episodes(lines), decoder.episodes(lines, memory=0)
    assert len(kept) == 3
    assert kept[1] is kept[1]
    assert dropped[1] is not dropped[1]
    weights = list(decoder.weights.values())
    for a, b in zip(kept, dropped, strict=True):
        assert a.decode(weights).tokens == b.decode(weights).tokens
    assert [e.source for e in kept[1:]] == [("A", "neu"), ("A",)]


def test_a_failed_call_leaves_no_weights_behind() -> None:
    decoder = UndirectedDecoder(rule_table(RULES), language_model(2), ALL_WEIGHTS)
    before = decoder.decode("A A")
    episode = decoder.episode("A A")
    others = -np.array([ALL_WEIGHTS[name] for name in decoder.feature_names])
    assert episode.decode(others).tokens != before.tokens
    failures: list[Callable[[], object]] = [
        lambda: episode.decode(others, sparse=np.zeros(3)),
        lambda: episode.alternative(others, 99, 1),
        lambda: episode.samples(others, [(0.5, 0.5), (2.0, 0.5)]),
        lambda: episode.decode(np.full(len(others), np.nan)),
    ]
    for fail in failures:
        with pytest.raises(ArgumentError):
            fail()
        after = decoder.decode("A A")
        assert (after.tokens, after.score) == (before.tokens, before.score)
