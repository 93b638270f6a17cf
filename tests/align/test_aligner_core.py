"""The aligner's kernels against enumeration."""

from __future__ import annotations

import itertools
import math
import random
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic import _core
from tests.oracles.hmm_alignment import BINS, Jumps, Sentence, model1

PROBABILITY = st.floats(0.001, 1.0)
JUMP_PARAMETERS = st.lists(st.floats(0.01, 1.0), min_size=4 * BINS, max_size=4 * BINS)


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    words, states = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    row = st.lists(PROBABILITY, min_size=states, max_size=states)
    return Sentence(
        emissions=draw(st.lists(row, min_size=words, max_size=words)),
        null=draw(st.lists(PROBABILITY, min_size=words, max_size=words)),
        null_probability=draw(st.floats(0.01, 0.9)),
        jumps=Jumps(draw(JUMP_PARAMETERS)),
    )


def run(sentence: Sentence) -> tuple[float, list[list[float]], list[float], list[float]]:
    return _core.run_hmm(
        sentence.emissions, sentence.null, sentence.null_probability, sentence.jumps.parameters
    )


@given(sentences())
@settings(max_examples=60)
def test_forward_backward_equals_enumeration(sentence: Sentence) -> None:
    log_likelihood, linked, null, _ = run(sentence)
    wanted_linked, wanted_null = sentence.posteriors()
    assert log_likelihood == pytest.approx(sentence.log_likelihood(), abs=1e-4)
    assert null == pytest.approx(wanted_null, abs=1e-4)
    for row, wanted in zip(linked, wanted_linked, strict=True):
        assert row == pytest.approx(wanted, abs=1e-4)


@given(sentences())
@settings(max_examples=40)
def test_reestimated_jumps_equal_enumeration(sentence: Sentence) -> None:
    assert run(sentence)[3] == pytest.approx(sentence.reestimated_jumps(), rel=2e-3, abs=1e-4)


@given(sentences())
@settings(max_examples=40)
def test_reestimating_jumps_never_lowers_the_likelihood(sentence: Sentence) -> None:
    better = Sentence(
        sentence.emissions, sentence.null, sentence.null_probability, Jumps(run(sentence)[3])
    )
    assert better.log_likelihood() >= sentence.log_likelihood() - 1e-4


def test_long_jumps_share_bins_with_their_neighbours() -> None:
    # Twelve states, so that a jump can leave the bins of one distance each.
    generator = random.Random(3)
    sentence = Sentence(
        emissions=[[generator.uniform(0.01, 1) for _ in range(12)] for _ in range(3)],
        null=[0.1, 0.2, 0.3],
        null_probability=0.25,
        jumps=Jumps([generator.uniform(0.05, 1) for _ in range(4 * BINS)]),
    )
    log_likelihood, linked, _, jumps = run(sentence)
    assert log_likelihood == pytest.approx(sentence.log_likelihood(), abs=1e-4)
    assert linked[1] == pytest.approx(sentence.posteriors()[0][1], abs=1e-4)
    assert jumps == pytest.approx(sentence.reestimated_jumps(), rel=2e-3, abs=1e-4)


def test_posteriors_of_a_long_sentence_stay_finite_and_sum_to_one() -> None:
    generator = random.Random(1)
    emissions = [[10 ** generator.uniform(-9, 0) for _ in range(150)] for _ in range(180)]
    log_likelihood, linked, null, _ = _core.run_hmm(emissions, [1e-9] * 180, 0.2, [1.0] * 4 * BINS)
    assert math.isfinite(log_likelihood)
    for row, nothing in zip(linked, null, strict=True):
        assert sum(row) + nothing == pytest.approx(1, abs=1e-3)


# -- expectation-maximisation ------------------------------------------------------------------

WORDS = st.lists(st.sampled_from("abcde"), min_size=1, max_size=4)
CORPUS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)


class Trained:
    """A trainer and what it must outlive."""

    def __init__(self, pairs: list[tuple[list[str], list[str]]], **options: float) -> None:
        self.vocab, self.source, self.target = _core.Vocab(), _core.TokenLines(), _core.TokenLines()
        for source, target in pairs:
            self.source.append(" ".join(source).encode() + b"\n", self.vocab)
            # No word on both sides: the oracle knows no spelling.
            self.target.append(" ".join(f"{w}'" for w in target).encode() + b"\n", self.vocab)
        chosen = _core.AlignerOptions()
        chosen.spelling_prior = 0
        for name, value in options.items():
            setattr(chosen, name, value)
        self.trainer = _core.AlignerTrainer(
            self.source, self.target, self.vocab, chosen, tempfile.gettempdir(), 1 << 30, 1
        )

    def iterate(self, stage: str, rounds: int) -> list[float]:
        history = []
        for _ in range(rounds):
            self.trainer.expect(stage, 0, len(self.trainer), 1)
            history.append(self.trainer.maximise(1))
        return history

    def model(self) -> _core.AlignerModel:
        return self.trainer.model(self.vocab)


