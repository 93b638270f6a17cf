"""A trained Amasis model at work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from demotic import _core
from demotic.decode.amasis import AmasisDecoder, AmasisDerivation, AmasisSearch
from demotic.files import naming
from demotic.systems.rules_model import FURTHER_PARTS, WORDS_PART, RulesModel

if TYPE_CHECKING:
    from demotic.corpus import Encoded
    from demotic.explain import Explanation
    from demotic.systems.translator import Translation


_LOOKS_AT = {
    "paper": "items",
    "context": "items and the words around them",
    "classes": "items, the words around them and their classes",
}


def load_labels(path: Path, *, verify: bool | None = None) -> _core.LabelModel:
    """Learned labels, mapped."""
    with naming(path):
        return _core.LabelModel(str(path), verify)


def label_facts(path: Path, verify: bool | None) -> dict[str, object]:
    """What ``demotic inspect`` says of learned labels."""
    from demotic.grammar.items import operations_of

    model = load_labels(path, verify=verify)
    seen = {",".join(operations_of(i)): count for i, count in enumerate(model.counts) if count}
    return {
        "labels": len(seen),
        "features": model.features,
        "trees": model.trees,
        "looks at": _LOOKS_AT[model.looks_at],
        "sees the depth of the stack": model.depth,
        "sees the stack": model.stack,
        "mask": model.mask,
        "temperature": model.temperature,
        **{f"label {name}": count for name, count in seen.items()},
    }


class AmasisModel(RulesModel):
    """Items, labels, a language model, weights, and how both languages are written."""

    SYSTEM = "amasis"
    PARTS = (*RulesModel.PARTS, "labels.bin")
    SEARCH = AmasisSearch
    SHAPE = "stack"
    OPTIONAL = (*FURTHER_PARTS, WORDS_PART)
    FACTS = {"labels": ("learned labels of items", label_facts)}  # noqa: RUF012

    decoder: AmasisDecoder
    search: AmasisSearch

    @classmethod
    def _check_parts(cls, parts: Mapping[str, Path]) -> None:
        super()._check_parts(parts)
        load_labels(parts["labels.bin"], verify=True)

    def _open_decoder(self, weights: Mapping[str, float]) -> AmasisDecoder:
        self.labels = load_labels(self.part("labels.bin"), verify=False)
        with naming(self.part("labels.bin")):
            return AmasisDecoder(
                self.rules,
                self.lm,
                weights,
                labels=self.labels,
                further=self.further,
                classifiers=self.classifiers,
                options=self.search,
            )

    def _explained(self, text: str, encoded: Encoded, translation: Translation) -> Explanation:
        """With the stack, item by item."""
        from demotic.explain.derivation import Shown

        shown = Shown(encoded)
        found = super()._explained(text, encoded, translation)
        derivation = translation.derivation
        assert isinstance(derivation, AmasisDerivation)
        steps = list(found.steps)
        for order, shift in enumerate(derivation.shifts(), 1):
            steps[shift.step] = replace(
                steps[shift.step],
                order=order,
                action=",".join(shift.operations),
                stack=tuple(" ".join(shown.words(words)) for words in shift.stack),
            )
        return replace(found, steps=tuple(steps))
