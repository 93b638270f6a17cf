"""Everything about one translation in plain lists and dicts, for the page and for programs.

    view(model, "Delete the file?")["steps"][0]["features"]

It is an explanation's record with what takes a second look at the model: where tokens stand in the
text, what each feature adds at each step, what else the table has for the same words, how sure the
model is, terms of the glossary. docs/explain.md describes every field.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from demotic.corpus.token_places import token_stretches
from demotic.explain import shares
from demotic.explain.derivation import Shown
from demotic.explain.rivals import Rival, Rivals

if TYPE_CHECKING:
    from demotic.corpus import Encoded
    from demotic.explain.explanation import Explanation
    from demotic.memory import Match
    from demotic.systems.model import Model
    from demotic.systems.translator import Translation

VERSION = 1
"""Of the fields: it grows when one changes its meaning or goes, not when one is added."""
MOST_RIVALS = 5
LONGEST = 300
"""Steps: a derivation of more is shown without what else there was for each of them."""


def view(model: Model, text: str, *, rivals: int = MOST_RIVALS) -> dict[str, Any]:
    """How a model translates a line of text, and why; ``rivals`` are shown for each rule."""
    encoded, translation = model.translated(text)
    explanation = model.explanation_of(text, encoded, translation)
    record: dict[str, Any] = {
        "version": VERSION,
        "system": model.SYSTEM,
        "shape": model.SHAPE,
        "languages": {"source": model.source.language, "target": model.target.language},
        **explanation.to_record(),
        **_places(text, encoded, translation),
        "contributions": [asdict(each) for each in shares.of_translation(explanation)],
        "confidence": model.sure(translation),
        "terms": [each.to_record() for each in translation.terms],
        "cdlm": _confusions(explanation),
    }
    if explanation.memory is not None:
        record["memory"] = _remembered(explanation.memory, text)
        record["matches"] = [_remembered(each, text) for each in model.matches(text)]
    if explanation.steps:
        known = model.step_values(encoded, translation)
        told = shares.of_steps(explanation, known)
        shown = Shown(encoded)
        for number, (step, features) in enumerate(zip(record["steps"], told, strict=True)):
            step["features"] = [asdict(each) for each in features]
            step["rivals"] = None
            if len(explanation.steps) <= LONGEST:
                found = model.rivals_of(translation, number, rivals)
                step["rivals"] = found and _rivals(found, shown)
    finite: dict[str, Any] = _finite(record)
    return finite


def _places(text: str, encoded: Encoded, translation: Translation) -> dict[str, Any]:
    """Where tokens stand in the text and in its translation; None for one that is not there."""
    if translation.memory is not None:
        return {"source_places": [None] * len(encoded.tokens), "places": []}
    origins = {each.token: each.origin or each.text for each in encoded.spans}
    texts = {each.token: each.text for each in encoded.spans}
    return {
        "source_places": token_stretches(encoded.tokens, text, origins),
        "places": token_stretches(translation.tokens, translation.text, texts),
    }


def _confusions(explanation: Explanation) -> dict[str, float] | None:
    """What the language model of confusions adds, and its part in all that is added."""
    told = shares.of_translation(explanation)
    for each in told:
        if each.name == "ConfusionModel":
            total = sum(abs(other.contribution) for other in told)
            return {"contribution": each.contribution, "share": abs(each.contribution) / total}
    return None


def _remembered(match: Match, text: str) -> dict[str, Any]:
    """A match with its differences, also those of case and placeholders."""
    from demotic.memory.match import difference

    record = match.to_record()
    if "difference" not in record and match.source != text:
        pieces = difference(match.source.split(), text.split())
        record["difference"] = [asdict(each) for each in pieces]
    return record


def _rivals(found: Rivals, shown: Shown) -> dict[str, Any]:
    return {
        "same": found.same,
        "rank": found.rank,
        "best": [_rival(each, shown) for each in found.best],
        "others": found.others,
        "other": [_rival(each, shown) for each in found.other],
    }


def _rival(each: Rival, shown: Shown) -> dict[str, Any]:
    from demotic.explain.derivation import symbols

    return {
        "source": shown(symbols(each.source)),
        "target": shown(symbols(each.target)),
        "score": each.score,
        "chosen": each.chosen,
    }


def _finite(value: Any) -> Any:
    """JSON has no infinity: a sentence without a derivation has a score of None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(each) for each in value]
    return value
