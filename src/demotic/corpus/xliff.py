"""XLIFF 1.x and 2.x, the files that translators' programs work on.

XLIFF 1.2: ``<trans-unit>``; where a unit is segmented (``<seg-source>`` with marks of the type
``seg``), each segment whose ``mid`` is on both sides is a pair.  XLIFF 2.0: ``<segment>``.
Suggestions (``<alt-trans>``, ``<mtc:match>``) are not read.  Units without a target, not to be
translated, or in a state that says the translation is still to be made or checked (new, needs-...,
initial, an explicit ``approved="no"`` without a finished state) are skipped and counted.  The unit
is the id, with ``#`` and the segment's id where there are segments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from demotic.corpus.markup import Attributes, Handler, InlineText, parse
from demotic.corpus.reading import Reading, Row
from demotic.errors import FormatError

_FINISHED = frozenset({"translated", "reviewed", "signed-off", "final"})
_SIDES = frozenset({"source", "seg-source", "target"})


def read_xliff(reading: Reading) -> Iterator[Row]:
    """Translation units of an XLIFF file."""
    return parse(_XliffHandler(reading))


class _Side:
    """One side of a unit: its whole text, and its segments where they are marked."""

    def __init__(self, original: dict[str, str]) -> None:
        self._original = original
        self._segment: InlineText | None = None  # the one being read
        self._depth = 0  # open elements inside it
        self.whole = InlineText(original)
        self.segments: dict[str, InlineText] = {}

    def begin(self, name: str, attributes: Attributes) -> None:
        self.whole.begin(name, attributes)
        if self._segment is not None:
            self._segment.begin(name, attributes)
            self._depth += 1
        elif name == "mrk" and attributes.get("mtype") == "seg":
            self._segment = self.segments[attributes.get("mid", "")] = InlineText(self._original)

    def data(self, text: str) -> None:
        self.whole.data(text)
        if self._segment is not None:
            self._segment.data(text)

    def finish(self) -> None:
        self.whole.finish()
        if self._segment is not None and self._depth:
            self._segment.finish()
            self._depth -= 1
        else:
            self._segment = None


@dataclass
class _Unit:
    """A <trans-unit> (1.x), or a <unit> (2.x) with the <segment> being read."""

    name: str = ""
    translate: bool = True
    approved: str = ""
    state: str = ""
    original: dict[str, str] = field(default_factory=dict)  # 2.x: native codes by their id
    segment: str = ""
    sides: dict[str, _Side] = field(default_factory=dict)

    def objection(self) -> str:
        """Why the unit holds no finished translation; empty if it does."""
        if not self.translate:
            return "not to be translated"
        if "target" not in self.sides or not str(self.sides["target"].whole).strip():
            return "untranslated"
        unfinished = bool(self.state) and self.state not in _FINISHED
        if self.state.startswith("x-"):  # a state of one program only: nothing is known of it
            unfinished = False
        if unfinished or (self.approved == "no" and self.state not in _FINISHED):
            return "not finished"
        return ""

    def pairs(self) -> Iterator[Row]:
        """The unit's pair, or one for each of its segments."""
        name = f"{self.name}#{self.segment}" if self.segment else self.name
        target = self.sides["target"]
        segmented = self.sides.get("seg-source")
        if segmented is not None and segmented.segments.keys() & target.segments.keys():
            for mid, text in segmented.segments.items():
                if mid in target.segments:
                    yield str(text), str(target.segments[mid]), f"{name}#{mid}"
        elif "source" in self.sides:
            yield str(self.sides["source"].whole), str(target.whole), name


class _XliffHandler(Handler):
    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._direction = 0
        self._unit = _Unit()
        self._side: _Side | None = None  # being read, and how deep in the file it lies
        self._depth = 0
        self._data = ""

    def begin(self, name: str, attributes: Attributes) -> None:
        unit = self._unit
        if self._side is not None:
            self._side.begin(name, attributes)
        elif name in _SIDES and self.path and self.path[-1] in ("trans-unit", "segment"):
            self._side = unit.sides[name] = _Side(unit.original)
            self._depth = len(self.path)
            if name == "target":
                unit.state = attributes.get("state") or unit.state
        elif name in ("trans-unit", "unit"):
            self._unit = _Unit(
                name=attributes.get("id") or attributes.get("resname") or f"line {self.line}",
                translate=attributes.get("translate") != "no",
                approved=attributes.get("approved", ""),
            )
        elif name == "segment":
            unit.segment = attributes.get("id", "")
            unit.state = attributes.get("state", "")
            unit.sides = {}
        elif name == "data":
            self._data = attributes.get("id", "")
        elif "source-language" in attributes:  # <file> of XLIFF 1
            self._languages(attributes["source-language"], attributes.get("target-language", ""))
        elif "srcLang" in attributes:  # <xliff> of XLIFF 2
            self._languages(attributes["srcLang"], attributes.get("trgLang", ""))
        elif not self.path and name != "xliff":
            raise FormatError(
                f"not an XLIFF file: its root is <{name}>", path=self.reading.path, line=self.line
            )

    def data(self, text: str) -> None:
        if self._side is not None:
            self._side.data(text)
        elif self._data and self.path[-1] == "data":
            original = self._unit.original
            original[self._data] = original.get(self._data, "") + text

    def finish(self, name: str) -> None:
        if self._side is not None:
            if len(self.path) == self._depth:
                self._side = None
            else:
                self._side.finish()
        elif name in ("trans-unit", "segment"):
            self._add_pairs()

    def _languages(self, source: str, target: str) -> None:
        for language in (source, target):
            if language:
                self.reading.saw(language)
        self._direction = self.reading.direction(source, target)

    def _add_pairs(self) -> None:
        objection = self._unit.objection() if self._direction else "in other languages"
        if objection:
            self.reading.skipped[objection] += 1
            return
        for source, target, name in self._unit.pairs():
            if not source.strip() or not target.strip():
                self.reading.skipped["untranslated"] += 1
            elif self._direction > 0:
                self.rows.append((source, target, name))
            else:
                self.rows.append((target, source, name))
