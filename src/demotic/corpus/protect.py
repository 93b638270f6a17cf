"""Protected spans: what a translation must carry over unchanged, exactly once each.

URLs, e-mail addresses, markup tags, placeholders of message formats, character entities, escapes,
file paths, names of files, hosts and programs' things, and numbers are found here and stand in the
token stream as class tokens (``⟦num1⟧``).  :mod:`writing` sees to it that each comes out once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from demotic.corpus import icu
from demotic.corpus.marks import class_token
from demotic.corpus.normalise import UNSPACED
from demotic.corpus.pattern import Pattern

KINDS = ("url", "mail", "tag", "var", "entity", "path", "num", "name", "escape", "icu")

# A letter of a script with spaces: 5月 holds a number, mp3 is a word.
_LETTER = rf"[[\p{{L}}\p{{M}}_]--[{UNSPACED}]]"
_START = rf"(?<! {_LETTER} | \p{{N}} )"
_END = rf"(?! {_LETTER} | \p{{N}} )"
_HOST = rf"[[\p{{L}}\p{{N}}\-]--[{UNSPACED}]]"
_URL_CHARACTER = r"[^\s()<>\[\]{}\"'`|^\\\u3000-\u303f\uff00-\uff65«»“”‘’]"

# Spans that begin with a letter cost a trial at every word: only where a sign of them is present.
_SIGNS = ("://", ":\\", "mailto:")
_NAMED = re.compile(
    r"[A-Za-z0-9]_+[A-Za-z0-9]|__|[A-Za-z0-9]\.[A-Za-z_]|[a-z0-9][A-Z]|--[A-Za-z]|\.\d+[.\-]?[abrdp]"
)
_CAMEL = re.compile("[A-Z](?<=[a-z0-9][A-Z])")  # all that names without other signs have
_ENDINGS = """
    7z avi bak bat bin bmp bz2 c cc cfg class cmd conf cpp crt cs css csv dat db deb diff
    dll doc docx env epub exe flac gif gz h hpp htm html ico ics ini iso jar java jpeg jpg
    js json jsx key ldif lock log lua md mkv mo mov mp3 mp4 mpeg odp ods odt ogg old patch
    pdf pem php pl png po pot ppt pptx ps ps1 py pyc rar rb rpm rs rst rtf scss sh so sql
    sqlite svg swp tar tex tgz tif tiff tmp tmx toml ts tsv tsx ttf txt vbs vue wav webm
    webp whl woff woff2 xls xlsx xlf xliff xml xz yaml yml zip
