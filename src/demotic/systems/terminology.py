"""A model that keeps to a glossary.

A sentence is decoded as ever; a translation that has its terms, in any form that training shows,
stays.  Where one is missing, the sentence is decoded once more with the term's translation put in
its place, in the form that the language model likes best there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from demotic.corpus.accelerators import without_mark
from demotic.corpus.encoded import Encoded
from demotic.corpus.marks import protected_class
from demotic.glossary import Finder, Glossary, Occurrence, TermUse
from demotic.glossary.placing import Decided, uses, with_decided

if TYPE_CHECKING:
    from demotic.glossary.finding import Shown
    from demotic.lm import LanguageModel
    from demotic.systems.model import Model
    from demotic.systems.translator import Translation

Lists = Iterator["list[Translation]"]
Again = Callable[[Sequence[Encoded]], Lists]
Form = tuple[str, ...]
"""Tokens of a translation."""
_READ = 20  # rules of a term's words that are looked at for forms


@dataclass(frozen=True)
class _Asked:
    """A sentence with its terms."""

    source: Encoded
    terms: Sequence[Occurrence]


class Terminology:
    """Sees to it that translations of a model have the terms of a glossary."""

    def __init__(self, model: Model, glossary: Glossary) -> None:
        from demotic.corpus.orthography import without_region

        self._model = model
        self._finder = Finder(glossary, model.source, model.target, *learned_by(model))
        self._language = without_region(model.target.language)
        self._texts: dict[tuple[str, ...], str] = {}

    def of(self, source: Encoded, translation: Translation) -> Translation:
        """A translation that stays as it is, with what became of the terms of its sentence."""
        terms = self._finder.terms_in(source)
        if not terms:
            return translation
        lost = self._missing(terms, translation.text)
        outcomes = (TermUse(each.term, "missing" if each in lost else "used") for each in terms)
        return replace(translation, terms=tuple(outcomes))

    def kept(self, sources: Sequence[Encoded], found: Lists, again: Again) -> Lists:
        """The best translations of some sentences, with the terms that they lacked.

        ``again`` decodes sentences into which something was put.
        """
        asked = [_Asked(each, self._finder.terms_in(each)) for each in sources]
        lists = list(found)
        put: dict[int, Sequence[Occurrence]] = {
            number: lost
            for number, (each, best) in enumerate(zip(asked, lists, strict=True))
            if (lost := self._missing(each.terms, best[0].text))
        }
        # What was put in may drive out a term that was there: then all of them are.
        for attempt in range(2):
            if not put:
                break
            made = {number: self._with(asked[number], terms) for number, terms in put.items()}
            decoded = again([each for each, _ in made.values()])
            later: dict[int, Sequence[Occurrence]] = {}
            for (number, (source, names)), best in zip(made.items(), decoded, strict=True):
                terms = asked[number].terms
                lists[number] = self._inflected(source, names, put[number], best)
                rest = [each for each in terms if each not in put[number]]
                if attempt == 0 and self._missing(rest, lists[number][0].text):
                    later[number] = terms
            put = later
        for each, best in zip(asked, lists, strict=True):
            yield [self._told(each, one) for one in best]

    def _missing(self, terms: Sequence[Occurrence], text: str) -> list[Occurrence]:
        """All occurrences of terms that stand in the text less often than in the sentence."""
        wanted: Counter[str] = Counter(each.term.source for each in terms)
        forms: dict[str, dict[str, None]] = defaultdict(dict)
        for each in terms:
            forms[each.term.source].update(dict.fromkeys(map(self._text, each.forms)))
            forms[each.term.source].update(dict.fromkeys(each.term.targets))
        text, _, _ = without_mark(text)  # which may part a word: Ein&stellungen
        lost = {
            name
            for name, count in wanted.items()
            if uses(text, list(forms[name]), self._language) < count
        }
        return [each for each in terms if each.term.source in lost]

    def _with(self, asked: _Asked, terms: Sequence[Occurrence]) -> tuple[Encoded, dict[int, str]]:
        decided = [Decided(each.first, each.last, self._text(each.forms[0])) for each in terms]
        return with_decided(asked.source, decided)

    def _inflected(
        self,
        source: Encoded,
        names: dict[int, str],
        terms: Sequence[Occurrence],
        best: Sequence[Translation],
    ) -> list[Translation]:
        """The translations with each term in the form that the language model likes best."""
        chosen: list[Translation] = []
        for each in best:
            forms = {names[number]: term.forms[0] for number, term in enumerate(terms)}
            for number, term in enumerate(terms):
                forms[names[number]] = self._likeliest(each.tokens, forms, names[number], term)
            spans = tuple(
                replace(span, text=self._text(forms[span.token])) if span.token in forms else span
                for span in source.spans
            )
            told = _with_own_mark(replace(source, spans=spans), names, terms)
            text = self._model.target.decode(each.tokens, told, alignment=each.alignment)
            uses = tuple(
                TermUse(term.term, "put in", self._text(forms[names[number]]))
                for number, term in enumerate(terms)
            )
            chosen.append(replace(each, text=text, source=told, terms=uses))
        return chosen

    def _likeliest(
        self, tokens: Sequence[str], forms: dict[str, Form], name: str, term: Occurrence
    ) -> Form:
        """The form of a term that goes best with the words around it, of equals the first."""
        lm: LanguageModel | None = getattr(self._model, "lm", None)
        if lm is None or len(term.forms) == 1:
            return term.forms[0]

        def score(form: Form) -> float:
            return lm.score(" ".join(_filled(tokens, {**forms, name: form})))

        return max(term.forms, key=score)

    def _told(self, asked: _Asked, translation: Translation) -> Translation:
        """The translation with what became of all terms, in the sentence's order."""
        if not asked.terms:
            return translation
        put = {use.term.source: use for use in translation.terms}
        lost = self._missing(asked.terms, translation.text)
        outcomes = (
            put.get(each.term.source, TermUse(each.term, "missing" if each in lost else "used"))
            for each in asked.terms
        )
        return replace(translation, terms=tuple(outcomes))

    def _text(self, form: tuple[str, ...]) -> str:
        """Tokens as text, as they stand within a sentence."""
        if form not in self._texts:
            self._texts[form] = self._model.target.decode(form, Encoded((), style="small"))
        return self._texts[form]


