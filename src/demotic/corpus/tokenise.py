"""The reversible tokeniser: words and punctuation apart, with marks that say what was together.

    >>> Tokeniser("en").tokens('"Well," he said, "don\\'t!"')
    ['"￭', 'Well', '￭,', '￭"', 'he', 'said', '￭,', '"￭', 'do', "￭n't", '￭!', '￭"']

A mark sits on punctuation rather than on words wherever there is a choice, so that a word is the
same token beside a comma and beside a space.  :func:`join` undoes all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from unicodedata import category

from demotic.corpus.language_rules import ABBREVIATIONS, ELISION, ENCLITICS
from demotic.corpus.marks import JOINER, SPACER, bare, escape, joint_filler
from demotic.corpus.normalise import UNSPACED, UNSPACED_LANGUAGES, has_unspaced, joins_by_itself
from demotic.corpus.pattern import Pattern
from demotic.corpus.protect import Span
from demotic.corpus.segment import Segmenter, characters

# How a lexeme leans: a word stands by itself, an opener leans on what follows, a closer on what
# precedes; a quotation mark is one or the other.
# A span is a word that bears the mark where a word stands beside it.
_WORD, _OPENER, _CLOSER, _QUOTE, _SPAN = range(5)
_Lexeme = tuple[str, int]
_Placed = tuple[int, int, Span]

_LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}\u200c\u200d]--[{UNSPACED}]]"
_LEXEME = Pattern(
    rf"""(?xV1)
    (?P<dotted> (?<!{_LETTER}) (?> (?: \p{{L}}{{1,2}} \. ){{2,}} ) (?!{_LETTER}) )
  | (?P<word> {_LETTER}++
      (?: (?: (?<=\p{{Nd}}) [.,] (?=\p{{Nd}}) | ['’] | _++ ) {_LETTER}++ )*+ )
  | (?P<unspaced> [{UNSPACED}]++ )
  | (?P<symbol> (?P<run>[-.=_*~\#+!?]) (?P=run)*+ (?!\p{{M}}) | \X )
    """
)
_OPENING = Pattern(r"[\p{Ps}¿¡]")
_SIGN = Pattern(r"[\p{P}\p{S}]")
_SIGN_OR_RUN = Pattern(r"[\p{P}\p{S}]|[^\p{P}\p{S}]+")
_QUOTES = frozenset("\"'`´“”„‟‘’‚‛«»‹›")
_TRAILING = frozenset({"", ",", ".", ";", ":", "!", "?"})

# The chunks of a text repeat (Zipf), so nearly all are looked up.  A full cache is emptied: memory
# stays bounded, and the common chunks are back after a moment.
_CACHE_SIZE = 1 << 18
_LONGEST_CACHED = 40


class Tokeniser:
    """Cuts text into marked tokens for one language."""

    def __init__(self, language: str, segment: Segmenter = characters, *, version: int = 2) -> None:
        self.language = language
        self._segment = segment
        self._version = version
        self.mixed = version < 2 or language in UNSPACED_LANGUAGES
        """Do letters of scripts with and without spaces stand together?"""
        self._abbreviations = ABBREVIATIONS.get(language, frozenset())
        elision = ELISION.get(language)
        enclitics = ENCLITICS.get(language)
        self._elided = Pattern(f"(?i){elision}") if elision else None
        self._leaning = Pattern(f"(?i)(?:{enclitics})$") if enclitics else None
        self._cache: dict[str, tuple[str, ...]] = {}
        self._final_cache: dict[str, tuple[str, ...]] = {}

    def tokens(self, text: str, spans: Sequence[_Placed] = ()) -> list[str]:
        """The marked tokens of a normalised text; spans (start, end, span) become class tokens."""
        if spans or has_unspaced(text):
            return self._general(text, spans)
        chunks = text.split()
        if not chunks:
            return []
        final = chunks.pop()
        cache = self._cache
        tokens: list[str] = []
        for chunk in chunks:
            tokens += cache.get(chunk) or self.chunk(chunk, final=False)
        tokens += self.chunk(final, final=True)
        return tokens

    def chunk(self, chunk: str, *, final: bool) -> tuple[str, ...]:
        """The tokens of a text without spaces and spans; ``final`` is the last of its line."""
        cache = self._final_cache if final else self._cache
        tokens = cache.get(chunk)
        if tokens is None:
            tokens = self._simple(chunk, final=final) or tuple(
                _mark(self._lexemes(chunk, final=final), self.mixed)
            )
            if len(chunk) <= _LONGEST_CACHED:
                if len(cache) >= _CACHE_SIZE:
                    cache.clear()
                cache[chunk] = tokens
        return tokens

    def _simple(self, chunk: str, *, final: bool) -> tuple[str, ...]:
        """Plain words, with one punctuation mark at most: most of any text, without the lexer."""
        stem, mark = (chunk, "") if chunk.isalpha() else (chunk[:-1], chunk[-1])
        if not stem.isalpha() or mark not in _TRAILING or has_unspaced(stem):
            return ()
        if not mark:
            return (stem,)
        if mark == "." and not final and self._keeps_stop(stem):
            return (chunk,)
        return (stem, JOINER + mark)

    def _keeps_stop(self, word: str) -> bool:
        return (len(word) == 1 and word.isupper()) or word.lower() in self._abbreviations

    def _general(self, text: str, spans: Sequence[_Placed]) -> list[str]:
        """The same where chunks hold spans, or where a space needs a mark of its own."""
        chunks = _chunks(text, spans)
        unspaced = has_unspaced(text)
        tokens: list[str] = []
        for number, chunk in enumerate(chunks, 1):
            final = number == len(chunks)
            if len(chunk) == 1 and isinstance(chunk[0], str):
                marked: Sequence[str] = self.chunk(chunk[0], final=final)
            else:
                lexemes: list[_Lexeme] = []
                for part in chunk:
                    if isinstance(part, Span):
                        lexemes.append((part.token, self._leaning_of(part)))
                    else:
                        lexemes += self._lexemes(part, final=final)
                marked = _mark(lexemes, self.mixed)
            if (
                unspaced
                and tokens
                and joins_by_itself(bare(tokens[-1]), bare(marked[0]), mixed=self.mixed)
            ):
                tokens.append(SPACER + marked[0])
                tokens += marked[1:]
            else:
                tokens += marked
        return tokens

    def _leaning_of(self, span: Span) -> int:
        """A tag leans on what it encloses."""
        if self._version < 2:  # words bore the marks
            return _WORD
        if span.kind != "tag" or span.text.endswith("/>"):
            return _SPAN
        return _CLOSER if span.text.startswith("</") else _OPENER

    def _lexemes(self, chunk: str, *, final: bool) -> list[_Lexeme]:
        """Words and symbols of a text without spaces, escaped, and how each leans."""
        lexemes: list[_Lexeme] = []
        for match in _LEXEME.finditer(chunk):
            kind, text = match.lastgroup, match[0]
            if kind == "unspaced":
                lexemes += self._unspaced(text)
            elif kind == "word":
                lexemes += self._word(text)
            elif kind == "dotted":
                lexemes.append((text, _WORD))
            elif text in _QUOTES:
                lexemes.append((text, _QUOTE))
            else:
                lexemes.append((escape(text), _OPENER if _OPENING.match(text) else _CLOSER))
        if not final and len(lexemes) > 1 and lexemes[-1][0] == ".":
            word, leaning = lexemes[-2]
            if leaning == _WORD and self._keeps_stop(word):
                lexemes[-2:] = [(word + ".", _WORD)]
        return lexemes

    def _unspaced(self, run: str) -> Iterator[_Lexeme]:
        for match in _SIGN_OR_RUN.finditer(run):
            if _SIGN.match(match[0]):
                yield match[0], _CLOSER
            else:
                for word in self._segment(match[0]):
                    yield word, _WORD

    def _word(self, word: str) -> Iterator[_Lexeme]:
        """A word with its clitics cut off."""
        if "'" in word or "’" in word:
            while self._elided and (elided := self._elided.match(word)):
                if elided.end() == len(word):
                    break
                yield elided[0], _OPENER
                word = word[elided.end() :]
            if self._leaning and (leaning := self._leaning.search(word)) and leaning.start():
                yield word[: leaning.start()], _WORD
                yield leaning[0], _CLOSER
                return
        yield word, _WORD


def _chunks(text: str, spans: Sequence[_Placed]) -> list[list[str | Span]]:
    """What stands between white space, as pieces of text and spans."""
    chunks: list[list[str | Span]] = [[]]

    def add(piece: str) -> None:
        words = piece.split()
        if piece[:1].isspace():
            chunks.append([])
        for number, word in enumerate(words):
            if number:
                chunks.append([])
            chunks[-1].append(word)
        if piece[-1:].isspace():
            chunks.append([])

    at = 0
    for start, end, span in spans:
        add(text[at:start])
        chunks[-1].append(span)
        at = end
    add(text[at:])
    return [chunk for chunk in chunks if chunk]


def _mark(lexemes: Sequence[_Lexeme], mixed: bool) -> list[str]:
    """Tokens of one chunk: each gap gets one joiner, on the side that leans."""
    tokens: list[str] = []
    previous, leaning = "", _OPENER
    for text, kind in lexemes:
        if kind == _QUOTE:
            kind = _OPENER if leaning == _OPENER else _CLOSER
        token = text
        if tokens and not joins_by_itself(previous, text, mixed=mixed):
            if (
                leaning == _WORD
                or (leaning == _CLOSER and kind == _CLOSER)
                or (leaning == _SPAN and kind != _WORD)
            ):
                token = JOINER + text
            else:
                tokens[-1] += JOINER
        tokens.append(token)
        previous, leaning = text, kind
    return tokens


def together(previous: str, token: str, *, mixed: bool = True) -> bool:
    """Are two neighbours written without a space?"""
    if previous[-1:] < "\u0e00" and token[:1] < "\u0e00":  # most by far; no mark is below
        return False
    if previous[-1:] == JOINER or token[:1] == JOINER:
        return True
    return not token.startswith(SPACER) and joins_by_itself(
        bare(previous), bare(token), mixed=mixed
    )


def chunk_starts(tokens: Sequence[str], *, mixed: bool = True) -> list[int]:
    """The tokens, but the first, that have a space before them."""
    return [
        at
        for at in range(1, len(tokens))
        if not together(tokens[at - 1], tokens[at], mixed=mixed)
        and joint_filler(tokens[at]) is None
        and joint_filler(tokens[at - 1]) is None
    ]


def seams(tokens: Sequence[str], starts: Sequence[int]) -> list[int]:
    """The tokens that can begin a line: those with a space before them, and in scripts without
    spaces those that no mark ties to the one before and that close nothing."""
    return [
        at
        for at in range(1, len(tokens))
        if at in starts
        or (
            tokens[at - 1][-1:] != JOINER
            and tokens[at][:1] != JOINER
            and category(tokens[at][:1]) not in ("Po", "Pe", "Pf")
            and joint_filler(tokens[at]) is None
            and joint_filler(tokens[at - 1]) is None
        )
    ]


def join(
    tokens: Sequence[str],
    texts: Sequence[str],
    fragile: Sequence[bool],
    gaps: Mapping[int, str] | None = None,
    *,
    mixed: bool = True,
) -> str:
    """Text from marked tokens, written as ``texts`` (the same tokens unescaped and recased).

    A fragile text (a number, an address) never touches a letter or digit, whatever the marks say.
    ``gaps`` are what to write before a token, instead of a space or of nothing.
    """
    pieces: list[str] = []
    spaces = 0
    previous, before, breaks = "", "", False
    for token, text, breakable in zip(tokens, texts, fragile, strict=True):
        if pieces and (
            not together(previous, token, mixed=mixed)
            or (gaps and len(pieces) - spaces in gaps)
            or ((breakable or breaks) and _would_merge(before, text))
        ):
            pieces.append(gaps.get(len(pieces) - spaces, " ") if gaps else " ")
            spaces += 1
        pieces.append(text)
        previous, before, breaks = token, text, breakable
    return "".join(pieces)


def _would_merge(left: str, right: str) -> bool:
    return (
        (left[-1:].isalnum() or left[-1:] == "_")
        and (right[:1].isalnum() or right[:1] == "_")
        and not joins_by_itself(left, right)
    )
