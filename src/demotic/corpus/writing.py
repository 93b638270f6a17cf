"""The tokens of a translation on their way to text: which span each stands for, whence it came.

The guarantee of :mod:`protect` is given by :func:`settle`: whatever a decoder did to class tokens,
each of the source's spans comes out once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from demotic.corpus.casing import capitalised
from demotic.corpus.compounds import rejoined
from demotic.corpus.marks import JOINER, TIE, protected_class
from demotic.corpus.protect import Found, Span


class Written(NamedTuple):  # made for each word: three times as fast as a frozen dataclass
    """A token to be written."""

    token: str
    span: Span | None = None
    at: int = -1
    """Its place among the decoder's tokens; -1 for one that was put in."""


def whole(written: Sequence[Written]) -> list[Written]:
    """Compounds in one piece again."""
    if not any(each.token[:1] == TIE for each in written):  # no joint
        return list(written)
    return [
        written[first]._replace(token=token)
        for first, token in rejoined([each.token for each in written])
    ]


def settle(
    tokens: Sequence[str],
    source: Sequence[str],
    spans: Sequence[Span],
    alignment: Iterable[tuple[int, int]] | None = None,
) -> list[Written]:
    """The tokens with the span that each stands for, every span of the source exactly once.

    Class tokens that the source does not have, or a second time, are dropped; a missing one is
    put where the alignment (source position, target position) sends it or its neighbours, or at
    the same relative place as in the source.  Empty tokens are left out.
    """
    if not spans:
        return [
            Written(token, None, at)
            for at, token in enumerate(tokens)
            if token and ("⟦" not in token or protected_class(token) is None)
        ]
    left: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        left[span.token].append(span)
    places: list[int] = []  # target position -> position in `settled`
    settled: list[Written] = []
    for at, token in enumerate(tokens):
        places.append(len(settled))
        if not token:  # taken out
            continue
        name = protected_class(token) if "⟦" in token else None
        if name is None:
            settled.append(Written(token, None, at))
        elif left.get(name):
            settled.append(Written(token, left[name].pop(0), at))
    places.append(len(settled))
    missing = [span for rest in left.values() for span in rest]
    if not missing:
        return settled
    links = list(alignment or ())
    inserts: dict[int, list[Written]] = defaultdict(list)
    homes = {name: at for at, token in enumerate(source) if (name := protected_class(token))}
    for span in sorted(missing, key=lambda span: homes.get(span.token, len(source))):
        at = homes.get(span.token, len(source))
        wanted = _target_place(at, len(source), len(tokens), links)
        inserts[_word_boundary(settled, places[wanted])].append(Written(span.token, span))
    result: list[Written] = []
    for place in range(len(settled) + 1):
        result += inserts.get(place, ())
        result += settled[place : place + 1]
    return result


def _target_place(
    at: int, source_length: int, target_length: int, links: Iterable[tuple[int, int]]
) -> int:
    """The target position before which the source position belongs."""
    sent = {
        step: [target for origin, target in links if origin == at + step] for step in (0, -1, 1)
    }
    if sent[0]:
        place = min(sent[0])
    elif sent[-1]:
        place = max(sent[-1]) + 1
    elif sent[1]:
        place = min(sent[1])
    else:
        place = round(at / max(source_length - 1, 1) * target_length)
    return min(max(place, 0), target_length)


def _word_boundary(settled: Sequence[Written], place: int) -> int:
    """The nearest place to the left where nothing is glued together; the end is one as well."""
    while 0 < place < len(settled) and (
        settled[place].token.startswith(JOINER) or settled[place - 1].token.endswith(JOINER)
    ):
        place -= 1
    return place


def recased(
    words: list[str | None],
    written: Sequence[Written],
    cases: Mapping[int, str],
    links: Sequence[tuple[int, int]],
) -> list[str | None]:
    """Words with the case that their sources had before they were replaced by known forms."""
    origins: dict[int, set[str | None]] = defaultdict(set)
    for source, target in links:
        origins[target].add(cases.get(source))
    return [
        word.upper()
        if word and (found := origins.get(each.at)) == {"upper"}
        else capitalised(word)
        if word and found == {"title"}
        else word
        for word, each in zip(words, written, strict=True)
    ]


def home_of(written: Sequence[Written], home: int, links: Sequence[tuple[int, int]]) -> int:
    """The word of a translation that a source token went to; -1 where that is unknown."""
    targets = {target for source, target in links if source == home} if links else {home}
    return next((place for place, each in enumerate(written) if each.at in targets), -1)


def loud(text: str, found: Sequence[Found]) -> str:
    """A translation that was decided in capitals, but for its tags, placeholders and names."""
    pieces, at = [], 0
    for each in found:
        pieces += [text[at : each.start].upper(), text[each.start : each.end]]
        at = each.end
    return "".join([*pieces, text[at:].upper()])
