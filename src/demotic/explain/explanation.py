"""An explanation: for each word of a translation the rule, its scores, the sentences behind it."""

from __future__ import annotations

import unicodedata
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from demotic.files import place_of
from demotic.terminal import shown

if TYPE_CHECKING:
    from demotic.decode.consensus import Agreement
    from demotic.memory import Match

MOST_EVIDENCE = 3
"""Training sentences that a table remembers for each rule; there may have been more."""

Symbol = str | int
"""A word, or the number of a child (0 for the first)."""


@dataclass(frozen=True)
class Evidence:
    """A training sentence from which a rule was extracted."""

    id: str
    source: str
    target: str
    file: str
    unit: str

    @property
    def place(self) -> str:
        """Where it stands in the training data: the end of the file's path, and the unit."""
        return place_of(self.file, self.unit)


@dataclass(frozen=True)
class ExplainedStep:
    """A rule at its place in the derivation."""

    kind: str
    """``rule``, ``glue``, ``goal``, ``pass-through``, ``straight``, ``inverted`` or ``word``."""
    lhs: str
    source: tuple[Symbol, ...]
    target: tuple[Symbol, ...]
    span: tuple[int, int]
    """The source words it covers."""
    children: tuple[int, ...]
    """Steps, in the order of the source side."""
    words: tuple[int, ...]
    """The positions of the target words that it wrote itself."""
    scores: dict[str, float]
    """The rule's scores in the table, and what language models beside the first one add at this
    step; natural logs."""
    language_model: float
    """What the language model adds at this step; natural log."""
    contribution: float
    """All that this step adds to the translation's score."""
    rule: int | None
    """The rule's number in the table."""
    counts: dict[str, float]
    """How often its target side, its source side and both together were extracted."""
    evidence: tuple[Evidence, ...]
    order: int | None = None
    """When it came, where trees do not grow from the words up: 1 is the first step."""
    action: str | None = None
    """How it came then: ``start``, ``down`` below what was there, ``up`` above it; or the label of
    an item, ``S,R+``."""
    stack: tuple[str, ...] | None = None
    """The target fragments afterwards, from the bottom up, where a stack holds them."""
    reasons: tuple[str, ...] = ()
    """Compound features that hold, with what they add to a classifier's score, largest first."""

    @property
    def text(self) -> str:
        """``ne [1] pas → not [1]``."""
        return f"{side(self.source)} → {side(self.target)}"

    @property
    def seen(self) -> str:
        """In how many training sentences, as far as the table remembers: ``3 or more``."""
        number = len(self.evidence)
        if number >= MOST_EVIDENCE:
            return f"seen in {number} sentences or more"
        return f"seen in {number} sentence{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Explanation:
    """A translation with all that led to it; the first step is the root of the tree."""

    source: str
    text: str
    source_tokens: tuple[str, ...]
    tokens: tuple[str, ...]
    alignment: tuple[tuple[int, int], ...]
    score: float
    features: dict[str, float]
    weights: dict[str, float]
    steps: tuple[ExplainedStep, ...]
    consensus: Agreement | None = None
    """Why it was preferred to the translation of the best score."""
    memory: Match | None = None
    """The message that was translated before; then there are no steps."""
    matches: tuple[Match, ...] = ()
    """Messages of the memory that are similar."""

    def step_of(self, word: int) -> ExplainedStep:
        """The step that wrote a target word."""
        return next(step for step in self.steps if word in step.words)

    def sources_of(self, word: int) -> list[str]:
        """The source words that a target word is linked with."""
        return [self.source_tokens[i] for i, j in sorted(self.alignment) if j == word]

    def to_record(self) -> dict[str, Any]:
        """Everything in plain lists and dicts, for JSON."""
        record = asdict(self)
        if self.consensus is None:
            del record["consensus"]
        record["memory"] = self.memory and self.memory.to_record()
        record["matches"] = [match.to_record() for match in self.matches]
        record["words"] = [
            {
                "word": token,
                "from": self.sources_of(word),
                "step": next(i for i, step in enumerate(self.steps) if word in step.words),
            }
            for word, token in enumerate(self.tokens)
        ]
        return record

    def preference(self) -> list[str]:
        """What consensus says of the translation, in lines; nothing if none was asked for."""
        if (found := self.consensus) is None:
            return []
        lines = [f"consensus ({found.method}, scale {found.scale:g}): gain {found.gain:.3f}"]
        best = "the same" if found.own == self.text else found.own
        lines.append(f"best score: {best} (score {found.own_score:.3f}, gain {found.own_gain:.3f})")
        return lines

    def remembered(self) -> list[str]:
        """What the memory has for the sentence, in lines; nothing if it has nothing."""
        lines = []
        if (found := self.memory) is not None:
            lines.append(f"from the memory ({found.kind}): {found.place}, seen {found.count} x")
            if found.kind != "exact":
                lines.append(f"  {found.source} → {found.target}")
        for match in self.matches:
            lines.append(f"similar ({match.similarity:.0%}): {match.place}")
            lines.append(f"  {match.marked()} → {match.target}")
        return lines

    def tree(self) -> str:
        """The derivation as indented text, each rule with its scores and training sentences."""
        from demotic.explain.tree import tree

        return tree(self)

    def __str__(self) -> str:
        return self.tree()

    def _repr_html_(self) -> str:
        from demotic.notebook import card, outline

        return card(self.text, outline(self.tree()))


def side(symbols: tuple[Symbol, ...]) -> str:
    """One side of a rule, children as ``[1]``, ``[2]``; a dash for an empty side."""
    return " ".join(isolated(s) if isinstance(s, str) else f"[{s + 1}]" for s in symbols) or "-"


def isolated(text: str) -> str:
    """Text from right to left between marks that keep its direction from what is around it.

    Its own marks and controls are spelt out.

    >>> isolated("page"), isolated("דף") == "\u2068דף\u2069"
    ('page', True)
    """
    text = shown(text)
    if text.isascii() or not any(unicodedata.bidirectional(each) in _RIGHT for each in text):
        return text
    return f"\u2068{text}\u2069"


_RIGHT = frozenset({"R", "AL"})
