"""Moses' tokeniser and detokeniser (sacremoses), for text comparable with the literature.

Its detokeniser guesses where spaces go; only the reversible tokeniser knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from demotic.corpus.protect import Span
from demotic.errors import MissingDependencyError

_CLASS = re.compile(r"⟦[a-z]+\d+⟧")


class MosesTokeniser:
    """The same face as the reversible tokeniser: spans go in, class tokens come out."""

    def __init__(self, language: str) -> None:
        try:
            import sacremoses
        except ImportError:
            raise MissingDependencyError(
                "Moses' tokenisation needs the sacremoses package",
                remedy="pip install 'demotic[moses]', or take the tokeniser 'reversible'",
            ) from None
        self._tokeniser = sacremoses.MosesTokenizer(lang=language)
        self._detokeniser = sacremoses.MosesDetokenizer(lang=language)

    def tokens(self, text: str, spans: Sequence[tuple[int, int, Span]] = ()) -> list[str]:
        """Tokens with Moses' escapes; a class token stands alone, whatever touched it."""
        pieces = []
        at = 0
        for start, end, span in spans:
            pieces += [_plain(text[at:start]), f" {span.token} "]
            at = end
        pieces.append(_plain(text[at:]))
        tokens: list[str] = self._tokeniser.tokenize(
            "".join(pieces), protected_patterns=[_CLASS.pattern] if spans else None
        )
        return tokens

    def unescape(self, token: str) -> str:
        """The token's text, Moses' escapes undone."""
        text: str = self._detokeniser.unescape_xml(token)
        return text

    def join(self, tokens: Sequence[str], spans: Sequence[Span]) -> str:
        """Text of unescaped tokens; ``spans`` are what the class tokens stand for, in order."""
        text: str = self._detokeniser.detokenize(list(tokens), unescape=False)
        waiting = iter(spans)
        return _CLASS.sub(lambda found: next(waiting).text, text)


def _plain(text: str) -> str:
    """Class brackets in the text itself become square ones: Moses has no escape for them."""
    return text.replace("⟦", "[").replace("⟧", "]")
