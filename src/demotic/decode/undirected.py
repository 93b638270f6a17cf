"""The undirected decoder (Gesmundo and Henderson 2014): one tree, grown in any order.

    decoder = UndirectedDecoder(rules, lm, {"LanguageModel": 0.5, "Cff1": 1, "Cff2": 1, ...})
    derivation = decoder.decode("das haus ist klein .")
    print(derivation.text, derivation.score)
    for action in derivation.actions:
        print(action)

It stands on the same grammar, forest and language model as :class:`HieroDecoder`, but instead of
filling a chart it takes the best action at each step and never takes it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class UndirectedOptions:
    """How to search."""

    kappa: float = 0.0
    """How much the language model's estimates of words with open context count, 0 to 1."""
    cff: Literal["raw", "delta", "off"] = "raw"
    """Bounds on missing branches as features of the slots that an action opens; ``delta``
    subtracts the bound of the slot that it closes, ``off`` has none."""
    argmax: Literal["lazy", "eager"] = "lazy"
    """``lazy`` scores only actions that may still be the best; the results are the same."""
    stale_queue: bool = False
    """Leave the scores of open actions as they were first computed, though words came to stand
    beside their gap."""
    restarts: int = 1
    """Start from so many of the best leaves and keep the best translation."""
    beam: int = 1
    """Partial trees kept side by side."""
    sparse_bits: int = 0
    """Sparse lexical features of the neighbourhood of a gap, hashed to 2**bits ids; 0: none."""
    span_limit: int = 10
    """Source words that a nonterminal other than the goal may cover."""
    max_edges: int = 5_000_000
    """Edges of one sentence's forest: for a very long sentence that would need more the span limit
    falls (10, 5, 2, 1)."""
    glue: Literal["auto", "always", "never"] = "auto"
    """``auto`` glues pieces together where the grammar has no derivation of its own."""
    goal: str = "S"
    """The category of a sentence; a grammar may have rules for it."""
    default_category: str = "X"
    """The category of words that no rule translates alone: they pass through as they are."""


# UndirectedDecoder(rules, lm, weights, *, options) mirrors HieroDecoder: feature_names, weights,
# with_weights, decode, decode_lines, decode_stream, kbest, kbest_lines, counters, reset_counters;
# and episode(sentence) -> demotic.decode.episode.Episode.
# Features: those of HieroDecoder, then Cff1, Cff2, CffHead.
