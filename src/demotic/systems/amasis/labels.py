"""Labels learned by SEARN: the loop is generic, its roll-ins and its learners are in the core."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic import _core, files
from demotic.align import Text
from demotic.errors import ArgumentError
from demotic.grammar.items import classes_by_id, operations_of
from demotic.learn import Expert, LinearPolicy, Mixture, Policy
from demotic.learn.ensembles import Ensembles
from demotic.learn.policies import LearnedPolicy
from demotic.learn.searn import Learned, SearnResult, searn
from demotic.learn.tree_policy import TreePolicy
from demotic.progress import SILENT, Progress
from demotic.systems.amasis.config import LabelConfig

Chooser = NDArray[np.float32] | _core.TreeEnsembles
_NO_DENSE = np.zeros(0)
LINEAR: dict[str, type[_core.CostPerceptron] | type[_core.CostSoftmax]] = {
    "perceptron": _core.CostPerceptron,
    "softmax": _core.CostSoftmax,
}
"""Who learns weights for a choice among labels from what each of them costs."""


class LabelLearner:
    """Items of aligned text as a task to learn labels from; see ``CostLearner``."""

    def __init__(
        self, corpora: _core.LabelCorpora, config: LabelConfig | None = None, *, threads: int = 1
    ) -> None:
        config = config or LabelConfig()
        self.corpora = corpora
        full = config.mask == "full"
        self.task, self.held_out = (
            _core.LabelTask(corpora, held_out, full, config.depth, config.stack, config.loss)
            for held_out in (False, True)
        )
        self.config = config
        self.threads = threads

    def examples(
        self, roll_in: Policy, roll_out: Policy | None, *, seed: int, shared: bool
    ) -> _core.CostExamples:
        """One call of the core for all sentences."""
        kind = "none" if roll_out is None else "expert" if roll_out == Expert() else "policy"
        return self.task.examples(
            *_mixture(roll_in), kind, *_mixture(roll_out or Expert()), seed, shared, self.threads
        )

    def learn(self, rounds: Sequence[_core.CostExamples], *, passes: int, seed: int) -> Learned:
        """By linear learners one example after the other, in random order."""
        every = rounds[0]
        if len(rounds) > 1:
            every = _core.CostExamples()
            for examples in rounds:
                every.append(examples)
        if self.config.learner == "boosted":
            return self._boost(every)
        order = self.task.order
        learner = LINEAR[self.config.learner](self.task.rows, order, seed)
        mistakes = tuple(learner.learn(every) for _ in range(passes))
        weights = learner.averaged()
        margin = _core.mean_margin(every, weights, order)
        return Learned(LinearPolicy(_NO_DENSE, weights.astype(np.float64)), margin, mistakes)

    def _boost(self, examples: _core.CostExamples) -> Learned:
        """A classifier of boosted trees for each label; nothing is left to chance."""
        options = self.config.boosting
        trees = _core.boost_costs(
            examples, self.task.rows, self.task.order, options.lambda_min, options.decay,
            options.max_trees, options.gain, options.min_gain_factor, options.max_depth,
            options.schedule == "converge", options.penalty == "leaf", self.threads,
        )  # fmt: skip
        margin = _core.mean_margin(examples, trees, self.task.order)
        return Learned(TreePolicy(Ensembles(trees)), margin)

    def size(self, examples: _core.CostExamples) -> int:
        """How many there are."""
        return len(examples)

    def accuracy(self, policy: Policy, *, held_out: bool = True, seed: int = 1) -> float:
        """The share of labels that a policy gets right where there is a choice."""
        task = self.held_out if held_out else self.task
        weights, shares, _ = _mixture(policy)
        right, labels = task.accuracy(weights, shares, seed)
        return right / max(1, labels)

    def order_bleu(self, policy: Policy, *, held_out: bool = True, seed: int = 1) -> float:
        """BLEU of the items' target words in the order of the labels that a policy chooses; asks
        for corpora with ``words`` or ``stack``."""
        weights, shares, _ = _mixture(policy)
        return (self.held_out if held_out else self.task).order_bleu(weights, shares, seed)

    def temperature(self, policy: LearnedPolicy) -> float:
        """By which scores are divided so that they tell best how probable labels are."""
        chooses = chooser_of(policy)
        task = self.held_out if self.corpora.held_out else self.task

        def loss(logarithm: float) -> float:
            return -task.log_likelihood(chooses, math.exp(logarithm))

        # Margins are about 1: beyond these bounds there was too little text to tell.
        return math.exp(_minimum(loss, math.log(0.1), math.log(10)))


def chooser_of(policy: LearnedPolicy) -> Chooser:
    """As the core takes it."""
    if isinstance(policy, LinearPolicy):
        return np.ascontiguousarray(policy.sparse, dtype=np.float32)
    if isinstance(policy, TreePolicy):
        trees: _core.TreeEnsembles = policy.ensembles.core
        return trees
    raise ArgumentError(f"labels have no policy of the kind {type(policy).__name__}")


def _mixture(policy: Policy) -> tuple[list[Chooser], list[float], bool]:
    """Choosers, shares, whether they are drawn once for a roll-out; the rest is the expert's."""
    if isinstance(policy, Expert):
        return [], [], False
    if isinstance(policy, LearnedPolicy):
        return [chooser_of(policy)], [1.0], False
    if isinstance(policy, Mixture):
        parts = [
            (chooser_of(each), share)
            for each, share in zip(policy.policies, policy.shares, strict=True)
            if isinstance(each, LearnedPolicy)
        ]
        others = sum(isinstance(each, Expert) for each in policy.policies)
        if len(parts) + others == len(policy.policies):
            return [w for w, _ in parts], [s for _, s in parts], policy.drawn == "rollout"
    raise ArgumentError(f"labels have no policy of the kind {type(policy).__name__}")


