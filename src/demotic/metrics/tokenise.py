"""sacreBLEU's tokenisers, by the names that its signatures use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from demotic._core import TokenLines, Vocab
from demotic.errors import ArgumentError, MissingDependencyError
from demotic.metrics.metric import References, check_parallel

# Those that download a model (spm, flores...) are left out: an evaluation must work offline.
TOKENISERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")


def check_tokeniser(name: str) -> None:
    """Refuse a tokeniser that does not exist."""
    if name not in TOKENISERS:
        raise ArgumentError(
            f"unknown tokeniser '{name}'", remedy="choose from " + ", ".join(TOKENISERS)
        )


def tokeniser(name: str, *, lowercase: bool) -> Callable[[str], str]:
    """A function from raw text to tokens separated by single spaces."""
    check_tokeniser(name)
    split = _splitter(name)

    def tokens(text: str) -> str:
        text = text.rstrip()
        return " ".join(split(text.lower() if lowercase else text).split())

    return tokens


@cache
def _splitter(name: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU

    try:
        split: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError) as error:
        extra = name.removesuffix("-mecab")
        raise MissingDependencyError(
            f"the tokeniser '{name}' needs a package that is not installed",
            remedy=f"pip install 'sacrebleu[{extra}]'",
        ) from error
    return split


def token_lines(sentences: Sequence[str], tokens: Callable[[str], str], vocab: Vocab) -> TokenLines:
    """The sentences as ids for the core."""
    lines = TokenLines()
    lines.append("".join(f"{tokens(sentence)}\n" for sentence in sentences).encode(), vocab)
    return lines


def encoded(
    hypotheses: Sequence[str], references: References, *, tokenise: str, lowercase: bool
) -> tuple[TokenLines, list[TokenLines]]:
    """Hypotheses and references as ids of one vocabulary."""
    check_parallel(hypotheses, references)
    vocab = Vocab()
    tokens = tokeniser(tokenise, lowercase=lowercase)
    streams = [token_lines(stream, tokens, vocab) for stream in references]
    return token_lines(hypotheses, tokens, vocab), streams
