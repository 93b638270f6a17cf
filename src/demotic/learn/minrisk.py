"""Minimum risk over forests and lists (Smith and Eisner 2006; Li and Eisner 2009).

Weights make derivations probable, p(d) ~ exp(w . f(d)), and what is optimised is an expectation
under these probabilities: corpus BLEU of the expected counts (``bleu``), linear BLEU (``risk``), or
the probability of the best derivations there are (``likelihood``).  All of a forest's derivations
take part, and the objective is smooth, so that L-BFGS can learn as many weights as there are
features: of sparse ones, too, which other tuners hold as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from demotic.errors import ArgumentError, check_choices
from demotic.forest.weights import Floats
from demotic.learn.examples import Examples, ForestsKnown
from demotic.learn.known import Known
from demotic.learn.objectives import (
    ExpectedBleu,
    Likelihood,
    LinearRisk,
    Objective,
    estimated_gain,
)
from demotic.learn.online import Online, learn_online
from demotic.learn.optimise import Penalty, minimise_objective
from demotic.learn.rounds import Optimum, Situation, TunerOptions, scaled


@dataclass(frozen=True, kw_only=True)
class MinriskOptions(TunerOptions):
    """Minimum risk: what is expected, and how its best weights are found."""

    LEARNS_SPARSE: ClassVar[bool] = True
    WEIGHS: ClassVar[bool] = True

    patience: int = 3
    """Tuning ends after so many rounds without a better decoding; 0 goes on."""
    objective: Literal["bleu", "risk", "likelihood"] = "bleu"
    """What is optimised: BLEU of expected counts, expected linear BLEU, or the probability of the
    derivations that are best by linear BLEU."""
    optimiser: Literal["lbfgs", "rprop", "adagrad", "adam"] = "lbfgs"
    """The first two look at all sentences for each step, the others at a few of them: for large
    development sets."""
    evaluations: int = 60
    """Times that a round computes the objective of all sentences, at most."""
    longer: float = 0.0
    """By which share references are taken to be longer, by the objective ``bleu``: translations of
    text that was not tuned on tend to be shorter."""
    l2: float = 1.0
    """The variance of weights: a weight w costs w^2 / (2 l2) beside the objective, which is in
    words; 0: nothing."""
    l1: float = 0.0
    """What the absolute weight of a sparse feature costs, in words; with more, fewer features keep
    a weight other than 0."""
    min_support: int = 2
    """Sparse features of fewer sentences get no weight."""
    memory: int = 2
    """Rounds whose forests are learned from, the latest ones; lists are of all rounds."""
    density: int = 100
    """The best edges that are kept of a forest, for each source word; 0: all."""
    min_gain: float = 0.01
    """A round that improves the objective by less, in BLEU points, ends tuning."""
    anneal: bool = False
    """Begin each round with all derivations equally probable, and cool down."""
    passes: int = 5
    """Over the sentences in a round, by adagrad and adam."""
    batch: int = 50
    """Sentences that these look at for a step."""
    rate: float = 0.05
    """How far they go."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choices(self)
        if min(self.evaluations, self.memory, self.passes, self.batch) < 1:
            raise ArgumentError("evaluations, memory, passes and batch must be at least 1")
        if self.rate <= 0:
            raise ArgumentError("rate must be above 0")
        if self.anneal and self.optimiser != "lbfgs":
            raise ArgumentError("annealing goes with the optimiser lbfgs")

    def _numbers(self) -> tuple[str, ...]:
        return (
            "evaluations", "longer", "l2", "l1", "min_support", "memory", "density", "min_gain",
            "passes", "batch", "rate",
        )  # fmt: skip

    @property
    def remembered(self) -> int:
        """Rounds before the present one whose candidates are needed."""
        return self.memory - 1

    @property
    def kept_edges(self) -> int:
        """So that no more of them need to be handed over."""
        return self.density

    def known(self, features: Sequence[str], sentences: int, threads: int) -> Known:
        """Lists and forests as examples."""
        return ForestsKnown(
            features, sentences, memory=self.memory, density=self.density, threads=threads
        )

    def optimise(self, known: Known, at: Situation) -> Optimum:
        """Go down from the present weights, or from those that decoded best so far."""
        assert isinstance(known, ForestsKnown)
        dense, sparse = _beginning(at)
        examples = known.examples(dense, sparse, threads=at.threads)
        start = examples.start
        objective, words = self._objective(examples)
        l1 = np.where(examples.sparse, self.l1, 0.0)
        penalty = Penalty(l2=self.l2, l1=l1)
        free = examples.free(at.free, self.min_support)
        before = _value(objective, start, free, penalty, at.threads)
        if self.optimiser in ("lbfgs", "rprop"):
            found = minimise_objective(
                objective, start, free=free, penalty=penalty, evaluations=self.evaluations,
                anneal=self.anneal, rprop=self.optimiser == "rprop", threads=at.threads,
            )  # fmt: skip
            weights = scaled(found.weights, start) if self.anneal else found.weights
            gained = before - found.value
        else:
            weights = self._by_parts(objective, start, free, l1, at)
            gained = before - _value(objective, weights, free, penalty, at.threads)
        points = 100 * gained / max(words, 1.0)
        now = examples.bleu(start, threads=at.threads)
        if points < self.min_gain or points <= 0:
            return Optimum(at.weights, now, 0.0, converged=True, sparse=at.sparse)
        reached = examples.bleu(weights, threads=at.threads)
        dense, sparse = examples.named(weights)
        return Optimum(dense, reached, reached - now, converged=False, sparse=sparse)

    def _objective(self, examples: Examples) -> tuple[Objective, float]:
        """What is minimised, in words, and how many words the references have."""
        words = float(sum(examples.reference_lengths))
        if self.objective == "bleu":
            wanted = [(1 + self.longer) * length for length in examples.reference_lengths]
            return ExpectedBleu(examples.risk_set, wanted), words
        gain, _ = estimated_gain(examples.statistics)
        if self.objective == "risk":
            return LinearRisk(examples.risk_set, gain), words
        return Likelihood(examples.forests, examples.right(gain), examples.weights), words

    def _by_parts(
        self,
        objective: Objective,
        start: Floats,
        free: NDArray[np.bool_],
        l1: Floats,
        at: Situation,
    ) -> Floats:
        method: Literal["adagrad", "adam"] = "adam" if self.optimiser == "adam" else "adagrad"
        rigour = 1.0 / self.l2 if self.l2 else 0.0
        learner = Online(start, method=method, rate=self.rate, l1=l1, l2=rigour, free=free)
        learn_online(
            objective, learner, passes=self.passes, batch=self.batch, rng=at.rng,
            threads=at.threads,
        )  # fmt: skip
        return learner.weights


def _beginning(at: Situation) -> tuple[Floats, dict[str, float]]:
    """The present weights, or those of the best round if that decoded better."""
    best = max(at.rounds, key=lambda this: this.decoded.judged, default=None)
    if best is None or at.decoded.judged >= best.decoded.judged:
        return at.weights, dict(at.sparse)
    return at.split(best.weights)


def _value(
    objective: Objective,
    weights: Floats,
    free: NDArray[np.bool_],
    penalty: Penalty,
    threads: int,
) -> float:
    """The objective with what the free weights cost."""
    value = objective.evaluate(weights, threads=threads).value
    ids = objective.features()
    ids = ids[free[ids]]
    moved = weights[ids]
    cost = float(np.asarray(penalty.l1)[ids] @ np.abs(moved))
    return value + cost + (float(moved @ moved) / (2 * penalty.l2) if penalty.l2 else 0.0)
