"""Learners in a few lines over cost examples: enough to show that the interface carries them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from demotic.learn import CostExample, CostTask, Expert, LinearPolicy, Mixture, Policy
from demotic.learn.averaged import AveragedWeights


def cost_perceptron(
    task: CostTask, examples: Sequence[CostExample], *, passes: int = 5, seed: int = 1
) -> LinearPolicy:
    """An averaged perceptron whose steps are as long as the cost of its mistakes."""
    learned = AveragedWeights(np.zeros(len(task.feature_names)), task.sparse_features)
    policy = LinearPolicy(learned.dense, learned.sparse)
    rng = np.random.default_rng(seed)
    for _ in range(passes):
        for i in rng.permutation(len(examples)):
            features, costs = examples[i].features, examples[i].costs
            chosen = int(np.argmax([policy.score(each) for each in features]))
            for each, size in ((features[int(np.argmin(costs))], 1.0), (features[chosen], -1.0)):
                size *= float(costs[chosen])
                learned.add(size * each.dense, each.ids, size * each.values)
            learned.step()
    return LinearPolicy(learned.mean(), learned.sparse_mean())


def visit(
    task: CostTask, roll_in: Policy, roll_out: Policy | None, number: int
) -> list[CostExample]:
    """The cost examples of one round over all examples."""
    return [
        each
        for example in range(len(task))
        for each in task.cost_examples(example, roll_in, roll_out, seed=1_000 * number + example)
    ]


def dagger(task: CostTask, *, rounds: int = 3) -> LinearPolicy:
    """Ross, Gordon and Bagnell (2011): all that was ever seen, the expert less and less."""
    learned, seen = cost_perceptron(task, []), []
    for number in range(rounds):
        roll_in = Mixture.of(learned, Expert(), 0.5**number)
        seen += visit(task, roll_in, None, number)
        learned = cost_perceptron(task, seen)
    return learned


def searn(task: CostTask, *, rounds: int = 3, beta: float = 0.5) -> Mixture:
    """Daumé, Langford and Marcu (2009): each round's classifier joins the mixture."""
    policy: Policy = Expert()
    for number in range(rounds):
        learned = cost_perceptron(task, visit(task, policy, policy, number))
        policy = Mixture.of(policy, learned, beta)
    assert isinstance(policy, Mixture)
    return policy.without_expert()


def lols(task: CostTask, *, rounds: int = 3, beta: float = 0.5) -> LinearPolicy:
    """Chang et al. (2015): learned roll-ins, roll-outs by the learned policy or the expert."""
    learned, seen = cost_perceptron(task, []), []
    for number in range(rounds):
        roll_out = Mixture.of(learned, Expert(), beta, drawn="rollout")
        seen += visit(task, learned, roll_out, number)
        learned = cost_perceptron(task, seen)
    return learned
