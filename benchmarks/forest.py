"""Forest kernels beside the same algorithms in plain Python.

    python -m benchmarks.forest

Random forests with the shape of hierarchical decoding: X nodes for every span of up to ten words, a
chain of S nodes, edges with zero to two tails, ten dense and a few sparse features.  Prints ratios
of CPU time.
"""

from __future__ import annotations

import heapq
import itertools
import math
import random
import time
from collections.abc import Callable

import numpy as np

from demotic.features import FeatureSpace
from demotic.forest import Forest, ForestBuilder, envelopes, kbest, risk
from demotic.learn import ExpectedBleu, RiskSet

DENSE = [f"dense{i}" for i in range(10)]
SPARSE = FeatureSpace(DENSE, [f"sparse{i}" for i in range(50)])

SIZES = (100, 100_000, 1_000_000)


def cpu(work: Callable[[], object], repeats: int = 5) -> float:
    """The least CPU time of a few runs."""
    best = math.inf
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def hierarchical(
    length: int, rules_per_span: int, seed: int, space: FeatureSpace = SPARSE
) -> Forest:
    """A forest over a sentence of ``length`` words."""
    rng = random.Random(seed)
    builder = ForestBuilder(space=space, dense=DENSE)
    words = [f"w{i}" for i in range(200)]

    def rule(arity: int) -> int:
        target: list[str | int] = [*range(arity)]
        target += rng.choices(words, k=rng.randint(1, 3))
        rng.shuffle(target)
        sparse = {f"sparse{rng.randrange(len(space) - len(DENSE))}": 1.0 for _ in range(2)}
        return builder.add_rule("X", [], target, sparse)

    rules = [[rule(arity) for _ in range(200)] for arity in range(3)]

    def edge(head: int, tails: list[int]) -> None:
        dense = {name: rng.gauss(0, 1) for name in DENSE}
        number = rng.choice(rules[len(tails)])
        builder.add_edge(head, tails, number, rng.gauss(-2, 1), rng.gauss(0, 1), dense)

    x = {}
    for size in range(1, 11):
        for i in range(length - size + 1):
            x[i, i + size] = builder.add_node("X", i, i + size)
            for _ in range(rules_per_span):
                cut = rng.randint(i, i + size)
                parts = [p for p in ((i, cut), (cut, i + size)) if p[0] < p[1]]
                tails = [x[p] for p in parts if p in x and p != (i, i + size)]
                edge(x[i, i + size], rng.sample(tails, rng.randint(0, len(tails))))
    top: dict[int, int] = {}
    for j in range(1, length + 1):
        top[j] = builder.add_node("S", 0, j)
        for i in range(max(0, j - 10), j):
            edge(top[j], [x[i, j]] if i == 0 else [top[i], x[i, j]])
    return builder.finalize(top[length])


Plain = list[list[tuple[int, list[int], float]]]


def plain(forest: Forest) -> Plain:
    """For each node its edges, tails and scores, as Python lists."""
    return [
        [
            (e, forest.tails_of(e).tolist(), float(forest.score[e]))
            for e in range(forest.in_off[v], forest.in_off[v + 1])
        ]
        for v in range(forest.nodes)
    ]


def python_inside(forest: Plain) -> list[float]:
    beta: list[float] = []
    for edges in forest:
        totals = [score + sum(beta[t] for t in tails) for _, tails, score in edges]
        top = max(totals)
        beta.append(top + math.log(sum(math.exp(total - top) for total in totals)))
    return beta


def python_posteriors(forest: Plain) -> list[float]:
    beta = python_inside(forest)
    node = [0.0] * len(forest)
    node[-1] = 1.0
    posterior = []
    for v in range(len(forest) - 1, -1, -1):
        for _, tails, score in forest[v]:
            mu = node[v] * math.exp(score + sum(beta[t] for t in tails) - beta[v])
            posterior.append(mu)
            for tail in tails:
                node[tail] += mu
    return posterior


def python_kbest(forest: Plain, k: int) -> list[float]:
    """Bottom-up with a heap at each node: Huang & Chiang's Algorithm 2."""
    best: list[list[float]] = []
    for edges in forest:
        heap = []
        for e, tails, score in edges:
            heap.append((-(score + sum(best[t][0] for t in tails)), e, (0,) * len(tails), tails))
        heapq.heapify(heap)
        seen = {(e, ranks) for _, e, ranks, _ in heap}
        scores: list[float] = []
        while heap and len(scores) < k:
            cost, e, ranks, tails = heapq.heappop(heap)
            scores.append(-cost)
            for i, tail in enumerate(tails):
                more = (*ranks[:i], ranks[i] + 1, *ranks[i + 1 :])
                if more[i] < len(best[tail]) and (e, more) not in seen:
                    seen.add((e, more))
                    change = best[tail][more[i]] - best[tail][ranks[i]]
                    heapq.heappush(heap, (cost - change, e, more, tails))
        best.append(scores)
    return best[-1]


