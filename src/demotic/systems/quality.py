"""How good a model is, in figures that do not mislead, and in words.

    figures = assess(model, dev, threads=2)
    figures["value"], figures["chrf"]["value"], figures["untouched"], figures["memory"]
    for line in told(figures): print(line)

BLEU counts words as the target language has them, and each placeholder, tag or address as one: were
they taken apart, a message full of them would score well without being translated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from demotic.corpus.orthography import without_region
from demotic.corpus.protect import KINDS, SpanFinder
from demotic.errors import MissingDependencyError
from demotic.metrics import Bleu, Chrf
from demotic.metrics.tokenise import tokeniser
from demotic.progress import SILENT, Progress
from demotic.systems.confidence import Confidence

if TYPE_CHECKING:
    from demotic.corpus import Bitext
    from demotic.metrics import Score
    from demotic.systems.model import Model
    from demotic.systems.translator import Translation

_TOKENISERS = {"zh": "zh", "yue": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""sacreBLEU's, for languages that 13a does not take apart."""
_UNSPACED = ("th", "lo", "km", "my", "bo")
_PRIVATE = 0xF0000
"""The first of 65,534 characters that no text has: one for each protected span."""
_ORDER = 4
"""The longest n-grams of BLEU."""
SAMPLES = 5
SMALL_TEXT, SMALL_DEV = 1000, 100
"""Pairs, and sentences, below which a warning is due."""
WEAK = 10.0
"""BLEU below which a translation is of little help."""


def metric_for(language: str, *, tokenised: bool) -> Bleu:
    """BLEU of raw text by the words of a language, or of tokens as they are."""
    if tokenised:
        return Bleu(tokenise="none")
    base = without_region(language)
    name = "char" if base in _UNSPACED else _TOKENISERS.get(base, "13a")
    try:
        tokeniser(name, lowercase=False)
    except MissingDependencyError:
        name = "char"
    return Bleu(tokenise=name)


@dataclass
class Yardstick:
    """BLEU and chrF of raw text, spans that must survive as one token each."""

    bleu: Bleu
    find: SpanFinder | None
    _signs: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, language: str, *, tokenised: bool) -> Yardstick:
        """For a target language."""
        kinds = [kind for kind in KINDS if kind != "num"]
        return cls(
            metric_for(language, tokenised=tokenised), None if tokenised else SpanFinder(kinds)
        )

    def score(self, lines: Sequence[str], references: Sequence[Sequence[str]]) -> Score:
        """BLEU alone."""
        marked = [self.marked(each) for each in references]
        words, bleu = self.bleu.words, self.bleu
        if not any(len(words(line).split()) >= _ORDER for each in marked for line in each):
            # Without n-grams of the full order BLEU is 0, however good the translation.
            bleu = bleu.with_effective_order()
        found = bleu.score(self.marked(lines), marked)
        return replace(found, signature=f"{found.signature}|spans:one") if self.find else found

    def figures(self, lines: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, Any]:
        """BLEU with its signature, and chrF."""
        score = self.score(lines, references)
        chrf = Chrf().score(list(lines), [list(each) for each in references])
        return {
            "metric": score.name,
            "value": score.value,
            "signature": score.signature,
            "sentences": len(lines),
            "chrf": {"value": chrf.value, "signature": chrf.signature},
        }

    def marked(self, lines: Sequence[str]) -> list[str]:
        """Lines with each span as a sign of its own."""
        return [self._marked(line) for line in lines]

    def _marked(self, line: str) -> str:
        if self.find is None:
            return line
        for found in reversed(self.find(line)):
            span = line[found.start : found.end]
            sign = self._signs.setdefault(span, chr(_PRIVATE + len(self._signs) % 0xFFFE))
            line = f"{line[: found.start]} {sign} {line[found.end :]}"
        return line


def assess(
    model: Model,
    dev: Bitext,
    *,
    pairs: int,
    references: Sequence[Sequence[str]] = (),
    threads: int = 1,
    progress: Progress = SILENT,
) -> dict[str, Any]:
    """The figures of a model on text that it did not see, after a training on so many pairs."""
    return assess_parts(
        [(model, dev)], pairs=pairs, references=references, threads=threads, progress=progress
    )