def _minimum(loss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one valley is lowest, by golden sections."""
    ratio = (math.sqrt(5) - 1) / 2
    one, other = high - ratio * (high - low), low + ratio * (high - low)
    at_one, at_other = loss(one), loss(other)
    while high - low > 1e-2:
        if at_one <= at_other:
            high, other, at_other = other, one, at_one
            one = high - ratio * (high - low)
            at_one = loss(one)
        else:
            low, one, at_one = one, other, at_other
            other = low + ratio * (high - low)
            at_other = loss(other)
    return (low + high) / 2


def learn_labels(
    corpora: _core.LabelCorpora,
    source: Text,
    target: Text,
    config: LabelConfig,
    *,
    out: Path,
    classes: Mapping[str, int] | None = None,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
    checkpoint: Path | None = None,
    resume: bool = False,
) -> dict[str, Any]:
    """Learn labels and write the model to ``out``; a record of what was found.

    A mixture that draws cannot be searched: the model holds its mean.
    """
    learner = LabelLearner(corpora, config, threads=threads)
    found = searn(
        learner, options=config.searn, seed=seed, progress=progress, checkpoint=checkpoint,
        resume=resume,
    )  # fmt: skip
    mean = found.mean()
    temperature = learner.temperature(mean)
    with files.atomic_path(out) as temporary:
        _core.LabelModel.save(
            str(temporary), config.features, config.mask, config.depth, config.stack,
            classes_by_id(source, classes or {}), temperature, corpora.keys, corpora.label_counts,
            chooser_of(mean), source.vocab, target.vocab,
        )  # fmt: skip
    record = report(learner, found, mean, seed)
    progress.say(
        f"{len(record['labels'])} labels, {len(corpora.keys):,} features, "
        f"{record['accuracy']['mean']:.1%} right on held-out text"
    )
    return {**record, "temperature": temperature}


def report(
    learner: LabelLearner, found: SearnResult, mean: LearnedPolicy, seed: int
) -> dict[str, Any]:
    """The inventory of labels, and how many are right on text that was held out."""
    counts = learner.corpora.label_counts
    held_out = learner.corpora.held_out > 0
    return {
        "labels": {",".join(operations_of(i)): n for i, n in enumerate(counts) if n},
        "features": len(learner.corpora.keys),
        "items": learner.corpora.items,
        "skipped": learner.corpora.skipped,
        "beyond": learner.corpora.beyond,
        "accuracy": {
            "mean": learner.accuracy(mean, held_out=held_out),
            "last": learner.accuracy(found.learned[-1].policy, held_out=held_out),
            "sampled": learner.accuracy(found.policy, held_out=held_out, seed=seed),
            "rounds": [learner.accuracy(e.policy, held_out=held_out) for e in found.learned],
        },
        "rounds": [asdict(each) for each in found.rounds],
    }
