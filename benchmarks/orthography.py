"""How well casing is restored, and what the choice of compound splitting rests on.

    python -m benchmarks.orthography

Casing: learnt on 16,000 lines, the share of words of the next 4,000 that come back in their case.
Compounds: bits per word and unknown tokens of the development text, whole and with the best split.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from benchmarks.corpora import data_folder
from demotic.corpus import Orthography, OrthographyConfig
from demotic.corpus.casing import Mode
from demotic.corpus.normalise import plain_spaces
from demotic.files import read_lines

TRAIN, TEST = 16_000, 4_000
CORPORA = (
    ("europarl en", "en", "europarl-de-en/train.en.gz", "europarl-de-en/dev.en.gz"),
    ("europarl de", "de", "europarl-de-en/train.de.gz", "europarl-de-en/dev.de.gz"),
    ("europarl fr", "fr", "europarl-fr-en/train.fr.gz", "europarl-fr-en/dev.fr.gz"),
    ("multi30k de", "de", "multi30k/train.de.gz", "multi30k/val.de.gz"),
    ("multi30k en", "en", "multi30k/train.en.gz", "multi30k/val.en.gz"),
)


def restored(lines: list[str], language: str, mode: Mode) -> float:
    """The share of words of the test lines that get their case back."""
    orthography = Orthography.learn(lines[:TRAIN], language, config=OrthographyConfig(casing=mode))
    right = total = 0
    for line in lines[TRAIN:]:
        encoded = orthography.encode(line)
        words = orthography.decode(encoded.tokens, encoded).split()
        right += sum(ours == theirs for ours, theirs in zip(words, line.split(), strict=True))
        total += len(words)
    return right / total


def compounds(train: list[str], dev: Path, language: str) -> str:
    """The figures of whole words and of the best split."""
    plain = Orthography(language, OrthographyConfig(casing="none"))
    whole, *splits = plain.compound_trials(train, read_lines(dev))
    best = min(splits, key=lambda trial: trial.bits_per_word)
    return (
        f"whole {whole.bits_per_word:.3f} bits, {whole.unknown:.2%} unknown; "
        f"best split {best.bits_per_word:.3f} bits, {best.unknown:.2%} unknown"
    )


def main() -> None:
    """Print the figures."""
    for name, language, train, dev in CORPORA:
        lines = [
            plain_spaces(line) for line in islice(read_lines(data_folder() / train), TRAIN + TEST)
        ]
        modes: tuple[Mode, ...] = ("truecase", "lower")
        cased = ", ".join(f"{mode} {restored(lines, language, mode):.3%}" for mode in modes)
        print(f"{name}: {cased}")
        print(f"  {compounds(lines, data_folder() / dev, language)}", flush=True)


if __name__ == "__main__":
    main()
