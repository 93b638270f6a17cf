"""Learning to search from the costs of actions: SEARN, and DAgger and LOLS by the same loop.

    found = searn(EventLearner(task), options=SearnOptions(iterations=3, beta=0.5), seed=1)
    found.policy                          # SEARN: the mixture of all rounds, without the expert

SEARN (Daumé, Langford and Marcu 2009): the policy begins as the expert.  Each round rolls it in,
asks what each action would cost if somebody went on from there, learns a classifier from that
round's examples alone, and mixes it in: h := beta h' + (1 - beta) h.

DAgger (Ross, Gordon and Bagnell 2011) learns one classifier from the examples of all rounds; the
expert's action costs nothing, all others 1.  LOLS (Chang et al. 2015) does so too, but rolls out:
by the expert or by what was learned, drawn for each roll-out.

A *learner* gives examples for a pair of policies and makes a policy of examples; the loop knows
nothing else.  :class:`EventLearner` is that of any ``CostTask``; a task whose loops are in the core
brings its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from demotic.errors import ArgumentError, CorruptFileError, check_choices, check_counts
from demotic.learn.events import EventGroups
from demotic.learn.perceptron import perceptron
from demotic.learn.policies import (
    Expert,
    LearnedPolicy,
    LinearPolicy,
    Mixture,
    Policy,
    policy_of_arrays,
)
from demotic.learn.saved_state import SavedState
from demotic.learn.search import CostExample, CostTask
from demotic.progress import SILENT, Progress

Examples = TypeVar("Examples")


@dataclass(frozen=True, kw_only=True)
class SearnOptions:
    """How to learn."""

    method: Literal["searn", "dagger", "lols"] = "searn"
    """Mix a new classifier into the policy; or learn one from the examples of all rounds."""
    iterations: int = 3
    """Rounds."""
    beta: float = 0.5
    """SEARN: the new classifier's share.  DAgger: the expert acts with chance beta ** round while
    rolling in.  LOLS: the share of roll-outs by the expert."""
    rollout: Literal["expert", "policy"] = "expert"
    """Who goes on after each action that SEARN tries."""
    shared: bool = True
    """All actions of a state are rolled out with the same random numbers."""
    passes: int = 5
    """Through the examples of a round."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "iterations", "passes", least=1)
        if not 0 < self.beta <= 1:
            raise ArgumentError(f"a beta of {self.beta:g}", remedy="it must be above 0, at most 1")


@dataclass(frozen=True, eq=False)
class Learned:
    """A classifier as a policy."""

    policy: LearnedPolicy
    margin: float
    """By how much it prefers what costs nothing on its examples, on the mean."""
    mistakes: tuple[int, ...] = ()
    """By pass."""


class CostLearner(Protocol[Examples]):
    """Examples of a task, and classifiers learned from them."""

    def examples(
        self, roll_in: Policy, roll_out: Policy | None, *, seed: int, shared: bool
    ) -> Examples:
        """What ``roll_in`` comes through and what actions cost there; see ``CostTask``."""

    def learn(self, rounds: Sequence[Examples], *, passes: int, seed: int) -> Learned:
        """A classifier of the examples of some rounds together."""

    def size(self, examples: Examples) -> int:
        """How many there are."""


