"""Confuse, learn, confuse anew: the weights of a language model of confusions.

    rounds = Rounds(confuser, examples, options=CdlmLearning())
    learned = rounds.run()
    learned.weights, learned.rounds

Each round confuses the sentences under the weights so far and minimises the risk, or maximises the
likelihood, over all confusions seen (Li et al. 2010, section 4).  A round that makes held-out
sentences worse, or much too long or short, is rejected: the weights go back to where they were, and
the next attempt keeps closer to 0 and knows what the rejected weights would have liked.
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

from demotic import files
from demotic.decode.confusion import PASS_THROUGH, START, Confuser
from demotic.errors import ArgumentError
from demotic.forest import Forest
from demotic.forest.weights import weight_array
from demotic.learn.objectives import Likelihood, LinearRisk, Objective, estimated_gain
from demotic.learn.optimise import Found, Penalty, minimise_objective
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
        resume: bool = False,
    ) -> None:
        """``bigrams``: whether these are learned; ``further``: scores that are learned as well.

        With a ``checkpoint`` and ``resume`` it goes on after the last round that was accepted.
        """
        self.confuser = confuser
        self.options = options or CdlmLearning()
        self.learned, self.judges = held_out(examples, self.options.held_out)
        counted = RULES if self.options.count_rules else ()
        self._names = tuple(dict.fromkeys([*DENSE, *counted, *further]))
        self._bigrams = bigrams
        self._threads, self._progress = threads, progress
        self._checkpoint, self._resume = checkpoint, resume
        self._warned = False
        self._confused: list[dict[str, float]] = []  # weights under which that was done
        self._forests: list[Forest] = []  # of all rounds so far, one for each sentence

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
            holding = self._confuse(weights)
            before = best
            for left in reversed(range(_REJECTED)):
                found, after, gain = self._learn(weights, variance)
                now = self.judged(after)
                good = now.bleu >= before.bleu and not _strays(now.ratio, before.ratio)
                rounds.append(
                    Round(
                        number, good, now.bleu, now.ratio, holding,
                        sum(forest.edges for forest in self._forests), variance, found.value,
                        found.evaluations, gain, found.optimiser,
                    )
                )  # fmt: skip
                self._say(rounds[-1], before)
                if good:
                    weights, best = after, now
                    break
                variance /= 2
                if left and self.options.accumulate:
                    self._confuse(after)  # what these weights like so much must be unlearned
            else:
                break
            self._save(weights, variance, rounds)
            if best.bleu - before.bleu < _ENOUGH:
                break
        if not any(each.accepted for each in rounds):
            self._progress.say("warning: no round helped, and nothing was learned")
        if weights["LanguageModel"] < 0:
            self._progress.say("warning: the language model's weight is negative")
        return Learned(weights, start, tuple(rounds))

    def judged(self, weights: Mapping[str, float]) -> Judged:
        """How good the confusions of held-out sentences are."""
        lines = [e.sentence for e in self.judges]
        found = self.confuser.best(lines, weights, threads=self._threads)
        return judge([" ".join(each.tokens) for each in found], self.judges)

    # -- a round --------------------------------------------------------------------------------

    def _confuse(self, weights: Mapping[str, float]) -> float:
        """Confusions under these weights, with those of earlier rounds; the share that hold y."""
        found = self.confuser.forests(
            [e.sentence for e in self.learned],
            weights,
            threads=self._threads,
            progress=self._progress,
        )
        own = self.confuser.identity if self.options.objective == "likelihood" else None
        kept, holding = [], 0
        for place, (example, forest) in enumerate(zip(self.learned, found, strict=True)):
            holding += forest.restrict(example.sentence.split()) is not None
            if own is not None:  # the sentence itself must be there
                forest = forest.merge(own(example.sentence, weights))
            if self._forests and self.options.accumulate:
                forest = self._added(self._forests[place], forest, weights)
            kept.append(forest)
        self._forests = kept
        self._confused.append(dict(weights))
        return holding / len(kept)

    def _added(self, old: Forest, new: Forest, weights: Mapping[str, float]) -> Forest:
        """Both, each derivation once, and no more of them than memory allows."""
        most = _KEPT * max(old.edges, new.edges)
        merged = new.merge(old)
        if merged.edges <= most:
            return merged
        scored = merged.rescore(_fixed(weights))
        return scored.prune(max_edges=most)

    def _learn(
        self, weights: Mapping[str, float], variance: float
    ) -> tuple[Found, dict[str, float], tuple[float, ...]]:
        """Weights that are better on the forests at hand."""
        space = self._forests[0].space
        start = weight_array(space, _fixed(weights)).copy()
        free = np.zeros(len(space), dtype=np.bool_)
        for name in self._names:
            place = space.find(name)
            if place is None:
                raise ArgumentError(f"confusion rules have no score '{name}'")
            free[place] = True
        if self._bigrams:
            free[space.dense :] = True
        objective, gain = self._objective(weights)
        found = minimise_objective(
            objective,
            start,
            free=free,
            penalty=Penalty(l2=variance),
            evaluations=self.options.evaluations,
            anneal=self.options.anneal,
            threads=self._threads,
        )
        after = {
            space.name(int(place)): float(found.weights[place])
            for place in np.flatnonzero(free)
            if found.weights[place] or space.name(int(place)) in DENSE
        }
        return found, after, gain

    def _objective(self, weights: Mapping[str, float]) -> tuple[Objective, tuple[float, ...]]:
        if self.options.objective == "likelihood":
            pairs = [
                (forest, forest.restrict(example.sentence.split()))
                for example, forest in zip(self.learned, self._forests, strict=True)
            ]
            right = [(forest, own) for forest, own in pairs if own is not None]
            return Likelihood([f for f, _ in right], [own for _, own in right]), ()
        examples = RiskSet(self._forests[0].space, columns=_ORDER + 1)
        for example, forest in zip(self.learned, self._forests, strict=True):
            references = [line.split() for line in example.references]
            examples.add(forest, forest.bleu_counts(references, _ORDER))
        gain = self._gain(weights)
        mean = float(examples.expect(_fixed(weights)).counts @ np.array(gain))
        if mean < 0 and not self._warned:
            self._warned = True
            self._progress.say("warning: the mean gain is negative: no words at all would gain 0")
        return LinearRisk(examples, gain), gain

    def _gain(self, weights: Mapping[str, float]) -> tuple[float, ...]:
        """Linear BLEU for sentences as good as the best confusions are now."""
        scored = (forest.rescore(_fixed(weights)) for forest in self._forests)
        lines = [forest.viterbi().text for forest in scored]
        statistics = Bleu(tokenise="none").statistics(lines, streams_of(self.learned))
        gain, _ = estimated_gain(statistics)
        return gain

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
        key = [options, list(self._names), self._bigrams, asdict(self.confuser.options), sentences]
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
        """After the last accepted round of a training of the same sentences with these options."""
        if not self._resume or self._checkpoint is None:
            return None
        try:
            record = json.loads(self._checkpoint.read_bytes())
            return record if record["key"] == self._key() else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _strays(now: float, before: float) -> bool:
    """Is a length out of bounds, and not nearer to them than it was?"""
    within = RATIO[0] <= now <= RATIO[1]
    return not within and abs(math.log(max(now, 1e-9))) >= abs(math.log(max(before, 1e-9)))


def _fixed(weights: Mapping[str, float]) -> dict[str, float]:
    """With what is never learned."""
    return {**weights, "PassThrough": PASS_THROUGH}


def _round(record: Mapping[str, Any]) -> Round:
    return Round(**{**record, "gain": tuple(record["gain"])})
