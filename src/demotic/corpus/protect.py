"""Protected spans: what a translation must carry over unchanged, exactly once each.

URLs, e-mail addresses, markup tags, placeholders of message formats, character entities, file
paths and numbers are found here and stand in the token stream as class tokens (``⟦num1⟧``).  The
guarantee is given by :func:`settle`: whatever a decoder did to those tokens, each of the source's
spans comes out once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from demotic.corpus.marks import JOINER, class_token, protected_class
from demotic.corpus.normalise import UNSPACED
from demotic.corpus.pattern import Pattern

KINDS = ("url", "mail", "tag", "var", "entity", "path", "num")

# A letter of a script with spaces: 5月 holds a number, mp3 is a word.
_LETTER = rf"[[\p{{L}}\p{{M}}_]--[{UNSPACED}]]"
_START = rf"(?<! {_LETTER} | \p{{N}} )"
_END = rf"(?! {_LETTER} | \p{{N}} )"
_HOST = rf"[[\p{{L}}\p{{N}}\-]--[{UNSPACED}]]"
_URL_CHARACTER = r"[^\s()<>\[\]{}\"'`|^\\\u3000-\u303f\uff00-\uff65«»“”‘’]"

# Spans that begin with a letter cost a trial at every word: only where a sign of them is present.
_SIGNS = ("://", "@", ":\\", "www.", "mailto:")
_SIGNED = {
    "url": rf"""
        {_START} (?: [A-Za-z][A-Za-z0-9+.\-]{{1,20}}:// | www\.(?=\w) | mailto: )
        (?: \({_URL_CHARACTER}*+\) | \[{_URL_CHARACTER}*+\] | {_URL_CHARACTER} )+
        (?<! [.,;:!?…] )""",
    "mail": rf"""
        {_START} (?<! [.+\-] ) (?: {_LETTER} | [\p{{N}}.+\-] )++ @
        {_HOST}++ (?: \. {_HOST}++ )++ (?! _ )""",
    "path": _START + r"[A-Za-z]: \\ [\w.+@\-\\]+ (?<! [.] )" + _END,
}
# The others begin with one of these characters.
_FIRST = r"(?= [<{$\#%@&/~.+\-−±vV\p{Nd}] )"
_PATTERNS = {
    "tag": r"""
        < (?: / \s*+ )?+ [A-Za-z] [\w:.\-]*+
          (?: \s++ [\w:.@\-]++ (?: \s*+ = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s"'<>=]++ ) )?+ )*+
          \s*+ /?+ >""",
    "var": r"""
        \{\{ [^{}]*+ \}\} | \{% [^{}]*? %\} | [$\#%@] \{ [^{}\s]*+ \} | \$ \( \w++ \)
      | \{ [$]?+ [\w.\[\]]*+ (?: ! [rsa] )?+ (?: : [^{}\s]*+ )?+ \}
      | \{ \s*+ \w++ \s*+ , \s*+ (?: number | date | time ) \s*+ (?: , [^{}]*+ )? \}
      | % [A-Z][A-Z_0-9]++ %
      | % \( [^()\s]++ \) [-+\#0]*+ \d*+ (?: \. \d++ )?+ [a-zA-Z]
      | % \d++ \$ [-+\#0']*+ \d*+ (?: \. \d++ )?+ (?: hh | ll | [hlqjztL] )?+ [a-zA-Z]
      | % L?+ \d++ %?+ (?! [\d.]* [a-zA-Z] )
      | (?: (?<! \d ) | (?! % [a-zA-Z] \p{L} ) )
        % [-+\#0']*+ (?: \* | \d++ )?+ (?: \. (?: \* | \d++ )? )?+
          (?: hh | ll | [hlqjztL] (?= [a-zA-Z] (?!\p{Ll}) ) )?+ [a-zA-Z%<>]
      | \$ [1-9] \d?+ (?! \d | [.,]\d ) | \$ [A-Za-z_] \w++""",
    "entity": r"& (?: \# \d++ | \# [xX] [0-9A-Fa-f]++ | [A-Za-z] [A-Za-z0-9]*+ ) ;",
    "path": rf"""
        (?<! [^\s("'`=:,;«“‘\[>] )
        (?: ~ | \.{{1,2}} )?+ / [\w+\-] [\w.+@\-/]* (?<! [.] ) {_END}""",
    "num": rf"""
        (?: (?<! [^\s(\[{{=<>:,;"'~≈≤≥] ) [-+−±] )?+
        (?<! {_LETTER} | \p{{N}} | \p{{N}}[.,:] ) (?: [vV] (?= \d++\.\d ) )?+
        \p{{Nd}}++
        (?: [.,:/'’\-] \p{{Nd}}++ | [\u00a0\u202f\u2009] \p{{Nd}}{{3}}+ (?! \p{{Nd}} ) )*+
        {_END}""",
}
_TRIGGER = re.compile(r"[\d%{<&$@/\\]")
# Spans that would be read as another word, number or address when a letter or digit touched them.
_FRAGILE = frozenset({"url", "mail", "path", "num"})


@dataclass(frozen=True, slots=True)
class Span:
    """A protected piece of a sentence: its class token and its text."""

    token: str
    text: str

    @property
    def kind(self) -> str:
        return self.token.strip("⟦⟧0123456789")

    @property
    def fragile(self) -> bool:
        return self.kind in _FRAGILE


@dataclass(frozen=True, slots=True)
class Found:
    """Where a span stands in a text."""

    start: int
    end: int
    kind: str


class SpanFinder:
    """Finds the spans of the chosen kinds."""

    def __init__(self, kinds: Iterable[str] = KINDS) -> None:
        self.kinds = tuple(kind for kind in KINDS if kind in set(kinds))
        signed = [rf"(?P<{kind}>{_SIGNED[kind]})" for kind in self.kinds if kind in _SIGNED]
        plain = [rf"(?P<{kind}>{_PATTERNS[kind]})" for kind in self.kinds if kind in _PATTERNS]
        others = rf"{_FIRST}(?:{'|'.join(plain)})" if plain else ""
        self._quick = _compiled([others])
        self._full = _compiled([*signed, others])

    def __call__(self, text: str) -> list[Found]:
        """The spans from left to right, none overlapping another.

        >>> [text[found.start : found.end] for text in ["<b>%d</b> files at 10:30"]
        ...  for found in SpanFinder()(text)]
        ['<b>', '%d', '</b>', '10:30']
        """
        signed = any(sign in text for sign in _SIGNS)
        if not signed and _TRIGGER.search(text) is None:
            return []
        pattern = self._full if signed else self._quick
        if pattern is None:
            return []
        return [
            Found(match.start(), match.end(), match.lastgroup or "")
            for match in pattern.finditer(text)
        ]


def _compiled(alternatives: Iterable[str]) -> Pattern | None:
    pattern = "|".join(filter(None, alternatives))
    return Pattern(f"(?xV1){pattern}") if pattern else None


def number_spans(text: str, found: Iterable[Found]) -> list[Span]:
    """Spans of a sentence to translate: counted per class, from left to right."""
    seen: Counter[str] = Counter()
    spans = []
    for each in found:
        seen[each.kind] += 1
        spans.append(Span(class_token(each.kind, seen[each.kind]), text[each.start : each.end]))
    return spans


def pair_spans(
    source: str, source_found: Sequence[Found], target: str, target_found: Sequence[Found]
) -> tuple[list[Span | None], list[Span | None]]:
    """Spans of a training pair: the same text on both sides gets the same class token.

    A span without its like on the other side becomes an orphan (``⟦var0⟧``), which decoding drops,
    so that no model can invent a placeholder.  An unpaired number stays an ordinary word (None):
    ``zwei`` / ``2`` and ``1.5`` / ``1,5`` are translations that a model may learn.
    """
    waiting: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, each in enumerate(target_found):
        waiting[each.kind, target[each.start : each.end]].append(place)
    seen: Counter[str] = Counter()
    ours: list[Span | None] = []
    theirs: list[Span | None] = [_orphan(each, target) for each in target_found]
    for each in source_found:
        text = source[each.start : each.end]
        partners = waiting[each.kind, text]
        if partners:
            seen[each.kind] += 1
            span = Span(class_token(each.kind, seen[each.kind]), text)
            theirs[partners.pop(0)] = span
            ours.append(span)
        else:
            ours.append(_orphan(each, source))
    return ours, theirs


def _orphan(found: Found, text: str) -> Span | None:
    if found.kind == "num":
        return None
    return Span(class_token(found.kind, 0), text[found.start : found.end])


def settle(
    tokens: Sequence[str],
    source: Sequence[str],
    spans: Sequence[Span],
    alignment: Iterable[tuple[int, int]] | None = None,
) -> list[tuple[str, Span | None]]:
    """The tokens with the span that each stands for, every span of the source exactly once.

    Class tokens that the source does not have, or a second time, are dropped; a missing one is
    put where the alignment (source position, target position) sends it or its neighbours, or at
    the same relative place as in the source.
    """
    left: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        left[span.token].append(span)
    places: list[int] = []  # target position -> position in `settled`
    settled: list[tuple[str, Span | None]] = []
    for token in tokens:
        places.append(len(settled))
        name = protected_class(token)
        if name is None:
            settled.append((token, None))
        elif left.get(name):
            settled.append((token, left[name].pop(0)))
    places.append(len(settled))
    missing = [span for rest in left.values() for span in rest]
    if not missing:
        return settled
    links = list(alignment or ())
    inserts: dict[int, list[tuple[str, Span | None]]] = defaultdict(list)
    homes = {name: at for at, token in enumerate(source) if (name := protected_class(token))}
    for span in sorted(missing, key=lambda span: homes.get(span.token, len(source))):
        at = homes.get(span.token, len(source))
        wanted = _target_place(at, len(source), len(tokens), links)
        inserts[_word_boundary(settled, places[wanted])].append((span.token, span))
    result: list[tuple[str, Span | None]] = []
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


def _word_boundary(settled: Sequence[tuple[str, Span | None]], place: int) -> int:
    """The nearest place to the left where nothing is glued together; the end is one as well."""
    while 0 < place < len(settled) and (
        settled[place][0].startswith(JOINER) or settled[place - 1][0].endswith(JOINER)
    ):
        place -= 1
    return place
