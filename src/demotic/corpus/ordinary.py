"""Ordinary text, which most of any text is, taken apart and written by looking its pieces up.

    >>> from demotic.corpus.protect import SpanFinder
    >>> from demotic.corpus.tokenise import Tokeniser
    >>> ordinary = Ordinary(Tokeniser("en"), SpanFinder())
    >>> ordinary.tokens("Delete the page?"), ordinary.tokens("Delete %s?")
    (['Delete', 'the', 'page', '￭?'], None)
    >>> ordinary.text(["delete", "the", "page", "￭?"], capitals=True), ordinary.text(['"￭'])
    ('Delete the page?', None)

A chunk between spaces that holds no span, no label and no accelerator, and cannot be a part of one,
has the same tokens wherever it stands; a token that is no mark, no span and no joint is written in
the same way wherever it stands, but for the capital of a sentence.  Each is looked at once.  For
all else the answer is None, and the long way gives it (:mod:`orthography`).
"""

from __future__ import annotations

from collections.abc import Sequence

from demotic.corpus.casing import ENDS, capitalised
from demotic.corpus.mark_pairs import QUOTE_TOKENS
from demotic.corpus.marks import JOINER, SPACER, TIE, bare, unescape
from demotic.corpus.normalise import has_unspaced, narrow, normalise
from demotic.corpus.protect import SpanFinder
from demotic.corpus.repair import is_foreign_clitic
from demotic.corpus.tokenise import Tokeniser

_SIGNS = frozenset("'’,.;:!?()-…")
"""Beside letters.  Quotation marks, digits and the signs that spans begin with are left out."""
_CACHE_SIZE = 1 << 17
_LONGEST_CACHED = 40

# How a token is written, whether it stands close to the one before and the one after, and what it
# does to sentences: nothing, begin one, end one; or that the whole has to be looked at.
_Written = tuple[str, bool, bool, int]
_OTHER, _BEGINS, _ENDS, _SPECIAL = range(4)


class Ordinary:
    """The pieces of ordinary text in one language."""

    def __init__(self, tokeniser: Tokeniser, find: SpanFinder) -> None:
        self._tokeniser = tokeniser
        self._find = find
        self._inner: dict[str, tuple[str, ...]] = {}
        self._last: dict[str, tuple[str, ...]] = {}
        self._written: dict[str, _Written] = {}

    def tokens(self, text: str) -> list[str] | None:
        """The tokens of a text of ordinary chunks."""
        if not text[:1].isalpha():
            return None  # a label, perhaps, or white space
        chunks = text.split(" ")
        if ")" in chunks[0]:  # the same: a) or b)
            return None
        last = chunks.pop()
        known = self._inner
        tokens: list[str] = []
        for chunk in chunks:
            found = known.get(chunk)
            if found is None:
                found = self._looked_at(chunk, final=False)
            if not found:
                return None
            tokens += found
        found = self._last.get(last)
        if found is None:
            found = self._looked_at(last, final=True)
        if not found:
            return None
        tokens += found
        return tokens

    def _looked_at(self, chunk: str, *, final: bool) -> tuple[str, ...]:
        """The tokens of a chunk; none if it is not ordinary."""
        tokens: tuple[str, ...] = ()
        if (
            chunk
            and all(letter.isalpha() or letter in _SIGNS for letter in chunk)
            and narrow(normalise(chunk)) == chunk
            and not has_unspaced(chunk)
            and not self._find(chunk)
        ):
            tokens = self._tokeniser.chunk(chunk, final=final)
        if len(chunk) <= _LONGEST_CACHED:
            cache = self._last if final else self._inner
            if len(cache) >= _CACHE_SIZE:
                cache.clear()
            cache[chunk] = tokens
        return tokens

    def text(self, tokens: Sequence[str], *, capitals: bool = False) -> str | None:
        """The text of tokens that nothing has to be done about; sentences begin with ``capitals``
        where these are wanted."""
        known = self._written
        pieces: list[str] = []
        close, beginning = True, capitals
        for token in tokens:
            found = known.get(token)
            if found is None:
                found = self._way_to_write(token)
            word, left, right, kind = found
            if kind:
                if kind == _BEGINS:
                    if beginning:
                        word = capitalised(word)
                        beginning = False
                elif kind == _ENDS:
                    beginning = capitals
                else:
                    return None
            if not (close or left):
                pieces.append(" ")
            pieces.append(word)
            close = right
        return "".join(pieces)

    def _way_to_write(self, token: str) -> _Written:
        word = bare(token)
        if (
            not word
            or "⟦" in token
            or token[0] in (TIE, SPACER)
            or token in QUOTE_TOKENS
            or has_unspaced(word)
            or is_foreign_clitic(token, self._tokeniser.language)
        ):
            found: _Written = ("", False, False, _SPECIAL)
        else:
            word = unescape(word)
            kind = _BEGINS if word[:1].isalnum() else _ENDS if word in ENDS else _OTHER
            found = (word, token[0] == JOINER, token[-1] == JOINER, kind)
        if len(self._written) >= _CACHE_SIZE:
            self._written.clear()
        self._written[token] = found
        return found
