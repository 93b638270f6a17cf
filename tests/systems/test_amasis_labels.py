"""Labels are learned in the core as the generic loop over the task in one class would."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from demotic import _core
from demotic.align import Links, Text
from demotic.errors import ArgumentError
from demotic.grammar import items_of, label_corpora
from demotic.grammar.items import Item, operations_of
from demotic.learn import Expert, LinearPolicy, Mixture, SearnOptions, searn
from demotic.learn.boosting import BinaryRows, BoostingOptions, train_groups
from demotic.learn.searn import EventLearner
from demotic.learn.tree_policy import TreePolicy
from demotic.systems.amasis.config import LabelConfig
from demotic.systems.amasis.labels import LabelLearner, chooser_of, learn_labels
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


def texts() -> tuple[Text, Text, Links]:
    links = Links()
    for _, _, line in pairs():
        links.append(sorted(line))
    source = Text.of([" ".join(p[0]) for p in pairs()])
    return source, Text.of([" ".join(p[1]) for p in pairs()]), links


@cache
def corpora(stack: bool = False, words: bool = False) -> _core.LabelCorpora:
    return label_corpora(*texts(), min_count=2, holdout=0, stack=stack, words=words)


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
    learner = LabelLearner(corpora(), LabelConfig(mask=mask))  # type: ignore[arg-type]
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
    learner = LabelLearner(corpora(), LabelConfig(mask="full"))
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
    learner = LabelLearner(corpora(), LabelConfig(mask="full"))
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
    one, three = (
        LabelLearner(corpora(), LabelConfig(mask="full", depth=True), threads=n) for n in (1, 3)
    )
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
    learner = LabelLearner(corpora(), LabelConfig(mask=mask, depth=mask == "full"))  # type: ignore[arg-type]
    options = SearnOptions(method=method, iterations=3)  # type: ignore[arg-type]
    found = searn(learner, options=options)
    mean = found.mean()
    assert learner.accuracy(mean, held_out=False) > 0.5
    assert learner.temperature(mean) > 0
    again = searn(learner, options=options)
    assert isinstance(mean, LinearPolicy)
    assert (again.mean().sparse == mean.sparse).all()  # type: ignore[attr-defined]
    if mask == "none" and method == "searn":
        assert len({each.mistakes[0] for each in found.learned}) <= 3


def test_the_generic_learner_gets_as_many_right() -> None:
    fast = LabelLearner(corpora(), LabelConfig(mask="full"))
    slow = EventLearner(task_of(fast, masked=True))
    slow.task.sparse_features = fast.task.rows * STRIDE  # type: ignore[misc]
    options = SearnOptions(iterations=2)
    ours = fast.accuracy(searn(fast, options=options).mean(), held_out=False)
    theirs = fast.accuracy(searn(slow, options=options).mean(), held_out=False)
    assert ours == pytest.approx(theirs, abs=0.15)


# -- the stack -----------------------------------------------------------------------------------


def execute(items: list[Item], labels: list[int], words: list[str]) -> list[list[str]]:
    """The stack after some items; a label that asks for too much takes what there is."""
    stack: list[list[str]] = []
    for item, label in zip(items, labels, strict=False):
        stack.append(words[item.target[0] : item.target[1]])
        for sign in operations_of(label)[1:]:
            if len(stack) > 1:
                right, left = stack.pop(), stack.pop()
                stack.append(left + right if sign == "R+" else right + left)
    return stack


def labels_of(gold: list[tuple[int, bool]], chosen: list[int]) -> list[int]:
    """Forced items join what is there."""
    return [
        (1 if place else 0) if forced else chosen[place]
        for place, (_, forced) in enumerate(gold[: len(chosen)])
    ]


@pytest.mark.parametrize("learner", ["perceptron", "softmax", "boosted"])
def test_labels_see_the_same_stack_in_training_and_in_a_model(learner: str, tmp_path: Path) -> None:
    source, target, _ = texts()
    config = LabelConfig(stack=True, min_count=2, learner=learner)  # type: ignore[arg-type]
    made = corpora(stack=True)
    learn_labels(made, source, target, config, out=tmp_path / "labels.bin")
    model = _core.LabelModel(str(tmp_path / "labels.bin"), True)
    assert model.stack
    found = searn(LabelLearner(made, config), options=config.searn).mean()
    chooser = chooser_of(found)
    task = LabelLearner(made, config).task
    ranks = {label: place for place, label in enumerate(task.order)}
    differs = 0
    for number, (words, translation, links) in enumerate(pairs()):
        items = list(items_of(words, translation, links)[0])
        gold = made.gold(number, False)
        labels = task.labels(number, [chooser], [1.0], 1)
        differs += labels != [label for label, _ in gold]
        ids = [source.vocab.find(word) for word in words]
        chosen: list[int] = []
        for place, (item, label) in enumerate(zip(items, labels, strict=True)):
            if gold[place][1]:
                continue
            stack = execute(items, labels_of(gold, labels[:place]), translation)
            ends = [target.vocab.find(fragment[-1]) for fragment in stack]
            borders = [target.vocab.find(stack[-1][0]), ends[-1], *ends[-2:-1]] if stack else []
            own = [target.vocab.find(w) for w in translation[item.target[0] : item.target[1]]]
            begin, end = item.source
            scores = model.scores(ids, begin, end, own, len(stack), chosen, borders)
            fitting = [
                x for x in range(len(scores))
                if model.counts[x] and (x + 1) // 2 <= len(stack)
            ]  # fmt: skip
            assert label == max(fitting, key=lambda x: (scores[x], -ranks[x]))
            chosen.append(label)
    assert differs > 3  # among them are stacks that nobody labelled by hand


def test_rounds_differ_where_labels_see_the_stack() -> None:
    learner = LabelLearner(corpora(stack=True), LabelConfig(stack=True))
    first = learner.examples(Expert(), Expert(), seed=1, shared=True)
    again = learner.examples(random_policy(2, learner), Expert(), seed=1, shared=True)
    assert first.rows.shape == again.rows.shape
    assert (first.rows != again.rows).any()
    assert (first.costs == again.costs).all()


def test_what_a_label_costs_in_bleu_is_what_the_sentence_lacks() -> None:
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="none", effective_order=True)
    learner = LabelLearner(corpora(words=True), LabelConfig(loss="bleu"))
    costs = iter(learner.examples(Expert(), Expert(), seed=1, shared=True).costs.tolist())
    for number, (words, translation, links) in enumerate(pairs()):
        items = list(items_of(words, translation, links)[0])
        gold = learner.corpora.gold(number, False)
        right = [label for label, _ in gold]
        for place, (_, forced) in enumerate(gold):
            if forced:
                continue
            losses = {}
            for label, count in enumerate(learner.corpora.label_counts):
                if count:
                    chosen = labels_of(gold, [*right[:place], label, *right[place + 1 :]])
                    ends = execute(items, chosen, translation)
                    text = " ".join(word for fragment in ends for word in fragment)
                    score = metric.sentence_score(text, [" ".join(translation)]).score
                    losses[label] = 200 - 2 * score + (label != right[place])
            least = min(losses.values())
            found = next(costs)
            for label, loss in losses.items():
                assert found[label] == pytest.approx(loss - least, abs=1.01)
    assert next(costs, None) is None


@pytest.mark.parametrize("method", ["searn", "lols"])
def test_labels_are_learned_from_what_bleu_says(method: str) -> None:
    config = LabelConfig(loss="bleu", stack=True, learner="softmax")
    made = corpora(stack=True, words=True)
    learner = LabelLearner(made, config)
    options = SearnOptions(method=method, rollout="policy")  # type: ignore[arg-type]
    mean = searn(learner, options=options).mean()
    always = np.zeros_like(mean.sparse)
    always[1::STRIDE] = 1.0  # S,R+ everywhere
    in_order = learner.order_bleu(LinearPolicy(np.empty(0), always), held_out=False)
    assert learner.order_bleu(mean, held_out=False) > in_order + 5
    assert learner.order_bleu(Expert(), held_out=False) == pytest.approx(100)
    assert (searn(LabelLearner(made, config, threads=3), options=options).mean().sparse
            == mean.sparse).all()  # fmt: skip


def test_a_corpus_must_have_what_labels_look_at() -> None:
    for config in (LabelConfig(stack=True), LabelConfig(loss="bleu")):
        with pytest.raises(ArgumentError, match="without what labels are to look at"):
            LabelLearner(corpora(), config)
    with pytest.raises(ArgumentError, match="classes of words"):
        label_corpora(*texts(), features="classes")


def test_logistic_regression_weighs_examples_by_their_costs() -> None:
    learner = LabelLearner(corpora(), LabelConfig(learner="softmax"))
    examples = learner.examples(Expert(), Expert(), seed=1, shared=True)
    found = learner.learn([examples], passes=8, seed=1)
    assert found.mistakes[-1] < found.mistakes[0]
    assert found.margin > 0
    perceptron = LabelLearner(corpora()).learn([examples], passes=8, seed=1)
    ours, theirs = (learner.accuracy(x.policy, held_out=False) for x in (found, perceptron))
    assert ours == pytest.approx(theirs, abs=0.1)


# -- boosted trees -------------------------------------------------------------------------------

BOOSTED = LabelConfig(learner="boosted", stack=True, boosting=BoostingOptions(lambda_min=0.5))


def tables(policy: object) -> list[object]:
    """All trees of all labels."""
    assert isinstance(policy, TreePolicy)
    ensembles = policy.ensembles
    return [
        ensembles.tree(label, number)
        for label in range(len(ensembles))
        for number in range(len(ensembles.lambdas(label)))
    ]


@pytest.mark.parametrize(
    ("mask", "loss"), [("none", "hamming"), ("full", "hamming"), ("none", "bleu")]
)
def test_boosted_trees_learn_the_costs_of_labels(mask: str, loss: str) -> None:
    made = corpora(stack=True, words=True)
    config = replace(BOOSTED, mask=mask, loss=loss, depth=mask == "full")  # type: ignore[arg-type]
    learner, threaded = (LabelLearner(made, config, threads=n) for n in (1, 3))
    found = searn(learner, options=config.searn)
    mean = found.mean()
    always = np.zeros(learner.task.rows * STRIDE)
    always[1::STRIDE] = 1.0  # S,R+ everywhere
    in_order = LinearPolicy(np.empty(0), always)
    assert learner.accuracy(mean, held_out=False) > learner.accuracy(in_order, held_out=False) + 0.1
    assert learner.order_bleu(mean, held_out=False) > learner.order_bleu(in_order, held_out=False)
    assert all(each.margin > 0 for each in found.learned)
    assert learner.temperature(mean) > 0
    assert tables(searn(threaded, options=config.searn).mean()) == tables(mean)


def test_what_trees_learn_weighs_as_much_as_a_mistake_costs() -> None:
    """Scikit-learn's own way to the same end: each label against the others, rows by weight."""
    made = corpora(words=True)
    config = LabelConfig(learner="boosted", loss="bleu", boosting=BoostingOptions(lambda_min=1.0))
    learner = LabelLearner(made, config)
    examples = learner.examples(Expert(), Expert(), seed=1, shared=True)
    found = learner.learn([examples], passes=1, seed=1).policy
    assert isinstance(found, TreePolicy)
    lists = [[int(r) for r in row if r != 2**32 - 1] for row in examples.rows]
    rows = BinaryRows.from_lists(lists, learner.task.rows)
    costs = np.where(examples.costs == 255, np.nan, examples.costs.astype(float))
    wrong = np.array([row[row > 0].mean() if (row > 0).any() else 0.0 for row in costs])
    for label in range(costs.shape[1]):
        positive = costs[:, label] == 0
        if not positive.any():
            assert len(found.ensembles.lambdas(label)) == 0
            continue
        weights = np.nan_to_num(np.where(positive, wrong, costs[:, label])) / wrong.mean()
        alone = train_groups(
            rows,
            np.array([0, len(rows)], dtype=np.uint64),
            (~positive).astype(np.uint32),
            np.array([1], dtype=np.uint32),
            weights=weights,
            options=config.boosting,
        )
        for number in range(len(alone.lambdas(0))):
            ours, theirs = found.ensembles.tree(label, number), alone.tree(0, number)
            assert ours[:2] == theirs[:2]
            assert ours[2] == pytest.approx(theirs[2])


