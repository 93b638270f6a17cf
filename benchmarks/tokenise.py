"""Demotic's tokeniser beside sacremoses and pyonmttok, on the same text in one run.

    python -m benchmarks.tokenise

For each corpus: sentences per minute and core for reading and encoding with the default
orthography (protected spans, tokens, casing), and for the bare tokenisers the ratio of CPU times,
sentences that detokenise to exactly the same text, distinct tokens, and the share of a held-out
tenth that the rest does not know.  pyonmttok is left out where it is not installed.
"""

from __future__ import annotations

import gettext
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import sacremoses

from benchmarks.corpora import data_folder
from demotic.corpus import Orthography, OrthographyConfig
from demotic.corpus.normalise import plain_spaces
from demotic.files import read_lines

LINES = 20_000
CORPORA = (
    ("multi30k", "en", "multi30k/train.en.gz"),
    ("europarl", "de", "europarl-de-en/train.de.gz"),
    ("europarl", "fr", "europarl-fr-en/train.fr.gz"),
    ("tatoeba", "ar", "tatoeba-ar-en/train.ar.gz"),
    ("catalogues", "fr", "/usr/share/locale/fr/LC_MESSAGES"),
)


@dataclass(frozen=True)
class Contender:
    """A tokeniser: text to tokens, and back."""

    name: str
    encode: Callable[[str], list[str]]
    decode: Callable[[list[str]], str]


def messages(folder: Path) -> list[str]:
    """The translations in a folder of compiled message catalogues."""
    texts: list[str] = []
    for path in sorted(folder.glob("*.mo")):
        with path.open("rb") as file:
            texts += gettext.GNUTranslations(file)._catalog.values()  # type: ignore[attr-defined]
    return [text for text in dict.fromkeys(map(plain_spaces, texts)) if text]


def contenders(language: str) -> list[Contender]:
    """Demotic first; all without casing and protected spans, which the others do not have."""
    ours = Orthography(language, OrthographyConfig(casing="none", protect=()))
    moses = sacremoses.MosesTokenizer(lang=language)
    unmoses = sacremoses.MosesDetokenizer(lang=language)
    found = [
        Contender("demotic", lambda text: list(ours.encode(text).tokens), ours.decode),
        Contender("sacremoses", moses.tokenize, unmoses.detokenize),
    ]
    try:
        import pyonmttok
    except ImportError:
        return found
    onmt = pyonmttok.Tokenizer("aggressive", joiner_annotate=True)
    return [*found, Contender("pyonmttok", lambda text: onmt(text), onmt.detokenize)]


def unknown_share(sentences: list[list[str]]) -> tuple[int, float]:
    """Distinct tokens, and the share of unknown ones in every tenth sentence."""
    held = sentences[::10]
    known = {token for at, tokens in enumerate(sentences) if at % 10 for token in tokens}
    tokens = [token for sentence in held for token in sentence]
    unknown = sum(token not in known for token in tokens)
    return len(known), unknown / max(len(tokens), 1)


def compare(lines: list[str], language: str) -> None:
    """One row per tokeniser."""
    print(f"  {'':12}{'CPU ratio':>10}{'exact %':>9}{'distinct':>10}{'unknown %':>11}")
    base = 0.0
    for each in contenders(language):
        begin = time.process_time()
        sentences = [each.encode(line) for line in lines]
        spent = time.process_time() - begin
        base = base or spent
        exact = sum(
            each.decode(tokens) == line for tokens, line in zip(sentences, lines, strict=True)
        )
        distinct, unknown = unknown_share(sentences)
        print(
            f"  {each.name:12}{spent / base:10.2f}{100 * exact / len(lines):9.2f}"
            f"{distinct:10,}{100 * unknown:11.2f}"
        )


def throughput(path: Path, language: str) -> float:
    """Sentences per minute and core: read the file, decompress, encode."""
    orthography = Orthography.learn(islice(read_lines(path), LINES), language)
    begin = time.process_time()
    count = sum(1 for _ in orthography.encode_lines(islice(read_lines(path), LINES)))
    return 60 * count / (time.process_time() - begin)


def main() -> None:
    """Print the tables."""
    for name, language, place in CORPORA:
        path = data_folder() / place
        if not path.exists():
            print(f"{name}: not here")
            continue
        if path.is_dir():
            lines = messages(path)[:LINES]
            print(f"{name} ({language}), {len(lines):,} messages")
        else:
            speed = throughput(path, language)
            lines = [plain_spaces(line) for line in islice(read_lines(path), LINES)]
            print(
                f"{name} ({language}), {len(lines):,} sentences: "
                f"read and encode {speed:,.0f} sentences per minute and core"
            )
        compare(lines, language)


if __name__ == "__main__":
    main()
