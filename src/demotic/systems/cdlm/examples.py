"""Sentences to learn from, with their paraphrases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from demotic import files
from demotic.errors import ArgumentError
from demotic.metrics import Bleu
from demotic.progress import SILENT, Progress


@dataclass(frozen=True)
class Example:
    """A tokenised sentence; the references are itself and its paraphrases, which share a group."""

    sentence: str
    references: tuple[str, ...]
    group: int

    def __post_init__(self) -> None:
        if not self.references or not all(line.split() for line in self.references):
            raise ArgumentError("a sentence without references, or with an empty one")


def check_text(path: Path, least: int) -> None:
    """Raise where a text has too few sentences to learn from, before anything else is done."""
    seen: set[str] = set()
    for line in files.read_lines(path):
        if words := line.split():
            seen.add(" ".join(words))
        if len(seen) >= least:
            return
    raise ArgumentError(
        f"{len(seen)} different sentences to learn from",
        path=path,
        remedy=f"give at least {least}, better some hundred",
    )


def of_lines(
    lines: Iterable[str], *, most: int, max_words: int, progress: Progress = SILENT
) -> list[Example]:
    """Different sentences of a text, spread evenly, each its own reference."""
    seen: dict[str, None] = {}
    empty = long = 0
    for line in lines:
        words = line.split()
        if not words:
            empty += 1
        elif len(words) > max_words:
            long += 1
        else:
            seen.setdefault(" ".join(words))
    _told(empty, long, max_words, progress)
    kept = list(seen)
    step = max(1.0, len(kept) / most)
    chosen = [kept[int(i * step)] for i in range(min(most, len(kept)))]
    return [Example(line, (line,), number) for number, line in enumerate(chosen)]


def of_groups(
    streams: Sequence[Sequence[str]], *, max_words: int = 40, progress: Progress = SILENT
) -> list[Example]:
    """One sentence for each different paraphrase of a line, all of them its references."""
    if len({len(stream) for stream in streams}) != 1:
        sizes = ", ".join(str(len(stream)) for stream in streams)
        raise ArgumentError(f"references of different length: {sizes} lines")
    found = []
    empty = long = 0
    for group, lines in enumerate(zip(*streams, strict=True)):
        different = [*dict.fromkeys(" ".join(line.split()) for line in lines if line.split())]
        empty += not different
        for line in different:
            if len(line.split()) > max_words:
                long += 1
                continue
            others = [other for other in different if other != line]
            found.append(Example(line, (line, *others), group))
    _told(empty, long, max_words, progress)
    return found


def _told(empty: int, long: int, max_words: int, progress: Progress) -> None:
    if empty or long:
        progress.say(f"left out: {empty:,} empty lines, {long:,} of more than {max_words} words")


def held_out(examples: Sequence[Example], one_of: int) -> tuple[list[Example], list[Example]]:
    """Those to learn from, and those that judge; a group is on one side as a whole."""
    groups = {group: place for place, group in enumerate(dict.fromkeys(e.group for e in examples))}
    last = one_of - 1
    learned = [e for e in examples if groups[e.group] % one_of != last]
    judges = [e for e in examples if groups[e.group] % one_of == last]
    if not learned or not judges:
        raise ArgumentError(
            f"{len(examples)} sentences are too few to hold some out",
            remedy=f"give at least {one_of} of them",
        )
    return learned, judges


def streams_of(examples: Sequence[Example]) -> list[list[str]]:
    """References as metrics take them; where there are fewer, the first stands in."""
    most = max(len(example.references) for example in examples)
    return [
        [e.references[i] if i < len(e.references) else e.references[0] for e in examples]
        for i in range(most)
    ]


@dataclass(frozen=True)
class Judged:
    """How good sentences are."""

    bleu: float
    ratio: float
    """Their words against those of the references."""


def judge(lines: Sequence[str], examples: Sequence[Example]) -> Judged:
    """BLEU of tokens."""
    metric = Bleu(tokenise="none")
    statistics = metric.statistics(lines, streams_of(examples)).sum(axis=0)
    length, reference = float(statistics[-2]), float(statistics[-1])
    value = float(metric.values(statistics[None, :])[0])
    return Judged(value, length / max(1.0, reference))
