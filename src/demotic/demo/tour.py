"""The tour: real messages are read, cleaned, taken apart, aligned and modelled, and a translator is
trained on them and measured beside three simple ways to translate a message: leave it as it is,
look every word up, or reuse the most similar message of the memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from demotic.align import Alignments, LexicalTable, Text, align
from demotic.corpus import (
    Bitext,
    Cleaning,
    CleaningReport,
    Orthography,
    Split,
    clean,
    encode_pairs,
    read_bitext,
    split,
)
from demotic.demo.baselines import Memory, word_by_word
from demotic.demo.catalogues import find_catalogues
from demotic.errors import FormatError
from demotic.explain import Explanation
from demotic.files import naming, write_lines
from demotic.lm import LanguageModel
from demotic.lm.estimation import estimate
from demotic.metrics import Bleu, Chrf, Result, Ter, evaluate
from demotic.model import Model, train
from demotic.progress import SILENT, Progress

DEV = TEST = 400  # messages
SMALLEST = 1_000  # pairs that make a tour worth while
ORDERS = (1, 2, 3, 4, 5)
SHOWN = 12  # unseen messages
# A tour should not take long: fewer rounds of tuning than a model for use deserves.
SETTINGS = {"lm": {"order": 4}, "tune": {"mert": {"iterations": 4, "restarts": 1}}}


@dataclass(frozen=True)
class Fluency:
    """A language model of one order: its size, and how well it foresees unseen messages."""

    order: int
    ngrams: int
    perplexity: float


@dataclass(frozen=True)
class Speed:
    """What a way to translate costs."""

    training_seconds: float
    sentences_per_second: float


@dataclass(frozen=True)
class Tour:
    """All that the tour found out."""

    source_language: str
    target_language: str
    files: int
    cleaning: CleaningReport
    parts: Split
    source_text: Text
    target_text: Text
    alignments: Alignments
    lexicon: dict[str, tuple[str, float]]
    fluency: list[Fluency]
    orders: list[tuple[str, float]]  # the words of a message in several orders, with their log10
    model: Model
    samples: list[dict[str, str]]
    explanation: Explanation
    results: list[Result]
    speeds: dict[str, Speed]
    seconds: dict[str, float] = field(default_factory=dict)


class _Clock:
    """How long each part of the tour takes."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - begin


