"""Work on many forests gives what work on each gives, for any number of threads."""

from __future__ import annotations

import pytest

from demotic.forest import Forest, kbest, prune, rescore, sample
from tests.forest.toys import pair

FORESTS = [pair(seed).forest for seed in range(25)]


def lists(forests: list[Forest], threads: int) -> list[object]:
    weights = [0.5, -1.0, 0.25]
    return [
        [[d.edges.tolist() for d in r.derivations] for r in kbest(forests, 20, threads=threads)],
        [
            [(d.edges.tolist(), d.score) for d in r.derivations]
            for r in kbest(forests, 20, unique=True, threads=threads)
        ],
        [[d.edges.tolist() for d in r] for r in sample(forests, 30, 7, threads=threads)],
        [f.to_json() for f in prune(forests, 1.0, threads=threads)],
        [f.to_json() for f in prune(forests, max_edges=5, threads=threads)],
        [f.score.tobytes() for f in rescore(forests, weights, threads=threads)],
    ]


@pytest.mark.parametrize("threads", [2, 5, 64])
def test_threads_do_not_change_any_result(threads: int) -> None:
    assert lists(FORESTS, threads) == lists(FORESTS, 1)


def test_many_equals_one_by_one() -> None:
    many = kbest(FORESTS, 10, unique=True)
    for forest, result in zip(FORESTS, many, strict=True):
        alone = forest.kbest(10, unique=True)
        assert [d.text for d in result.derivations] == [d.text for d in alone]
    for forest, pruned in zip(FORESTS, prune(FORESTS, 1.0), strict=True):
        assert pruned.to_json() == forest.prune(1.0).to_json()


def test_no_forests_give_no_results() -> None:
    assert kbest([], 5) == []
    assert sample([], 5, 1) == []
    assert prune([], 1.0) == []
    assert rescore([], {}) == []
