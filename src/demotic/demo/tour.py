"""The tour: real messages are read and cleaned, translators are trained on them, what they learned
on the way is shown, and they are measured on unseen messages beside simple ways to translate.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from demotic.align import Alignments, LexicalTable, Text, align, pharaoh
from demotic.corpus import Bitext, CleaningReport, Orthography, Split, clean, split
from demotic.demo.contest import (
    UNTOUCHED,
    Lexicon,
    Speed,
    best_words,
    samples,
    simple_ways,
    translated,
    way_of,
)
from demotic.demo.desk import Desk, fill_desk
from demotic.demo.messages import WORTH_LEARNING, gather
from demotic.errors import FormatError
from demotic.explain import Explanation
from demotic.files import naming
from demotic.lm import LanguageModel
from demotic.lm.estimation import estimate
from demotic.metrics import Bleu, Chrf, Result, Ter, evaluate
from demotic.model import train
from demotic.progress import SILENT, Progress
from demotic.systems import DEFAULT, configured, system_named
from demotic.systems.model import Model

DEV = TEST = 400  # messages
SMALLEST = 1_000  # pairs that make a tour worth while
ORDERS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Fluency:
    """A language model of one order: its size, and how well it foresees unseen messages."""

    order: int
    ngrams: int
    perplexity: float


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
    lexicon: Lexicon
    fluency: list[Fluency]
    orders: list[tuple[str, float]]  # the words of a message in several orders, with their log10
    models: dict[str, Path]  # by system, those that were trained
    samples: list[dict[str, str]]
    explanation: Explanation
    desk: Desk
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
    systems: Sequence[str] = (DEFAULT,),
    offline: bool = False,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Tour:
    """Take the tour; models and texts are left in ``out`` for the commands to try."""
    systems = list(dict.fromkeys(systems))
    configs = {name: configured(name, system_named(name).DEMO) for name in systems}
    with naming(out):
        out.mkdir(parents=True, exist_ok=True)
    clock = _Clock()
    with clock.part("fetch and read"):
        gathered = gather(source, target, offline=offline, progress=progress)
        bitext = gathered.bitext
    with clock.part("clean and split"):
        bitext, cleaning = clean(bitext, WORTH_LEARNING, progress=progress)
        if len(bitext) < SMALLEST:
            raise FormatError(
                f"only {len(bitext)} messages from {source} to {target} were found",
                remedy="try other languages with --from and --to",
            )
        parts = split(bitext, dev=DEV, test=TEST, progress=progress)
    work = out / "work"
    places = _places(out, source, target, systems)
    models: dict[str, Model] = {}
    for name in systems:
        # Systems find in the work folder what those before them have made and they share.
        with clock.part(f"train {name}"):
            models[name] = train(
                parts.train,
                system=name,
                dev=parts.dev,
                config=configs[name],
                out=places[name],
                work=work,
                resume=bool(models),
                threads=threads,
                progress=progress,
            )
    reading, writing = (_orthography(work / f"{side}.json") for side in ("source", "target"))
    with clock.part("count words"):
        source_text, target_text = (
            _kept(work / f"train.{side}", out / f"train.{language}")
            for side, language in (("source", source), ("target", target))
        )
        links = work / "train.align"
        alignments = (
            Alignments(pharaoh.read(links))
            if links.is_file()
            else align(source_text, target_text, threads=threads, progress=progress)
        )
        table = LexicalTable.estimate(source_text, target_text, alignments.links, progress=progress)
        lexicon = best_words(table)
    with clock.part("language models"):
        fluency, lm = _fluency(out / f"train.{target}", parts.test, writing, out, threads)
        orders = _orders(lm, parts.test, writing)
    shutil.rmtree(work)
    with clock.part("translate and evaluate"):
        seconds = clock.seconds["count words"]
        ways = simple_ways(parts.train, reading, writing, lexicon, seconds)
        for name, model in models.items():
            ways[name] = way_of(model, clock.seconds[f"train {name}"], threads)
        found, speeds = translated(ways, list(parts.test.source_lines()))
        shown = samples(found, parts.test)
        explanation = models[systems[0]].explain(_to_explain(shown))
        results = evaluate(
            found,
            [list(parts.test.target_lines())],
            [Bleu(), Chrf(), Ter()],
            baseline=UNTOUCHED,
            progress=progress,
        )
    with clock.part("fill in a file"):
        desk = fill_desk(gathered.desk, parts.test, models[systems[0]], out, threads=threads)
    return Tour(
        source_language=source,
        target_language=target,
        files=gathered.files,
        cleaning=cleaning,
        parts=parts,
        source_text=source_text,
        target_text=target_text,
        alignments=alignments,
        lexicon=lexicon,
        fluency=fluency,
        orders=orders,
        models=places,
        samples=shown,
        explanation=explanation,
        desk=desk,
        results=results,
        speeds=speeds,
        seconds=clock.seconds,
    )


def _places(out: Path, source: str, target: str, systems: Sequence[str]) -> dict[str, Path]:
    if len(systems) == 1:
        return {systems[0]: out / f"{source}-{target}.demotic"}
    return {name: out / f"{source}-{target}.{name}.demotic" for name in systems}


def _orthography(path: Path) -> Orthography:
    with naming(path):
        return Orthography.from_json(path.read_text(encoding="utf-8"))


def _kept(path: Path, to: Path) -> Text:
    """A text of the work folder, which goes, in a place that stays."""
    with naming(to):
        shutil.copyfile(path, to)
    return Text.read(to)


def _fluency(
    text: Path, test: Bitext, writing: Orthography, out: Path, threads: int
) -> tuple[list[Fluency], LanguageModel]:
    unseen = [str(encoded) for encoded in writing.encode_lines(test.target_lines())]
    found = []
    for order in ORDERS:
        estimated = estimate(text, order=order, skip_special=True, threads=threads)
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


def _to_explain(shown: list[dict[str, str]]) -> str:
    """The message whose tree fits best on a screen."""
    return min((sample["message"] for sample in shown), key=lambda text: abs(len(text) - 40))
