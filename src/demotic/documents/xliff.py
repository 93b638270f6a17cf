"""XLIFF 1.2 and 2.0: units without a target get one, in a state that asks for review.

Version 1.2: ``<target state="needs-review-translation">`` with a ``state-qualifier`` for where it
comes from; a match of the memory that is not exact is told by an ``<alt-trans match-quality>``.
Version 2.0: the segment's ``state`` becomes ``translated`` and its ``subState`` says the origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from demotic.documents.document import (
    Edit,
    Fill,
    Origin,
    Segment,
    Slot,
    State,
    TextDocument,
    Writer,
)
from demotic.documents.inline import Inline
from demotic.documents.xml_inline import element_content, qualified
from demotic.documents.xml_text import (
    Piece,
    decode_xml,
    element_end,
    escape,
    pieces,
    with_attribute,
)
from demotic.errors import FormatError

_QUALIFIERS: dict[Origin, str] = {
    "memory": "exact-match",
    "fuzzy": "fuzzy-match",
    "translated": "mt-suggestion",
}
_DRAFTS = frozenset(
    {"new", "needs-translation", "needs-adaptation", "needs-l10n", "needs-review-adaptation",
     "needs-review-l10n", "needs-review-translation", "initial"}
)  # fmt: skip


class XliffDocument(TextDocument):
    """Both versions; ``bilingual`` in the widest sense."""

    format: ClassVar[str] = "xliff"
    bilingual: ClassVar[bool] = True

    @classmethod
    def read(cls, data: bytes, path: Path, target_language: str = "") -> XliffDocument:
        document = cls(path, decode_xml(data, path))
        document.target_language = target_language
        document._collect()
        return document

    _pieces: list[Piece]
    _edits_of_file: list[Edit]

    def _collect(self) -> None:
        self._pieces = pieces(self.text, self.path)
        roots = [piece for piece in self._pieces if piece.kind in ("start", "empty")]
        if not roots or roots[0].name != "xliff":
            raise FormatError("not an XLIFF file", path=self.path, line=1)
        second = roots[0].attributes.get("version", "1.2").startswith("2")
        self._edits_of_file = self._language_edits(roots[0], second)
        number = 0
        protected: list[bool] = []
        while number < len(self._pieces):
            piece = self._pieces[number]
            if piece.kind == "start":
                translate = piece.attributes.get("translate")
                above = protected[-1] if protected else False
                protected.append(translate == "no" if translate else above)
                unit = piece.name == ("segment" if second else "trans-unit")
                if unit and not protected[-1]:
                    self._add(number, second)
            elif piece.kind == "end":
                protected.pop()
            number += 1

    def _language_edits(self, root: Piece, second: bool) -> list[Edit]:
        """A file that does not name its target language gets it with the first translation."""
        name = "trgLang" if second else "target-language"
        holders = [root] if second else [p for p in self._pieces if p.name == "file"]
        language = self.target_language
        return [
            Edit(each.start, each.end, with_attribute(each.raw, name, language))
            for each in holders
            if each.kind == "start" and language and name not in each.attributes
        ]

    def _add(self, start: int, second: bool) -> None:
        end = element_end(self._pieces, start)
        children = self._children(start, end)
        if "source" not in children:
            raise FormatError(
                "a unit without <source>",
                path=self.path,
                line=self.line_of(self._pieces[start].start),
            )
        unit = self._pieces[start]
        source = element_content(self._pieces, children["source"])
        target = element_content(self._pieces, children["target"]) if "target" in children else None
        state = self._state(unit, children, target, second)
        segment = Segment(
            source,
            self.line_of(unit.start),
            unit.attributes.get("resname") or unit.attributes.get("id", ""),
            state,
            target.text if target else "",
            element_content(self._pieces, children["note"]).text if "note" in children else "",
        )
        write = self._writer(start, children, segment, second)
        self.slots.append(Slot(segment, write))

    def _children(self, start: int, end: int) -> dict[str, int]:
        """The first child of each name, by the number of its first piece."""
        found: dict[str, int] = {}
        number = start + 1
        while number < end:
            piece = self._pieces[number]
            if piece.kind in ("start", "empty"):
                found.setdefault(piece.name, number)
                number = element_end(self._pieces, number)
            number += 1
        return found

    def _state(
        self, unit: Piece, children: dict[str, int], target: Inline | None, second: bool
    ) -> State:
        if target is None or not (target.text.strip() or target.codes):
            return State.empty
        said = (
            unit.attributes.get("state", "initial")
            if second
            else self._pieces[children["target"]].attributes.get("state", "")
        )
        if unit.attributes.get("approved") == "yes":
            return State.done
        return State.draft if said in _DRAFTS else State.done

    def _writer(
        self, start: int, children: dict[str, int], segment: Segment, second: bool
    ) -> Writer:
        def write(fill: Fill) -> Sequence[Edit]:
            content = fill.target.rendered(escape)
            edits = list(self._edits_of_file)
            if "target" in children:
                first = self._pieces[children["target"]]
                last = self._pieces[element_end(self._pieces, children["target"])]
                tag = first.raw if first.kind == "start" else first.raw[:-2].rstrip() + ">"
                close = last.raw if last.kind == "end" else f"</{qualified(first)}>"
                tag = tag if second else self._told(tag, fill)
                edits.append(Edit(first.start, last.end, f"{tag}{content}{close}"))
                behind = last.end
            else:
                source = self._pieces[children["source"]]
                before = children.get("seg-source", children["source"])
                behind = self._pieces[element_end(self._pieces, before)].end
                name = qualified(source).replace("source", "target")
                tag = f"<{name}>" if second else self._told(f"<{name}>", fill)
                new = f"{self._indent(source.start)}{tag}{content}</{name}>"
                edits.append(Edit(behind, behind, new))
            if second:
                unit = self._pieces[start]
                said = with_attribute(unit.raw, "state", "translated")
                said = with_attribute(said, "subState", f"demotic:{fill.origin}")
                edits.append(Edit(unit.start, unit.end, said))
            elif fill.origin == "fuzzy":
                edits.append(Edit(behind, behind, self._alternative(children, content, fill)))
            return edits

        return write

    def _told(self, tag: str, fill: Fill) -> str:
        tag = with_attribute(tag, "state", "needs-review-translation")
        return with_attribute(tag, "state-qualifier", _QUALIFIERS[fill.origin])

    def _alternative(self, children: dict[str, int], content: str, fill: Fill) -> str:
        source = self._pieces[children["source"]]
        name = qualified(source).replace("source", "alt-trans")
        target = qualified(source).replace("source", "target")
        quality = f"{100 * fill.similarity:.0f}%"
        return (
            f'{self._indent(source.start)}<{name} match-quality="{quality}" origin="Demotic">'
            f"<{target}>{content}</{target}></{name}>"
        )

    def _indent(self, place: int) -> str:
        """The line end and the spaces before something, if nothing else stands there."""
        line = self.text.rfind("\n", 0, place)
        before = self.text[line:place] if line >= 0 else ""
        if before.strip():
            return ""
        return ("\r" if self.text[line - 1 : line] == "\r" else "") + before
