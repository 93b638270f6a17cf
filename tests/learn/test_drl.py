"""Learning from roll-outs learns, repeats itself, survives breaks and notices when it diverges."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from demotic.errors import ArgumentError, CorruptFileError
from demotic.forest.weights import Floats
from demotic.learn import (
    DecisionTask,
    DivergedError,
    DrlOptions,
    DrlResult,
    Features,
    LinearPolicy,
    drl,
)
from demotic.learn.rollouts import Path as Rollout
from demotic.learn.updates import Update
from tests.learn.test_decisions import OneWay
from tests.learn.trees import Trees
from tests.learn.walks import Spellings, Spelt, mean_reward, spellings

QUICK = DrlOptions(epochs=3, rate=0.1)


@pytest.mark.parametrize(
    "update",
    [
        "full_path", "two_actions", "passive_aggressive", "aggressive", "mira", "expected_reward",
        "replay",
    ],
)  # fmt: skip
def test_a_policy_that_is_optimal_is_found(update: Update) -> None:
    task = spellings(60)
    rate = 0.01 if update == "expected_reward" else 0.1
    options = DrlOptions(epochs=30, rate=rate, update=update)
    result = drl(task, {}, options=options)
    assert mean_reward(task, dict.fromkeys(task.feature_names, 0.0)) < 55
    assert mean_reward(task, result.weights) > 88, "the hidden policy is linear"
    learned = np.array([result.weights[name] for name in task.feature_names])
    cosine = learned @ task.hidden / np.linalg.norm(learned) / np.linalg.norm(task.hidden)
    assert cosine > 0.95


def test_a_telescoping_feature_keeps_its_weight() -> None:
    task = spellings(40)
    start = {"potential": 0.25, "f0": 0.5}
    result = drl(task, start, options=replace(QUICK, epochs=5))
    assert sum(epoch.updates for epoch in result.epochs) > 20
    assert result.weights["potential"] == pytest.approx(0.25, abs=1e-12)
    assert result.weights["f0"] != pytest.approx(0.5, abs=1e-3)


def test_a_checkpoint_beyond_the_epochs_asked_for_is_refused(tmp_path: Path) -> None:
    task, place = spellings(10), tmp_path / "state.json"
    drl(task, {}, options=QUICK, checkpoint=place)
    fewer = replace(QUICK, epochs=2)
    with pytest.raises(ArgumentError, match="3 epochs were learned already"):
        drl(task, {}, options=fewer, checkpoint=place, resume=True)


def test_two_actions_move_a_telescoping_feature() -> None:
    task = spellings(40)
    options = replace(QUICK, update="two_actions")
    assert drl(task, {"potential": 0.25}, options=options).weights["potential"] != 0.25


def test_the_same_seed_gives_the_same_result_and_another_one_another() -> None:
    task = spellings()
    one, two = drl(task, {}, options=QUICK, seed=4), drl(task, {}, options=QUICK, seed=4)
    assert one.weights == two.weights
    assert one.last == two.last
    assert drl(task, {}, options=QUICK, seed=5).weights != one.weights


def test_the_result_is_the_mean_of_the_weights_after_each_example() -> None:
    class Watching(Spellings):
        seen: list[Floats] = []  # noqa: RUF012

        def samples(self, example: int, policy: LinearPolicy, *args: Any, **options: Any) -> Any:
            self.seen.append(policy.dense.copy())
            return super().samples(example, policy, *args, **options)

    plain = spellings()
    task = Watching(plain.hidden, plain.examples, plain.feature_names)
    result = drl(task, {"f1": 0.3}, options=QUICK)
    every = [*task.seen, np.array([result.last[name] for name in task.feature_names])]
    assert len(every) == 3 * len(task) + 1
    mean = np.mean(every, axis=0)
    assert list(result.weights.values()) == pytest.approx(mean.tolist(), abs=1e-12)


def test_each_epoch_sees_every_example_once_in_another_order() -> None:
    task = spellings(12)
    drl(task, {}, options=QUICK)
    epochs = [task.asked[i : i + 12] for i in (0, 12, 24)]  # each starts once
    assert all(sorted(epoch) == list(range(12)) for epoch in epochs)
    assert epochs[0] != epochs[1] != epochs[2]


def test_fixed_weights_stay_and_others_move() -> None:
    task = spellings()
    options = replace(QUICK, fixed=("f0",))
    result = drl(task, {"f0": 1.0, "f1": 0.5, "f2": 0.5}, options=options)
    assert result.weights["f0"] == result.last["f0"] == 1.0
    assert result.weights["f1"] != 0.5
    assert result.weights["f2"] != 0.5


class Breaking(Spellings):
    """Interrupted when asked for the n-th time."""

    left = 0

    def samples(self, *args: Any, **options: Any) -> Any:
        type(self).left -= 1
        if type(self).left == 0:
            raise KeyboardInterrupt
        return super().samples(*args, **options)


def same(one: DrlResult, other: DrlResult) -> bool:
    def timeless(result: DrlResult) -> list[object]:
        return [replace(epoch, seconds=0.0) for epoch in result.epochs]

    return (one.weights, one.last, timeless(one)) == (other.weights, other.last, timeless(other))


@pytest.mark.parametrize("at", [5, 31, 89])
def test_a_broken_run_continues_to_the_same_result(at: int, tmp_path: Path) -> None:
    task = spellings(30)
    whole = drl(task, {"f0": 0.1}, options=QUICK)
    path = tmp_path / "drl.json"
    Breaking.left = at
    broken = Breaking(task.hidden, task.examples, task.feature_names)
    with pytest.raises(KeyboardInterrupt):
        drl(broken, {"f0": 0.1}, options=QUICK, checkpoint=path)
    again = drl(task, {"f0": 0.1}, options=QUICK, checkpoint=path, resume=True)
    assert same(again, whole)


def test_more_epochs_can_be_added_later(tmp_path: Path) -> None:
    task = spellings()
    path = tmp_path / "drl.json"
    drl(task, {}, options=replace(QUICK, epochs=1), checkpoint=path)
    longer = drl(task, {}, options=QUICK, checkpoint=path, resume=True)
    assert same(longer, drl(task, {}, options=QUICK))


def test_a_checkpoint_of_other_settings_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    task = spellings()
    path = tmp_path / "drl.json"
    drl(task, {}, options=QUICK, checkpoint=path)
    with pytest.raises(ArgumentError, match="another value of rate"):
        drl(task, {}, options=replace(QUICK, rate=0.2), checkpoint=path, resume=True)
    with pytest.raises(ArgumentError, match="another value of start"):
        drl(task, {"f0": 1.0}, options=QUICK, checkpoint=path, resume=True)
    path.write_text(path.read_text().replace('"count"', '"counts"'))
    with pytest.raises(CorruptFileError, match="damaged checkpoint"):
        drl(task, {}, options=QUICK, checkpoint=path, resume=True)


class Explosive(Spellings):
    """From the second epoch on, a feature that no weight survives."""

    costs: list[int] = []  # noqa: RUF012

    def cost(self, example: int, rollout: Rollout[Spelt, int]) -> float:
        self.costs.append(example)
        if len(self.asked) <= 4 or len(self.costs) % 2:  # the path taken is asked for first
            return 0.0
        rollout.features[:] = 1e308
        return -1.0


def test_weights_beyond_all_numbers_end_learning_and_the_last_epoch_is_kept(
    tmp_path: Path,
) -> None:
    plain = spellings(4)
    task = Explosive(plain.hidden, plain.examples, plain.feature_names)
    path = tmp_path / "drl.json"
    options = DrlOptions(epochs=5, rate=1e10)
    with pytest.raises(DivergedError, match="epoch 2"), np.errstate(all="ignore"):
        drl(task, {"f0": 0.5}, options=options, checkpoint=path)
    kept = drl(task, {"f0": 0.5}, options=replace(options, epochs=1), checkpoint=path, resume=True)
    assert kept.weights["f0"] == 0.5
    assert all(math.isfinite(value) for value in kept.last.values())


SPARSE = DrlOptions(epochs=4, rate=0.2, update="expected_reward", samples=3)


def test_sparse_features_are_learned_and_averaged_and_a_break_does_not_show(tmp_path: Path) -> None:
    task, place = Trees(7), tmp_path / "state.json"
    whole = drl(task, {}, options=SPARSE)
    assert np.count_nonzero(whole.sparse) > 2
    for _ in range(2):  # the second time what was saved by the one that continued
        drl(task, {}, options=replace(SPARSE, epochs=2), checkpoint=place)
        resumed = drl(task, {}, options=SPARSE, checkpoint=place, resume=True)
        assert resumed.sparse.tolist() == whole.sparse.tolist()
        assert resumed.weights == whole.weights
        again = drl(task, {}, options=SPARSE, checkpoint=place, resume=True)
        assert again.sparse.tolist() == whole.sparse.tolist()


@pytest.mark.parametrize("update", ["expected_reward", "replay"])
def test_a_checkpoint_that_names_no_arrays_is_refused(update: Update, tmp_path: Path) -> None:
    task = spellings(5) if update == "replay" else Trees(7)
    options, place = replace(SPARSE, update=update, epochs=1), tmp_path / "state.json"
    drl(task, {}, options=options, checkpoint=place)
    record = json.loads(place.read_text())
    place.write_text(json.dumps({**record, "arrays": None}))
    with pytest.raises(CorruptFileError, match="arrays are missing"):
        drl(task, {}, options=options, checkpoint=place, resume=True)


@pytest.mark.parametrize("update", ["full_path", "expected_reward", "replay"])
def test_epochs_tell_what_was_sampled_learned_from_and_spent(update: Update) -> None:
    begin = time.process_time()
    result = drl(spellings(20), {}, options=replace(QUICK, update=update, samples=3))
    elapsed = time.process_time() - begin
    assert [epoch.number for epoch in result.epochs] == [1, 2, 3]
    for epoch in result.epochs:
        assert epoch.samples == 60
        assert 0 <= epoch.updates <= 60
        assert (epoch.updates == 60) == (update == "replay")
    assert result.epochs[0].updates > 0
    assert 0 <= sum(epoch.seconds for epoch in result.epochs) <= elapsed


def test_what_was_seen_may_count_in_full_for_ever() -> None:
    assert DrlOptions(keep=1.0, rate=1.0, update="replay").keep == 1.0


def test_the_seed_where_none_is_given_is_1() -> None:
    task = spellings(10)
    assert drl(task, {}, options=QUICK).weights == drl(task, {}, options=QUICK, seed=1).weights


@pytest.mark.parametrize("update", ["full_path", "replay"])
def test_examples_without_a_choice_only_let_time_pass(update: Update) -> None:
    result = drl(OneWay(), {"f": 2.0}, options=replace(QUICK, update=update))
    assert result.weights == {"f": 2.0}
    assert [epoch.samples for epoch in result.epochs] == [0, 0, 0]


def test_scores_between_epochs_are_of_averaged_weights() -> None:
    task = spellings()
    seen = []

    def evaluate(weights: dict[str, float], sparse: Floats) -> float:
        seen.append(weights)
        return float(len(seen))

    result = drl(task, {}, options=QUICK, evaluate=evaluate)
    assert [epoch.score for epoch in result.epochs] == [1.0, 2.0, 3.0]
    assert seen[-1] == result.weights


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"epochs": -1}, "epochs"), ({"samples": 0}, "samples"), ({"rate": math.inf}, "rate"),
     ({"exponent": math.nan}, "exponent")],
)  # fmt: skip
def test_senseless_options_are_refused(wrong: dict[str, float], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        DrlOptions(**wrong)  # type: ignore[arg-type]


def test_unknown_features_are_named() -> None:
    with pytest.raises(ArgumentError, match="no feature 'f9'"):
        drl(spellings(), {"f9": 1.0})
    with pytest.raises(ArgumentError, match="no feature 'g'"):
        drl(spellings(), {}, options=DrlOptions(fixed=("f0", "g")))


class Roads(DecisionTask[tuple[int, int], str]):
    """To a place two steps away; the detour takes three, and what is found comes at its end or,
    if ``early``, at once."""

    feature_names = ("straight", "detour")
    early = False

    def __len__(self) -> int:
        return 3

    def start(self, example: int) -> tuple[int, int]:
        return 0, 0

    def actions(self, state: tuple[int, int]) -> list[str]:
        taken, left = state
        return ["detour", "straight"] if not taken else ["on"] * bool(left)

    def features(self, state: tuple[int, int], action: str) -> Features:
        return Features.of([action == "straight", action == "detour"])

    def next(self, state: tuple[int, int], action: str) -> tuple[int, int]:
        if action == "on":
            return 2, state[1] - 1
        return (2, 2) if action == "detour" else (1, 1)

    def end_cost(self, state: tuple[int, int]) -> float:
        return -10.0

    def rewards(self, example: int, rollout: Any) -> list[float]:
        if self.early and "detour" in rollout.actions:
            return [10.0, *([0.0] * (rollout.steps - 1))]
        return list(super().rewards(example, rollout))


@pytest.mark.parametrize("update", ["full_path", "replay"])
def test_a_discount_prefers_what_comes_sooner(update: Update) -> None:
    options = replace(QUICK, update=update, rate=0.7)
    plain = drl(Roads(), {"detour": 0.1}, options=options)
    assert plain.last == pytest.approx({"straight": 0.0, "detour": 0.1}), "both roads end alike"
    short = drl(Roads(), {"detour": 0.1}, options=replace(options, discount=0.9)).last
    assert short["straight"] > short["detour"]
    early = Roads()
    early.early = True
    found = drl(early, {"straight": 0.1}, options=replace(options, discount=0.9)).last
    assert found["detour"] > found["straight"], "what is found at once is worth a long way"


@pytest.mark.parametrize("discount", [-0.1, 1.1, math.nan])
def test_discounts_are_shares(discount: float) -> None:
    with pytest.raises(ArgumentError, match="discount"):
        DrlOptions(discount=discount)