def _with_own_mark(source: Encoded, names: dict[int, str], terms: Sequence[Occurrence]) -> Encoded:
    """The sentence with the accelerator of a term where its translation has one of its own."""
    layout = source.layout
    if not layout.mark:
        return source
    home = protected_class(source.tokens[layout.home])
    for number, term in enumerate(terms):
        if names[number] != home:
            continue
        marked = {without_mark(each)[0]: each for each in term.term.targets}
        for span in source.spans:
            own = marked.get(span.text, span.text)
            if span.token == home and own != span.text:
                spans = [replace(each, text=own) if each == span else each for each in source.spans]
                return replace(source, spans=tuple(spans), layout=replace(layout, mark=""))
    return source


def _filled(tokens: Sequence[str], forms: dict[str, tuple[str, ...]]) -> Iterator[str]:
    for token in tokens:
        yield from forms.get(protected_class(token) or "", (token,))


def learned_by(model: Model) -> tuple[Shown, Callable[[str], bool]]:
    """What a model's rules have learned for some tokens, the most frequent first, and which words
    of the source language they have at all."""
    from demotic.systems.rules_model import RulesModel

    if not isinstance(model, RulesModel):
        return lambda tokens: (), lambda token: True

    def shown(tokens: Sequence[str]) -> list[tuple[str, ...]]:
        found = model.rules_for(tokens).rules_for(" ".join(tokens))
        found.sort(key=lambda rule: (-rule.counts[-1] if rule.counts else 0.0, rule.id))
        return [rule.target for rule in found[:_READ]]

    return shown, lambda token: bool(model.knows(token))
