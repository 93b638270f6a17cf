"""Labels are learned in the core as the generic loop over the task in one class would."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from demotic import _core
from demotic.align import Links, Text
from demotic.grammar import items_of, label_corpora
from demotic.learn import Expert, LinearPolicy, Mixture, SearnOptions, searn
from demotic.learn.searn import EventLearner
from demotic.systems.amasis.labels import LabelLearner
from tests.oracles import label_task as oracle

STRIDE = 16
Pairs = list[tuple[list[str], list[str], list[tuple[int, int]]]]


@cache
def pairs(count: int = 40, seed: int = 5) -> Pairs:
    """Sentences of up to six words in a random order, some without links."""
    rng = random.Random(seed)
    made: Pairs = []
    for _ in range(count):
        size = rng.randint(2, 6)
        order = [*range(size)]
        for _ in range(rng.randint(0, 2)):
            i = rng.randrange(size - 1)
            j = rng.randint(i + 1, size - 1)
            order[i : j + 1] = order[i : j + 1][::-1]
        links = [(s, t) for s, t in enumerate(order) if rng.random() < 0.85] or [(0, 0)]
        source = [rng.choice("abcd") for _ in range(size)]
        made.append((source, [rng.choice("xyz") for _ in range(size)], links))
    return made


@cache
def corpora(context: bool = False) -> _core.LabelCorpora:
    links = Links()
    for _, _, line in pairs():
        links.append(sorted(line))
    source = Text.of([" ".join(p[0]) for p in pairs()])
    target = Text.of([" ".join(p[1]) for p in pairs()])
    return label_corpora(source, target, links, min_count=2, context=context, holdout=0)


def task_of(learner: LabelLearner, *, masked: bool) -> oracle.LabelTask:
    made = corpora()
    gold = [made.gold(i, False) for i in range(made.sentences)]
    empty = [
        [item.target[0] == item.target[1] for item in items_of(s, t, links)[0]]
        for s, t, links in pairs()
    ]
    # Rows of items are read off the examples of the unmasked task, which skips none but the forced.
    rows = iter(
        LabelLearner(made).examples(Expert(), Expert(), seed=1, shared=True).rows.astype(np.int64)
    )
    active = [
        [[] if forced else [int(r) for r in next(rows) if r != 2**32 - 1] for _, forced in line]
        for line in gold
    ]
    return oracle.LabelTask(gold, empty, active, made.label_counts, STRIDE, masked=masked)


def every_cost(task: oracle.LabelTask, roll_in: object, roll_out: object) -> list[list[int]]:
    found = []
    for example in range(len(task)):
        for each in task.cost_examples(example, roll_in, roll_out, seed=1):  # type: ignore[arg-type]
            costs = [255] * len(task.counts)
            for action, cost in zip(each.actions, each.costs, strict=True):
                costs[action] = int(cost)
            found.append(costs)
    return found


def random_policy(seed: int, learner: LabelLearner) -> LinearPolicy:
    size = learner.task.rows * STRIDE
    return LinearPolicy(
        np.empty(0), np.random.default_rng(seed).normal(size=size).astype(np.float32)
    )


@pytest.mark.parametrize("mask", ["none", "full"])
def test_costs_are_those_of_the_task_in_one_class(mask: str) -> None:
    learner = LabelLearner(corpora(), mask=mask)
    task = task_of(learner, masked=mask == "full")
    policy = random_policy(1, learner)
    for roll_in, roll_out in [
        (Expert(), Expert()), (Expert(), None), (policy, Expert()), (policy, policy),
    ]:  # fmt: skip
        if mask == "none" and roll_in is policy:
            continue  # there the state does not matter, and decoders never ask for too much
        ours = learner.examples(roll_in, roll_out, seed=1, shared=True)
        assert ours.costs.tolist() == every_cost(task, roll_in, roll_out)


def test_costs_to_go_are_those_of_trying_everything() -> None:
    learner = LabelLearner(corpora(), mask="full")
    task = task_of(learner, masked=True)
    for sentence in range(len(task)):
        for place, row in enumerate(learner.task.costs_to_go(sentence)):
            for depth, value in enumerate(row):
                if place > 0 and depth == 0:
                    continue
                wanted = task.cost_to_go(sentence, place, depth)
                assert value == (2**32 - 1 if wanted >= oracle.NEVER else wanted)
        assert task.cost_to_go(sentence, 0, 0) == 0


def test_random_ways_never_come_to_a_dead_end() -> None:
    learner = LabelLearner(corpora(), mask="full")
    task = task_of(learner, masked=True)
    for seed in range(5):
        weights = random_policy(seed, learner).sparse.astype(np.float32)
        for sentence in range(len(task)):
            labels = learner.task.labels(sentence, [weights], [1.0], 1)
            assert task.depth(oracle.State(sentence, tuple(labels))) == 1


def test_without_a_mask_all_rounds_see_the_same_examples() -> None:
    learner = LabelLearner(corpora())
    first = learner.examples(Expert(), Expert(), seed=1, shared=True)
    mixed = Mixture.of(Expert(), random_policy(2, learner), 0.5)
    again = learner.examples(mixed, mixed, seed=9, shared=True)
    assert (first.rows == again.rows).all()
    assert (first.costs == again.costs).all()
    assert set(np.unique(first.costs)) <= {0, 1, 255}


def test_mixtures_draw_the_same_whatever_the_threads() -> None:
    one, three = (LabelLearner(corpora(), mask="full", depth=True, threads=n) for n in (1, 3))
    policy = Mixture.of(Expert(), random_policy(2, one), 0.5)
    results = [
        each.examples(policy, policy, seed=4, shared=shared)
        for each in (one, three)
        for shared in (True, False)
    ]
    assert (results[0].costs == results[2].costs).all()
    assert (results[1].costs == results[3].costs).all()
    other = one.examples(policy, policy, seed=5, shared=True)
    assert results[0].costs.shape != other.costs.shape or (results[0].costs != other.costs).any()


@pytest.mark.parametrize("method", ["searn", "dagger", "lols"])
@pytest.mark.parametrize("mask", ["none", "full"])
def test_labels_are_learned(method: str, mask: str) -> None:
    learner = LabelLearner(corpora(), mask=mask, depth=mask == "full")
    options = SearnOptions(method=method, iterations=3)  # type: ignore[arg-type]
    found = searn(learner, options=options)
    mean = found.mean()
    assert learner.accuracy(mean, held_out=False) > 0.5
    assert learner.temperature(mean) > 0
    again = searn(learner, options=options)
    assert (again.mean().sparse == mean.sparse).all()
    if mask == "none" and method == "searn":
        assert len({each.mistakes[0] for each in found.learned}) <= 3


def test_the_generic_learner_gets_as_many_right() -> None:
    fast = LabelLearner(corpora(), mask="full")
    slow = EventLearner(task_of(fast, masked=True))
    slow.task.sparse_features = fast.task.rows * STRIDE  # type: ignore[misc]
    options = SearnOptions(iterations=2)
    ours = fast.accuracy(searn(fast, options=options).mean(), held_out=False)
    theirs = fast.accuracy(searn(slow, options=options).mean(), held_out=False)
    assert ours == pytest.approx(theirs, abs=0.15)
