"""Words of scripts that are written without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese.

A run of such characters is cut by a library (jieba, for Chinese) or into characters as a reader
sees them.  The pieces need no joiners: between them no space is what decoding expects.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from demotic.corpus.pattern import Pattern
from demotic.errors import ArgumentError, MissingDependencyError

Segmenter = Callable[[str], list[str]]
METHODS = ("auto", "characters", "jieba")

# Katakana writes foreign names: one word.
_CHARACTER = Pattern(r"[\p{Katakana}ー]+|\X")


def characters(run: str) -> list[str]:
    """User-perceived characters; a run of Katakana stays whole.

    >>> characters("東京タワー")
    ['東', '京', 'タワー']
    """
    return _CHARACTER.findall(run)


def resolve(method: str, language: str) -> str:
    """What ``auto`` means here and now: jieba for Chinese where it is installed, else characters.

    The answer is saved with the model, so that it does not depend on the next machine.
    """
    if method not in METHODS:
        raise ArgumentError(
            f"unknown segmentation: {method}", remedy=f"choose one of {', '.join(METHODS)}"
        )
    if method == "jieba" and language != "zh":
        raise ArgumentError(
            f"jieba segments Chinese, not {language}", remedy="take segment='characters'"
        )
    if method != "auto":
        return method
    if language != "zh":
        return "characters"
    try:
        import jieba  # noqa: F401
    except ImportError:
        return "characters"
    return "jieba"


def segmenter(method: str) -> Segmenter:
    """The function that cuts a run of unspaced script into words."""
    return _jieba() if method == "jieba" else characters


@cache  # the dictionary takes a second to load
def _jieba() -> Segmenter:
    try:
        import jieba
    except ImportError:
        raise MissingDependencyError(
            "this text is segmented with jieba, which is not installed",
            remedy="pip install 'demotic[zh]', or train with segment = characters",
        ) from None
    jieba.setLogLevel("WARNING")
    tokenizer = jieba.Tokenizer()  # not jieba's own, to which a program may add words

    def cut(run: str) -> list[str]:
        return list(tokenizer.cut(run))

    return cut
