"""Words that a model does not know, as others that it knows.

    >>> def stranded(words):
    ...     return [at for at, word in enumerate(words) if word not in ("ein", "Mann")]
    >>> known = {"ein", "Mann"}.__contains__
    >>> Fallback("de", Casing(), known, stranded).known_forms(Encoded(("ein", "mann"))).tokens
    ('ein', 'Mann')

Another case comes first (``DELETE``, ``mann``), then another apostrophe, other letters, the word
without accents, then clitics in full (``￭'re``), then its parts; what is left passes through.
``Encoded.cases`` says what case the translation of a word should get back.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from demotic.corpus.casing import Casing, capitalised
from demotic.corpus.compounds import Compounds
from demotic.corpus.encoded import Case, Encoded
from demotic.corpus.layout import PLAIN, breaks_line
from demotic.corpus.marks import JOINER, bare, joint, joint_filler, protected_class, with_bare
from demotic.corpus.normalise import UNSPACED
from demotic.corpus.orthography_config import FALLBACKS
from demotic.corpus.pattern import Pattern
from demotic.corpus.walls import walls

_FULL = {
    "en": {
        "'re": "are", "'m": "am", "'ll": "will", "'ve": "have", "'d": "would", "n't": "not",
        "ca": "can", "wo": "will", "sha": "shall",
    },
}  # fmt: skip
# How the letter is written where a keyboard lacks it.
_LETTERS = {
    "de": (("ae", "ä"), ("oe", "ö"), ("ue", "ü"), ("ss", "ß"), ("ß", "ss")),
    "da": (("ae", "æ"), ("oe", "ø"), ("aa", "å")),
    "nb": (("ae", "æ"), ("oe", "ø"), ("aa", "å")),
    "sv": (("ae", "ä"), ("oe", "ö"), ("aa", "å")),
    "fi": (("ae", "ä"), ("oe", "ö")),
}
_APOSTROPHES = (("'", "’"), ("’", "'"))
_SHORT = 3  # letters: of acronyms (IT), which are no words in capitals
_CACHE_SIZE = 1 << 16
_LONGEST = 12  # characters of a word in a script without spaces
_AROUND = 100  # tokens on both sides that can be part of a phrase with one
_IN_UNSPACED = Pattern(f"[{UNSPACED}]++")


class Fallback:
    """Replaces words that a model cannot translate where they stand, as far as it can."""

    def __init__(
        self,
        language: str,
        casing: Casing,
        known: Callable[[str], object],
        stranded: Callable[[Sequence[str]], Sequence[int]],
        compounds: Compounds | None = None,
        *,
        ways: Collection[str] = FALLBACKS,
        forms: bool = True,
    ) -> None:
        """``known`` are words that some rule has, ``stranded`` gives the places of those in a
        sentence that none translates there; ``ways`` is what a word may become; ``forms`` is false
        where tokens and their case are given: only words of scripts without spaces are then cut
        into known ones."""
        self._ways = ways
        self._try_forms = forms
        self._known_somewhere = known
        self._casing = casing
        self._stranded = stranded
        self._full = _FULL.get(language, {}) if "clitics" in ways else {}
        self._letters = (*_APOSTROPHES, *_LETTERS.get(language, ())) if "letters" in ways else ()
        self._found: dict[tuple[str, bool, bool], tuple[list[str], list[str]]] = {}
        # A word that is unknown as a whole needs less evidence to fall apart.
        self._compounds = (
            Compounds(replace(compounds.options, min_count=1), compounds.counts)
            if compounds is not None
            else None
        )

    def known_forms(self, encoded: Encoded) -> Encoded:
        """The sentence with known words for unknown ones."""
        unknown = {
            at
            for at in self._stranded(encoded.tokens)
            if "⟦" not in (token := encoded.tokens[at])
            and joint_filler(token) is None
            and any(map(str.isalpha, token))
        }
        if not unknown:
            return encoded
        # Where no letter is a capital, how the others are written makes no difference.
        cased = any(letter.istitle() for at in unknown for letter in encoded.tokens[at])
        starts, loud, titled = _writing(encoded) if cased else (set(), False, False)
        tokens: list[str] = []
        cases: list[tuple[int, Case]] = []
        moved: list[int] = []
        for at, token in enumerate(encoded.tokens):
            moved.append(len(tokens))
            if at not in unknown:
                tokens.append(token)
                continue
            word = bare(token)
            around = tokens[-_AROUND:], encoded.tokens[at + 1 : at + 1 + _AROUND]
            pieces = self._replacement(token, around, loud=loud, titled=titled or at in starts)
            case = _case_lost(word, bare(pieces[0])) if pieces else None
            if case == "title" and at in starts and encoded.style == "sentence" and not titled:
                case = None  # the sentence begins with a capital, whatever word comes first
            if case:
                cases += [(len(tokens) + number, case) for number in range(len(pieces))]
            tokens += pieces or [token]
        if tuple(tokens) == encoded.tokens:
            return encoded
        layout = encoded.layout if encoded.layout is PLAIN else encoded.layout.moved(moved)
        return replace(encoded, tokens=tuple(tokens), cases=tuple(cases), layout=layout)

    def _known(self, word: str) -> bool:
        """Can the model translate a word that stands alone?"""
        return bool(self._known_somewhere(word)) and not self._stranded([word])

    def _replacement(
        self, token: str, around: tuple[Sequence[str], Sequence[str]], *, loud: bool, titled: bool
    ) -> list[str]:
        """Known tokens for an unknown one; none if there are none."""
        word = bare(token)
        if not self._try_forms:
            return self._parts(token, word) if _IN_UNSPACED.fullmatch(word) else []
        key = (token, loud, titled)
        if (found := self._found.get(key)) is None:
            if len(self._found) >= _CACHE_SIZE:
                self._found.clear()
            found = self._found[key] = (
                self._known_candidates(token, word, loud=loud, titled=titled),
                self._parts(token, word),
            )
        candidates, parts = found
        before, after = around
        for candidate in candidates:
            if len(before) not in self._stranded([*before, candidate, *after]):
                return [candidate]
        return list(parts)

    def _known_candidates(self, token: str, word: str, *, loud: bool, titled: bool) -> list[str]:
        """Other tokens that some rule has."""
        tried = {token: False}
        for candidate in self._candidates(token, word, loud=loud, titled=titled):
            if candidate not in tried:
                tried[candidate] = bool(self._known_somewhere(candidate))
        return [candidate for candidate, known in tried.items() if known]

    def _candidates(self, token: str, word: str, *, loud: bool, titled: bool) -> Iterator[str]:
        for form in self._forms(word, loud=loud, titled=titled):
            if token != word:
                yield with_bare(token, form)
            yield form
        if full := self._full.get(word.lower().replace("’", "'")):
            yield full

    def _forms(self, word: str, *, loud: bool, titled: bool) -> Iterator[str]:
        for each in self._spellings(word):
            lower = each.lower()
            if "case" not in self._ways:
                yield each
            elif each.isupper() and len(each) > 1:
                if not loud and len(each) <= _SHORT:
                    continue
                yield from (self._casing.form(lower), lower, capitalised(lower))
            elif each[:1].isupper():
                yield each
                if titled:
                    yield from (self._casing.form(lower), lower)
            else:
                yield from (each, self._casing.form(lower), capitalised(lower), lower)

    def _spellings(self, word: str) -> Iterator[str]:
        yield word
        for one, other in self._letters:
            if one in word:
                yield word.replace(one, other)
        if self._letters and not word.isascii():
            plain = "".join(
                letter
                for letter in unicodedata.normalize("NFD", word)
                if not unicodedata.combining(letter)
            )
            if plain != word:
                yield unicodedata.normalize("NFC", plain)

    def _parts(self, token: str, word: str) -> list[str]:
        if "parts" not in self._ways:
            return []
        if _IN_UNSPACED.fullmatch(word):
            return self._known_words(token, word)
        if self._compounds is None:
            return []
        lower = word.lower() if word.isupper() else word
        pieces = self._compounds.split(lower)
        parts = [self._usual(piece) for piece in pieces[::2]]
        if len(parts) < 2 or not all(map(self._known, parts)):
            return []
        result = [parts[0]]
        for filler, part in zip(pieces[1::2], parts[1:], strict=True):
            result += [joint(filler), part]
        start = len(token) - len(token.lstrip(JOINER))
        result[0] = token[:start] + result[0]
        result[-1] += JOINER * token.endswith(JOINER)
        return result

    def _usual(self, part: str) -> str:
        """A part as the corpus writes it, if the model knows that."""
        forms = (part, self._casing.form(part.lower()), part.lower(), capitalised(part))
        return next((form for form in forms if self._known(form)), part)

    def _known_words(self, token: str, run: str) -> list[str]:
        """Natural text for a model of segmented text: the longest known words, left to right."""
        words, at, found = [], 0, False
        while at < len(run):
            length = next(
                (
                    length
                    for length in range(min(_LONGEST, len(run) - at), 0, -1)
                    if self._known(run[at : at + length])
                ),
                0,
            )
            found = found or length > 0
            words.append(run[at : at + (length or 1)])
            at += length or 1
        if not found or len(words) < 2:
            return []
        words[0] = token[: len(token) - len(token.lstrip(JOINER + "▁"))] + words[0]
        return words


def _writing(encoded: Encoded) -> tuple[set[int], bool, bool]:
    """The places of the first words of a message, of its sentences and lines.  Are all words in
    capitals?  Do the longer ones begin with one, but the first, or all where all are short?"""
    places = [
        (at, word)
        for at, token in enumerate(encoded.tokens)
        if not protected_class(token) and (word := bare(token))[:1].isalpha()
    ]
    words = [word for _, word in places]
    long = [word for word in words[1:] if len(word) > _SHORT] or words[1:]
    edges = {0, *(at for at, gap in encoded.layout.gaps if breaks_line(gap)), *walls(encoded)}
    first = [next((at for at, _ in places if at >= edge), 0) for edge in sorted(edges)]
    return (
        set(first),
        all(word.isupper() or word.lower() == word.upper() for word in words),
        encoded.style != "small" and 2 * sum(word[0].isupper() for word in long) > len(long),
    )


def _case_lost(word: str, form: str) -> Case | None:
    if word.isupper() and len(word) > 1 and not form.isupper():
        return "upper"
    return "title" if word[:1].isupper() and form[:1].islower() else None
