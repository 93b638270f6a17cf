"""What a translation must not do to signs, whatever the decoder did: mended before it is written.

* What stood between a pair of marks stands between a pair of marks.
* Quotation marks pair in a style that exists, that of the training text where there is a doubt.
* Clitics of the source language never stand in another one.
* Numbers come from the source or from a word of it: none is written beside the one meant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from demotic.corpus.encoded import Encoded
from demotic.corpus.language_rules import ELISION, ENCLITICS
from demotic.corpus.mark_pairs import (
    BRACKETS,
    EASTERN,
    QUOTE_TOKENS,
    STYLES,
    Pair,
    enclosing,
    pairs,
    places,
    quote_kind,
)
from demotic.corpus.marks import JOINER, SPACER, bare, protected_class, with_bare
from demotic.corpus.normalise import joins_by_itself
from demotic.corpus.pattern import Pattern
from demotic.corpus.writing import Written

Links = Sequence[tuple[int, int]]

_MOST_PAIRS = 100  # in one line; where there are more, they stay as they were translated
_CLITIC = Pattern(r"(?i)￭(?:n['’]t|['’]\p{L}{1,2})|\p{L}{1,2}['’]￭")
_HAN = Pattern(r"\p{Han}++")
_ENDING = Pattern("(?V1)[ぁ-ゟ--[をはがにでとのへもや]]")
_NUMBER = Pattern(r"\p{Nd}+(?:[.,:/]\p{Nd}+)*")


def foreign_clitics(tokens: Sequence[str], source: Sequence[str], language: str) -> list[str]:
    """The tokens, empty where one is a clitic that passed through from the source.

    >>> foreign_clitics(["Wir", "￭'re"], ["we", "￭'re"], "de")
    ['Wir', '']
    """
    text = " ".join(tokens)
    if "'" not in text and "’" not in text:
        return list(tokens)
    given = set(source)
    return [
        "" if token in given and is_foreign_clitic(token, language) else token for token in tokens
    ]


def is_foreign_clitic(token: str, language: str) -> bool:
    """Does a token look like a clitic, and not like one of the language's own?"""
    return _CLITIC.fullmatch(token) is not None and not any(
        pattern.fullmatch(bare(token)) for pattern in _clitics_of(language)
    )


@cache
def _clitics_of(language: str) -> list[Pattern]:
    return [
        Pattern(f"(?i)(?:{rules[language]})") for rules in (ELISION, ENCLITICS) if language in rules
    ]


def meant_numbers(tokens: Sequence[str], source: Sequence[str], links: Links) -> list[str]:
    """The tokens with a lost number's class for a number that nothing in the source gave.

    >>> meant_numbers(["Preis", "von", "10,00"], ["price", "€￭", "⟦num1⟧"], [(0, 0), (1, 2)])
    ['Preis', 'von', '⟦num1⟧']

    Where none was lost, such a number is left out.
    """
    if "⟦num" not in " ".join(source):
        return list(tokens)  # none could stand beside it
    found = [
        at
        for at, token in enumerate(tokens)
        if token[-1:].isdecimal() or token[:1].isdecimal() or token[1:2].isdecimal()
        if _NUMBER.fullmatch(bare(token))
    ]
    result = list(tokens)
    if not found:
        return result
    given = {bare(token) for token in source}
    origins = defaultdict(list)
    for one, other in links:
        origins[other].append(source[one])
    present = {protected_class(token) for token in tokens}
    lost = [
        name
        for token in source
        if (name := protected_class(token)) and name.startswith("⟦num") and name not in present
    ]
    for at in found:
        if bare(tokens[at]) in given or any(_gives_number(token) for token in origins[at]):
            continue
        result[at] = with_bare(tokens[at], lost.pop(0)) if lost else ""
    return result


def _gives_number(token: str) -> bool:
    """Can a source token be translated by a number: ``zwei``, ``first``, ``2.5``?"""
    return protected_class(token) is None and any(map(str.isalnum, bare(token)))


def paired_marks(
    written: list[Written],
    given: Encoded,
    wanted: Sequence[Pair],
    links: Links,
    styles: Mapping[str, str],
    *,
    eastern: bool = False,
) -> list[Written]:
    """The tokens with the source's pairs of marks, the ``wanted``, around what these enclosed.

    Not ``eastern``: in languages that do not write 「so」.
    """
    if 0 < len(wanted) <= _MOST_PAIRS:
        source, tags = given.tokens, enclosing(given.spans)
        enclosed = _enclosed(written, source, wanted, links)
        if not _kept(written, wanted, enclosed, tags):
            written = _marked_anew(written, source, wanted, enclosed, styles)
        written = _touching(written, source, wanted, eastern=eastern)
    return _styled(written, styles, eastern=eastern)


