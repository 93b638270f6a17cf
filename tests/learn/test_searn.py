"""SEARN, DAgger and LOLS over any task that says what actions cost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from demotic.errors import ArgumentError, CorruptFileError
from demotic.learn import EventLearner, LinearPolicy, Mixture, SearnOptions, searn
from demotic.learn.labelling import Labelling

SENTENCES = [
    (["the", "house", "is", "small"], ["D", "N", "V", "A"]),
    (["the", "small", "house", "stands"], ["D", "A", "N", "V"]),
    (["a", "house", "stands"], ["D", "N", "V"]),
    (["small", "is", "small"], ["A", "V", "A"]),
]


def task() -> Labelling:
    return Labelling(SENTENCES)


def accuracy(policy: object) -> float:
    assert isinstance(policy, LinearPolicy)
    return task().accuracy(policy)


@pytest.mark.parametrize("method", ["searn", "dagger", "lols"])
@pytest.mark.parametrize("rollout", ["expert", "policy"])
def test_every_method_learns(method: str, rollout: str) -> None:
    options = SearnOptions(method=method, rollout=rollout, iterations=3, passes=5)  # type: ignore[arg-type]
    found = searn(EventLearner(task()), options=options, seed=2)
    assert accuracy(found.mean()) == 1.0
    assert [each.number for each in found.rounds] == [1, 2, 3]
    assert all(each.examples for each in found.rounds)


def test_shares_are_those_of_the_paper() -> None:
    beta, rounds = 0.3, 3
    options = SearnOptions(beta=beta, iterations=rounds)
    found = searn(EventLearner(task()), options=options)
    assert isinstance(found.policy, Mixture)
    whole = 1 - (1 - beta) ** rounds
    assert found.shares == pytest.approx(
        [beta * (1 - beta) ** (rounds - i) / whole for i in range(1, rounds + 1)]
    )


def test_the_mean_weighs_classifiers_by_share_and_margin() -> None:
    found = searn(EventLearner(task()), options=SearnOptions(iterations=2))
    wanted = sum(
        share / each.margin * each.policy.sparse
        for share, each in zip(found.shares, found.learned, strict=True)
    )
    assert np.allclose(found.mean().sparse, wanted)


def test_dagger_learns_from_all_rounds() -> None:
    class Watched(EventLearner):
        seen: list[int] = []  # noqa: RUF012

        def learn(self, rounds, *, passes, seed):  # type: ignore[no-untyped-def]
            self.seen.append(len(rounds))
            return super().learn(rounds, passes=passes, seed=seed)

    for method, wanted in (("searn", [1, 1, 1]), ("dagger", [1, 2, 3]), ("lols", [1, 2, 3])):
        Watched.seen = []
        searn(Watched(task()), options=SearnOptions(method=method))  # type: ignore[arg-type]
        assert Watched.seen == wanted


@pytest.mark.parametrize("method", ["searn", "dagger"])
def test_learning_goes_on_where_it_stopped(tmp_path: Path, method: str) -> None:
    whole = searn(EventLearner(task()), options=SearnOptions(method=method, iterations=4))  # type: ignore[arg-type]
    path = tmp_path / "searn.json"
    searn(EventLearner(task()), options=SearnOptions(method=method, iterations=2), checkpoint=path)  # type: ignore[arg-type]
    resumed = searn(
        EventLearner(task()),
        options=SearnOptions(method=method, iterations=4),  # type: ignore[arg-type]
        checkpoint=path,
        resume=True,
    )
    assert (resumed.mean().sparse == whole.mean().sparse).all()
    assert resumed.rounds == whole.rounds
    with pytest.raises(ArgumentError, match="beta"):
        searn(
            EventLearner(task()), options=SearnOptions(method=method, beta=0.1),  # type: ignore[arg-type]
            checkpoint=path, resume=True,
        )  # fmt: skip
    next(tmp_path.glob("*.npz")).write_bytes(b"nothing")
    with pytest.raises(CorruptFileError):
        searn(
            EventLearner(task()), options=SearnOptions(method=method), checkpoint=path, resume=True
        )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"beta": 0.0}, {"beta": 1.5}, {"iterations": 0}, {"method": "x"}]
)
def test_options_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        SearnOptions(**wrong)  # type: ignore[arg-type]
