"""A memory of what users suggest: it answers from a suggestion as soon as it has it.

    memory = SuggestedMemory(model.source, model.target)
    memory.add(Suggestion("Hallo", "Hello", "de", "en", line=1), "de-en.demotic.suggestions.jsonl")
    memory.answers("hallo!")                                     # as any memory: "hello!"

The last suggestion for a message counts.  One thread adds at a time, others may look meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demotic.corpus.normalise import plain_spaces
from demotic.memory.mending import folded, masked
from demotic.memory.store import TranslationMemory

if TYPE_CHECKING:
    from demotic.corpus import Orthography
    from demotic.memory.suggestions import Suggestion

_CANDIDATES = 64
"""Messages with the most words in common whose distance is measured."""
_LONGEST = 200
"""Words of a message that is compared with others."""


class SuggestedMemory(TranslationMemory):
    """Suggestions as a memory of one model, whose languages say what is alike."""

    def __init__(self, source: Orthography, target: Orthography) -> None:
        self._live = _Live()
        super().__init__(self._live, source, target)

    def add(self, suggestion: Suggestion, file: str) -> None:
        """From now on, this is how the message is translated."""
        text = plain_spaces(suggestion.text)
        target = suggestion.translation.strip()
        if not text or not target:
            return
        key = masked(text, self._find)
        tokens = self._source.encode(text).tokens
        self._live.add(
            (text, key.text if key.spans else "", folded(key.text)),
            (target, file, str(suggestion.line)),
            tokens,
        )


class _Live:
    """What is stored, as ``TranslationMemory`` asks for it; every message has one translation."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._told: list[tuple[str, str, str]] = []
        self._words: list[tuple[str, ...]] = []
        self._numbers: dict[str, int] = {}
        self._masked: dict[str, list[int]] = {}
        self._folded: dict[str, list[int]] = {}
        self._holders: dict[str, list[int]] = {}

    def add(
        self, keys: tuple[str, str, str], told: tuple[str, str, str], words: Sequence[str]
    ) -> None:
        text, mask, fold = keys
        number = len(self._texts)
        self._texts.append(text)
        self._told.append(told)
        self._words.append(tuple(words))
        earlier = self._numbers.get(text)
        for key, index in ((mask, self._masked), (fold, self._folded)):
            if key:
                _put(index, key, number, earlier)
        for word in dict.fromkeys(words):
            _put(self._holders, word, number, earlier)
        self._numbers[text] = number  # last: who finds it finds all of it

    def __len__(self) -> int:
        return len(self._numbers)

    def find(self, source: str, /) -> int:
        return self._numbers.get(source, -1)

    def alike(self, folded: bool, key: str, most: int, /) -> list[int]:
        found = (self._folded if folded else self._masked).get(key, [])
        return found[: -most - 1 : -1]

    def similar(
        self, words: Sequence[str], least: float, most: int, /
    ) -> list[tuple[int, int, int]]:
        shared = Counter(
            number for word in dict.fromkeys(words) for number in self._holders.get(word, ())
        )
        found = []
        for number, _ in shared.most_common(_CANDIDATES):
            length = max(len(words), len(self._words[number]))
            if length > _LONGEST:
                continue
            away = _distance(words, self._words[number])
            if away <= (1 - least) * length + 1e-9 and away < length:
                found.append((number, away, length))
        found.sort(key=lambda each: (each[1] / each[2], -each[0]))
        return found[:most]

    def source(self, segment: int, /) -> str:
        return self._texts[segment]

    def words(self, segment: int, /) -> list[str]:
        return list(self._words[segment])

    def translations(self, segment: int, /) -> tuple[int, int]:
        return segment, segment + 1

    def target(self, translation: int, /) -> str:
        return self._told[translation][0]

    def count(self, translation: int, /) -> int:
        return 1

    def file(self, translation: int, /) -> str:
        return self._told[translation][1]

    def unit(self, translation: int, /) -> str:
        return self._told[translation][2]

    def tokens(self, translation: int, /) -> str:
        return ""  # nobody has taken it apart and linked it

    def links(self, translation: int, /) -> str:
        return ""


def _put(index: dict[str, list[int]], key: str, number: int, earlier: int | None) -> None:
    """Add a number in place of an earlier one of the same message."""
    known = index.setdefault(key, [])
    if earlier is None:
        known.append(number)
    else:
        index[key] = [*(each for each in known if each != earlier), number]


def _distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Words to put in, take out or replace."""
    row = list(range(len(other) + 1))
    for i, word in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, given in enumerate(other, 1):
            before, row[j] = row[j], min(before + (word != given), row[j] + 1, row[j - 1] + 1)
    return row[-1]