def run(
    out: Path,
    *,
    source: str = "en",
    target: str = "fr",
    offline: bool = False,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Tour:
    """Take the tour; models and texts are left in ``out`` for the commands to try."""
    with naming(out):
        out.mkdir(parents=True, exist_ok=True)
    clock = _Clock()
    with clock.part("fetch and read"):
        bitext, files = gather(source, target, offline=offline, progress=progress)
    with clock.part("clean and split"):
        bitext, cleaning = clean(bitext, _rules(), progress=progress)
        if len(bitext) < SMALLEST:
            raise FormatError(
                f"only {len(bitext)} messages from {source} to {target} were found",
                remedy="try other languages with --from and --to",
            )
        parts = split(bitext, dev=DEV, test=TEST, progress=progress)
    with clock.part("tokenise"):
        writing = {
            language: Orthography.learn(lines, language, progress=progress)
            for language, lines in (
                (source, parts.train.source_lines()),
                (target, parts.train.target_lines()),
            )
        }
        source_text, target_text = _encode(parts.train, writing[source], writing[target], out)
    with clock.part("align"):
        alignments = align(source_text, target_text, threads=threads, progress=progress)
        if alignments.aligner is not None:
            alignments.aligner.save(out / f"{source}-{target}.aligner")
        table = LexicalTable.estimate(source_text, target_text, alignments.links, progress=progress)
        lexicon = _best_words(table)
    with clock.part("language model"):
        fluency, lm = _fluency(out / f"train.{target}", parts.test, writing[target], out, threads)
        orders = _orders(lm, parts.test, writing[target])
    with clock.part("train the translator"):
        model = train(
            parts.train,
            system="hiero",
            dev=parts.dev,
            config=SETTINGS,
            out=out / f"{source}-{target}.demotic",
            threads=threads,
            progress=progress,
        )
    with clock.part("translate and evaluate"):
        ways = {
            "left as it is": _Way(lambda lines: lines),
            "most similar message": _remembering(parts.train, writing[source]),
            "word by word": _Way(
                lambda lines: [
                    word_by_word(writing[source].encode(line), writing[target], lexicon)
                    for line in lines
                ],
                clock.seconds["align"],
            ),
            "hiero": _Way(
                lambda lines: [
                    best[0].text for best in model.translate_lines(lines, threads=threads)
                ],
                clock.seconds["train the translator"],
            ),
        }
        systems, speeds = _translated(ways, list(parts.test.source_lines()))
        samples = _samples(systems, parts.test)
        explanation = model.explain(_to_explain(samples))
        metrics = [Bleu(), Chrf(), Ter()]
        results = evaluate(
            systems,
            [list(parts.test.target_lines())],
            metrics,
            baseline="left as it is",
            progress=progress,
        )
    return Tour(
        source_language=source,
        target_language=target,
        files=files,
        cleaning=cleaning,
        parts=parts,
        source_text=source_text,
        target_text=target_text,
        alignments=alignments,
        lexicon=lexicon,
        fluency=fluency,
        orders=orders,
        model=model,
        samples=samples,
        explanation=explanation,
        results=results,
        speeds=speeds,
        seconds=clock.seconds,
    )


def gather(source: str, target: str, *, offline: bool, progress: Progress) -> tuple[Bitext, int]:
    """Messages in two languages; two foreign ones are joined over their English."""
    paths = find_catalogues([source, target], offline=offline, progress=progress)
    by_language = {
        language: [path for path in paths if _is_for(path, language)]
        for language in (source, target)
        if language != "en"
    }
    if missing := [language for language, found in by_language.items() if not found]:
        raise FormatError(f"no catalogues found for {' and '.join(missing)}")
    bitexts = {
        language: read_bitext(found, source="en", target=language, progress=progress)
        for language, found in by_language.items()
    }
    if source == "en":
        return bitexts[target], len(paths)
    if target == "en":
        pairs = ((pair.target, pair.source) for pair in bitexts[source])
    else:
        known = {pair.source: pair.target for pair in bitexts[source]}
        pairs = (
            (known[pair.source], pair.target) for pair in bitexts[target] if pair.source in known
        )
    joined = Bitext.from_pairs(pairs, source_language=source, target_language=target)
    return joined, len(paths)


def _is_for(path: Path, language: str) -> bool:
    folder = path.parent.parent.name
    return folder == language or folder.startswith((f"{language}_", f"{language}-"))


def _rules() -> Cleaning:
    return Cleaning(max_words=60, drop_identical=True)


def _encode(
    bitext: Bitext, source: Orthography, target: Orthography, out: Path
) -> tuple[Text, Text]:
    pairs = ((pair.source, pair.target) for pair in bitext)
    sides = list(zip(*encode_pairs(source, target, pairs), strict=True))
    texts = []
    for language, side in zip((bitext.source_language, bitext.target_language), sides, strict=True):
        path = out / f"train.{language}"
        write_lines(path, map(str, side))
        texts.append(Text.read(path))
    return texts[0], texts[1]


def _best_words(table: LexicalTable) -> dict[str, tuple[str, float]]:
    """For each source word its likeliest target word."""
    best: dict[str, tuple[str, float]] = {}
    for block in table.text(target_given_source=True):
        for line in block.decode().splitlines():
            target, source, probability = line.split(" ")
            if target != "NULL" and float(probability) > best.get(source, ("", 0.0))[1]:
                best[source] = target, float(probability)
    return best


def _fluency(
    text: Path, test: Bitext, writing: Orthography, out: Path, threads: int
) -> tuple[list[Fluency], LanguageModel]:
    unseen = [str(encoded) for encoded in writing.encode_lines(test.target_lines())]
    found = []
    for order in ORDERS:
        estimated = estimate(text, order=order, threads=threads)
        model = estimated.model()
        perplexity = model.score_lines(unseen).perplexity_without_oov
        found.append(Fluency(order, sum(estimated.counts), perplexity))
    model.save(out / f"{test.target_language}.lm.bin")
    return found, model


def _orders(model: LanguageModel, test: Bitext, writing: Orthography) -> list[tuple[str, float]]:
    """One message of middling length: as written, reversed, and sorted by alphabet."""
    lines = sorted(writing.encode_lines(test.target_lines()), key=lambda line: len(line.tokens))
    chosen = next((line for line in lines if len(line.tokens) >= 8 and not line.spans), lines[-1])
    tokens = list(chosen.tokens)
    shown = [tokens, tokens[::-1], sorted(tokens)]
    return [(" ".join(words), model.score(" ".join(words))) for words in shown]


@dataclass(frozen=True)
class _Way:
    """A way to translate lines, and how long it took to prepare."""

    translate: Callable[[list[str]], Iterable[str]]
    training_seconds: float = 0.0


def _remembering(train: Bitext, writing: Orthography) -> _Way:
    begin = time.perf_counter()
    memory = Memory(train, writing)
    return _Way(
        lambda lines: [memory.nearest(writing.encode(line)) for line in lines],
        time.perf_counter() - begin,
    )


def _translated(
    ways: dict[str, _Way], lines: list[str]
) -> tuple[dict[str, list[str]], dict[str, Speed]]:
    systems, speeds = {}, {}
    for name, way in ways.items():
        begin = time.perf_counter()
        systems[name] = list(way.translate(lines))
        seconds = max(time.perf_counter() - begin, 1e-6)
        speeds[name] = Speed(way.training_seconds, len(lines) / seconds)
    return systems, speeds


def _samples(systems: dict[str, list[str]], test: Bitext) -> list[dict[str, str]]:
    """Messages with placeholders first, then the longest that fit on a line."""
    samples = [
        {
            "message": pair.source,
            "reference": pair.target,
            **{name: lines[row] for name, lines in systems.items() if name != "left as it is"},
        }
        for row, pair in enumerate(test)
    ]
    samples.sort(key=lambda sample: ("%" not in sample["message"], -len(sample["message"])))
    return [sample for sample in samples if len(sample["message"]) < 90][:SHOWN]


def _to_explain(samples: list[dict[str, str]]) -> str:
    """The message whose tree fits best on a screen."""
    return min((sample["message"] for sample in samples), key=lambda text: abs(len(text) - 40))
