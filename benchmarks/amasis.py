"""Decoding by labels beside the phrase-based decoder: CPU time, model score and BLEU.

    python -m benchmarks.amasis [--cache DIR] [--pairs 5000] [--sentences 300]

Multi30k French-English, tokenised, one thread.  Three models, `paper` and `ext` of amasis and that
of `phrase`, are trained once on the first pairs, tuned on 200 sentences of val in four rounds,
and kept in DIR (by default in a temporary folder).  Every setting decodes the next sentences of val
in the same run, in turns, each time with a new decoder; a figure is the least CPU time of its
turns, also as a ratio to `phrase` at its defaults.  The loss of model score against the search that
makes all hypotheses shows what `pops` gives up.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import demotic
from benchmarks.corpora import data_folder
from demotic.corpus import Bitext
from demotic.metrics import Bleu

TURNS = 3
TUNED_ON = 200
TUNE = {"tune": {"mert": {"iterations": 4, "restarts": 1}, "method": "mert"}}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "phrase": ("phrase", {}),
    "paper": ("amasis", {"preset": "paper"}),
    "ext": ("amasis", {"preset": "ext"}),
}
SETTINGS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("phrase, as trained", "phrase", {}),
    ("paper: all hypotheses, beam 100", "paper", {}),
    ("paper, beam 20", "paper", {"beam": 20}),
    ("ext, as trained", "ext", {}),
    ("ext, 50 pops", "ext", {"pops": 50}),
    ("ext, 100 pops", "ext", {"pops": 100}),
    ("ext, 1000 pops", "ext", {"pops": 1000}),
    ("ext, all hypotheses", "ext", {"pops": 0}),
)


def bitext(part: str, begin: int, end: int) -> Bitext:
    sides = []
    for language in ("fr", "en"):
        path = data_folder() / "multi30k" / "tok" / f"{part}.{language}.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            sides.append([line.rstrip("\n") for line in lines][begin:end])
    return Bitext.from_pairs(
        zip(*sides, strict=True), source_language="fr", target_language="en", file=part
    )


def model_in(cache: Path, name: str, pairs: int) -> Any:
    """Trained where it is not there yet."""
    path = cache / f"{name}-{pairs}"
    if not path.exists():
        system, settings = MODELS[name]
        demotic.train(
            bitext("train", 0, pairs), dev=bitext("val", 0, TUNED_ON), system=system,
            config={"tokenised": True, **settings, **TUNE}, out=path, threads=1,
        )  # fmt: skip
    return demotic.load(path)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--sentences", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        cache = given.cache or Path(temporary)
        cache.mkdir(parents=True, exist_ok=True)
        models = {name: model_in(cache, name, given.pairs) for name in MODELS}
        measure(models, bitext("val", TUNED_ON, TUNED_ON + given.sentences))


def measure(models: Mapping[str, Any], held: Bitext) -> None:
    """All settings, in turns."""
    lines, reference = list(held.source_lines()), [list(held.target_lines())]
    times: dict[str, list[float]] = {name: [] for name, _, _ in SETTINGS}
    scores: dict[str, float] = {}
    bleu: dict[str, float] = {}
    for turn in range(TURNS):
        for name, model, changes in SETTINGS:
            searching = models[model].with_search(changes)
            sentences = [searching.source.encode(line).tokens for line in lines]
            begin = time.process_time()
            found = searching.decoder.decode_lines(sentences)
            times[name].append(1000 * (time.process_time() - begin) / len(lines))
            if turn == 0:
                texts = [each.text for each in searching.translate_lines(lines)]
                scores[name] = sum(each.score for each in found) / len(found)
                bleu[name] = Bleu(tokenise="none").score(texts, reference).value
    base = min(times[SETTINGS[0][0]])
    whole = scores["ext, all hypotheses"]
    print("| decoder | time | ms per sentence | model score lost | BLEU |")
    print("|---|---:|---:|---:|---:|")
    for name, model, _ in SETTINGS:
        least = min(times[name])
        lost = f"{whole - scores[name]:.3f}" if model == "ext" else ""
        print(f"| {name} | {least / base:.2f} | {least:.2f} | {lost} | {bleu[name]:.2f} |")


if __name__ == "__main__":
    main()