@dataclass(frozen=True)
class SearnRound:
    """What a round learned from."""

    number: int
    examples: int
    margin: float
    mistakes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SearnResult:
    """What was learned."""

    policy: Policy
    """SEARN: the mixture without its expert.  Otherwise the last classifier."""
    learned: tuple[Learned, ...]
    """By round."""
    rounds: tuple[SearnRound, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        """Of each round's classifier in the policy."""
        if isinstance(self.policy, Mixture):
            return self.policy.shares
        return (*(0.0 for _ in self.learned[1:]), 1.0)

    def mean(self) -> LearnedPolicy:
        """One policy for searches that leave nothing to chance: the classifiers by their shares,
        each scaled to a mean margin of 1 on its own examples."""
        used = [
            (share / (each.margin if each.margin > 0 else 1.0), each.policy)
            for share, each in zip(self.shares, self.learned, strict=True)
            if share
        ]
        (factor, policy), *others = used
        return policy.blend(factor, others)


def searn(
    learner: CostLearner[Examples],
    *,
    options: SearnOptions | None = None,
    seed: int = 1,
    progress: Progress = SILENT,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> SearnResult:
    """Learn a policy; the same seed gives the same one.

    With ``checkpoint`` the classifiers are written after each round; ``resume`` continues from
    there, if it exists, to the same result as without a break.
    """
    options = options or SearnOptions()
    saved = None
    learned: list[Learned] = []
    rounds: list[SearnRound] = []
    if checkpoint is not None:
        chosen = asdict(options)
        del chosen["iterations"]  # more of them may be asked for later
        saved = SavedState(checkpoint, {"seed": seed, **chosen})
        if resume and checkpoint.exists():
            learned, rounds = _restored(saved)
            progress.say(f"learning continues after round {len(rounds)}")
    kept: list[Examples] = []
    if options.method != "searn":  # these learn from all rounds: what is not kept is made again
        kept = [_examples(learner, learned[:i], options, seed) for i in range(len(learned))]
    with progress.step("learning", total=options.iterations, unit="rounds") as advance:
        advance(len(learned))
        for number in range(len(learned), options.iterations):
            examples = _examples(learner, learned, options, seed)
            kept = [examples] if options.method == "searn" else [*kept, examples]
            made = learner.learn(kept, passes=options.passes, seed=seed + number)
            learned.append(made)
            rounds.append(
                SearnRound(number + 1, learner.size(examples), made.margin, made.mistakes)
            )
            if saved is not None:
                _save(saved, learned, rounds)
            advance(1)
    learned, rounds = learned[: options.iterations], rounds[: options.iterations]
    policy = _mixed(learned, options)
    if isinstance(policy, Mixture):
        policy = policy.without_expert()
    return SearnResult(policy, tuple(learned), tuple(rounds))


def _mixed(learned: Sequence[Learned], options: SearnOptions) -> Policy:
    """The policy after some rounds."""
    if options.method != "searn":
        return learned[-1].policy if learned else Expert()
    policy: Policy = Expert()
    for each in learned:
        policy = Mixture.of(policy, each.policy, options.beta)
    return policy


def _examples(
    learner: CostLearner[Examples], learned: Sequence[Learned], options: SearnOptions, seed: int
) -> Examples:
    """Those of the next round."""
    number = len(learned)
    roll_in = policy = _mixed(learned, options)
    roll_out: Policy | None = None
    if options.method == "searn":
        roll_out = Expert() if options.rollout == "expert" else policy
    elif learned and options.method == "dagger":
        roll_in = Mixture.of(policy, Expert(), options.beta**number)
    elif options.method == "lols":
        roll_out = Expert()
        if learned:
            roll_out = Mixture.of(policy, Expert(), options.beta, drawn="rollout")
    own = (seed * 1_000_003 + number) % 2**63
    return learner.examples(roll_in, roll_out, seed=own, shared=options.shared)


def _save(saved: SavedState, learned: Sequence[Learned], rounds: Sequence[SearnRound]) -> None:
    arrays = {
        f"{name}{i}": array
        for i, each in enumerate(learned)
        for name, array in each.policy.arrays().items()
    }
    state = {"rounds": [asdict(each) for each in rounds]}
    saved.save(state, arrays, number=len(rounds))


def _restored(saved: SavedState) -> tuple[list[Learned], list[SearnRound]]:
    record, arrays = saved.load()
    try:
        rounds = [
            SearnRound(
                int(each["number"]),
                int(each["examples"]),
                float(each["margin"]),
                tuple(int(n) for n in each["mistakes"]),
            )
            for each in record["rounds"]
        ]
        if arrays is None:
            raise ValueError("its arrays are missing")
        learned = [
            Learned(
                policy_of_arrays(_numbered(arrays, i)),
                each.margin,
                each.mistakes,
            )
            for i, each in enumerate(rounds)
        ]
    except (ValueError, KeyError, TypeError, CorruptFileError) as error:
        raise saved.damaged(str(error)) from None
    return learned, rounds


def _numbered(arrays: Mapping[str, NDArray[Any]], number: int) -> dict[str, NDArray[Any]]:
    """Those of one round, under their own names."""
    names = {name: name.rstrip("0123456789") for name in arrays}
    return {own: arrays[name] for name, own in names.items() if name == f"{own}{number}"}


class EventLearner:
    """The learner of any task that says what actions cost: an averaged perceptron in the core."""

    def __init__(self, task: CostTask) -> None:
        self.task = task

    def examples(
        self, roll_in: Policy, roll_out: Policy | None, *, seed: int, shared: bool
    ) -> list[CostExample]:
        """See :class:`CostLearner`."""
        seeds = np.random.default_rng(seed).integers(0, 2**63, size=len(self.task))
        return [
            example
            for number, own in enumerate(seeds)
            for example in self.task.cost_examples(
                number, roll_in, roll_out, seed=int(own), shared=shared
            )
        ]

    def learn(self, rounds: Sequence[list[CostExample]], *, passes: int, seed: int) -> Learned:
        """See :class:`CostLearner`."""
        every = [example for examples in rounds for example in examples]
        dense, sparse = len(self.task.feature_names), self.task.sparse_features
        policy = LinearPolicy(np.zeros(dense), np.zeros(sparse))
        if every:
            events = EventGroups.of_examples(every)
            found = perceptron(events, passes=passes, averaged=True, seed=seed).weights
            policy.dense[: len(found.dense)] = found.dense
            policy.sparse[: len(found.sparse)] = found.sparse
        return Learned(policy, _margin(policy, every))

    def size(self, examples: list[CostExample]) -> int:
        """See :class:`CostLearner`."""
        return len(examples)


def _margin(policy: LinearPolicy, examples: Sequence[CostExample]) -> float:
    margins: list[float] = []
    for each in examples:
        scores = np.array([policy.score(features) for features in each.features])
        right = each.costs == 0
        if not right.all():
            margins.append(float(scores[right].max() - scores[~right].max()))
    return float(np.mean(margins)) if margins else 0.0
