"""The phrase-based decoder: CPU time against model score and BLEU, by number of pops.

    python -m benchmarks.phrase [--model BUNDLE ...] [--cache DIR] [--set val] [--plot STEM]

Multi30k German-English, lower-cased, tokenised, one thread.  Without a trained model, phrases with
orientations and a 5-gram model of the training text are made once and kept in DIR (by default in a
temporary folder), and the weights are fixed ones.  Of several models the figures are means: BLEU
moves by a tenth when nothing is lost.  Every setting decodes the same sentences in the same run, in
turns, each time with a new decoder that has seen no sentence before; a figure is the least CPU time
of its turns, also as a ratio to 1000 pops.  The loss against the widest search, in model score and
in BLEU, shows what a setting gives up; beside it stands what moses2 gives up on a like machine.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from benchmarks.corpora import data_folder
from demotic.align import Text, align
from demotic.decode import Derivation, PhraseCounters, PhraseDecoder, PhraseSearch
from demotic.experiments.plots import Series, draw
from demotic.grammar import HieroExtraction, RuleTable, extract_hiero
from demotic.lm import FurtherModel, LanguageModel
from demotic.lm.estimation import estimate
from demotic.metrics import Bleu

WEIGHTS = {
    "TargetGivenSource": 0.284,
    "SourceGivenTarget": 0.167,
    "LexicalTargetGivenSource": 0.053,
    "LexicalSourceGivenTarget": 0.122,
    "MonotonePrevious": 0.065,
    "SwapPrevious": 0.731,
    "OtherPrevious": 0.1,
    "MonotoneNext": 0.011,
    "SwapNext": -0.018,
    "OtherNext": 0.148,
    "LanguageModel": 0.338,
    "WordPenalty": 0.443,
    "RulePenalty": 0.438,
    "Distortion": 0.009,
    "PassThrough": 2.404,
    "UnknownWord": -0.168,
}
POPS = (10, 20, 30, 50, 75, 100, 200, 400, 1000, 5000)
TURNS = 3
MOSES2 = {30: (0.56, -0.18), 100: (1.4, -0.03), 400: (4.0, -0.01), 1000: (9.0, 0.0)}
"""By pops: CPU milliseconds a sentence, and the loss of BLEU against its 1000 pops."""


@dataclass(frozen=True)
class Run:
    """One setting's results: times and counts of a sentence, the model's score and BLEU."""

    options: PhraseSearch
    milliseconds: float
    pops: float
    kept: float
    score: float
    bleu: float

    @property
    def name(self) -> str:
        options = self.options
        cube = options.method == "cube"
        return f"{options.pops} pops" if cube else f"stacks of {options.stack}, all cells"


@dataclass(frozen=True)
class Parts:
    """What a decoder is made of, and how it wants its sentences."""

    rules: Path
    lm: Path
    weights: Mapping[str, float]
    options: PhraseSearch
    encode: Callable[[str], Sequence[str]] = str.split
    further: tuple[FurtherModel, ...] = ()

    def decoder(self, options: PhraseSearch | None = None) -> PhraseDecoder:
        """A new one, as a bundle is loaded: nothing is read before it is needed."""
        return PhraseDecoder(
            RuleTable.load(self.rules, verify=False),
            LanguageModel.load(self.lm, verify=False),
            self.weights,
            further=self.further,
            options=options or self.options,
        )


def lines_of(name: str) -> list[str]:
    with gzip.open(data_folder() / "multi30k" / "tok" / name, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n").lower() for line in lines]


def parts_in(cache: Path) -> Parts:
    """Phrases and language model of the training text, made where they are not there yet."""
    rules, lm = cache / "multi30k.de-en.phrases", cache / "multi30k.en.5gram"
    if not rules.exists():
        source, target = Text.of(lines_of("train.de.gz")), Text.of(lines_of("train.en.gz"))
        links = align(source, target, threads=2).links
        chosen = HieroExtraction.phrases(orientations=True)
        extract_hiero(source, target, links, out=rules, options=chosen)
    if not lm.exists():
        text = cache / "multi30k.en"
        text.write_text("".join(line + "\n" for line in lines_of("train.en.gz")), encoding="utf-8")
        estimate(text, order=5).save(lm)
        text.unlink()
    return Parts(rules, lm, WEIGHTS, PhraseSearch())


def parts_of(model: Path) -> Parts:
    """Those of a trained model."""
    from demotic.bundle import Bundle
    from demotic.systems.phrase import PhraseModel

    opened = PhraseModel.open(Bundle.open(model))
    rules, lm = opened.part("rules.bin"), opened.part("lm.bin")
    return Parts(
        rules, lm, opened.weights, opened.search, lambda line: opened.source.encode(line).tokens,
        opened.further,
    )  # fmt: skip


def curve(parts: Parts, source: Sequence[str], reference: Sequence[str]) -> list[Run]:
    """All settings, in turns."""
    sentences = [parts.encode(line) for line in source]
    settings = [replace(parts.options, method="cube", pops=pops) for pops in POPS]
    settings[-1] = replace(settings[-1], stack=POPS[-1], threshold=0.0)
    settings.append(replace(parts.options, method="stack", stack=100, threshold=1e-5))
    parts.decoder().decode_lines(sentences)  # the files are in memory now
    times: dict[PhraseSearch, list[float]] = {options: [] for options in settings}
    runs = {}
    for turn in range(TURNS):
        for options in settings if turn == 0 else settings[: len(POPS) - 1]:
            decoder = parts.decoder(options)
            begin = time.process_time()
            found = decoder.decode_lines(sentences)
            times[options].append(time.process_time() - begin)
            if turn == 0:
                runs[options] = run_of(options, found, decoder.counters, reference)
    size = len(sentences)
    return [
        replace(runs[options], milliseconds=1000 * min(times[options]) / size)
        for options in settings
    ]


def run_of(
    options: PhraseSearch,
    found: Sequence[Derivation],
    counters: PhraseCounters,
    reference: Sequence[str],
) -> Run:
    """What a setting found; its time comes later."""
    size = len(found)
    bleu = Bleu(tokenise="none").score([each.text for each in found], [list(reference)])
    score = sum(each.score for each in found) / size
    return Run(options, 0.0, counters.pops / size, counters.hypotheses / size, score, bleu.value)


def mean(runs: Sequence[Run]) -> Run:
    """One setting's figures, of several models."""
    names = ("milliseconds", "pops", "kept", "score", "bleu")
    return replace(
        runs[0], **{name: statistics.fmean(getattr(run, name) for run in runs) for name in names}
    )


