"""MERT's line search beside the same algorithm in plain Python.

    python -m benchmarks.mert

Random lists with the shape of a tuning set (100 hypotheses a sentence, 10 features, BLEU that goes
with one of the features) and random forests with the shape of hierarchical decoding.  Prints ratios
of CPU time, how much one thread does, and whether both find the same BLEU.
"""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np

from benchmarks.forest import SPARSE, cpu, hierarchical, plain
from demotic.forest import Forest
from demotic.learn import ForestCandidates, KBestCandidates, Known, statistics_against
from tests.oracles.mert import bleu

FEATURES = [f"f{i}" for i in range(10)]

Line = tuple[float, float, int]  # slope, intercept, hypothesis
Segments = list[tuple[float, int]]  # from where on, hypothesis


def random_lists(sentences: int, size: int, rng: np.random.Generator) -> list[KBestCandidates]:
    lists = []
    for _ in range(sentences):
        features = rng.standard_normal((size, len(FEATURES))) * 3
        length = rng.integers(8, 25)
        reach = 1 / (1 + np.exp(-features[:, 0] / 3))
        matches = [np.floor((length - n) * reach ** (n + 1)) for n in range(4)]
        totals = [np.full(size, length - n) for n in range(4)]
        lengths = [np.full(size, length), np.full(size, length + 1)]
        lists.append(KBestCandidates(features, np.column_stack(matches + totals + lengths)))
    return lists


def hull(lines: list[Line]) -> Segments:
    """The upper envelope of lines, by Och's sort and sweep."""
    kept: list[tuple[float, float, int, float]] = []
    for slope, intercept, hypothesis in sorted(lines, key=lambda line: (line[0], -line[1])):
        if kept and kept[-1][0] == slope:
            continue
        start = -np.inf
        while kept:
            start = (kept[-1][1] - intercept) / (slope - kept[-1][0])
            if start > kept[-1][3]:
                break
            kept.pop()
            start = -np.inf
        kept.append((slope, intercept, hypothesis, start))
    return [(start, hypothesis) for _, _, hypothesis, start in kept]


def sweep(paths: list[tuple[Segments, list[list[int]]]]) -> float:
    """The best BLEU over all intervals."""
    total = [0] * 10
    events = []
    for segments, statistics in paths:
        total = [a + b for a, b in zip(total, statistics[segments[0][1]], strict=True)]
        for (_, left), (at, right) in pairwise(segments):
            events.append((at, statistics[left], statistics[right]))
    best = bleu(total)
    for _, left, right in sorted(events, key=lambda event: event[0]):
        total = [t - a + b for t, a, b in zip(total, left, right, strict=True)]
        best = max(best, bleu(total))
    return best


def python_lists(
    lists: list[tuple[list[list[float]], list[list[int]]]], w: list[float], d: list[float]
) -> float:
    paths = []
    for features, statistics in lists:
        lines = [
            (
                sum(a * b for a, b in zip(row, d, strict=True)),
                sum(a * b for a, b in zip(row, w, strict=True)),
                i,
            )
            for i, row in enumerate(features)
        ]
        paths.append((hull(lines), statistics))
    return sweep(paths)


def compare_lists(rng: np.random.Generator) -> None:
    lists = random_lists(300, 100, rng)
    written = [(one.features.tolist(), one.statistics.tolist()) for one in lists]
    search = Known(FEATURES, len(lists))
    search.add(lists)
    w = rng.standard_normal(len(FEATURES))
    directions = rng.standard_normal((25, len(FEATURES)))
    quick = cpu(lambda: search.steps(w, directions)) / len(directions)
    slow = cpu(lambda: python_lists(written, w.tolist(), directions[0].tolist()), 2)
    ours = search.steps(w, directions[:1])[0].bleu
    gap = abs(ours - python_lists(written, w.tolist(), directions[0].tolist()))
    print(f"{len(lists)} lists of 100: Python / Demotic = {slow / quick:.0f}; difference {gap:.1e}")
    print(f"  {30_000 / quick / 1e6:.1f} million hypotheses searched a CPU second")


def python_envelope(forest: list[list[tuple[int, list[int], float, float]]]) -> int:
    """The number of segments at the root: lines of each edge added, then Och's sweep."""
    beta: list[list[tuple[float, float, float]]] = []  # from, slope, intercept
    for edges in forest:
        lines: list[Line] = []
        for _, tails, slope, intercept in edges:
            total = [(-np.inf, slope, intercept)]
            for tail in tails:
                total = _added(total, beta[tail])
            lines += [(a, b, 0) for _, a, b in total]
        numbered = [(a, b, i) for i, (a, b, _) in enumerate(lines)]
        beta.append([(start, *lines[i][:2]) for start, i in hull(numbered)])
    return len(beta[-1])


def _added(
    a: list[tuple[float, float, float]], b: list[tuple[float, float, float]]
) -> list[tuple[float, float, float]]:
    result = []
    i = j = 0
    start = -np.inf
    while True:
        result.append((start, a[i][1] + b[j][1], a[i][2] + b[j][2]))
        next_i = a[i + 1][0] if i + 1 < len(a) else np.inf
        next_j = b[j + 1][0] if j + 1 < len(b) else np.inf
        start = min(next_i, next_j)
        if start == np.inf:
            return result
        i += next_i == start
        j += next_j == start


def compare_forests(rng: np.random.Generator) -> None:
    forests = [hierarchical(20, 12, seed) for seed in range(20)]
    names = forests[0].features
    references = [_reference(forest) for forest in forests]
    search = Known(names, len(forests))
    search.add(
        [
            ForestCandidates(forest, statistics_against([reference]))
            for forest, reference in zip(forests, references, strict=True)
        ]
    )
    dense = len(names) - len(SPARSE)
    w = rng.standard_normal(len(names)) * 0.1
    directions = rng.standard_normal((25, len(names)))
    directions[:, dense:] = 0
    first = cpu(lambda: search.steps(w, directions), 1)  # texts are scored and remembered
    again = cpu(lambda: search.steps(w, directions), 3)
    written = [_with_lines(forest, w, directions[0]) for forest in forests]
    slow = cpu(lambda: [python_envelope(forest) for forest in written], 1)
    edges = sum(forest.edges for forest in forests)
    print(f"{len(forests)} forests, {edges} edges, 25 directions:")
    print(f"  envelopes in Python / whole search in Demotic = {slow / (again / 25):.0f}")
    print(f"  {again / 25 / len(forests) * 1e3:.2f} CPU ms a forest and direction, ", end="")
    print(f"{first / again:.1f} times that the first time; {edges * 25 / again / 1e6:.1f} million ")
    print("  edges a CPU second")


def _with_lines(
    forest: Forest, w: np.ndarray, d: np.ndarray
) -> list[list[tuple[int, list[int], float, float]]]:
    slope, intercept = forest.core.edge_scores(d), forest.core.edge_scores(w)
    return [
        [(e, tails, float(slope[e]), float(intercept[e])) for e, tails, _ in edges]
        for edges in plain(forest)
    ]


def _reference(forest: Forest) -> str:
    words = forest.viterbi().tokens
    return " ".join(random.Random(1).sample(words, len(words) // 2) + list(words))


def main() -> None:
    rng = np.random.default_rng(1)
    compare_lists(rng)
    compare_forests(rng)


if __name__ == "__main__":
    main()
