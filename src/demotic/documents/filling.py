"""A document filled in by a model: sentences out, translations in, codes where their words went.

document = open_document("app.po", target_language="de")
data, report = fill_in(document, model)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from demotic.corpus.sentences import Sentence, sentences_of
from demotic.corpus.token_places import token_stretches
from demotic.documents.code_placing import Link, place_codes
from demotic.documents.document import Document, Fill, Origin, Segment, State
from demotic.documents.inline import Code, Inline
from demotic.documents.report import Filled, Report
from demotic.documents.word_links import links_between
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.systems.model import Model
    from demotic.systems.translator import Translation

_SEGMENTS = 256  # translated in one call


def fill_in(
    document: Document,
    model: Model,
    *,
    threads: int = 1,
    progress: Progress = SILENT,
) -> tuple[bytes, Report]:
    """The document's bytes with every empty segment translated, and what was done."""
    empty = [i for i, each in enumerate(document.segments) if each.state is State.empty]
    fills: dict[int, Fill] = {}
    report = Report.of(document)
    with progress.step("translating", unit="segments") as advance:
        rest = iter(empty)
        while batch := list(islice(rest, _SEGMENTS)):
            for number, filled in _filled(document.segments, batch, model, threads):
                fills[number] = filled.fill
                report.add(number, filled)
            advance(len(batch))
    return document.filled(fills), report


def _filled(
    segments: Sequence[Segment], batch: Sequence[int], model: Model, threads: int
) -> Iterator[tuple[int, Filled]]:
    """Translations of some segments; equal sentences are translated once."""
    asked = []
    for number in batch:
        known = _remembered(segments[number], model)
        if known is None:
            asked.append(number)
        else:
            yield number, known
    prepared = [_with_placeholders(segments[number].source) for number in asked]
    language = model.about.source_language
    split = [sentences_of(inline.text, language) for inline, _ in prepared]
    texts = list(dict.fromkeys(each.text for sentences in split for each in sentences))
    lines = model.translate_lines(texts, threads=threads)
    translations = dict(zip(texts, lines, strict=True))
    for number, (inline, placeholders), sentences in zip(asked, prepared, split, strict=True):
        yield number, _joined(inline, placeholders, sentences, translations, model)


def _remembered(segment: Segment, model: Model) -> Filled | None:
    """The whole segment from the memory, before it is cut into sentences."""
    inside = [code for code in segment.source.codes if 0 < code.at < len(segment.source.text)]
    answers = [] if inside else model.remembered(segment.source.text)
    if not answers:
        return None
    target = place_codes(segment.source, answers[0].text, [])
    return Filled(Fill(target, "memory", 1.0), (answers[0],))


def _joined(
    source: Inline,
    placeholders: Mapping[str, Code],
    sentences: Sequence[Sentence],
    translations: Mapping[str, Translation],
    model: Model,
) -> Filled:
    """The segment's translation from those of its sentences."""
    first = sentences[0].at if sentences else len(source.text)
    parts = [source.text[:first]]
    links: list[Link] = []
    length = first
    used: list[Translation] = []
    for sentence in sentences:
        translation = translations[sentence.text]
        used.append(translation)
        if source.codes:
            links += _links(sentence, translation, length)
        parts += (translation.text, sentence.behind)
        length += len(translation.text) + len(sentence.behind)
    target = place_codes(source, "".join(parts), links)
    origin, similarity = _origin(used)
    sure = None
    if origin == "translated":
        found = [model.sure(each) for each in used if each.memory is None]
        sure = None if None in found else math.prod(each for each in found if each is not None)
    return Filled(Fill(_resolved(target, placeholders), origin, similarity), tuple(used), sure)


def _origin(used: Sequence[Translation]) -> tuple[Origin, float]:
    """From memory if all sentences are, by a similar match if none had to be decoded."""
    if not used or any(each.memory is None for each in used):
        return "translated", 0.0
    similarity = min(each.memory.similarity for each in used if each.memory is not None)
    return ("memory", 1.0) if similarity == 1 else ("fuzzy", similarity)


def _links(sentence: Sentence, translation: Translation, target_at: int) -> list[Link]:
    source = translation.source
    if source is None:  # of the memory: it has no links
        return []
    return links_between(
        token_stretches(
            source.tokens,
            sentence.text,
            {each.token: each.origin or each.text for each in source.spans},
        ),
        token_stretches(
            translation.tokens, translation.text, {each.token: each.text for each in source.spans}
        ),
        translation.alignment,
        source_at=sentence.at,
        target_at=target_at,
    )


# A point that stands for a word of its own (a number to be filled in, code, a picture) is shown to
# the model as a placeholder, which comes out exactly once, at a word's place.


def _with_placeholders(source: Inline) -> tuple[Inline, dict[str, Code]]:
    placeholders: dict[str, Code] = {}
    parts: list[str] = []
    codes: list[Code] = []
    at = length = 0
    for code in source.codes:
        parts.append(source.text[at : code.at])
        length += code.at - at
        at = code.at
        name = f"{{c{len(placeholders) + 1}}}"
        if code.kind == "point" and _stands_alone(source.text, code.at) and name not in source.text:
            placeholders[name] = code
            parts.append(name)
            length += len(name)
        else:
            codes.append(Code(length, code.raw, code.kind, code.pair))
    parts.append(source.text[at:])
    return Inline("".join(parts), tuple(codes)), placeholders


def _stands_alone(text: str, at: int) -> bool:
    """Between words: not at an edge of the text, and not part of a word."""
    before, behind = text[:at].strip(), text[at:].strip()
    if not before or not behind:
        return False
    return not text[at - 1].isalnum() and not text[at].isalnum()


def _resolved(target: Inline, placeholders: Mapping[str, Code]) -> Inline:
    """Codes again in place of their placeholders; one that was lost goes to the end."""
    text = target.text
    codes = list(target.codes)
    for name, code in placeholders.items():
        place = text.find(name)
        if place < 0:
            codes.append(Code(len(text), code.raw))
            continue
        text = text[:place] + text[place + len(name) :]
        moved = [
            each
            if each.at <= place
            else Code(max(each.at - len(name), place), each.raw, each.kind, each.pair)
            for each in codes
        ]
        before = sum(1 for each in codes if each.at <= place)
        codes = [*moved[:before], Code(place, code.raw), *moved[before:]]
    return Inline(text, tuple(codes))