"""
_FILE_ENDINGS = "|".join(_ENDINGS.split())
_TOP_DOMAINS = "com|org|net|edu|gov|mil|int|info|biz|io|dev|app|de|fr|uk|eu|ch|nl|pl|se|ru|jp|cn|br"
_ID = r"[a-z_][A-Za-z0-9_]"
_SIGNED = {
    "url": rf"""
        {_START} (?: [A-Za-z][A-Za-z0-9+.\-]{{1,20}}:// | www\.(?=\w) | mailto: )
        (?: \({_URL_CHARACTER}*+\) | \[{_URL_CHARACTER}*+\] | {_URL_CHARACTER} )+
        (?<! [.,;:!?…] )""",
    "mail": rf"""
        {_START} (?<! [.+\-] ) (?: {_LETTER} | [\p{{N}}.+\-] )++ @
        {_HOST}++ (?: \. {_HOST}++ )++ (?! _ )""",
    "path": _START + r"[A-Za-z]: \\ [\w.+@\-\\]+ (?<! [.] )" + _END,
    # Each alternative reads no character that may stand before it: a line is read once.
    "name": rf"""
        (?<! [[\p{{L}}\p{{M}}\p{{N}}_.\-/\\@$]--[{UNSPACED}]] )
        (?: -- [A-Za-z] [A-Za-z0-9]*+ (?: [-_] [A-Za-z0-9]++ )*+
              (?: = (?: [^\s,;:!?()\[\]<>"'.…]++ | \. (?=\w) )++ )?+
          | (?: [\w.\-]++ / )*+ \w [\w\-]*+ (?: \. [\w\-]++ )*+
              (?<= \. (?: {_FILE_ENDINGS} ) ) {_END}
          | (?: [A-Za-z0-9] [A-Za-z0-9\-]*+ \. (?= [A-Za-z0-9] ) )++ (?: {_TOP_DOMAINS} )
              (?! \. ?+ [\w\-] ) (?: : \d++ )?+ (?: / [\w.\-/]*+ (?<! [.] ) )?+
          | {_ID}++ (?: \. {_ID}++ )++ (?: \. [A-Z] \w++ )?+ (?: \(\) )?+ {_END}
          | (?= [0-9_]*+ [A-Za-z] ) (?= [A-Za-z0-9_]*? [A-Za-z0-9] _++ [A-Za-z0-9] | __ \w )
              [A-Za-z0-9_]++ (?: \. {_ID}++ )*+ (?: \(\) )?+ {_END}
          | [a-z] [a-z0-9]*+ [A-Z] [A-Za-z0-9]*+ (?: \. {_ID}++ )*+ (?: \(\) )?+ {_END}
          | [vV]?+ \d++ (?: \. \d++ )++ [.\-]?+
              (?: a | b | rc | alpha | beta | dev | post ) \d*+ {_END}
        )""",
}
# The others begin with one of these characters.
_FIRST = r"(?= [<{$\#%@&/\\~.+\-−±vV\p{Nd}] )"
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
    "escape": r"""\\ (?: [ntr0"'\\] | x [0-9A-Fa-f]{2} | u [0-9A-Fa-f]{4} )""",
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
_FRAGILE = frozenset({"url", "mail", "path", "num", "name"})
# Without their like on the other side of a training pair they are words like others.
_WORDS = frozenset({"num", "name"})


@dataclass(frozen=True, slots=True)
class Span:
    """A protected piece of a sentence: its class token and its text."""

    token: str
    text: str
    words: bool = False
    """Is it a translation that was decided, words whose case follows the sentence?"""
    origin: str = ""
    """The words that such a translation stands for."""

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


_Known = dict[str, list[Found]]
_CACHE_SIZE = 1 << 16
_LONGEST_CACHED = 40


class SpanFinder:
    """Finds the spans of the chosen kinds."""

    def __init__(self, kinds: Iterable[str] = KINDS) -> None:
        self.kinds = tuple(kind for kind in KINDS if kind in set(kinds))
        self._names = "name" in self.kinds
        signed = [rf"(?P<{kind}>{_SIGNED[kind]})" for kind in self.kinds if kind in _SIGNED]
        plain = [rf"(?P<{kind}>{_PATTERNS[kind]})" for kind in self.kinds if kind in _PATTERNS]
        others = rf"{_FIRST}(?:{'|'.join(plain)})" if plain else ""
        self._quick = _compiled([others])
        self._full = _compiled([*signed, others])
        self._known: tuple[_Known, _Known] = ({}, {})
        """What chunks hold, by the quick pattern and by the full one."""

    def __call__(self, text: str) -> list[Found]:
        """The spans from left to right, none overlapping another.

        >>> [text[found.start : found.end] for text in ["<b>%d</b> files at 10:30"]
        ...  for found in SpanFinder()(text)]
        ['<b>', '%d', '</b>', '10:30']
        """
        pattern = self._pattern(text)
        if pattern is None:
            return []
        if "<" not in text and "{" not in text:
            return self._by_chunk(text, pattern, self._known[pattern is self._full])
        found = _matches(pattern, text)
        if "icu" in self.kinds and (arguments := icu.arguments(text)):
            return _with_arguments(found, arguments)
        return found

    def _pattern(self, text: str) -> Pattern | None:
        """What to look for; None if there is no sign of any span."""
        signed = (
            "@" in text
            or "www." in text
            or (":" in text and any(sign in text for sign in _SIGNS))
            or (self._names and _may_name(text))
        )
        if not signed and _TRIGGER.search(text) is None:
            return None
        return self._full if signed else self._quick

    @staticmethod
    def _by_chunk(text: str, pattern: Pattern, known: _Known) -> list[Found]:
        """The spans of a text in which none can hold a space: those of each chunk, looked up."""
        result: list[Found] = []
        at = 0
        for chunk in text.split(" "):
            found = known.get(chunk)
            if found is None:
                found = _matches(pattern, chunk)
                if len(chunk) <= _LONGEST_CACHED:
                    if len(known) >= _CACHE_SIZE:
                        known.clear()
                    known[chunk] = found
            for each in found:
                result.append(Found(at + each.start, at + each.end, each.kind))
            at += len(chunk) + 1
        return result


def _matches(pattern: Pattern, text: str) -> list[Found]:
    return [
        Found(match.start(), match.end(), match.lastgroup or "") for match in pattern.finditer(text)
    ]


def _may_name(text: str) -> bool:
    """May the text hold names of files, hosts and programs' things?"""
    if "_" in text or "--" in text or text.find(".", 0, -1) >= 0:
        return _NAMED.search(text) is not None
    return _CAMEL.search(text) is not None


def _with_arguments(found: Iterable[Found], arguments: Sequence[icu.Argument]) -> list[Found]:
    """Arguments in the place of what they hold."""
    whole = [Found(each.start, each.end, "icu") for each in arguments]
    rest = [
        each
        for each in found
        if all(each.end <= one.start or each.start >= one.end for one in whole)
    ]
    return sorted([*whole, *rest], key=lambda each: each.start)


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
        waiting[each.kind, _like(each, target)].append(place)
    seen: Counter[str] = Counter()
    ours: list[Span | None] = []
    theirs: list[Span | None] = [_orphan(each, target) for each in target_found]
    for each in source_found:
        text = source[each.start : each.end]
        partners = waiting[each.kind, _like(each, source)]
        if partners:
            seen[each.kind] += 1
            token = class_token(each.kind, seen[each.kind])
            partner = partners.pop(0)
            other = target_found[partner]
            theirs[partner] = Span(token, target[other.start : other.end])
            ours.append(Span(token, text))
        else:
            ours.append(_orphan(each, source))
    return ours, theirs


def _like(found: Found, text: str) -> str:
    """What both sides must have in common: all of a span, of an ICU argument its name and kind."""
    whole = text[found.start : found.end]
    return icu.head(whole) if found.kind == "icu" else whole


def _orphan(found: Found, text: str) -> Span | None:
    if found.kind in _WORDS:
        return None
    return Span(class_token(found.kind, 0), text[found.start : found.end])