def main() -> None:
    forests = [hierarchical(25, 40, seed) for seed in range(8)]
    lists = [plain(forest) for forest in forests]
    edges = sum(forest.edges for forest in forests)
    print(f"{len(forests)} forests, {edges} edges, {sum(f.nodes for f in forests)} nodes")

    inside = cpu(lambda: [forest.log_z() for forest in forests])
    generic = cpu(lambda: [forest.inside("log") for forest in forests])
    both = cpu(lambda: [forest.posteriors() for forest in forests])
    slow_inside = cpu(lambda: [python_inside(forest) for forest in lists], 2)
    slow_both = cpu(lambda: [python_posteriors(forest) for forest in lists], 2)
    gap = max(abs(f.log_z() - python_inside(p)[-1]) for f, p in zip(forests, lists, strict=True))
    print(f"log inside: Python / Demotic = {slow_inside / inside:.0f}; difference {gap:.1e}")
    print(f"  the generic template takes {generic / inside:.1f} times as long")
    print(f"inside and outside: Python / Demotic = {slow_both / both:.0f}")

    quick = cpu(lambda: kbest(forests, 100))
    unique = cpu(lambda: kbest(forests, 100, unique=True))
    slow = cpu(lambda: [python_kbest(forest, 100) for forest in lists], 1)
    gap = max(
        abs(a - d.score)
        for p, result in zip(lists, kbest(forests, 100), strict=True)
        for a, d in zip(python_kbest(p, 100), result.derivations, strict=True)
    )
    print(f"100-best: Python / Demotic = {slow / quick:.0f}; difference {gap:.1e}")
    print(f"  with different strings {unique / quick:.1f} times as long")

    weights = np.array([random.Random(1).gauss(0, 0.1) for _ in range(len(SPARSE))])
    paired = cpu(lambda: risk(forests, weights, temperature=0.1))
    scoring = cpu(lambda: [forest.core.edge_scores(weights) for forest in forests])
    print(
        f"risk and gradient: {paired / inside:.1f} times a log inside "
        f"({(paired - scoring) / inside:.1f} without computing the scores); "
        f"{edges / paired / 1e6:.0f} million edges a CPU second"
    )
    examples = RiskSet(SPARSE, 5)
    for number, forest in enumerate(forests):
        counts = np.random.default_rng(number).integers(0, 3, (forest.edges, 5))
        examples.add(forest, counts.astype(np.float32))
    lengths = [20.0] * len(forests)
    bleu = ExpectedBleu(examples, lengths)
    whole = cpu(lambda: bleu.evaluate(weights))
    print(
        f"expected BLEU and gradient: {whole / inside:.1f} times a log inside; "
        f"{edges / whole / 1e6:.0f} million edges a CPU second"
    )
    directions = itertools.islice(itertools.cycle([[1.0], [-1.0]]), len(weights))
    direction = list(itertools.chain(*directions))
    lines = cpu(lambda: envelopes(forests, weights, direction))
    print(f"envelope along one direction: {lines / inside:.1f} times a log inside")
    for name, work in (("risk", batch_risk), ("expected features", each_expectation)):
        compare_spaces(name, work)


def small(space: FeatureSpace, rng: random.Random) -> Forest:
    """One node with twenty edges, each with a feature of its own."""
    builder = ForestBuilder(space=space)
    root = builder.add_node("S", 0, 1)
    for number in range(20):
        rule = builder.add_rule("S", ["w"], [f"w{number}"])
        feature = f"sparse{rng.randrange(len(space) - len(DENSE))}"
        builder.add_edge(root, [], rule, rng.gauss(0, 1), rng.gauss(0, 1), {feature: 1.0})
    return builder.finalize(root)


def batch_risk(forests: list[Forest], weights: np.ndarray) -> object:
    return risk(forests, weights)


def each_expectation(forests: list[Forest], weights: np.ndarray) -> object:
    return [forest.expected_features() for forest in forests]


def compare_spaces(
    name: str, work: Callable[[list[Forest], np.ndarray], object], sizes: tuple[int, ...] = SIZES
) -> None:
    """What forests of the same shape cost in spaces of different sizes."""
    kinds: dict[str, Callable[[FeatureSpace, random.Random], Forest]] = {
        "20 forests of 20 edges": small,
        "20 forests of a sentence": lambda space, rng: hierarchical(
            12, 20, rng.randrange(1000), space
        ),
    }
    for kind, make in kinds.items():
        seconds = []
        for size in sizes:
            space = FeatureSpace(DENSE, [f"sparse{i}" for i in range(size)])
            rng = random.Random(1)
            forests = [make(space, rng) for _ in range(20)]
            weights = np.full(len(space), 0.1)
            seconds.append(cpu(lambda f=forests, w=weights: work(f, w), 200))  # type: ignore[misc]
        edges = sum(forest.edges for forest in forests) / len(forests)
        print(
            f"{name}, {kind} ({edges:.0f} edges each): {seconds[0] / 20 * 1e6:.1f} us a forest "
            f"with {sizes[0]:,} features, "
            + ", ".join(
                f"{s / seconds[0]:.2f} times that with {n:,}"
                for n, s in zip(sizes[1:], seconds[1:], strict=True)
            )
        )


if __name__ == "__main__":
    main()
