"""Words as a grammar sees them: frequent ones as they are, others by their shape and ending."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

_ENDING = 2
_UNKNOWN = "\x01"


class WordNumbers:
    """Words and shapes, numbered."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._number = {name: k for k, name in enumerate(self.names)}

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], *, least: int) -> WordNumbers:
        """Words seen at least so often, and the shapes of all others."""
        counts: Counter[str] = Counter()
        for words in sentences:
            counts.update(words)
        kept = sorted(word for word, count in counts.items() if count >= least)
        rare = {shape(word) for word, count in counts.items() if count < least}
        return cls([_UNKNOWN, *sorted(rare), *kept])

    def __len__(self) -> int:
        return len(self.names)

    def number(self, words: Sequence[str]) -> list[int]:
        """The number of each word of a sentence."""
        known = self._number
        found = []
        for place, word in enumerate(words):
            at = known.get(word)
            if at is None and place == 0:
                at = known.get(word[:1].lower() + word[1:])  # a capital may be the sentence's
            if at is None:
                at = known.get(shape(word), 0)
            found.append(at)
        return found


def shape(word: str) -> str:
    """What is left of a rare word: its kind of letters and its last two."""
    if any(c.isdigit() for c in word):
        letters = any(c.isalpha() for c in word)
        return f"\x01{'mixed' if letters else 'number'}{'-' if '-' in word else ''}"
    if not any(c.isalpha() for c in word):
        return "\x01sign"
    case = "upper" if word.isupper() and len(word) > 1 else "cap" if word[0].isupper() else "low"
    hyphen = "-" if "-" in word else ""
    return f"\x01{case}{hyphen}:{word[-_ENDING:].lower()}"
