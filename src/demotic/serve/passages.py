"""A text as sentences for a decoder, and its translation put together again.

    passage = Passage.of("Ein Haus.  Zwei\nHäuser.", "de")
    passage.texts                                       # ["Ein Haus.", "Zwei", "Häuser."]
    passage.filled(["A house.", "Two", "houses."])      # "A house.  Two\nhouses."

White space between sentences stays as it is.  What is too long for a sentence is cut at a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from demotic.corpus.sentences import Sentence, sentences_of
from demotic.serve.refusal import Refusal

LONGEST_WORD = 5_000
"""Characters without a space: taking a word apart takes time by the square of its length."""
MOST_WORDS = 150
"""In one sentence: decoding takes more than its share of longer ones."""
_LONG = 600
"""Characters from which a sentence's words are counted."""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and its sentences."""

    text: str
    sentences: tuple[Sentence, ...]

    @classmethod
    def of(cls, text: str, language: str) -> Passage:
        """Of a text in a language; a word beyond all measure is refused."""
        check_words(text)
        found = sentences_of(text, language)
        if any(len(each.text) > _LONG for each in found):
            found = [piece for each in found for piece in _pieces(each)]
        return cls(text, tuple(found))

    @property
    def texts(self) -> list[str]:
        """Of its sentences."""
        return [each.text for each in self.sentences]

    def filled(self, translations: Sequence[str]) -> str:
        """The text with a translation for each sentence."""
        parts: list[str] = []
        at = 0
        for sentence, translation in zip(self.sentences, translations, strict=True):
            parts += (self.text[at : sentence.at], translation)
            at = sentence.at + len(sentence.text)
        parts.append(self.text[at:])
        return "".join(parts)


def check_words(text: str) -> None:
    """Refuse a word beyond all measure."""
    if len(text) <= LONGEST_WORD:
        return
    longest = max((each.end() - each.start() for each in _WORD.finditer(text)), default=0)
    if longest > LONGEST_WORD:
        raise Refusal(
            400,
            f"Invalid request: a word of {longest} characters exceeds the limit ({LONGEST_WORD})",
        )


def _pieces(sentence: Sentence) -> Iterator[Sentence]:
    """The sentence, or if it has too many words pieces of it."""
    words = list(_WORD.finditer(sentence.text))
    for first in range(0, len(words), MOST_WORDS):
        some = words[first : first + MOST_WORDS]
        begin, end = some[0].start(), some[-1].end()
        yield Sentence(sentence.text[begin:end], sentence.at + begin, "")
