"""Simple ways to translate a message, for a translator to beat."""

from __future__ import annotations

from collections import Counter, defaultdict

from demotic.corpus import Bitext, Encoded, Orthography


def word_by_word(
    encoded: Encoded, target: Orthography, lexicon: dict[str, tuple[str, float]]
) -> str:
    """Every word looked up, placeholders in their places."""
    tokens = [lexicon.get(token, (token, 0.0))[0] for token in encoded.tokens]
    return target.decode(tokens, encoded, alignment=[(i, i) for i in range(len(tokens))])


class Memory:
    """A translation memory: the message that shares the most words, rare words counting more."""

    def __init__(self, train: Bitext, writing: Orthography) -> None:
        self._targets = list(train.target_lines())
        self._sources = [
            set(encoded.tokens) for encoded in writing.encode_lines(train.source_lines())
        ]
        self._holders: dict[str, list[int]] = defaultdict(list)
        for row, tokens in enumerate(self._sources):
            for token in tokens:
                self._holders[token].append(row)

    def nearest(self, encoded: Encoded) -> str:
        """The translation of the most similar message."""
        weights: Counter[int] = Counter()
        for token in set(encoded.tokens):
            holders = self._holders.get(token, ())
            # A word in more than one message of twenty says too little to look at them all.
            if holders and len(holders) * 20 <= len(self._sources):
                for row in holders:
                    weights[row] += 1
        if not weights:
            return ""
        tokens = set(encoded.tokens)

        def similarity(row: int) -> tuple[float, int]:
            other = self._sources[row]
            return 2 * len(tokens & other) / (len(tokens) + len(other)), -row

        return self._targets[max(weights, key=similarity)]