class _Enclosed:
    """Which of the decoder's tokens stand for what is between a pair of marks, and which not."""

    def __init__(self, inside: set[int], outside: set[int], stray: set[int]) -> None:
        self.inside = inside
        self.outside = outside - inside
        self.stray = stray
        """Words that a mark gave, and nothing else."""


def _enclosed(
    written: Sequence[Written], source: Sequence[str], wanted: Sequence[Pair], links: Links
) -> dict[Pair, _Enclosed]:
    marks = {at for pair in wanted for at in (pair.first, pair.last)}
    targets: dict[int, set[int]] = defaultdict(set)
    places_of = {each.at: place for place, each in enumerate(written) if each.at >= 0}
    given: dict[int, set[int]] = defaultdict(set)
    for one, other in links:
        if other in places_of:
            (given if one in marks else targets)[one].add(places_of[other])
    spans = {each.span.token: place for place, each in enumerate(written) if each.span}
    for at, token in enumerate(source):
        if at not in marks and (name := protected_class(token)) in spans and name:
            targets[at] = {spans[name]}
    signs = {
        place for place, each in enumerate(written) if each.span is None and _is_mark(each.token)
    }
    linked = {place for found in targets.values() for place in found} | signs
    free = {
        place
        for place, each in enumerate(written)
        if each.at >= 0 and each.span is None and place not in linked
    }
    result = {}
    for pair in wanted:
        inner = set(places(pair))
        inside = {place for at in inner for place in targets.get(at, ())}
        stray = (given[pair.first] | given[pair.last]) - linked if inside else set()
        if inner and not inside:  # words that nothing gave stand for words that gave nothing
            inside, free = free, set()
        outside = {place for at, found in targets.items() if at not in inner for place in found}
        result[pair] = _Enclosed(inside - signs, outside - signs, stray)
    return result


def _is_mark(token: str) -> bool:
    return bool(quote_kind(token)) or bare(token) in BRACKETS


def _kept(
    written: Sequence[Written],
    wanted: Sequence[Pair],
    enclosed: Mapping[Pair, _Enclosed],
    tags: Mapping[str, str],
) -> bool:
    """Does each pair have its like around the same words?"""
    free = pairs([each.token for each in written], tags)
    for pair in wanted:
        inside, outside = enclosed[pair].inside, enclosed[pair].outside
        like = [
            each
            for each in free
            if _alike(each, pair)
            and all(each.first < place < each.last for place in inside)
            and not any(each.first < place < each.last for place in outside)
            and (each.last > each.first + 1 or pair.last == pair.first + 1)
        ]
        if not like:
            return False
        free.remove(like[0])
    return True


def _marked_anew(
    written: list[Written],
    source: Sequence[str],
    wanted: Sequence[Pair],
    enclosed: Mapping[Pair, _Enclosed],
    styles: Mapping[str, str],
) -> list[Written]:
    """All marks of these kinds taken out, and put around what they should enclose."""
    if any(not enclosed[pair].inside for pair in wanted if pair.last > pair.first + 1):
        return _without_empty(written)  # nobody knows where
    before: dict[int, list[tuple[int, Written]]] = defaultdict(list)
    after: dict[int, list[tuple[int, Written]]] = defaultdict(list)
    taken = {at for each in enclosed.values() for at in each.inside | each.outside}
    own: dict[str, Written] = {each.span.token: each for each in written if each.span}
    gone: set[int] = {place for each in enclosed.values() for place in each.stray}
    for pair in wanted:
        if pair.last == pair.first + 1:
            continue
        first, last = _whole_word(written, *_longest_run(enclosed[pair]), taken)
        opening, closing = source[pair.first], source[pair.last]
        if pair.quotes and (style := styles.get(pair.kind)):
            opening, closing = with_bare(opening, style[0]), with_bare(closing, style[1])
        elif (own_style := _own_brackets(written, pair.kind)) is not None:
            opening, closing = with_bare(opening, own_style[0]), with_bare(closing, own_style[1])
        sides = []
        for token in (opening, closing):
            name = protected_class(token)
            sides.append(own[name]._replace(token=token) if name else Written(token))
        width = last - first
        before[first].append((-width, _leaning(sides[0], opening=True)))
        after[last].append((width, _leaning(sides[1], opening=False)))
        kinds = {pair.kind} if not pair.quotes else {"double", "single"}
        gone |= {
            place
            for place, each in enumerate(written)
            if _of_kind(each.token, kinds)
            or (
                each.span
                and each.span.token
                in (protected_class(source[pair.first]), protected_class(source[pair.last]))
            )
        }
    result: list[Written] = []
    for place, each in enumerate(written):
        result += [mark for _, mark in sorted(before[place], key=lambda found: found[0])]
        if place not in gone:
            result.append(each)
        result += [mark for _, mark in sorted(after[place], key=lambda found: found[0])]
    return result


