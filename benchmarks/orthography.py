"""How well casing is restored, and what the choice of compound splitting rests on.

    python -m benchmarks.orthography

Casing: learned on 16,000 lines, the share of words of the next 4,000 that come back in their case.
Compounds: the share of the words that would be split, and whether that is enough.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from benchmarks.corpora import data_folder
from demotic.corpus import CompoundOptions, Orthography, OrthographyConfig
from demotic.corpus.casing import Mode
from demotic.corpus.compounds import LEAST_SHARE, Compounds
from demotic.corpus.marks import bare
from demotic.corpus.normalise import plain_spaces
from demotic.files import read_lines

TRAIN, TEST = 16_000, 4_000
CORPORA = (
    ("europarl en", "en", "europarl-de-en/train.en.gz"),
    ("europarl de", "de", "europarl-de-en/train.de.gz"),
    ("europarl fr", "fr", "europarl-fr-en/train.fr.gz"),
    ("multi30k de", "de", "multi30k/train.de.gz"),
    ("multi30k en", "en", "multi30k/train.en.gz"),
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


def share_of_compounds(lines: list[str], language: str) -> float:
    """How many of a text's words would be split."""
    plain = Orthography(language, OrthographyConfig(casing="none"))
    tokens = (token for line in lines for token in plain.encode(line).tokens)
    counts = Counter(bare(token).lower() for token in tokens if token[-1:].isalpha())
    return Compounds.learn(counts, CompoundOptions.for_language(language)).share(counts)


def main() -> None:
    """Print the figures."""
    for name, language, train in CORPORA:
        lines = [
            plain_spaces(line) for line in islice(read_lines(data_folder() / train), TRAIN + TEST)
        ]
        modes: tuple[Mode, ...] = ("truecase", "lower")
        cased = ", ".join(f"{mode} {restored(lines, language, mode):.3%}" for mode in modes)
        print(f"{name}: {cased}")
        share = share_of_compounds(lines, language)
        print(
            f"  {share:.2%} of the words would be split (of {LEAST_SHARE:.0%} wanted)", flush=True
        )


if __name__ == "__main__":
    main()
