"""The phrase-based decoder: CPU time against model score and BLEU, by number of pops.

    python -m benchmarks.phrase [--model BUNDLE] [--cache DIR] [--set val] [--sentences N]

Multi30k German-English, lower-cased, tokenised, one thread.  Without a trained model, phrases with
orientations and a 5-gram model of the training text are made once and kept in DIR (by default in a
temporary folder), and the weights are fixed ones.  Every setting decodes the same sentences in the
same run, in turns, each time with a new decoder that has seen no sentence before; a figure is the
least CPU time of its turns, also as a ratio to 1000 pops.  The loss against the widest search, in
model score and in BLEU, shows what a setting gives up.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.corpora import data_folder
from demotic.align import Text, align
from demotic.decode import Derivation, PhraseCounters, PhraseDecoder, PhraseOptions
from demotic.grammar import HieroOptions, RuleTable, extract_hiero
from demotic.lm import LanguageModel
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
POPS = (10, 20, 30, 50, 100, 200, 400, 1000, 5000)
TURNS = 3


@dataclass
class Run:
    """One setting's results."""

    options: PhraseOptions
    seconds: float
    found: list[Derivation]
    counters: PhraseCounters

    def score(self) -> float:
        """The mean of the model's scores."""
        return sum(each.score for each in self.found) / len(self.found)


@dataclass(frozen=True)
class Parts:
    """What a decoder is made of."""

    rules: Path
    lm: Path
    weights: Mapping[str, float]
    options: PhraseOptions

    def decoder(self, options: PhraseOptions | None = None) -> PhraseDecoder:
        """A new one, as a bundle is loaded: nothing is read before it is needed."""
        return PhraseDecoder(
            RuleTable.load(self.rules, verify=False),
            LanguageModel.load(self.lm, verify=False),
            self.weights,
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
        chosen = HieroOptions.phrases(orientations=True)
        extract_hiero(source, target, links, out=rules, options=chosen)
    if not lm.exists():
        text = cache / "multi30k.en"
        text.write_text("".join(line + "\n" for line in lines_of("train.en.gz")), encoding="utf-8")
        estimate(text, order=5).save(lm)
        text.unlink()
    return Parts(rules, lm, WEIGHTS, PhraseOptions())


def parts_of(model: Path) -> Parts:
    """Those of a trained model."""
    from demotic.bundle import Bundle
    from demotic.systems.phrase import open_model

    opened = open_model(Bundle.open(model))
    rules, lm = opened.part("rules.bin"), opened.part("lm.bin")
    return Parts(rules, lm, opened.weights, opened.options)


def curve(parts: Parts, source: Sequence[str]) -> list[Run]:
    """All settings, in turns."""
    settings = [replace(parts.options, search="cube", pops=pops) for pops in POPS]
    settings.append(replace(parts.options, search="stack", stack=100, threshold=1e-5))
    best: dict[PhraseOptions, Run] = {}
    parts.decoder().decode_lines(source)  # the files are in memory now
    for _ in range(TURNS):
        for options in settings:
            decoder = parts.decoder(options)
            begin = time.process_time()
            found = decoder.decode_lines(source)
            spent = time.process_time() - begin
            if options not in best or spent < best[options].seconds:
                best[options] = Run(options, spent, found, decoder.counters)
    return [best[options] for options in settings]


def loading(parts: Parts) -> float:
    """Seconds of CPU time from files to a decoder."""
    times = []
    for _ in range(5):
        begin = time.process_time()
        parts.decoder()
        times.append(time.process_time() - begin)
    return min(times)


def report(runs: Sequence[Run], reference: Sequence[str]) -> None:
    """The table."""
    bleu = Bleu(tokenise="none")
    quality = [
        bleu.score([each.text for each in run.found], [list(reference)]).value for run in runs
    ]
    widest = next(i for i, run in enumerate(runs) if run.options.pops == POPS[-1])
    base = next(run.seconds for run in runs if run.options.pops == 1000)
    print(
        "| search | time | ms/sentence | pops/sentence | kept/sentence | model score | loss "
        "| BLEU | loss |\n|---|---|---|---|---|---|---|---|---|"
    )
    for run, value in zip(runs, quality, strict=True):
        options, size = run.options, len(run.found)
        cube = options.search == "cube"
        name = f"{options.pops} pops" if cube else f"stacks of {options.stack}"
        print(
            f"| {name} | {run.seconds / base:.2f} | {1000 * run.seconds / size:.3f} "
            f"| {run.counters.pops / size:,.0f} | {run.counters.hypotheses / size:,.0f} "
            f"| {run.score():.3f} | {run.score() - runs[widest].score():+.3f} "
            f"| {value:.2f} | {value - quality[widest]:+.2f} |"
        )


def measure(parts: Parts, name: str, sentences: int) -> None:
    source = lines_of(f"{name}.de.gz")[:sentences]
    reference = lines_of(f"{name}.en.gz")[: len(source)]
    rules = RuleTable.load(parts.rules, verify=False)
    reordering = "with" if parts.options.reordering else "without"
    print(
        f"{len(rules):,} phrases, {name}: {len(source)} sentences, distortion limit "
        f"{parts.options.distortion_limit}, {reordering} lexicalised reordering, one thread, "
        "CPU time"
    )
    runs = curve(parts, source)
    report(runs, reference)
    spent = loading(parts)
    per_sentence = next(run.seconds for run in runs if run.options.pops == 100) / len(source)
    print(
        f"from files to a decoder: {1000 * spent:.1f} ms, as long as {spent / per_sentence:.0f} "
        "sentences at 100 pops"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a trained model of the system phrase")
    parser.add_argument("--cache", type=Path, help="folder for the phrase table and the model")
    parser.add_argument("--set", default="test2016", choices=("val", "test2016"))
    parser.add_argument("--sentences", type=int, default=2000)
    given = parser.parse_args()
    if given.model is not None:
        measure(parts_of(given.model), given.set, given.sentences)
    elif given.cache is not None:
        given.cache.mkdir(parents=True, exist_ok=True)
        measure(parts_in(given.cache), given.set, given.sentences)
    else:
        with tempfile.TemporaryDirectory() as folder:
            measure(parts_in(Path(folder)), given.set, given.sentences)


if __name__ == "__main__":
    main()
