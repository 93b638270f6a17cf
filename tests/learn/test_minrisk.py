"""Minimum risk as a tuner: on lists, on forests, with sparse features, in parts, after a break."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from demotic.errors import ArgumentError
from demotic.features import FeatureSpace
from demotic.forest import Forest, ForestBuilder
from demotic.forest.many import hold_sparse
from demotic.learn import (
    Candidates,
    ForestCandidates,
    MinriskOptions,
    MiraOptions,
    TuneResult,
    statistics_against,
    tune_weights,
)
from demotic.learn.examples import ForestsKnown, list_forest
from demotic.learn.rounds import Decoded, Round, Situation
from tests.forest.toys import FEATURES, Pair, built
from tests.learn.dev_sets import ForestTask, ListTask, forest_candidates, toys
from tests.oracles.mert import random_lists

START = {"f": -0.1, "g": -0.2, "h": 0.1}
QUICK = MinriskOptions(iterations=4, evaluations=20)


def forest_task(seed: int = 1, sentences: int = 12) -> ForestTask:
    """The feature f tells how many words of an edge are those of the references, more or less."""
    rng = random.Random(seed)
    cases = []
    for case in toys(seed, sentences):
        for edge in case.toy.edges:
            good = sum(word in ("a", "b") for word in edge.target)
            edge.features["f"] = good - len(edge.target) / 2 + rng.randrange(-8, 8) / 16
        cases.append(Pair(case.toy, built(case.toy)))
    return ForestTask(cases, [["a b a b a", "b a b a a b"] for _ in cases])


def list_task(seed: int = 1) -> ListTask:
    rng = random.Random(seed)
    return ListTask([each for _ in range(5) for each in random_lists(rng, sentences=4)], 5)


@pytest.mark.parametrize("objective", ["bleu", "risk"])
@pytest.mark.parametrize("make", [forest_task, list_task])
def test_tuning_decodes_better_than_before(make: type[ForestTask], objective: str) -> None:
    options = replace(QUICK, objective=objective)  # type: ignore[arg-type]
    result = tune_weights(make(), START, options=options)
    assert result.bleu > result.rounds[0].bleu
    assert result.weights.keys() == START.keys()


@pytest.mark.parametrize(
    "options",
    [
        {"optimiser": "rprop"},
        {"optimiser": "adagrad", "batch": 4},
        {"optimiser": "adam", "batch": 4, "rate": 0.02},
        {"anneal": True, "iterations": 2},
        {"density": 12},
        {"memory": 3},
        {"objective": "risk", "l2": 0.1},
    ],
)
def test_every_way_to_optimise_improves(options: dict[str, object]) -> None:
    changed = replace(QUICK, **options)  # type: ignore[arg-type]
    result = tune_weights(forest_task(), START, options=changed)
    assert result.bleu > result.rounds[0].bleu


@pytest.mark.parametrize("options", [QUICK, replace(QUICK, optimiser="adam", batch=4)])
def test_threads_do_not_show(options: MinriskOptions) -> None:
    one, other = (
        tune_weights(forest_task(), START, options=options, threads=threads) for threads in (1, 3)
    )
    assert one.weights == other.weights
    assert one.rounds == other.rounds


def test_fixed_weights_stay() -> None:
    result = tune_weights(forest_task(), START, options=replace(QUICK, fixed=("g",)))
    assert result.weights["g"] == -0.2
    assert result.weights["f"] != -0.1


@pytest.mark.parametrize("memory", [1, 3])
@pytest.mark.parametrize("task", [forest_task, list_task])
def test_a_break_does_not_show(task: type[ForestTask], memory: int, tmp_path: Path) -> None:
    options = replace(QUICK, memory=memory, patience=0, min_gain=0.0)
    whole = tune_weights(task(), START, options=options)
    path = tmp_path / "tune.json"
    tune_weights(task(), START, options=replace(options, iterations=2), checkpoint=path)
    again = tune_weights(task(), START, options=options, checkpoint=path, resume=True)
    assert [this.number for this in again.rounds] == [this.number for this in whole.rounds]
    assert again.weights == pytest.approx(whole.weights, rel=1e-9)


WORDS = ["good", "bad", "fine", "poor"]


class SparseTask:
    """Each sentence has words to choose from; only their names, sparse features, tell which."""

    feature_names = ("length", "Held")

    def __init__(self, sentences: int = 8, noise: int = 0) -> None:
        self.space = FeatureSpace(
            ["length"], [*(f"is|{w}" for w in WORDS), *(f"noise|{i}" for i in range(noise))]
        )
        self.noise = noise
        self.sentences = sentences

    def forest(self, number: int) -> Forest:
        builder = ForestBuilder(space=self.space)
        root = builder.add_node("S", 0, 4)
        for choice in range(4):
            words = [WORDS[(choice + k) % 4 if k else choice] for k in range(4)]
            sparse = {f"is|{words[0]}": 1.0}
            if self.noise:
                sparse[f"noise|{(4 * number + choice) % self.noise}"] = 1.0
            rule = builder.add_rule("S", ["w"] * 4, words, sparse)
            builder.add_edge(root, [], rule, features={"length": 4.0})
        return builder.finalize(root)

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        dense = {name: value for name, value in weights.items() if name != "Held"}
        full = [self.forest(number).rescore(dense) for number in range(self.sentences)]
        held = hold_sparse(full, dense, name="Held")
        reference = " ".join(WORDS[(2 + k) % 4 if k else 2] for k in range(4))  # fine poor ...
        count = statistics_against([reference])
        return [
            ForestCandidates(one, count, [reference.split()], own)
            for one, own in zip(held, full, strict=True)
        ]


def tuned(task: SparseTask, start: Mapping[str, float] | None = None, **more: object) -> TuneResult:
    options = MinriskOptions(iterations=3, fixed=("Held",), **more)  # type: ignore[arg-type]
    return tune_weights(task, {"length": 0.0, "Held": 1.0, **(start or {})}, options=options)


@pytest.mark.parametrize("objective", ["bleu", "risk", "likelihood"])
def test_weights_of_sparse_features_are_learned(objective: str) -> None:
    result = tuned(SparseTask(), objective=objective)
    assert result.bleu == pytest.approx(100)
    assert result.rounds[0].bleu < 100
    assert result.weights["is|fine"] > max(result.weights.get(f"is|{w}", 0.0) for w in WORDS[:2])
    assert result.weights["Held"] == 1.0


def test_sparse_weights_may_be_given() -> None:
    result = tuned(SparseTask(), {"is|fine": 3.0})
    assert result.rounds[0].bleu == pytest.approx(100)
    with pytest.raises(ArgumentError, match="no feature 'is"):
        tune_weights(SparseTask(), {"is|fine": 3.0}, options=MiraOptions())


def test_l1_and_support_select_features() -> None:
    task = SparseTask(noise=32)  # as many as there are edges
    everything = tuned(task, min_support=1, l2=0.0)
    assert any(name.startswith("noise|") for name in everything.weights)
    seldom = tuned(task, min_support=2)
    assert not any(name.startswith("noise|") for name in seldom.weights)
    few = tuned(task, min_support=1, l1=1.0, l2=0.0)
    assert "is|fine" in few.weights
    assert not any(name.startswith("noise|") for name in few.weights)
    assert few.bleu == pytest.approx(100)
    none = tuned(task, min_support=1, l1=1e3)
    assert not any("|" in name for name in none.weights)


def test_a_break_keeps_sparse_weights(tmp_path: Path) -> None:
    options = MinriskOptions(iterations=3, fixed=("Held",), min_gain=0.0, patience=0)
    start = {"length": 0.0, "Held": 1.0}
    path = tmp_path / "tune.json"
    whole = tune_weights(SparseTask(), start, options=options)
    tune_weights(SparseTask(), start, options=replace(options, iterations=1), checkpoint=path)
    again = tune_weights(SparseTask(), start, options=options, checkpoint=path, resume=True)
    assert again.weights == pytest.approx(whole.weights)


def test_the_mean_of_rounds_has_all_sparse_weights() -> None:
    result = tuned(SparseTask(), average=2, min_gain=0.0, patience=0)
    assert result.weights["is|fine"] > 0


@pytest.mark.parametrize("make", [forest_task, list_task])
def test_longer_references_make_longer_translations(make: type[ForestTask]) -> None:
    def words(longer: float) -> float:
        task = make()
        options = replace(QUICK, longer=longer, l2=0.0, iterations=1)
        known = options.known(FEATURES, len(task.candidates(START)), 1)
        known.add(task.candidates(START))
        begin = np.array([START[name] for name in FEATURES])
        at = Situation(begin, begin, np.ones(3), (), np.random.default_rng(1), 1,
                       names=tuple(FEATURES))  # fmt: skip
        found = options.optimise(known, at).weights
        return float(known.examples(found, {}).statistics[:, -2].sum())

    assert words(0.0) < words(0.5)


class Weighed:
    """A task whose sentences count as often as these say, and of which only some judge."""

    def __init__(self, task: ForestTask | ListTask, often: Sequence[float], judges: int) -> None:
        self.task, self.often, self.judges = task, often, judges
        self.feature_names = task.feature_names

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        return [
            replace(each, weight=often, judges=number < self.judges)
            for number, (each, often) in enumerate(
                zip(self.task.candidates(weights), self.often, strict=True)
            )
        ]


class Repeated:
    """A task some of whose sentences are there again, behind the others."""

    def __init__(self, task: ForestTask | ListTask, again: Sequence[int]) -> None:
        self.task, self.again = task, again
        self.feature_names = task.feature_names

    def candidates(self, weights: Mapping[str, float]) -> list[Candidates]:
        found = self.task.candidates(weights)
        return [*found, *(found[number] for number in self.again)]


@pytest.mark.parametrize("objective", ["bleu", "risk", "likelihood"])
@pytest.mark.parametrize("make", [forest_task, list_task])
def test_a_sentence_that_counts_twice_is_there_twice(
    make: type[ForestTask], objective: str
) -> None:
    options = MinriskOptions(iterations=1, evaluations=8, objective=objective)  # type: ignore[arg-type]
    sentences = len(make().candidates(START))
    often = [2.0, 2.0, *[1.0] * (sentences - 2)]
    weighed = tune_weights(Weighed(make(), often, sentences), START, options=options)
    repeated = tune_weights(Repeated(make(), [0, 1]), START, options=options)
    plain = tune_weights(make(), START, options=options)

    def first(result: TuneResult) -> float:
        return result.rounds[0].moved

    assert first(weighed) == pytest.approx(first(repeated), rel=1e-4)
    assert first(weighed) != pytest.approx(first(plain), rel=1e-3)


def test_sentences_that_count_for_nothing_only_judge() -> None:
    often = [0.0] * 6 + [1.0] * 6
    result = tune_weights(Weighed(forest_task(), often, 6), START, options=QUICK)
    half = ForestTask(forest_task().cases[6:], forest_task().references[6:])
    other = tune_weights(half, START, options=replace(QUICK, iterations=1, patience=0))
    assert result.rounds[0].moved == pytest.approx(other.rounds[0].moved)
    judged = ForestTask(forest_task().cases[:6], forest_task().references[:6])
    again = tune_weights(judged, START, options=replace(QUICK, iterations=1))
    assert result.rounds[0].bleu == pytest.approx(again.rounds[0].bleu)
    assert result.rounds[0].bleu != pytest.approx(other.rounds[0].bleu)


def test_only_what_judges_is_held_out() -> None:
    options = replace(QUICK, holdout=0.5, iterations=1)
    result = tune_weights(Weighed(forest_task(), [1.0] * 12, 4), START, options=options)
    assert result.held_out is not None
    with pytest.raises(ArgumentError, match="leaves nothing"):
        tune_weights(Weighed(forest_task(), [1.0] * 12, 1), START, options=options)


def test_other_tuners_do_not_weigh_sentences() -> None:
    sentences = len(list_task().candidates(START))
    task = Weighed(list_task(), [2.0] * sentences, sentences)
    with pytest.raises(ArgumentError, match="count more or less than others") as error:
        tune_weights(task, START, options=MiraOptions())
    assert error.value.remedy == "tune by minrisk"
    with pytest.raises(ArgumentError, match="counts -1"):
        replace(list_task().candidates(START)[0], weight=-1.0)


def test_a_round_that_went_astray_begins_where_it_was_best() -> None:
    task = forest_task()
    known = QUICK.known(FEATURES, len(task.cases), 1)
    known.add(task.candidates(START))
    good = {"f": 0.5, "g": 0.5, "h": -0.5}
    rounds = (Round(1, good, Decoded(30.0), 30.0, 1.0, 0.1, 0, 0),)
    bad = np.array([9.0, 9.0, 9.0])

    def found(decoded: float, weights: np.ndarray) -> np.ndarray:
        at = Situation(
            weights, weights, np.ones(3), rounds, np.random.default_rng(1), 1,
            decoded=Decoded(decoded), names=tuple(FEATURES),
        )  # fmt: skip
        return QUICK.optimise(known, at).weights

    assert found(10.0, bad).tolist() == found(31.0, np.array([0.5, 0.5, -0.5])).tolist()
    assert found(31.0, bad).tolist() != found(10.0, bad).tolist()


def test_lists_are_forests_of_one_node() -> None:
    space = FeatureSpace(FEATURES)
    rows = np.array([[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]])
    forest = list_forest(space, rows)
    assert forest.edges == 2
    assert forest.dense.tolist() == rows.tolist()
    assert forest.rescore([1.0, 0.0, 1.0]).log_z() == pytest.approx(np.logaddexp(4.0, -0.5))


def test_nonsense_is_refused() -> None:
    for bad in ({"evaluations": 0}, {"memory": 0}, {"passes": 0}, {"batch": 0}):
        with pytest.raises(ArgumentError, match="must be at least 1"):
            MinriskOptions(**bad)  # type: ignore[arg-type]
    for worse in ({"l1": -1.0}, {"l2": -1.0}, {"min_support": -1}, {"density": -1}):
        with pytest.raises(ArgumentError, match="not negative"):
            MinriskOptions(**worse)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="rate must be above 0"):
        MinriskOptions(rate=0.0)
    with pytest.raises(ArgumentError, match="objective is 'loss'"):
        MinriskOptions(objective="loss")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="goes with the optimiser lbfgs"):
        MinriskOptions(anneal=True, optimiser="adam")
    known = ForestsKnown(FEATURES, 1)
    forest = toys(1, 1)[0].forest
    with pytest.raises(ArgumentError, match="sentence 1 has no reference"):
        known.add([replace(forest_candidates(forest, ["a b"]), references=())])
    with pytest.raises(ArgumentError, match="nothing to learn from"):
        ForestsKnown(FEATURES, 1).examples(np.zeros(3), {})