def assess_parts(
    parts: Sequence[tuple[Model, Bitext]],
    *,
    pairs: int,
    references: Sequence[Sequence[str]] = (),
    threads: int = 1,
    progress: Progress = SILENT,
) -> dict[str, Any]:
    """The same for several models, each with text that it did not see, all of it together."""
    from demotic.systems.tuning import streams

    source = [line for _, dev in parts for line in dev.source_lines()]
    references = streams([line for _, dev in parts for line in dev.target_lines()], *references)
    yardstick = parts[0][0].yardstick()
    models: list[Model] = []
    """Whose each line is."""
    found: list[Translation] = []
    for model, dev in parts:
        models += [model] * len(dev)
        found += model.translate_lines(dev.source_lines(), threads=threads, progress=progress)
    figures = yardstick.figures([each.text for each in found], references)
    figures["untouched"] = _short(yardstick.figures(source, references))
    if models[0].memory is not None:
        remembered = [_nearest(model, line) for model, line in zip(models, source, strict=True)]
        figures["memory"] = _short(yardstick.figures(remembered, references))
        figures["memory"]["answered"] = sum(_answered(each) for each in found)
    rows = range(0, len(source), max(1, len(source) // SAMPLES))
    figures["samples"] = [
        {"source": source[row], "translation": found[row].text, "reference": references[0][row]}
        for row in list(rows)[:SAMPLES]
    ]
    sure = _confidence(models, found, references)
    if sure is not None:
        figures["confidence"] = sure.record()
    figures["warnings"] = list(warnings(figures, pairs))
    return figures


def _confidence(
    models: Sequence[Model], found: Sequence[Translation], references: Sequence[Sequence[str]]
) -> Confidence | None:
    """What decoded translations tell of themselves, fitted to which of them are a reference."""
    rows = [row for row, each in enumerate(found) if each.derivation is not None]
    right = [
        any(found[row].text.split() == stream[row].split() for stream in references) for row in rows
    ]
    decoded = [found[row] for row in rows]
    nearest = [
        0.0 if memory is None or each.source is None else memory.nearest(each.source)
        for memory, each in ((models[row].memory, found[row]) for row in rows)
    ]
    return Confidence.fit(decoded, nearest, right)


def warnings(figures: Mapping[str, Any], pairs: int) -> Iterator[str]:
    """What should be known before the model is used."""
    value, copied = figures["value"], figures["untouched"]["value"]
    better = figures["chrf"]["value"] > figures["untouched"]["chrf"]
    if value <= copied and not better:
        yield (
            f"no better than leaving the text as it is (BLEU {value:.1f}, untouched {copied:.1f}): "
            "do not use this model; are the languages and files the right ones?"
        )
    elif value < WEAK:
        yield f"BLEU {value:.1f} is too low to be of use: expect words, not sentences"
    if pairs < SMALL_TEXT:
        yield (
            f"{pairs:,} pairs are little to learn from: what is not in them comes out untranslated"
        )
    if figures["sentences"] < SMALL_DEV:
        yield (
            f"{figures['sentences']:,} sentences measure roughly: the figures may be off by many "
            "points"
        )
    memory = figures.get("memory")
    if memory is not None and memory["value"] > value:
        yield (
            f"the most similar message of the memory is better (BLEU {memory['value']:.1f}) than "
            "the translation"
        )


def tell(figures: Mapping[str, Any], held: str, progress: Progress) -> None:
    """The figures for people, then what they had better know."""
    for line in _told(figures, held):
        progress.say(line)
    unmeasured = [] if figures else ["no text was held out to measure the model on"]
    for warning in figures.get("warnings", unmeasured):
        progress.warn(warning)


def _told(figures: Mapping[str, Any], held: str) -> Iterator[str]:
    if not figures:
        return
    if "untouched" not in figures:  # of an earlier version, or tuned again
        yield f"{figures['metric']} {figures['value']:.2f} on {held}"
        return
    chrf, sentences = figures["chrf"]["value"], figures["sentences"]
    yield f"BLEU {figures['value']:.2f}, chrF {chrf:.2f} on {held} ({sentences:,} sentences)"
    yield f"  the source as it is: {_pair(figures['untouched'])}"
    if "memory" in figures:
        yield f"  the most similar message of the memory: {_pair(figures['memory'])}"
    if "confidence" in figures:
        sure = figures["confidence"]
        yield (
            f"  right as they are: {sure['right']:,} of {sure['sentences']:,} decoded; "
            f"the model tells which with an area under the curve of {sure['area']:.2f}"
        )
    for sample in figures["samples"]:
        yield f"  {sample['source']}"
        yield f"    → {sample['translation']}"
        yield f"    = {sample['reference']}  (reference)"


def _pair(figures: Mapping[str, Any]) -> str:
    return f"BLEU {figures['value']:.2f}, chrF {figures['chrf']:.2f}"


def _short(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {"value": figures["value"], "chrf": figures["chrf"]["value"]}


def _answered(found: Translation) -> bool:
    return found.memory is not None and found.memory.kind != "repaired"


def _nearest(model: Model, line: str) -> str:
    """What the memory has for a line: its answer, or its most similar message, or nothing."""
    assert model.memory is not None
    found = model.memory.answers(line) or model.memory.similar(
        model.source.encode(line), least=0.5, most=1
    )
    return found[0].text if found else ""
