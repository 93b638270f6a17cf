"""A small invented language pair: verbs go to the end, adjectives behind nouns."""

from __future__ import annotations

import random

from demotic.corpus import Bitext

NOUNS = {f"noun{i}": f"nom{i}" for i in range(30)}
VERBS = {f"verb{i}": f"agir{i}" for i in range(12)}
ADJECTIVES = {f"adj{i}": f"qual{i}" for i in range(10)}


def pairs(count: int, seed: int = 1) -> list[tuple[str, str]]:
    """Sentences such as ``The adj1 noun2 verb3 %d noun4 .`` and their translations."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        one, two = rng.choice(list(NOUNS)), rng.choice(list(NOUNS))
        verb, adjective = rng.choice(list(VERBS)), rng.choice(list(ADJECTIVES))
        amount = rng.choice(["%d", "%s", "a"])
        told = "un" if amount == "a" else amount
        source = f"The {adjective} {one} {verb} {amount} {two}."
        target = f"Le {NOUNS[one]} {ADJECTIVES[adjective]} {told} {NOUNS[two]} {VERBS[verb]}."
        found.append((source, target))
    return found


def bitext(count: int, seed: int = 1, file: str = "toy.tsv") -> Bitext:
    """The same as a bitext."""
    return Bitext.from_pairs(
        pairs(count, seed), source_language="en", target_language="fr", file=file
    )


QUICK = {"lm": {"order": 3}, "tune": {"mert": {"iterations": 2, "restarts": 0}}}
"""Settings under which training takes a second or two."""
