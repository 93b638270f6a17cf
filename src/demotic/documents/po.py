"""Gettext catalogues: entries without a translation are filled and marked fuzzy.

Comments, flags, the order of entries, previous messages, obsolete entries and the way in which
lines are wrapped stay.  Plural forms follow the rule in the header; where the header has none, the
rule of the language is added.  A translation that is there, fuzzy or not, is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import Edit, Fill, Segment, Slot, State, TextDocument, Writer
from demotic.documents.encoded_text import decode
from demotic.documents.inline import Inline
from demotic.documents.plurals import PluralRule, rule_of, written_rule
from demotic.errors import FormatError

_CHARSET = re.compile(rb"Content-Type:[^\n]*?charset=([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_FIELD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d{1,3})\])?)[ \t]*(".*)?[ \t\r]*')
_STRING = re.compile(r'[ \t]*("(?:[^"\\]|\\.)*")[ \t\r]*')
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_UNESCAPED = {"\\": "\\\\", '"': '\\"', **{c: f"\\{name}" for name, c in _ESCAPES.items()}}
_SPECIAL = re.compile(r'[\\"\n\t\r\a\b\f\v]')
_PLURALS = re.compile(r"Plural-Forms:[^\n]*", re.IGNORECASE)
_WIDTH = 79  # of gettext's own lines, quotes included


@dataclass
class _Field:
    name: str
    start: int  # of the line with the name
    value: str = ""
    end: int = 0  # behind the last line of the string, its line end not counted
    lines: int = 1


@dataclass
class _Entry:
    line: int
    fields: dict[str, _Field] = field(default_factory=dict)
    flags: tuple[int, int] | None = None  # of the text behind "#,"
    flag_names: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)
    previous: int | None = None  # where "#|" comments begin

    def value(self, name: str) -> str:
        return self.fields[name].value if name in self.fields else ""

    @property
    def forms(self) -> list[str]:
        return sorted((name for name in self.fields if name.startswith("msgstr[")), key=len)

    @property
    def first(self) -> int:
        return min(field.start for field in self.fields.values())


class PoDocument(TextDocument):
    """A catalogue."""

    format: ClassVar[str] = "po"
    bilingual: ClassVar[bool] = True

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> PoDocument:
        """``target_language`` says which plural rule to add where the header has none."""
        declared = _CHARSET.search(data)
        charset = declared[1].decode("ascii") if declared else ""
        document = cls(path, decode(data, path, None if charset in ("", "CHARSET") else charset))
        document.target_language = target_language
        document._newline = "\r\n" if "\r\n" in document.text else "\n"
        document._collect()
        return document

    _newline: str = "\n"
    _wraps: bool = True
    _rule: PluralRule | None = None
    _rule_edit: Edit | None = None

    def _collect(self) -> None:
        entries = list(_entries(self.text, self.path))
        header = next((entry for entry in entries if entry.value("msgid") == ""), None)
        self._read_rule(header)
        longest = max(
            (len(line) for entry in entries for line in self._string_lines(entry)), default=0
        )
        wrapped = any(
            field.lines > 1 and field.value.count("\n") + 2 < field.lines
            for entry in entries
            for field in entry.fields.values()
        )
        # A file with longer lines and none that is broken was written with --no-wrap.
        self._wraps = wrapped or longest <= _WIDTH + 1
        for entry in entries:
            if entry is not header and "msgid" in entry.fields:
                self._add(entry)

    def _string_lines(self, entry: _Entry) -> Iterator[str]:
        for each in entry.fields.values():
            yield from self.text[each.start : each.end].splitlines()

    def _read_rule(self, header: _Entry | None) -> None:
        """The rule for plural forms, and how the header gets one if it has none."""
        text = header.value("msgstr") if header else ""
        found = _PLURALS.search(text)
        self._rule = PluralRule.parse(found[0]) if found else None
        if self._rule is not None or header is None or "msgstr" not in header.fields:
            return
        self._rule = rule_of(self.target_language)
        if self._rule is None:
            return
        line = written_rule(self._rule)
        new = text.replace(found[0], line) if found else f"{text}{line}\n"
        place = header.fields["msgstr"]
        self._rule_edit = Edit(place.start, place.end, self._written("msgstr", new, wraps=False))

    def _add(self, entry: _Entry) -> None:
        singular, plural = entry.value("msgid"), entry.value("msgid_plural")
        fuzzy = "fuzzy" in entry.flag_names
        names = entry.forms if plural else ["msgstr"]
        if plural and self._rule is not None:
            # A template has two forms whatever the language; the rest is written behind them.
            needed = {f"msgstr[{i}]" for i in range(self._rule.forms)}
            names = sorted(needed | set(names), key=lambda name: int(name[7:-1]))
        for name in names:
            index = int(name[7:-1]) if plural else 0
            one = not plural or (self._rule or PluralRule.germanic()).is_singular(index)
            target = entry.value(name)
            state = State.empty if not target else State.draft if fuzzy else State.done
            if self._rule is not None and plural and index >= self._rule.forms:
                continue  # more forms than the header's rule has: not ours to mend
            key = " ".join(filter(None, [entry.value("msgctxt"), name[6:] if plural else ""]))
            segment = Segment(
                Inline(singular if one else plural),
                entry.line,
                key,
                state,
                target,
                "\n".join(entry.notes),
            )
            self.slots.append(Slot(segment, self._writer(entry, name, segment)))

    def _writer(self, entry: _Entry, name: str, segment: Segment) -> Writer:
        def write(fill: Fill) -> Sequence[Edit]:
            text = _same_edges(segment.source.text, fill.target.text)
            written = self._written(name, text, wraps=self._wraps)
            edits = [self._place(entry, name, written)]
            if segment.state is State.empty and "fuzzy" not in entry.flag_names:
                edits.append(self._marked(entry))
            if self._rule_edit is not None and "msgid_plural" in entry.fields:
                edits.append(self._rule_edit)
            return edits

        return write

    def _place(self, entry: _Entry, name: str, written: str) -> Edit:
        if name in entry.fields:
            place = entry.fields[name]
            return Edit(place.start, place.end, written)
        last = max(place.end for place in entry.fields.values())
        return Edit(last, last, f"{self._newline}{written}")

    def _marked(self, entry: _Entry) -> Edit:
        if entry.flags is not None:
            start, end = entry.flags
            flags = self.text[start:end].strip()
            return Edit(start, end, f" fuzzy, {flags}" if flags else " fuzzy")
        place = entry.previous if entry.previous is not None else entry.first
        return Edit(place, place, f"#, fuzzy{self._newline}")

    def _written(self, name: str, text: str, *, wraps: bool) -> str:
        """A field as gettext writes it: one line if it fits, else an empty string first."""
        lines = [part for line in _newlines(text) for part in (_wrapped(line) if wraps else [line])]
        quoted = [f'"{_escaped(line)}"' for line in lines] or ['""']
        if len(quoted) == 1 and (not wraps or len(name) + 1 + len(quoted[0]) <= _WIDTH):
            return f"{name} {quoted[0]}"
        return self._newline.join([f'{name} ""', *quoted])


def _entries(text: str, path: Path) -> Iterator[_Entry]:
    """The entries in use, with the places of their fields; obsolete ones are passed over."""
    entry: _Entry | None = None
    current: _Field | None = None
    at = 0
    for number, line in enumerate(text.split("\n"), 1):
        start, at = at, at + len(line) + 1
        bare = line.strip()
        if string := _STRING.fullmatch(line):
            if current is None:
                raise _broken("a string that belongs to no message", path, number)
            current.value += _unescaped(string[1])
            current.end = start + len(line.rstrip("\r"))
            current.lines += 1
            continue
        if not bare or bare.startswith("#"):
            if entry is not None and entry.fields:
                yield _complete(entry, path)
                entry = None
            current = None
            if bare and not bare.startswith("#~"):
                entry = entry or _Entry(number)
                _comment(entry, line, start)
            elif bare:
                entry = None  # comments of an obsolete entry
            continue
        found = _FIELD.fullmatch(line)
        value = _STRING.fullmatch(found[3]) if found and found[3] else None
        if found is None or value is None:
            raise _broken(f"not what a PO file holds: {bare[:60]!r}", path, number)
        name = found[1]
        if entry is not None and name in ("msgctxt", "msgid") and "msgid" in entry.fields:
            yield _complete(entry, path)  # entries without a blank line between them
            entry = None
        entry = entry or _Entry(number)
        if not entry.fields:
            entry.line = number
        if name in entry.fields:
            raise _broken(f"{name} twice in one message", path, number)
        end = start + len(line.rstrip("\r"))
        current = _Field(name, start, _unescaped(value[1]), end)
        entry.fields[name] = current
    if entry is not None and entry.fields:
        yield _complete(entry, path)


def _complete(entry: _Entry, path: Path) -> _Entry:
    forms = entry.forms
    if "msgid" not in entry.fields:
        raise _broken("a message without msgid", path, entry.line)
    if not forms and "msgstr" not in entry.fields:
        raise _broken("a message without msgstr", path, entry.line)
    if ("msgid_plural" in entry.fields) != bool(forms):
        raise _broken("msgid_plural and msgstr[...] need each other", path, entry.line)
    return entry


def _comment(entry: _Entry, line: str, start: int) -> None:
    if line.startswith("#,"):
        entry.flags = (start + 2, start + len(line.rstrip("\r")))
        entry.flag_names |= {flag.strip() for flag in line[2:].split(",")}
    elif line.startswith("#|"):
        if entry.previous is None:
            entry.previous = start
    elif line.startswith("#."):
        entry.notes.append(line[2:].strip())


def _broken(message: str, path: Path, line: int) -> FormatError:
    return FormatError(message, path=path, line=line, remedy="check it with msgfmt -c")


def _unescaped(quoted: str) -> str:
    return _ESCAPE.sub(_character, quoted[1:-1])


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name[0] == "x" and len(name) > 1:
        return chr(int(name[1:], 16))
    if name[0] in "01234567":
        return chr(int(name, 8) & 0xFF)
    return _ESCAPES.get(name, name)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: _UNESCAPED[found[0]], text)


def _newlines(text: str) -> list[str]:
    """Lines with their ends; only ``\\n`` ends one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]


def _wrapped(line: str) -> list[str]:
    """Broken behind spaces, so that each part fits between its quotes."""
    parts = [""]
    for word in re.findall(r"\S*\s*", line):
        if not word:
            continue
        if parts[-1] and len(_escaped(parts[-1] + word.rstrip(" "))) + 2 > _WIDTH:
            parts.append("")
        parts[-1] += word
    return parts


def _same_edges(source: str, target: str) -> str:
    """Newlines at both ends as the message has them: ``msgfmt -c`` asks for that."""
    target = target.strip("\n")
    if source.startswith("\n"):
        target = f"\n{target}"
    return f"{target}\n" if source.endswith("\n") and source != "\n" else target
