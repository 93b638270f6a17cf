"""The hierarchical decoder: CPU time and language model evaluations by number of pops.

    python -m benchmarks.hiero --model MODEL                        # a trained bundle
    python -m benchmarks.hiero --cache DIR [--min-sentences 1]      # weights that nobody tuned

Multi30k German-English, lower-cased, tokenised, one thread.  Without a model, rules and a 4-gram
model of the training text are made once and kept in DIR (by default in a temporary folder).  Every
setting decodes the same sentences with the same weights in the same run, in turns; a figure is the
least CPU time of its turns, relative to 30 pops, eager.  The model's score (higher is better) and
BLEU show what a setting gives up.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.corpora import data_folder
from demotic.align import Text, align
from demotic.bundle import Bundle
from demotic.corpus import Orthography
from demotic.decode import HieroDecoder, HieroSearch
from demotic.grammar import HieroExtraction, RuleTable, extract_hiero
from demotic.lm import FurtherModel, LanguageModel
from demotic.lm.estimation import estimate
from demotic.metrics import Bleu
from demotic.systems.hiero import Config, HieroModel

WEIGHTS = {
    "TargetGivenSource": 0.4,
    "SourceGivenTarget": 0.1,
    "LexicalTargetGivenSource": 0.3,
    "LexicalSourceGivenTarget": 0.2,
    "LanguageModel": 0.6,
    "WordPenalty": 0.6,
    "RulePenalty": 0.2,
    "Glue": -0.3,
    "PassThrough": -5.0,
    "UnknownWord": -1.0,
}
SETTINGS = [
    HieroSearch(pops=pops, init=init) for pops in (1, 30, 200) for init in ("eager", "lazy")
]
FIRST = HieroSearch(pops=30, init="eager")
TURNS = 3


def lines_of(name: str) -> list[str]:
    with gzip.open(data_folder() / "multi30k" / "tok" / name, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n").lower() for line in lines]


def rules_in(cache: Path, min_sentences: int) -> RuleTable:
    path = cache / f"multi30k.de-en.{min_sentences}.rules"
    if path.exists():
        return RuleTable.load(path)
    source, target = Text.of(lines_of("train.de.gz")), Text.of(lines_of("train.en.gz"))
    links = align(source, target, threads=2).links
    options = HieroExtraction(min_sentences=min_sentences)
    return extract_hiero(source, target, links, out=path, options=options)


def model_in(cache: Path) -> LanguageModel:
    path = cache / "multi30k.en.lm"
    if not path.exists():
        text = cache / "multi30k.en"
        text.write_text("".join(line + "\n" for line in lines_of("train.en.gz")), encoding="utf-8")
        estimate(text, order=4).save(path)
        text.unlink()
    return LanguageModel.load(path)


def encoded(lines: Iterable[str], orthography: Orthography) -> list[str]:
    """Sentences as a trained model takes them apart: compounds may be split."""
    return [str(orthography.encode(line)) for line in lines]


def measure(
    rules: RuleTable,
    lm: LanguageModel,
    weights: Mapping[str, float],
    source: list[str],
    further: tuple[FurtherModel, ...] = (),
) -> None:
    reference = lines_of("test2016.en.gz")
    decoders = [
        HieroDecoder(rules, lm, weights, further=further, options=options) for options in SETTINGS
    ]
    seconds = {options: float("inf") for options in SETTINGS}
    found = {}
    for _ in range(TURNS):
        for decoder in decoders:
            decoder.reset_counters()
            begin = time.process_time()
            found[decoder.options] = decoder.decode_lines(source)
            spent = time.process_time() - begin
            seconds[decoder.options] = min(seconds[decoder.options], spent)
    print(f"{len(rules):,} rules, {len(source)} sentences, one thread, CPU time")
    print(
        "| pops | init | time | parse | rescore | ms/sentence | LM evaluations/sentence "
        "| pops/sentence | model score | BLEU |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    bleu = Bleu(tokenise="none")
    for decoder in decoders:
        options, counters = decoder.options, decoder.counters
        derivations = found[options]
        score = sum(derivation.score for derivation in derivations) / len(source)
        quality = bleu.score([d.text for d in derivations], [reference[: len(source)]])
        print(
            f"| {options.pops} | {options.init} | {seconds[options] / seconds[FIRST]:.2f} "
            f"| {counters.seconds['parse'] / seconds[FIRST]:.2f} "
            f"| {counters.seconds['rescore'] / seconds[FIRST]:.2f} "
            f"| {1000 * seconds[options] / len(source):.2f} "
            f"| {counters.lm_evaluations / len(source):,.0f} | {counters.pops / len(source):,.0f} "
            f"| {score:.3f} | {quality.value:.2f} |"
        )
    edges = decoders[0].counters.edges / len(source)
    print(f"{edges:,.0f} edges of the context-free forest per sentence")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a trained bundle")
    parser.add_argument("--cache", type=Path, help="folder for the rule table and the model")
    parser.add_argument("--min-sentences", type=int, default=Config().extract.min_sentences)
    parser.add_argument("--sentences", type=int, default=1000)
    given = parser.parse_args()
    source = lines_of("test2016.de.gz")[: given.sentences]
    if given.model is not None:
        model = HieroModel.open(Bundle.open(given.model))
        measure(model.rules, model.lm, model.weights, encoded(source, model.source), model.further)
        return
    with tempfile.TemporaryDirectory() as folder:
        cache = given.cache or Path(folder)
        cache.mkdir(parents=True, exist_ok=True)
        rules = rules_in(cache, given.min_sentences)
        measure(rules, model_in(cache), WEIGHTS, source)


if __name__ == "__main__":
    main()
