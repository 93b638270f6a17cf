"""Minimum imputed risk: tuning on text of the target language, whose sources are made up.

Li, Eisner, Wang and Khudanpur (EMNLP 2011).  A model of the opposite direction gives each sentence
y its best sources x, and weights minimise the risk of what becomes of these, each as often as it is
probable: sum over y and x of p(x | y) E[loss(y', y)], y' a translation of x.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from demotic import files
from demotic.corpus import Orthography
from demotic.errors import ArgumentError, check_counts
from demotic.progress import SILENT, Progress
from demotic.systems.cdlm.examples import of_lines
from demotic.systems.reverse import file_of, open_reverse, sources_of


@dataclass(frozen=True, kw_only=True)
class ImputedConfig:
    """Sentences of the target language to tune on beside the development set, by minrisk."""

    text: Path | None = None
    """Text in the target language, plain or gzip, one sentence a line; without it there are no such
    sentences."""
    reverse: Path | None = None
    """A model of the opposite direction, which says what their sources may be."""
    sentences: int = 300
    """Sentences of the text that take part, spread evenly over it."""
    sources: int = 3
    """The most sources of a sentence."""
    scale: float = 1.0
    """Sources are as probable as exp(scale * score): with a larger one the best counts more."""
    weight: float = 0.5
    """How often a sentence counts, all of its sources together, where one of the development set
    counts once."""
    alone: bool = False
    """Learn from them alone; the development set then only says which round was best."""
    max_words: int = 40
    """Longer sentences are left out."""

    def __post_init__(self) -> None:
        check_counts(self, "sentences", "sources", "max_words", least=1)
        for name in ("scale", "weight"):
            if not 0 < getattr(self, name) < math.inf:
                raise ArgumentError(
                    f"a {name} of {getattr(self, name)}", remedy="give a positive number"
                )
        if (self.text is None) != (self.reverse is None):
            raise ArgumentError(
                "imputed.text and imputed.reverse go together",
                remedy="give a text and a model of the opposite direction",
            )

    def files(self) -> tuple[Path, ...]:
        """Those that tuning will read."""
        if self.text is None or self.reverse is None:
            return ()
        return (self.text, file_of(self.reverse))


@dataclass(frozen=True)
class Imputed:
    """Sentences in tokens, once for each of their sources."""

    source: Sequence[str] = ()
    reference: Sequence[str] = ()
    weights: Sequence[float] = ()
    """How often each counts."""
    alone: bool = False
    """Does nothing else count?"""

    def write(self, path: Path) -> None:
        """Lines that :meth:`read` reads."""
        rows = zip(self.weights, self.source, self.reference, strict=True)
        lines = ("\t".join([repr(weight), *texts]) for weight, *texts in rows)
        files.write_lines(path, [str(int(self.alone)), *lines])

    @classmethod
    def read(cls, path: Path) -> Imputed:
        """What :meth:`write` wrote."""
        alone, *lines = files.read_lines(path)
        rows = [line.split("\t") for line in lines]
        return cls(
            [source for _, source, _ in rows],
            [reference for _, _, reference in rows],
            [float(weight) for weight, _, _ in rows],
            alone == "1",
        )


NONE = Imputed()


def impute(
    config: ImputedConfig,
    source: Orthography,
    target: Orthography,
    languages: tuple[str, str],
    *,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Imputed:
    """What ``config`` asks for; nothing without a text.  ``languages``: source and target."""
    if config.text is None or config.reverse is None:
        return NONE
    model = open_reverse(config.reverse, source_language=languages[0], target_language=languages[1])
    lines = (str(target.encode(line)) for line in files.read_lines(config.text))
    with files.naming(config.text):
        examples = of_lines(
            lines, most=config.sentences, max_words=config.max_words, progress=progress
        )
        if not examples:
            raise ArgumentError("no sentence to tune on", remedy="give a text with words")
    sentences = [example.sentence for example in examples]
    sources, references, weights = [], [], []
    found = sources_of(
        model, sentences, source, target, most=config.sources, threads=threads, progress=progress
    )
    for sentence, each in zip(sentences, found, strict=True):
        shares = probabilities([score for _, score in each], config.scale)
        for (text, _), share in zip(each, shares, strict=True):
            sources.append(text)
            references.append(sentence)
            weights.append(config.weight * share)
    progress.say(f"{len(sources):,} sources imputed to {len(sentences):,} sentences")
    return Imputed(sources, references, weights, config.alone)


def probabilities(scores: Iterable[float], scale: float = 1.0) -> list[float]:
    """Proportional to exp(scale * score); they sum to 1."""
    given = [scale * score for score in scores]
    best = max(given, default=0.0)
    raw = [math.exp(score - best) for score in given]
    total = sum(raw)
    return [each / total for each in raw]