def _without_empty(written: Sequence[Written]) -> list[Written]:
    """The tokens without brackets and quotation marks that have nothing between them."""
    empty = {
        place
        for pair in pairs([each.token for each in written])
        if pair.last == pair.first + 1
        for place in (pair.first, pair.last)
    }
    return [each for place, each in enumerate(written) if place not in empty]


def _touching(
    written: Sequence[Written], source: Sequence[str], wanted: Sequence[Pair], *, eastern: bool
) -> list[Written]:
    """Marks touch what they enclose as they did in the source."""
    result = list(written)
    places = {each.span.token: place for place, each in enumerate(written) if each.span}
    free = [each for each in pairs([each.token for each in written]) if each.last > each.first + 1]
    for pair in wanted:
        first = places.get(protected_class(source[pair.first]) or "", -1)
        last = places.get(protected_class(source[pair.last]) or "", -1)
        if first < 0 and (like := [each for each in free if _alike(each, pair)]):
            free.remove(like[0])
            first, last = like[0].first, like[0].last
            if bare(result[first].token) in "«»":  # French leaves a space
                continue
        if not 0 <= first < last - 1:
            continue
        opening, closing = result[first].token, result[last].token
        tells = "⟦var" not in source[pair.first]  # a placeholder stands for words
        if _touch(*source[pair.first : pair.first + 2], mixed=tells) and not _touch(
            opening, result[first + 1].token, mixed=eastern
        ):
            result[first] = result[first]._replace(token=opening + JOINER)
        if _touch(*source[pair.last - 1 : pair.last + 1], mixed=tells) and not _touch(
            result[last - 1].token, closing, mixed=eastern
        ):
            result[last] = result[last]._replace(token=JOINER + closing)
    return result


def _alike(one: Pair, other: Pair) -> bool:
    return one.kind == other.kind or (one.quotes and other.quotes)


def _touch(left: str, right: str, *, mixed: bool = True) -> bool:
    if left.endswith(JOINER) or right.startswith(JOINER):
        return True
    return not right.startswith(SPACER) and joins_by_itself(bare(left), bare(right), mixed=mixed)


def _of_kind(token: str, kinds: set[str]) -> bool:
    if kind := quote_kind(token):
        return kind in kinds
    return BRACKETS.get(bare(token)) in kinds


def _own_brackets(written: Sequence[Written], kind: str) -> tuple[str, str] | None:
    """The brackets of a kind that the decoder wrote, which may be full-width ones."""
    tokens = [each.token for each in written]
    for pair in pairs(tokens):
        if pair.kind == kind and not pair.quotes:
            return bare(tokens[pair.first]), bare(tokens[pair.last])
    return None


def _leaning(mark: Written, *, opening: bool) -> Written:
    core = bare(mark.token)
    if core in "«»":  # as the source has it: French leaves a space
        return mark
    return mark._replace(token=core + JOINER if opening else JOINER + core)


def _longest_run(enclosed: _Enclosed) -> tuple[int, int]:
    """The first and last place of most of what is inside, with nothing from outside between."""
    best: tuple[int, int, int] = (0, 0, 0)
    start: int | None = None
    count = last = 0
    for place in sorted(enclosed.inside | enclosed.outside):
        if place in enclosed.outside:
            start, count = None, 0
            continue
        if start is None:
            start = place
        last, count = place, count + 1
        if count > best[0]:
            best = (count, start, last)
    return best[1], best[2]


def _whole_word(
    written: Sequence[Written], first: int, last: int, taken: Collection[int]
) -> tuple[int, int]:
    """A run with what belongs to its words: those of scripts without spaces are several tokens,
    of which links often find one.  That is Han, and behind it endings that are no particles."""

    def belongs(place: int, pattern: Pattern) -> bool:
        return (
            0 <= place < len(written)
            and place not in taken
            and written[place].span is None
            and pattern.fullmatch(bare(written[place].token)) is not None
        )

    if _HAN.fullmatch(bare(written[first].token)):
        while belongs(first - 1, _HAN):
            first -= 1
    if _HAN.fullmatch(bare(written[last].token)):
        while belongs(last + 1, _HAN):
            last += 1
        while belongs(last + 1, _ENDING):
            last += 1
    return first, last


def _styled(written: list[Written], styles: Mapping[str, str], *, eastern: bool) -> list[Written]:
    """Quotation marks that pair as no language has it, or not this one, in the usual style."""
    tokens = [each.token for each in written]
    if QUOTE_TOKENS.isdisjoint(tokens):
        return written
    result = list(written)
    for pair in pairs(tokens):
        first, last = tokens[pair.first], tokens[pair.last]
        own = bare(first) + bare(last)
        if not pair.quotes or (own in STYLES and (eastern or own not in EASTERN)):
            continue
        style = styles.get(pair.kind, bare(first) * 2 if bare(first) in "\"'" else "“”")
        result[pair.first] = result[pair.first]._replace(token=with_bare(first, style[0]))
        result[pair.last] = result[pair.last]._replace(token=with_bare(last, style[1]))
    return result
