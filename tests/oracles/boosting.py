"""Boosted trees in plain Python: Wellington, Turian and Melamed's Algorithm 7.1, piece by piece."""

from __future__ import annotations

import math
from collections.abc import Sequence

Literals = tuple[int, ...]  # a, or ~a where it is negated


def softplus(x: float) -> float:
    return x + math.log1p(math.exp(-x)) if x > 0 else math.log1p(math.exp(x))


def holds(literals: Literals, row: set[int]) -> bool:
    return all((a in row) if a >= 0 else (~a not in row) for a in literals)


def margin(theta: dict[Literals, float], row: set[int]) -> float:
    return sum(weight for literals, weight in theta.items() if holds(literals, row))


def risk(
    theta: dict[Literals, float],
    rows: Sequence[set[int]],
    y: Sequence[int],
    lambda_: float,
    weights: Sequence[float] | None = None,
) -> float:
    """(7.4)."""
    b = weights or [1.0] * len(rows)
    loss = sum(b[i] * softplus(-y[i] * margin(theta, rows[i])) for i in range(len(rows)))
    return loss + lambda_ * sum(map(abs, theta.values()))


def pulls(
    theta: dict[Literals, float],
    rows: Sequence[set[int]],
    y: Sequence[int],
    weights: Sequence[float] | None = None,
) -> list[float]:
    """v_i = b_i w_i y_i, with (7.10)."""
    b = weights or [1.0] * len(rows)
    return [b[i] * y[i] / (1.0 + math.exp(y[i] * margin(theta, rows[i]))) for i in range(len(rows))]


def gain(v: float, lambda_: float, form: str) -> float:
    if abs(v) <= lambda_:
        return 0.0
    return abs(v) if form == "hard" else abs(v) - lambda_


def split_gains(
    literals: Literals,
    rows: Sequence[set[int]],
    v: Sequence[float],
    atoms: int,
    lambda_: float,
    form: str,
) -> dict[int, float]:
    """What each atom promises at a leaf (7.12); atoms that all or none of its rows have: none."""
    inside = [i for i in range(len(rows)) if holds(literals, rows[i])]
    found = {}
    for atom in range(atoms):
        with_it = [i for i in inside if atom in rows[i]]
        if 0 < len(with_it) < len(inside):
            one = sum(v[i] for i in with_it)
            other = sum(v[i] for i in inside) - one
            found[atom] = gain(one, lambda_, form) + gain(other, lambda_, form)
    return found


def leaf_gain(
    literals: Literals, rows: Sequence[set[int]], v: Sequence[float], lambda_: float, form: str
) -> float:
    return gain(sum(v[i] for i in range(len(rows)) if holds(literals, rows[i])), lambda_, form)