def test_the_mean_of_boosted_rounds_scores_as_they_do_together() -> None:
    learner = LabelLearner(corpora(stack=True), BOOSTED)
    found = searn(learner, options=BOOSTED.searn)
    mean = found.mean()
    assert isinstance(mean, TreePolicy)
    for atoms in ([], [0], [1, 5, 9], list(range(learner.task.rows))):
        for label in range(len(mean.ensembles)):
            scores = [
                share / each.margin * each.policy.ensembles.score(atoms, label)  # type: ignore[attr-defined]
                for share, each in zip(found.shares, found.learned, strict=True)
            ]
            assert mean.ensembles.score(atoms, label) == pytest.approx(sum(scores))


def test_boosting_goes_on_where_it_stopped(tmp_path: Path) -> None:
    learner = LabelLearner(corpora(stack=True), BOOSTED)
    once = searn(learner, options=SearnOptions(iterations=3))
    part = tmp_path / "searn.json"
    searn(learner, options=SearnOptions(iterations=2), checkpoint=part)
    again = searn(learner, options=SearnOptions(iterations=3), checkpoint=part, resume=True)
    assert tables(again.mean()) == tables(once.mean())


def test_policies_of_several_kinds_have_no_mean() -> None:
    learner = LabelLearner(corpora(stack=True), BOOSTED)
    examples = learner.examples(Expert(), Expert(), seed=1, shared=True)
    trees = learner.learn([examples], passes=1, seed=1).policy
    weights = random_policy(1, learner)
    for one, other in ((trees, weights), (weights, trees)):
        with pytest.raises(ArgumentError, match="several kinds"):
            one.blend(1.0, [(1.0, other)])
    with pytest.raises(ArgumentError, match="other features or labels"):
        LabelLearner(corpora(), LabelConfig(depth=True)).accuracy(weights, held_out=False)
    with pytest.raises(ArgumentError, match="softmax is the linear learner"):
        LabelConfig(boosting=BoostingOptions(atoms_only=True))
