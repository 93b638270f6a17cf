"""Which of the loaded languages a text is in: by its script, then by its letters and words.

    detector = Detector({"de": german_lines, "en": english_lines})
    detector.detect("Wo ist das Haus?")                 # [("de", 99.8), ("en", 0.2)]

What is known of a language are the runs of three characters in the text that models learned from,
so that any language that can be translated can be told.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

_LONGEST = 2_000
"""Characters of a text that are looked at."""
_NOISE = re.compile(r"<[^<>]*>|https?://\S+|[\W\d_]+")
_USUAL = 0.05
"""Share of a text's letters from which their script is one of its language."""
_SMOOTHING = 0.1
_TEMPER = 0.5
"""Neighbouring runs of characters say half the same; what they say counts half."""


class Detector:
    """Knows some languages by samples of their text."""

    def __init__(self, samples: Mapping[str, Iterable[str]]) -> None:
        texts = {code: "\n".join(lines) for code, lines in samples.items()}
        self._scripts = {code: _usual_scripts(text) for code, text in texts.items()}
        counts = {code: Counter(_runs(text)) for code, text in texts.items()}
        kinds = len(set().union(*counts.values())) + 1
        self._logs: dict[str, dict[str, float]] = {}
        self._unseen: dict[str, float] = {}
        for code, seen in counts.items():
            total = math.log(seen.total() + _SMOOTHING * kinds)
            self._logs[code] = {
                run: math.log(count + _SMOOTHING) - total for run, count in seen.items()
            }
            self._unseen[code] = math.log(_SMOOTHING) - total

    def detect(self, text: str) -> list[tuple[str, float]]:
        """Codes with their probabilities in percent, the likeliest first."""
        text = text[:_LONGEST]
        runs = list(_runs(text))
        script = max(_scripts(text).items(), key=lambda each: each[1], default=("", 0))[0]
        written = [code for code, scripts in self._scripts.items() if script in scripts]
        sums = {}
        for code in written or self._logs:
            logs, unseen = self._logs[code], self._unseen[code]
            sums[code] = _TEMPER * sum(logs.get(run, unseen) for run in runs)
        best = max(sums.values())
        shares = {code: math.exp(value - best) for code, value in sums.items()}
        whole = sum(shares.values())
        found = [(code, round(100 * shares.get(code, 0) / whole, 1)) for code in self._logs]
        return sorted(found, key=lambda each: -each[1])


def _scripts(text: str) -> Counter[str]:
    """How many letters there are of each script."""
    found: Counter[str] = Counter()
    for letter, count in Counter(_NOISE.sub("", text)).items():
        found[_script(letter)] += count
    return found


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _usual_scripts(text: str) -> set[str]:
    counts = _scripts(text)
    return {script for script, count in counts.items() if count > _USUAL * counts.total()}


def _runs(text: str) -> Iterable[str]:
    """Runs of three characters within words, their edges marked; of scripts without spaces each
    character counts, too."""
    for word in _NOISE.sub(" ", text).lower().split():
        edged = f" {word} "
        yield from (edged[i : i + 3] for i in range(len(edged) - 2))
        if word[0] > "\u2e80":
            yield from word