def loading(parts: Parts) -> float:
    """Seconds of CPU time from files to a decoder."""
    times = []
    for _ in range(5):
        begin = time.process_time()
        parts.decoder()
        times.append(time.process_time() - begin)
    return min(times)


def report(runs: Sequence[Run], widest: Run) -> None:
    """The table, and what moses2 takes for the same loss of BLEU."""
    base = next(run.milliseconds for run in runs if run.options.pops == 1000)
    print(
        "| search | time | ms/sentence | pops/sentence | kept/sentence | model score | loss "
        "| BLEU | loss |\n|---|---|---|---|---|---|---|---|---|"
    )
    for run in runs:
        print(
            f"| {run.name} | {run.milliseconds / base:.2f} | {run.milliseconds:.3f} "
            f"| {run.pops:,.0f} | {run.kept:,.0f} | {run.score:.3f} "
            f"| {run.score - widest.score:+.4f} | {run.bleu:.2f} | {run.bleu - widest.bleu:+.2f} |"
        )
    for pops, (milliseconds, loss) in MOSES2.items():
        # From there on no wider search loses more.
        cubes = reversed(runs[: len(POPS)])
        *_, first = takewhile(
            lambda run, loss=loss: round(run.bleu - widest.bleu, 2) >= loss, cubes
        )
        print(
            f"moses2 at {pops} pops: BLEU {loss:+.2f} in {milliseconds:.2f} ms; here {first.name}, "
            f"{first.milliseconds:.2f} ms, {first.milliseconds / milliseconds:.2f} of it"
        )


def plot(stem: Path, runs: Sequence[Run], widest: Run) -> None:
    """The curves of time against both losses."""
    cubes = runs[: len(POPS) - 1]
    times = [run.milliseconds for run in cubes]
    bleu = [
        Series("Demotic", times, [run.bleu - widest.bleu for run in cubes]),
        Series("moses2", *zip(*MOSES2.values(), strict=True)),
    ]
    score = Series("Demotic", times, [widest.score - run.score for run in cubes])
    x, title = "CPU ms a sentence", "Phrase-based search"
    draw(stem.with_name(f"{stem.name}-bleu"), bleu, x=x, y="change of BLEU", title=title)
    draw(stem.with_name(f"{stem.name}-score"), [score], x=x, y="loss of model score", title=title,
         logarithmic=True)  # fmt: skip


def measure(models: Sequence[Parts], name: str, sentences: int, stem: Path | None) -> None:
    source = lines_of(f"{name}.de.gz")[:sentences]
    reference = lines_of(f"{name}.en.gz")[: len(source)]
    parts = models[0]
    rules = RuleTable.load(parts.rules, verify=False)
    reordering = "with" if parts.options.reordering else "without"
    print(
        f"{len(rules):,} phrases, {name}: {len(source)} sentences, {len(models)} model"
        f"{'s' * (len(models) > 1)}, distortion limit {parts.options.distortion_limit}, "
        f"{reordering} lexicalised reordering, one thread, CPU time"
    )
    curves = [curve(each, source, reference) for each in models]
    runs = [mean(setting) for setting in zip(*curves, strict=True)]
    widest = runs[len(POPS) - 1]
    report(runs, widest)
    if stem is not None:
        plot(stem, runs, widest)
    spent = loading(parts)
    per_sentence = next(run.milliseconds for run in runs if run.options.pops == 100)
    print(
        f"from files to a decoder: {1000 * spent:.1f} ms, as long as "
        f"{1000 * spent / per_sentence:.0f} sentences at 100 pops"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, nargs="+", help="trained models of the system phrase")
    parser.add_argument("--cache", type=Path, help="folder for the phrase table and the model")
    parser.add_argument("--set", default="test2016", choices=("val", "test2016"))
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--plot", type=Path, metavar="STEM", help="STEM-bleu.svg, STEM-score.svg")
    given = parser.parse_args()
    with ExitStack() as stack:
        if given.model is not None:
            models = [parts_of(model) for model in given.model]
        else:
            cache = given.cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            cache.mkdir(parents=True, exist_ok=True)
            models = [parts_in(cache)]
        measure(models, given.set, given.sentences, given.plot)


if __name__ == "__main__":
    main()
