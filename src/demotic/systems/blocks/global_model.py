"""The global model that the paper defers: a conditional random field over translation graphs.

    found = learn_global(decoder, source, references, rounds=3)
    decoder.with_weights(found.weights)

Z(s) is summed over the pruned translation graph.  The right derivations are those that give the
reference; where search cannot reach it, those that give the best translation by BLEU.  Each round
decodes anew, so that the graphs follow the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demotic.decode import BlockDecoder
from demotic.errors import ArgumentError
from demotic.learn.crf import CrfExample, CrfOptions, CrfResult, crf
from demotic.progress import SILENT, Progress


@dataclass(frozen=True, eq=False)
class GlobalResult:
    """Weights, and what each round met."""

    weights: dict[str, float]
    rounds: tuple[CrfResult, ...]
    reached: tuple[int, ...]
    """Sentences whose reference was in the graph, by round."""
    sentences: int


def examples_of(
    decoder: BlockDecoder,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    list_size: int = 1000,
    threads: int = 1,
    progress: Progress = SILENT,
) -> tuple[list[CrfExample], int]:
    """Graphs and their right parts, and how often these hold a reference."""
    graphs = decoder.forests(source, threads=threads, progress=progress)
    oracles = decoder.oracles(source, references, list_size, threads=threads, progress=progress)
    found: list[CrfExample] = []
    reached = 0
    for graph, oracle, wanted in zip(graphs, oracles, references, strict=True):
        parts = (graph.restrict(reference.split()) for reference in wanted)
        right = next((part for part in parts if part is not None), None)
        reached += right is not None
        if right is None:
            right = graph.restrict(list(oracle.best.tokens))
        if right is not None:
            found.append(CrfExample(graph, right))
    return found, reached


def learn_global(
    decoder: BlockDecoder,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    rounds: int = 3,
    options: CrfOptions | None = None,
    list_size: int = 1000,
    seed: int = 1,
    threads: int = 1,
    progress: Progress = SILENT,
) -> GlobalResult:
    """Train the weights of a decoder on a text and its references, one or more each."""
    if rounds < 1:
        raise ArgumentError("at least one round is needed")
    done: list[CrfResult] = []
    reached: list[int] = []
    for number in range(rounds):
        examples, count = examples_of(
            decoder, source, references, list_size=list_size, threads=threads, progress=progress
        )
        found = crf(
            examples, decoder.weights, options=options, seed=seed + number, progress=progress
        )
        done.append(found)
        reached.append(count)
        decoder = decoder.with_weights(found.weights)
    return GlobalResult(decoder.weights, tuple(done), tuple(reached), len(source))
