"""Sequence labelling is learned through the interface, by every kind of learner."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.learn import CostTask, DrlOptions, Expert, LinearPolicy, Policy, drl
from demotic.learn.labelling import Labelled, Labelling
from demotic.learn.policies import no_draw
from tests.learn.imitation import dagger, lols, searn
from tests.learn.trees import Anything
from tests.oracles import search as oracle

LABELS = ("A", "D", "N", "V")
FOLLOWS = {
    "": [0.1, 0.5, 0.3, 0.1], "A": [0.2, 0.0, 0.8, 0.0], "D": [0.4, 0.0, 0.6, 0.0],
    "N": [0.0, 0.1, 0.2, 0.7], "V": [0.2, 0.5, 0.1, 0.2],
}  # fmt: skip
Sentences = list[tuple[list[str], list[str]]]


def sentences(count: int, seed: int) -> Sentences:
    """Two words of three have one label; of the others one must guess from what is around."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        labels: list[str] = []
        for _ in range(rng.integers(3, 8)):
            labels.append(str(rng.choice(LABELS, p=FOLLOWS[labels[-1] if labels else ""])))
        words = [
            (label if rng.random() < 0.67 else "any") + str(rng.integers(6)) for label in labels
        ]
        made.append((words, labels))
    return made


TRAINING, UNSEEN = sentences(120, 1), sentences(120, 2)


def tasks() -> tuple[Labelling, Labelling]:
    training = Labelling(TRAINING)
    return training, Labelling(UNSEEN, known=training.known)


def unlearned(task: Labelling) -> LinearPolicy:
    return LinearPolicy(np.empty(0), np.zeros(task.sparse_features))


@pytest.mark.parametrize("learner", [dagger, lols])
def test_labels_of_unseen_sentences_are_learned(
    learner: Callable[[CostTask], LinearPolicy],
) -> None:
    training, unseen = tasks()
    assert unseen.accuracy(unlearned(training)) < 0.3
    assert unseen.accuracy(learner(training)) > 0.85


def test_every_classifier_of_searn_learns_and_so_does_their_mixture() -> None:
    training, unseen = tasks()
    mixture = searn(training)
    draw = np.random.default_rng(1).random
    words = sum(len(words) for words, _ in UNSEEN)
    wrong = sum(mixture.cost(unseen, unseen.start(i), draw) for i in range(len(unseen)))
    assert 1 - wrong / words > 0.8
    for policy in mixture.policies:
        assert isinstance(policy, LinearPolicy)
        assert unseen.accuracy(policy) > 0.8


@pytest.mark.parametrize("update", ["full_path", "expected_reward"])
def test_roll_outs_alone_teach_without_an_expert(update: str) -> None:
    class Alone(Labelling):
        def expert(self, state: Labelled) -> int:
            raise AssertionError("not asked")

    training = Alone(TRAINING)
    unseen = Labelling(UNSEEN, known=training.known)
    options = DrlOptions(epochs=5, rate=0.5, samples=6, update=update)  # type: ignore[arg-type]
    result = drl(training, {}, options=options)
    assert unseen.accuracy(LinearPolicy(np.empty(0), result.sparse)) > 0.7
    assert result.epochs[-1].reward > result.epochs[0].reward + 1, "a word more of five is right"


@settings(max_examples=30)
@given(st.integers(0, 1000), st.sampled_from([Anything(), Expert()]))
def test_costs_are_those_of_all_labellings(seed: int, roll_in: Policy) -> None:
    made = [(words[:4], labels[:4]) for words, labels in sentences(2, seed)]
    task = Labelling(made)
    for example in range(2):
        state = task.start(example)
        places = []
        for each in task.cost_examples(example, roll_in, Expert(), seed=seed):
            places.append(each.place)
            assert each.costs.tolist() == oracle.costs_above_best(task, state)
            state = task.next(state, each.actions[each.taken])
        choices = len(task.known.labels) > 1
        assert places == (list(range(len(made[example][0]))) if choices else [])


@given(st.integers(0, 1000))
def test_what_the_expert_will_cost_is_what_following_it_costs(seed: int) -> None:
    known = Labelling(TRAINING[:2]).known
    short = [(words[:4], labels[:4]) for words, labels in sentences(2, seed)]
    task = Labelling([*short, (["neu", "N1"], ["new", "N"])], known=known)
    for example in range(len(task)):
        walk = Anything().follow(task, task.start(example), np.random.default_rng(seed).random)
        for state in walk.states:
            end = Expert().follow(task, state, no_draw).states[-1]
            assert task.expert_cost(state) == task.end_cost(end) == oracle.least_cost(task, state)


def test_features_see_the_word_its_neighbours_and_the_label_before() -> None:
    task = Labelling([(["the", "house"], ["D", "N"])])
    names = {row: name for name, row in task.known.rows.items()}
    features = task.features(Labelled(0, (0,)), 1)
    assert features.values.tolist() == [1.0] * 5
    assert (features.ids % 2).tolist() == [1] * 5, "the label N"
    assert [names[int(i) // 2] for i in features.ids] == [
        ("any", ""), ("word", "house"), ("previous word", "the"), ("next word", ""),
        ("previous label", "D"),
    ]  # fmt: skip


def test_unseen_words_and_labels_do_no_harm() -> None:
    known = Labelling([(["the", "house"], ["D", "N"])]).known
    task = Labelling([(["ein", "haus"], ["D", "X"]), ([], [])], known=known)
    policy = unlearned(task)
    assert len(task.features(task.start(0), 0).ids) == 3, "neighbours of the sentence, and any"
    assert task.labels(0, policy) == ["D", "D"]
    assert task.labels(1, policy) == []
    assert task.accuracy(policy) == 0.5
    assert Labelling([]).accuracy(policy) == 1.0


def test_words_without_a_label_are_refused() -> None:
    with pytest.raises(ArgumentError, match="sentence 2 has 2 words and 1 labels"):
        Labelling([(["a"], ["A"]), (["a", "b"], ["A"])])
