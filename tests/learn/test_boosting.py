"""Boosted trees: every tree of a run against brute force, and what holds of the whole path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic import _core, errors
from demotic.learn import BinaryRows, BoostedTrees, BoostingOptions, Ensembles, train_groups
from tests.oracles import boosting as oracle

FORMS = [("printed", 1.0), ("printed", 1.1), ("hard", 1.0), ("hard", 1.01), ("hard", 1.1)]


def problem(seed: int, rows: int = 120, atoms: int = 12) -> tuple[list[set[int]], list[int]]:
    """A rule with a negation in it, and noise."""
    draw = np.random.default_rng(seed)
    table = draw.random((rows, atoms)) < draw.uniform(0.1, 0.5, atoms)
    truth = (table[:, 0] & ~table[:, 1]) | (table[:, 2] & table[:, 3])
    labels = truth ^ (draw.random(rows) < 0.1)
    return [set(np.flatnonzero(row).tolist()) for row in table], np.where(labels, 1, -1).tolist()


def trained(
    rows: list[set[int]], y: list[int], weights: list[float] | None = None, **options: Any
) -> Ensembles:
    atoms = max(12, 1 + max(map(max, filter(None, rows))))
    return train_groups(
        BinaryRows.from_lists([sorted(row) for row in rows], atoms),
        np.array([0, len(rows)], dtype=np.uint64),
        np.array([0 if each > 0 else 1 for each in y], dtype=np.uint32),
        np.array([1], dtype=np.uint32),
        weights=None if weights is None else np.array(weights),
        options=BoostingOptions(**options),
    )


def leaves(
    tree: tuple[list[int], list[int], list[float]],
) -> Iterator[tuple[oracle.Literals, float, list[tuple[oracle.Literals, int]]]]:
    """Literals and value of each leaf, and the splits on its path."""
    atoms, others, values = tree

    def below(at: int, path: oracle.Literals, splits: list[Any]) -> Iterator[Any]:
        if atoms[at] < 0:
            yield tuple(sorted(path)), values[at], splits
            return
        here = [*splits, (path, atoms[at])]
        yield from below(at + 1, (*path, atoms[at]), here)
        yield from below(others[at], (*path, ~atoms[at]), here)

    yield from below(0, (), [])


@pytest.mark.parametrize(("form", "factor"), FORMS)
@pytest.mark.parametrize(("seed", "size", "atoms"), [(0, 120, 12), (1, 120, 12), (2, 50, 141)])
def test_every_tree_of_a_run_is_as_the_algorithm_says(
    form: str, factor: float, seed: int, size: int, atoms: int
) -> None:
    rows, y = problem(seed, size, atoms)
    found = trained(rows, y, gain=form, min_gain_factor=factor, lambda_min=0.8)
    lambdas = found.lambdas(0)
    assert len(lambdas) > 5
    theta: dict[oracle.Literals, float] = {}
    deep = 0
    for number, lambda_ in enumerate(lambdas):
        v = oracle.pulls(theta, rows, y)
        before = oracle.risk(theta, rows, y, lambda_)
        after = dict(theta)
        seen = []
        for literals, value, splits in leaves(found.tree(0, number)):
            deep = max(deep, len(literals))
            seen.append([i for i in range(len(rows)) if oracle.holds(literals, rows[i])])
            for path, atom in splits:
                gains = oracle.split_gains(path, rows, v, atoms, lambda_, form)
                leaf = oracle.leaf_gain(path, rows, v, lambda_, form)
                assert gains[atom] == pytest.approx(max(gains.values()), abs=1e-9)  # (7.12)
                assert gains[atom] > factor * leaf - 1e-9  # (7.13)
                inside = [i for i in range(len(rows)) if oracle.holds(path, rows[i])]
                one = sum(v[i] for i in inside if atom in rows[i])
                other = sum(v[i] for i in inside if atom not in rows[i])
                assert one * other < 0
            if value != 0:
                after[literals] = after.get(literals, 0.0) + value
        assert sorted(i for part in seen for i in part) == list(range(len(rows)))
        drop = before - oracle.risk(after, rows, y, lambda_)
        assert drop > 0.99e-6 * max(1.0, before)
        theta = after
    assert deep > 1
    assert np.all(np.diff(lambdas) <= 0)
    scores = [found.score(sorted(row), 0) for row in rows]
    assert scores == pytest.approx([oracle.margin(theta, row) for row in rows], abs=1e-9)
    for compound in found.compounds(0):
        assert theta[tuple(sorted(compound.literals))] == pytest.approx(compound.weight, abs=1e-12)


@pytest.mark.parametrize(("form", "factor"), FORMS)
def test_leaves_that_were_not_split_had_no_split_that_pays(form: str, factor: float) -> None:
    rows, y = problem(7)
    found = trained(rows, y, gain=form, min_gain_factor=factor, lambda_min=2.0)
    theta: dict[oracle.Literals, float] = {}
    for number, lambda_ in enumerate(found.lambdas(0)):
        v = oracle.pulls(theta, rows, y)
        for literals, value, _ in leaves(found.tree(0, number)):
            gains = oracle.split_gains(literals, rows, v, 12, lambda_, form)
            leaf = oracle.leaf_gain(literals, rows, v, lambda_, form)
            if value != 0:  # leaves without weight may stand for a whole tree below
                assert max(gains.values(), default=0.0) <= factor * leaf + 1e-9
                theta[literals] = theta.get(literals, 0.0) + value


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.7, -1.3]), st.floats(0.05, 3), st.booleans())
def test_gain_is_the_steepest_one_sided_derivative(
    seed: int, weight: float, lambda_: float, l2: bool
) -> None:
    rows, y = problem(seed, rows=30, atoms=5)
    theta = {(0,): weight, (1, ~2): 0.4}
    v = sum(each for each, row in zip(oracle.pulls(theta, rows, y), rows, strict=True) if 0 in row)

    def total(value: float) -> float:
        moved = theta | {(0,): value}
        if not l2:
            return oracle.risk(moved, rows, y, lambda_)
        return oracle.risk(moved, rows, y, 0.0) + lambda_ * (value**2 + 0.16)

    step = 1e-6
    slopes = [(total(weight) - total(weight + d)) / step for d in (step, -step)]
    expected = max(0.0, *slopes)
    assert _core.boost_gain(v, weight, lambda_, l2) == pytest.approx(expected, abs=1e-4)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 4), st.floats(0, 4)), min_size=1, max_size=8),
    st.sampled_from([0.0, 0.5, -2.0]),
    st.floats(0.01, 5),
)
def test_a_leafs_step_beats_a_grid_and_meets_the_subgradient(
    places: list[tuple[float, float, float]], theta: float, lambda_: float
) -> None:
    h, positive, negative = (np.array(column) for column in zip(*places, strict=True))
    delta = _core.boost_leaf(h, positive, negative, theta, lambda_)

    def phi(d: Any) -> Any:
        d = np.asarray(d)[..., None]
        losses = positive * np.logaddexp(0, -h - d) + negative * np.logaddexp(0, h + d)
        return losses.sum(axis=-1) + lambda_ * np.abs(theta + d[..., 0])

    grid = np.linspace(-8, 8, 2001)
    assert phi(delta) <= phi(grid).min() + 1e-7
    slope = (positive / (1 + np.exp(h + delta)) - negative / (1 + np.exp(-h - delta))).sum()
    if theta + delta == 0:
        assert abs(slope) <= lambda_ + 1e-9
    else:
        assert slope == pytest.approx(lambda_ * np.sign(theta + delta), abs=1e-6)


def test_the_other_way_round_every_step_is_negated() -> None:
    rows, y = problem(3)
    one, other = trained(rows, y), trained(rows, [-each for each in y])
    assert one.trees == other.trees
    for number in range(one.trees):
        atoms, others, values = one.tree(0, number)
        assert (atoms, others) == other.tree(0, number)[:2]
        assert values == pytest.approx([-v for v in other.tree(0, number)[2]], abs=1e-9)


@pytest.mark.parametrize("schedule", ["decay", "converge"])
def test_the_model_of_a_larger_lambda_is_the_beginning_of_the_run(schedule: str) -> None:
    rows, y = problem(4)
    whole = trained(rows, y, schedule=schedule)
    for end in (2.0, 5.0):
        part = trained(rows, y, lambda_min=end, schedule=schedule)
        assert list(part.lambdas(0)) == [x for x in whole.lambdas(0) if x >= end]
        for row in rows[:20]:
            assert whole.score(row, 0, end) == part.score(row, 0)
            assert whole.prefix(end).score(row, 0) == pytest.approx(part.score(row, 0), abs=1e-12)
        assert whole.size(end) == part.size() == whole.prefix(end).size()


def test_of_atoms_that_the_same_rows_have_the_first_is_taken() -> None:
    rows, y = problem(9)
    with_others = [row | {a + 12 for a in row} | {50 - a for a in row} | {60} for row in rows]
    one, other = trained(rows, y), trained(with_others, y)
    assert one.trees == other.trees > 5
    for number in range(one.trees):
        assert one.tree(0, number) == other.tree(0, number)


def test_examples_with_weight_count_as_often_as_they_weigh() -> None:
    rows, y = problem(5, rows=60)
    twice = trained(rows + rows[:20], y + y[:20])
    weighed = trained(rows, y, weights=[2.0] * 20 + [1.0] * 40)
    assert twice.trees == weighed.trees
    for row in rows:
        assert twice.score(row, 0) == pytest.approx(weighed.score(row, 0), abs=1e-9)


def test_each_leaf_may_pay_for_itself() -> None:
    rows, y = problem(6)
    merged, leaf = trained(rows, y), trained(rows, y, penalty="leaf")
    assert merged.compounds(0) != leaf.compounds(0)
    # Paying twice for what was taken back is never cheaper.
    theta = {c.literals: c.weight for c in leaf.compounds(0)}
    steps = sum(
        abs(value) for number in range(leaf.trees) for _, value, _ in leaves(leaf.tree(0, number))
    )
    assert sum(map(abs, theta.values())) <= steps + 1e-9


def test_no_more_trees_or_depth_than_allowed() -> None:
    rows, y = problem(8)
    flat = trained(rows, y, max_depth=1, gain="printed", min_gain_factor=1.0)
    assert max(flat.depth(0, i) for i in range(flat.trees)) == 1
    assert trained(rows, y, max_trees=4).trees == 4
    chains = trained(rows, y, gain="printed", min_gain_factor=1.0)
    assert max(chains.depth(0, i) for i in range(chains.trees)) > 4


def many_groups() -> tuple[BinaryRows, Any, Any, Any]:
    draw = np.random.default_rng(1)
    lists = [draw.choice(50, size=6, replace=False).tolist() for _ in range(400)]
    labels = np.array([min(row) % 5 for row in lists], dtype=np.uint32)
    borders = np.array([0, 10, 250, 250, 400], dtype=np.uint64)
    return (
        BinaryRows.from_lists(lists, 50),
        borders,
        labels,
        np.array([5, 5, 2, 3], dtype=np.uint32),
    )


def test_asked_row_by_row_trees_say_the_same_to_the_bit() -> None:
    """Only those are walked that look at an atom that is there; the others are known."""
    rows, borders, labels, classes = many_groups()
    trees = train_groups(rows, borders, labels, classes)
    asked = [*rows, [], list(range(50)), [7, 7, 3]]
    every = BinaryRows.from_lists(asked, 50)
    all_of_them = np.full(len(every), len(trees))
    _, scores = trees.scores(every, np.zeros(len(every)), all_of_them)
    got = np.asarray(trees.core.ask(every.begins, every.atoms))
    assert len(set(got.tolist())) > 100
    assert got.tobytes() == scores.astype(np.float32).tobytes()


def test_groups_are_trained_together_as_they_are_alone(tmp_path: Path) -> None:
    rows, borders, labels, classes = many_groups()
    files = []
    for threads in (1, 3):
        train_groups(rows, borders, labels, classes, threads=threads).save(tmp_path / "trees")
        files.append((tmp_path / "trees").read_bytes())
    assert files[0] == files[1]
    together = Ensembles.load(tmp_path / "trees", verify=True)
    assert len(together) == 15
    number = 0
    for g, count in enumerate(classes):
        begin, end = int(borders[g]), int(borders[g + 1])
        part = rows.take(np.arange(begin, end))
        for k in range(int(count)):
            alone = train_groups(
                part,
                np.array([0, end - begin], dtype=np.uint64),
                (labels[begin:end] != k).astype(np.uint32),
                np.array([1], dtype=np.uint32),
            )
            assert alone.compounds(0) == together.compounds(number)
            number += 1


def test_scores_and_choices_along_the_path_agree_with_walks() -> None:
    rows, borders, labels, classes = many_groups()
    found = train_groups(rows, borders, labels, classes)
    some = rows.take(np.arange(0, 400, 7))
    first = np.full(len(some), 5, dtype=np.uint32)
    count = np.array([5 if i % 2 else 3 for i in range(len(some))], dtype=np.uint32)
    lambdas = np.array([20.0, 4.0, 1.0, 0.0])
    for threads in (1, 2):
        chosen = found.along_path(some, first, count, lambdas, threads=threads)
        for at, lambda_ in enumerate(lambdas):
            begins, scores = found.scores(some, first, count, lambda_=lambda_, threads=threads)
            for i in range(len(some)):
                own = scores[int(begins[i]) : int(begins[i + 1])]
                assert own == pytest.approx(
                    [found.score(some[i], 5 + k, lambda_) for k in range(int(count[i]))]
                )
                assert chosen[i, at] == own.argmax()


def test_compounds_that_hold_explain_a_score() -> None:
    rows, y = problem(9)
    found = trained(rows, y)
    for row in rows[:30]:
        active = found.active(row, 0)
        assert sum(c.weight for c in active) == pytest.approx(found.score(row, 0), abs=1e-9)
        assert [abs(c.weight) for c in active] == sorted(
            (abs(c.weight) for c in active), reverse=True
        )


def test_extreme_margins_stay_numbers() -> None:
    h = np.array([-900.0, 900.0, 0.0])
    ones = np.ones(3)
    assert np.isfinite(_core.boost_leaf(h, ones, ones, 0.0, 0.1))
    assert np.isfinite(_core.boost_leaf(h[:1], ones[:1], 0 * ones[:1], 0.0, 1e-9))


def test_rows_without_atoms_and_groups_without_rows() -> None:
    found = train_groups(
        BinaryRows.from_lists([[], [], []], 0),
        np.array([0, 3, 3], dtype=np.uint64),
        np.array([0, 1, 1], dtype=np.uint32),
        np.array([1, 2], dtype=np.uint32),
        options=BoostingOptions(lambda_min=0.1),
    )
    assert len(found) == 3
    assert found.score([], 0) < 0
    assert found.lambdas(1).size == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"lambda_min": 0.0},
        {"decay": 1.0},
        {"min_gain_factor": 0.5},
        {"gain": "soft"},
        {"schedule": "never"},
        {"penalty": "l3"},
        {"max_trees": 0},
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(errors.ArgumentError):
        BoostingOptions(**wrong)


def test_wrong_arrays_are_refused() -> None:
    rows, borders, labels, classes = many_groups()
    with pytest.raises(errors.ArgumentError):
        train_groups(rows, borders[:-1], labels, classes)
    with pytest.raises(errors.ArgumentError):
        train_groups(rows, borders, labels[:-1], classes)
    with pytest.raises(errors.ArgumentError, match="atom"):
        train_groups(BinaryRows(rows.begins, rows.atoms, 3), borders, labels, classes)
    with pytest.raises(errors.ArgumentError, match="weight"):
        train_groups(rows, borders, labels, classes, weights=np.full(400, np.nan))
    found = train_groups(rows, borders, labels, classes)
    with pytest.raises(errors.ArgumentError, match="classifier"):
        found.scores(rows, np.full(400, 14), np.full(400, 2))


def test_numpy_and_scipy_give_the_same_classifier() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rows, y = problem(2)
    dense = np.array([[a in row for a in range(12)] for row in rows], dtype=float)
    one = BoostedTrees(lambda_min=1.0).fit(dense, y)
    other = BoostedTrees(lambda_min=1.0).fit(sparse.csr_matrix(dense), y)
    assert np.array_equal(one.decision_function(dense), other.decision_function(dense))
    assert one.score(dense, y) > 0.8
    assert set(one.predict(dense)) == {-1, 1}
    assert list(one.path_) == sorted(one.path_, reverse=True)
    words = np.array(["no", "yes"])[(np.array(y) + 1) // 2]
    assert BoostedTrees(lambda_min=1.0).fit(dense, words).score(dense, words) == one.score(dense, y)


def test_only_atoms_reach_the_objective_of_liblinear() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rows, y = problem(11, rows=200)
    dense = np.array([[a in row for a in range(12)] for row in rows], dtype=float)
    for lambda_ in (0.5, 2.0, 8.0):
        found = BoostedTrees(atoms_only=True, lambda_min=lambda_).fit(dense, y)
        theta = {c.literals: c.weight for c in found.ensembles_.compounds(0)}
        other = linear.LogisticRegression(
            l1_ratio=1.0, solver="liblinear", C=1 / lambda_, tol=1e-10, max_iter=10**5
        ).fit(dense, y)
        theirs = {(a,): w for a, w in enumerate(other.coef_[0])} | {(): other.intercept_[0]}
        mine = oracle.risk(theta, rows, y, lambda_)
        assert mine <= oracle.risk(theirs, rows, y, lambda_) + 1e-4
        assert mine == pytest.approx(oracle.risk(theirs, rows, y, lambda_), abs=1e-3)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_takes_it_for_one_of_its_own() -> None:
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    results = checks.check_estimator(BoostedTrees(), on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    # Its columns are sorted by whether a number is 0: what is continuous says little to it.
    allowed: set[str] = set()
    assert set(failed) <= allowed, failed