@given(CORPUS)
@settings(max_examples=40)
def test_model1_equals_the_textbook_in_both_directions(
    pairs: list[tuple[list[str], list[str]]],
) -> None:
    trained = Trained(pairs, null_probability=0.2)
    history = trained.iterate("model1", 4)
    forward, forward_history = model1(pairs, 4, 0.2)
    backward, backward_history = model1([(t, s) for s, t in pairs], 4, 0.2)
    wanted = [f + b for f, b in zip(forward_history, backward_history, strict=True)]
    assert history == pytest.approx(wanted, rel=1e-4, abs=1e-3)
    model = trained.model()
    for s, t in {(s, t) for source, target in pairs for s in source for t in target}:
        weights = model.weights(s, f"{t}'")
        assert weights == pytest.approx((forward[s, t], backward[t, s]), abs=1e-4)
        assert model.null_weights(f"{t}'")[0] == pytest.approx(forward[None, t], abs=1e-4)
        assert model.null_weights(s)[1] == pytest.approx(backward[None, s], abs=1e-4)


@given(CORPUS)
@settings(max_examples=40)
def test_em_without_priors_never_lowers_the_likelihood(
    pairs: list[tuple[list[str], list[str]]],
) -> None:
    trained = Trained(pairs, agreement=False, jump_smoothing=0)
    for stage in ("model1", "hmm"):
        history = trained.iterate(stage, 6)
        for before, after in itertools.pairwise(history[1:]):
            assert after >= before - 1e-3


def exp_digamma(x: float) -> float:
    step = 1e-4 * x
    return math.exp((math.lgamma(x + step) - math.lgamma(x - step)) / (2 * step))


@given(CORPUS, st.booleans(), st.sampled_from([0.0, 0.1, 1.0]))
@settings(max_examples=30)
def test_an_hmm_round_estimates_what_enumeration_estimates(
    pairs: list[tuple[list[str], list[str]]], agreement: bool, prior: float
) -> None:
    trained = Trained(pairs, agreement=agreement, null_probability=0.3, lexical_prior=prior)
    trained.iterate("model1", 2)
    before = trained.model()
    trained.iterate("hmm", 1)
    after = trained.model()
    jumps = Jumps(before.forward_jumps), Jumps(before.backward_jumps)

    counts: dict[tuple[str, str], float] = {}
    for source, target in pairs:
        cells = [[before.weights(s, f"{t}'") for t in target] for s in source]
        forward = Sentence(
            [[cells[i][j][0] for i in range(len(source))] for j in range(len(target))],
            [before.null_weights(f"{t}'")[0] for t in target],
            0.3,
            jumps[0],
        ).posteriors()[0]
        backward = Sentence(
            [[cells[i][j][1] for j in range(len(target))] for i in range(len(source))],
            [before.null_weights(s)[1] for s in source],
            0.3,
            jumps[1],
        ).posteriors()[0]
        for i, s in enumerate(source):
            for j, t in enumerate(target):
                share = forward[j][i] * (backward[i][j] if agreement else 1)
                counts[s, t] = counts.get((s, t), 0) + share
    for (s, t), count in counts.items():
        row = [c for (other, _), c in counts.items() if other == s]
        if sum(row) < 1e-3:
            continue
        wanted = count / sum(row)
        if prior > 0:  # variational Bayes
            wanted = exp_digamma(count + prior) / exp_digamma(sum(row) + prior * len(row))
        assert after.weights(s, f"{t}'")[0] == pytest.approx(wanted, abs=2e-3)


@pytest.mark.parametrize(
    ("a", "b", "likeness"),
    [
        ("2004", "2004", 1),
        ("parlament", "parlamento", 0.9),
        ("parlament", "parliament", 0),
        ("national", "naţional", 0),
        ("die", "died", 0),
        ("größte", "größer", 4 / 6),
        ("中国人民", "中国人们", 0),
        ("", "a", 0),
    ],
)
def test_spelling_likeness_is_the_share_of_the_common_beginning(
    a: str, b: str, likeness: float
) -> None:
    assert _core.spelling_likeness(a, b) == pytest.approx(likeness)
    assert _core.spelling_likeness(b, a) == pytest.approx(likeness)
