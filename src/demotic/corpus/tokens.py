"""Text to tokens and back without a model.

    >>> tokenise("Don't stop (yet)!", "en")
    ['Do', "￭n't", 'stop', '(￭', 'yet', '￭)', '￭!']
    >>> detokenise(["Do", "￭n't", "stop", "(￭", "yet", "￭)", "￭!"], "en")
    "Don't stop (yet)!"

A mark says on which side a token was together with its neighbour, so that the text comes back as it
was, but for runs of spaces.  A model's own tokens differ: it takes the case off sentences, splits
compounds where that helps, and keeps numbers and placeholders apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from demotic.corpus.orthography import Orthography
from demotic.corpus.orthography_config import OrthographyConfig
from demotic.errors import check_characters


def tokenise(text: str, language: str = "en", *, method: str = "reversible") -> list[str]:
    """The tokens of a text; ``method``: ``reversible``, or ``moses`` (needs sacremoses)."""
    check_characters(text)
    return list(_plain(language, method).encode(text).tokens)


def detokenise(tokens: Iterable[str], language: str = "en", *, method: str = "reversible") -> str:
    """The text of tokens, in which marks are obeyed; ``method`` is that of ``tokenise``."""
    return _plain(language, method).decode(tuple(tokens))


@lru_cache(maxsize=32)
def _plain(language: str, method: str) -> Orthography:
    config = OrthographyConfig(tokeniser=method, casing="none", compounds="off", protect=())
    return Orthography(language, config)
