"""Models that are rules, a language model and weights; they differ in how their decoder searches.

class HieroModel(RulesModel):
    SYSTEM = "hiero"
    SEARCH = HieroSearch

    def _open_decoder(self, weights):
        return HieroDecoder(
            self.rules, self.lm, weights, further=self.further, classifiers=self.classifiers,
            options=self.search,
        )
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from demotic.decode.decoder import ForestDecoder
from demotic.errors import CorruptFileError
from demotic.files import naming
from demotic.grammar import LazyRules, RuleTable
from demotic.lm import LanguageModel
from demotic.systems.model import Model

if TYPE_CHECKING:
    from demotic import _core
    from demotic.decode import Derivation
    from demotic.explain.rivals import Rivals
    from demotic.forest import Forest
    from demotic.lm import FurtherModel
    from demotic.lm.further import Sight
    from demotic.systems.cdlm import Cdlm
    from demotic.systems.translator import Translation


MOST_EXTRA = 8
"""Texts with a language model of their own."""
CLASSES, CLASS_LM = "classes.txt", "class-lm.bin"
UNIT_CLASSES, UNIT_LM = "unit-classes.txt", "unit-lm.bin"
EXTRA_LMS = tuple(f"lm-{number}.bin" for number in range(2, 2 + MOST_EXTRA))
FURTHER_PARTS = (CLASSES, CLASS_LM, *EXTRA_LMS, UNIT_CLASSES, UNIT_LM)
"""Of language models beside the first one; a model need not have them."""
CDLM_PART = "cdlm.json"
"""What a language model of confusions learned; the rules have its scores."""
WORDS_PART = "words.bin"
"""Classifiers of words."""
RULES_PART = "rules.bin"
"""All rules; or, for rules on demand, the two parts that follow."""
ALIGNED_PART, LEXICAL_PART = "aligned.bin", "lexical.bin"


def span_of(search: object) -> int | None:
    """Words of a sentence that a rule can match, as far as options of a search limit them."""
    return getattr(search, "span_limit", None)


def further_models(parts: Mapping[str, Path], *, verify: bool) -> tuple[FurtherModel, ...]:
    """The language models beside the first one, as far as there are parts of them."""
    if not {*FURTHER_PARTS} & parts.keys():
        return ()
    from demotic.lm import FurtherModel, WordClasses

    def load(name: str) -> LanguageModel:
        return LanguageModel.load(parts[name], verify=verify)

    def of_classes(name: str, classes: str, lm: str, sees: Sight) -> list[FurtherModel]:
        if classes not in parts and lm not in parts:
            return []
        for one, other in ((classes, lm), (lm, classes)):
            if one not in parts:
                raise CorruptFileError(
                    f"the model has {other} and no {one}", path=parts[other].parent
                )
        return [FurtherModel(name, load(lm), WordClasses.load(parts[classes]), sees=sees)]

    found = of_classes("ClassModel", CLASSES, CLASS_LM, "words")
    for number, name in enumerate(EXTRA_LMS, start=2):
        if name in parts:
            found.append(FurtherModel(f"LanguageModel{number}", load(name)))
    found += of_classes("BilingualModel", UNIT_CLASSES, UNIT_LM, "units")
    return tuple(found)


def load_classifiers(parts: Mapping[str, Path], *, verify: bool) -> _core.WordChoices | None:
    """The classifiers of words, if there is a part of them."""
    if WORDS_PART not in parts:
        return None
    from demotic import _core

    with naming(parts[WORDS_PART]):
        return _core.WordChoices(str(parts[WORDS_PART]), verify)


class RulesModel(Model):
    """Rules, a language model, weights, and how both languages are written."""

    PARTS = (*Model.PARTS, RULES_PART, "lm.bin")
    LAZY: ClassVar[bool] = False
    """Can its rules be made on demand?"""

    @classmethod
    def parts_of(cls, names: Collection[str]) -> tuple[str, ...]:
        if not cls.LAZY or ALIGNED_PART not in names:
            return cls.PARTS
        return (*(name for name in cls.PARTS if name != RULES_PART), ALIGNED_PART, LEXICAL_PART)

    @classmethod
    def _check_parts(cls, parts: Mapping[str, Path]) -> None:
        super()._check_parts(parts)
        if ALIGNED_PART in parts:
            LazyRules.load(parts[ALIGNED_PART], parts[LEXICAL_PART], verify=True)
        else:
            RuleTable.load(parts[RULES_PART], verify=True)
        further_models(parts, verify=True)
        load_classifiers(parts, verify=True)
        if CDLM_PART in parts:
            from demotic.systems.cdlm import Cdlm

            Cdlm.read(parts[CDLM_PART])

    @cached_property
    def lazy(self) -> LazyRules | None:
        """What rules are made of, if they are made on demand."""
        if ALIGNED_PART not in self._parts:
            return None
        aligned, lexical = self.part(ALIGNED_PART), self.part(LEXICAL_PART)
        return LazyRules.load(aligned, lexical, span=span_of(self.search), verify=False)

    @cached_property
    def rules(self) -> RuleTable:
        """The rule table, mapped; without rules, where these are made on demand."""
        if self.lazy is not None:
            return self.lazy.table([])
        return RuleTable.load(self.part(RULES_PART), verify=False)

    def rules_for(self, tokens: Sequence[str]) -> RuleTable:
        """A table of the rules that can match some tokens, and perhaps of others."""
        return self.rules if self.lazy is None else self.lazy.table([tokens])

    def _decoder(
        self, kind: Callable[..., Any], weights: Mapping[str, float]
    ) -> ForestDecoder[Derivation]:
        """A decoder of this kind with all that the model has."""
        more = {
            "further": self.further, "classifiers": self.classifiers, "options": self.search,
        }  # fmt: skip
        if self.lazy is None:
            made: ForestDecoder[Derivation] = kind(self.rules, self.lm, weights, **more)
            return made
        from demotic.decode.lazy import LazyDecoder

        return LazyDecoder(kind, self.lazy, self.lm, weights, **more)

    @cached_property
    def lm(self) -> LanguageModel:
        """The language model of the target side, mapped."""
        return LanguageModel.load(self.part("lm.bin"), verify=False)

    @cached_property
    def further(self) -> tuple[FurtherModel, ...]:
        """Language models beside the first one, mapped."""
        return further_models(self._parts, verify=False)

    @cached_property
    def classifiers(self) -> _core.WordChoices | None:
        """Classifiers of words, mapped, if there are any."""
        return load_classifiers(self._parts, verify=False)

    @cached_property
    def cdlm(self) -> Cdlm | None:
        """The language model of confusions that the rules have a column of, if there is one."""
        if CDLM_PART not in self._parts:
            return None
        from demotic.systems.cdlm import Cdlm

        return Cdlm.read(self.part(CDLM_PART))

    def forest(self, text: str) -> Forest:
        """All that the decoder considered for a line."""
        assert isinstance(self.decoder, ForestDecoder)
        [forest] = self.decoder.forests([self._bounded(self.encode(text))])
        return forest

    def rivals_of(self, translation: Translation, step: int, most: int) -> Rivals | None:
        """What else the table has for the words of a step."""
        from demotic.decode import Derivation
        from demotic.explain.rivals import of_rules

        derivation = translation.derivation
        assert isinstance(derivation, Derivation)
        used = derivation.steps[step]
        if used.rule is None:
            return None
        covered = derivation.source[used.begin : used.end]
        table = derivation.rules
        assert isinstance(table, RuleTable)
        return of_rules(table, self.weights, used.rule, covered, most)

    def knows(self, word: str) -> object:
        """Is a token among the source words of the rules?"""
        return (self.lazy or self.rules).find_source_word(word)

    def stranded(self, tokens: Sequence[str]) -> Sequence[int]:
        """Places of words that no rule translates as part of a phrase; with rules on demand
        nobody looks, since that would take as long as translating."""
        if self.lazy is not None:
            return ()
        return self.rules.stranded_words(list(tokens))
