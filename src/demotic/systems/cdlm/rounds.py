"""Confuse, learn, confuse anew: the weights of a language model of confusions.

    rounds = Rounds(confuser, examples, options=CdlmLearning())
    learned = rounds.run()
    learned.weights, learned.rounds

Each round confuses the sentences under the weights so far and minimises the risk, or maximises the
likelihood, over all confusions seen (Li et al. 2010, section 4).  A round that makes held-out
sentences worse, or much too long or short, is rejected: the weights go back to where they were, and
the next attempt keeps closer to 0 and knows what the rejected weights would have liked.

With ``adam`` or ``adagrad`` a round is a pass: some sentences are confused, weights go a step, and
the confusions are forgotten, so that memory does not follow the text.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic import files
from demotic.decode.confusion import PASS_THROUGH, START, Confuser
from demotic.errors import ArgumentError
from demotic.features import FeatureSpace
from demotic.forest import Forest
from demotic.forest.weights import weight_array
from demotic.learn.objectives import Likelihood, LinearRisk, Objective, estimated_gain
from demotic.learn.online import Online
from demotic.learn.optimise import Penalty, minimise_objective
from demotic.learn.risk_set import RiskSet
from demotic.metrics import Bleu
from demotic.progress import SILENT, Progress
from demotic.systems.cdlm.config import CdlmLearning
from demotic.systems.cdlm.examples import Example, Judged, held_out, judge, streams_of

RATIO = (0.7, 1.3)
"""Words against those of the references; a round beyond is rejected."""
_ENOUGH = 0.1  # BLEU that a round must gain for another one
_REJECTED = 4  # attempts in a row before it is left
_KEPT = 3  # of all rounds together, in units of one round's edges
_ORDER = 4  # of BLEU
DENSE = ("LanguageModel", "WordPenalty")
"""What is learned beside bigrams."""
RULES = ("RulePenalty", "Glue")
"""Numbers of rules: few large ones mean that a sentence stays as it is."""


@dataclass(frozen=True)
class Round:
    """What one attempt was worth."""

    number: int
    accepted: bool
    bleu: float
    """Of held-out sentences."""
    ratio: float
    """Their length against that of the references."""
    holding: float
    """Share of the forests learned from that hold the sentence itself."""
    edges: int
    """Of all forests."""
    variance: float
    value: float
    """Of the objective; those of different rounds cannot be compared."""
    evaluations: int
    gain: tuple[float, ...]
    """Weights of linear BLEU, from words on."""
    optimiser: str


@dataclass(frozen=True)
class Learned:
    """The best weights of all rounds."""

    weights: dict[str, float]
    start: Judged
    """Held-out sentences before the first round."""
    rounds: tuple[Round, ...]


@dataclass(frozen=True)
class _Step:
    """One attempt to find better weights."""

    weights: dict[str, float]
    holding: float
    edges: int
    value: float
    evaluations: int
    gain: tuple[float, ...]
    optimiser: str


class Rounds:
    """Learning under way."""

    def __init__(
        self,
        confuser: Confuser,
        examples: Sequence[Example],
        *,
        options: CdlmLearning | None = None,
        bigrams: bool = True,
        further: Sequence[str] = (),
        threads: int = 1,
        progress: Progress = SILENT,
        checkpoint: Path | None = None,
        origin: str = "",
        resume: bool = False,
    ) -> None:
        """``bigrams``: whether these are learned; ``further``: scores that are learned as well.

        With a ``checkpoint`` and ``resume`` it goes on after the last round that was accepted;
        ``origin`` tells what the confuser was made of from anything else.
        """
        self.confuser = confuser
        self.options = options or CdlmLearning()
        self.learned, self.judges = held_out(examples, self.options.held_out)
        counted = RULES if self.options.count_rules else ()
        self._names = tuple(dict.fromkeys([*DENSE, *counted, *further]))
        self._bigrams = bigrams
        self._threads, self._progress = threads, progress
        self._checkpoint, self._origin, self._resume = checkpoint, origin, resume
        self._warned = False
        self._confused: list[dict[str, float]] = []  # weights under which that was done
        self._forests: list[Forest] = []  # of all rounds so far, one for each sentence
        self._holding = 0.0  # the share of the latest that held the sentence itself

    # -- the story ------------------------------------------------------------------------------

    def run(self) -> Learned:
        """All rounds."""
        weights: dict[str, float] = dict(START)
        start = best = self.judged(weights)
        variance = self.options.variance
        rounds: list[Round] = []
        if known := self._known():
            for earlier in known["confused"]:  # so that the same forests are there
                self._confuse(earlier)
            weights, variance = known["weights"], known["variance"]
            rounds = [_round(record) for record in known["rounds"]]
            best = Judged(rounds[-1].bleu, rounds[-1].ratio)
        finished = len([r for r in rounds if r.accepted])
        for number in range(finished + 1, self.options.rounds + 1):
            if not self._streams:
                self._confuse(weights)
            before = best
            for left in reversed(range(_REJECTED)):
                if self._streams:
                    step = self._pass(weights, variance, number)
                else:
                    step = self._learn(weights, variance)
                after = step.weights
                now = self.judged(after)
                good = now.bleu >= before.bleu and not _strays(now.ratio, before.ratio)
                rounds.append(
                    Round(
                        number, good, now.bleu, now.ratio, step.holding, step.edges, variance,
                        step.value, step.evaluations, step.gain, step.optimiser,
                    )
                )  # fmt: skip
                self._say(rounds[-1], before)
                if good:
                    weights, best = after, now
                    break
                variance /= 2
                if left and self.options.accumulate and not self._streams:
                    self._confuse(after)  # what these weights like so much must be unlearned
            else:
                break
            self._save(weights, variance, rounds)
            if best.bleu - before.bleu < _ENOUGH:
                break
        if not any(each.accepted for each in rounds):
            self._progress.warn("no round helped, and nothing was learned")
        if weights["LanguageModel"] < 0:
            self._progress.warn("the language model's weight is negative")
        return Learned(weights, start, tuple(rounds))

    def judged(self, weights: Mapping[str, float]) -> Judged:
        """How good the confusions of held-out sentences are."""
        lines = [e.sentence for e in self.judges]
        found = self.confuser.best(lines, weights, threads=self._threads)
        return judge([" ".join(each.tokens) for each in found], self.judges)

    # -- a round --------------------------------------------------------------------------------

    @property
    def _streams(self) -> bool:
        """Are confusions forgotten after a step?"""
        return self.options.optimiser != "lbfgs"

    def _confuse(self, weights: Mapping[str, float]) -> None:
        """Confusions of all sentences under these weights, with those of earlier rounds."""
        found, holding = self._confusions(self.learned, weights, self._progress)
        if self._forests and self.options.accumulate:
            found = [
                self._added(old, new, weights)
                for old, new in zip(self._forests, found, strict=True)
            ]
        self._forests = found
        self._holding = holding / len(found)
        self._confused.append(dict(weights))

    def _confusions(
        self, examples: Sequence[Example], weights: Mapping[str, float], progress: Progress
    ) -> tuple[list[Forest], int]:
        """Confusions of some sentences under these weights, and how many hold the sentence."""
        found = self.confuser.forests(
            [e.sentence for e in examples], weights, threads=self._threads, progress=progress
        )
        own = self.confuser.identity if self.options.objective == "likelihood" else None
        kept, holding = [], 0
        for example, forest in zip(examples, found, strict=True):
            holding += forest.restrict(example.sentence.split()) is not None
            if own is not None:  # the sentence itself must be there
                forest = forest.merge(own(example.sentence, weights))
            kept.append(forest)
        return kept, holding

    def _added(self, old: Forest, new: Forest, weights: Mapping[str, float]) -> Forest:
        """Both, each derivation once, and no more of them than memory allows."""
        most = _KEPT * max(old.edges, new.edges)
        merged = new.merge(old)
        if merged.edges <= most:
            return merged
        scored = merged.rescore(_fixed(weights))
        return scored.prune(max_edges=most)

    def _learn(self, weights: Mapping[str, float], variance: float) -> _Step:
        """Weights that are better on the forests at hand."""
        space = self._forests[0].space
        free = self._free(space)
        objective, gain = self._objective(self.learned, self._forests, weights)
        found = minimise_objective(
            objective,
            weight_array(space, _fixed(weights)).copy(),
            free=free,
            penalty=Penalty(l2=variance),
            evaluations=self.options.evaluations,
            anneal=self.options.anneal,
            threads=self._threads,
        )
        return _Step(
            _named(space, found.weights, free), self._holding,
            sum(forest.edges for forest in self._forests), found.value, found.evaluations, gain,
            found.optimiser,
        )  # fmt: skip

    def _pass(self, weights: Mapping[str, float], variance: float, number: int) -> _Step:
        """Weights after all sentences, some at a time, confused under what the step begins with.

        Where a pass was rejected, the next goes more slowly, as its variance is smaller.
        """
        order = np.random.default_rng(number).permutation(len(self.learned)).tolist()
        learner, space = None, None
        free = np.zeros(0, np.bool_)
        now = dict(weights)
        holding = edges = steps = 0
        value = 0.0
        gain: tuple[float, ...] = ()
        parts = range(0, len(order), self.options.batch)
        with self._progress.step("learning", len(order), "sentences") as advance:
            for begin in parts:
                examples = [self.learned[i] for i in order[begin : begin + self.options.batch]]
                forests, held = self._confusions(examples, now, SILENT)
                if learner is None or space is None:
                    space = forests[0].space
                    free = self._free(space)
                    learner = Online(
                        weight_array(space, _fixed(weights)).copy(),
                        method="adam" if self.options.optimiser == "adam" else "adagrad",
                        rate=self.options.rate * variance / self.options.variance,
                        l2=1 / variance,
                        free=free,
                    )
                objective, gain = self._objective(examples, forests, now)
                slope = objective.evaluate(learner.weights, threads=self._threads)
                learner.step(slope.gradient, len(examples) / len(order))
                now = _named(space, learner.weights, free)
                value += slope.value
                holding, edges, steps = (
                    holding + held,
                    edges + sum(f.edges for f in forests),
                    steps + 1,
                )
                advance(len(examples))
        return _Step(now, holding / len(order), edges, value, steps, gain, self.options.optimiser)

    def _free(self, space: FeatureSpace) -> NDArray[np.bool_]:
        """Which weights are learned."""
        free = np.zeros(len(space), dtype=np.bool_)
        for name in self._names:
            place = space.find(name)
            if place is None:
                raise ArgumentError(f"confusion rules have no score '{name}'")
            free[place] = True
        if self._bigrams:
            free[space.dense :] = True
        return free

    def _objective(
        self, given: Sequence[Example], forests: Sequence[Forest], weights: Mapping[str, float]
    ) -> tuple[Objective, tuple[float, ...]]:
        if self.options.objective == "likelihood":
            pairs = [
                (forest, forest.restrict(example.sentence.split()))
                for example, forest in zip(given, forests, strict=True)
            ]
            right = [(forest, own) for forest, own in pairs if own is not None]
            return Likelihood([f for f, _ in right], [own for _, own in right]), ()
        examples = RiskSet(forests[0].space, columns=_ORDER + 1)
        for example, forest in zip(given, forests, strict=True):
            references = [line.split() for line in example.references]
            examples.add(forest, forest.bleu_counts(references, _ORDER))
        gain = _gain(given, forests, weights)
        mean = float(examples.expect(_fixed(weights)).counts @ np.array(gain))
        if mean < 0 and not self._warned:
            self._warned = True
            self._progress.warn("the mean gain is negative: no words at all would gain 0")
        return LinearRisk(examples, gain), gain

    # -- what is said and kept ------------------------------------------------------------------

    def _say(self, now: Round, before: Judged) -> None:
        verdict = "" if now.accepted else ", rejected"
        self._progress.say(
            f"round {now.number}: BLEU {before.bleu:.2f} -> {now.bleu:.2f}, "
            f"length {now.ratio:.2f}, {100 * now.holding:.0f} % of forests hold the sentence"
            f"{verdict}"
        )

    def _key(self) -> Any:
        sentences = [[e.sentence, *e.references] for e in (*self.learned, *self.judges)]
        options = asdict(replace(self.options, rounds=1))
        key = [
            options, list(self._names), self._bigrams, asdict(self.confuser.options), sentences,
            self._origin,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(key, default=str).encode()).hexdigest()

    def _save(self, weights: Mapping[str, float], variance: float, rounds: list[Round]) -> None:
        if self._checkpoint is None:
            return
        record = {
            "key": self._key(), "weights": dict(weights), "variance": variance,
            "rounds": [asdict(each) for each in rounds], "confused": self._confused,
        }  # fmt: skip
        files.write_lines(self._checkpoint, [json.dumps(record)])

    def _known(self) -> Any:
        """After the last accepted round of a training of the same with these options."""
        if not self._resume or self._checkpoint is None:
            return None
        try:
            record = json.loads(self._checkpoint.read_bytes())
            return record if record["key"] == self._key() else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _gain(
    examples: Sequence[Example], forests: Sequence[Forest], weights: Mapping[str, float]
) -> tuple[float, ...]:
    """Linear BLEU for sentences as good as the best confusions are now."""
    lines = [forest.rescore(_fixed(weights)).viterbi().text for forest in forests]
    statistics = Bleu(tokenise="none").statistics(lines, streams_of(examples))
    gain, _ = estimated_gain(statistics)
    return gain


def _named(
    space: FeatureSpace, weights: NDArray[np.float64], free: NDArray[np.bool_]
) -> dict[str, float]:
    """Those that are learned; zeros only of what is always there."""
    return {
        space.name(int(place)): float(weights[place])
        for place in np.flatnonzero(free)
        if weights[place] or space.name(int(place)) in DENSE
    }


def _strays(now: float, before: float) -> bool:
    """Is a length out of bounds, and not nearer to them than it was?"""
    within = RATIO[0] <= now <= RATIO[1]
    return not within and abs(math.log(max(now, 1e-9))) >= abs(math.log(max(before, 1e-9)))


def _fixed(weights: Mapping[str, float]) -> dict[str, float]:
    """With what is never learned."""
    return {**weights, "PassThrough": PASS_THROUGH}


def _round(record: Mapping[str, Any]) -> Round:
    return Round(**{**record, "gain": tuple(record["gain"])})
