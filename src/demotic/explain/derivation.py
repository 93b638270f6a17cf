"""From a decoder's derivation to an explanation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from demotic.corpus import Encoded, Pair, protected_class
from demotic.corpus.marks import bare, joint_filler, unescape
from demotic.explain.explanation import Evidence, ExplainedStep, Explanation, Symbol

if TYPE_CHECKING:
    from demotic.decode import Derivation, Step
    from demotic.decode.derivation import Entry

_COUNTS = ("target", "source", "both")


def explain(
    text: str,
    translation: str,
    encoded: Encoded,
    derivation: Derivation,
    weights: Mapping[str, float],
    corpus: Sequence[Pair],
) -> Explanation:
    """The derivation with its rules, their scores and the training sentences they come from."""
    rules = {
        step.rule: derivation.rules[step.rule] for step in derivation.steps if step.rule is not None
    }
    origins = evidence(corpus, (row for rule in rules.values() for row in rule.origins))
    written = _words_by_step(derivation)
    shown = Shown(encoded)
    steps = []
    for number, step in enumerate(derivation.steps):
        rule = rules.get(step.rule) if step.rule is not None else None
        source, target = _sides(derivation, step, rule)
        steps.append(
            ExplainedStep(
                kind=step.kind,
                lhs=step.category,
                source=shown(source),
                target=shown(target),
                span=(step.begin, step.end),
                children=step.children,
                words=written.get(number, ()),
                scores=derivation.scores_of(number),
                language_model=step.lm,
                contribution=step.score,
                rule=step.rule,
                counts=dict(zip(_COUNTS, rule.counts, strict=False)) if rule else {},
                evidence=tuple(origins[row] for row in rule.origins if row in origins)
                if rule
                else (),
            )
        )
    return Explanation(
        source=text,
        text=translation,
        source_tokens=shown.words(encoded.tokens),
        tokens=shown.words(derivation.tokens),
        alignment=tuple(derivation.alignment),
        score=derivation.score,
        features=derivation.features,
        weights={name: weights.get(name, 0.0) for name in derivation.features},
        steps=tuple(steps),
    )


def evidence(corpus: Sequence[Pair], rows: Iterable[int]) -> dict[int, Evidence]:
    """The training sentences in the given rows; rows that the corpus does not have are left out."""
    wanted = {row for row in rows if 0 <= row < len(corpus)}
    return {row: Evidence(*corpus[row]) for row in wanted}


def _words_by_step(derivation: Derivation) -> dict[int, tuple[int, ...]]:
    words: dict[int, list[int]] = {}
    for word, step in enumerate(derivation.word_steps):
        words.setdefault(step, []).append(word)
    return {step: tuple(positions) for step, positions in words.items()}


def _sides(
    derivation: Derivation, step: Step, rule: Entry | None
) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...]]:
    if rule is not None:
        return symbols(rule.source), symbols(rule.target)
    if step.kind == "pass-through":
        word = derivation.source[step.begin]
        return (word,), (word,)
    children = tuple(range(len(step.children)))
    return children, children[::-1] if step.kind == "inverted" else children


def symbols(side: tuple[str, ...]) -> tuple[Symbol, ...]:
    """``[X,2]`` as the number of the child, 1; words cannot look like that (they are escaped)."""
    return tuple(
        int(symbol[1:-1].rpartition(",")[2]) - 1
        if symbol.startswith("[") and symbol.endswith("]") and "," in symbol
        else symbol
        for symbol in side
    )


class Shown:
    """Words as a reader knows them: no marks, and the text of a placeholder instead of its class.

    The joint between the parts of a compound is ``+``, or ``+s+`` with linking letters.
    """

    def __init__(self, encoded: Encoded) -> None:
        self._spans = {span.token: span.text for span in encoded.spans}

    def __call__(self, side: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
        return tuple(symbol if isinstance(symbol, int) else self._word(symbol) for symbol in side)

    def words(self, tokens: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self._word, tokens))

    def _word(self, token: str) -> str:
        linking = joint_filler(token)
        if linking is not None:
            return f"+{linking}+" if linking else "+"
        name = protected_class(token)
        return self._spans.get(name, name) if name else unescape(bare(token))
