"""Back-off n-gram scores straight from the definition (Katz 1987), over a dictionary."""

from __future__ import annotations

from collections.abc import Sequence

Ngrams = dict[tuple[str, ...], tuple[float, float]]
"""Words of each n-gram -> log10 probability and back-off."""


def read_arpa(text: str) -> Ngrams:
    """The n-grams of a well-formed ARPA text."""
    ngrams: Ngrams = {}
    order = 0
    for line in text.split("\n"):
        if line.startswith("\\") and line.endswith("-grams:"):
            order = int(line[1:-7])
        elif order and line and not line.startswith("\\"):
            prob, *rest = line.split()
            backoff = float(rest[order]) if len(rest) > order else 0.0
            ngrams[tuple(rest[:order])] = (float(prob), backoff)
    return ngrams


def write_arpa(ngrams: Ngrams, order: int) -> str:
    """The ARPA text of a dictionary."""
    by_order = [[n for n in ngrams if len(n) == k] for k in range(1, order + 1)]
    lines = ["\\data\\", *(f"ngram {k}={len(part)}" for k, part in enumerate(by_order, 1))]
    for k, part in enumerate(by_order, 1):
        lines += ["", f"\\{k}-grams:"]
        for words in part:
            prob, backoff = ngrams[words]
            lines.append(f"{prob!r}\t{' '.join(words)}" + (f"\t{backoff!r}" if k < order else ""))
    return "\n".join([*lines, "", "\\end\\", ""])


def score(ngrams: Ngrams, history: Sequence[str], word: str) -> float:
    """Log10 p(word | history); unknown words are ``<unk>``."""
    order = max(map(len, ngrams))
    known = [w if (w,) in ngrams else "<unk>" for w in (*history, word)]
    return _score(ngrams, tuple(known[max(0, len(known) - order) :]))


def _score(ngrams: Ngrams, words: tuple[str, ...]) -> float:
    if words in ngrams:
        return ngrams[words][0]
    backoff = ngrams.get(words[:-1], (0.0, 0.0))[1]
    return backoff + _score(ngrams, words[1:])


def sentence(ngrams: Ngrams, words: Sequence[str]) -> float:
    """Log10 probability of a sentence between its borders."""
    known = ["<s>", *words, "</s>"]
    return sum(score(ngrams, known[:i], known[i]) for i in range(1, len(known)))
