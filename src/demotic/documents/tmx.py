"""TMX: units that lack the target language get a variant in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from demotic.corpus.language import matches
from demotic.documents.document import Edit, Fill, Segment, Slot, State, TextDocument, Writer
from demotic.documents.xml_inline import element_content, qualified
from demotic.documents.xml_text import Piece, decode_xml, element_end, escape, pieces
from demotic.errors import ArgumentError, FormatError


class TmxDocument(TextDocument):
    """A translation memory that is to be completed."""

    format: ClassVar[str] = "tmx"
    bilingual: ClassVar[bool] = True

    @classmethod
    def read(
        cls, data: bytes, path: Path, target_language: str = "", source_language: str = ""
    ) -> TmxDocument:
        if not target_language or not source_language:
            raise ArgumentError(
                "which languages of a TMX file is not known",
                remedy="train the model with --from and --to",
            )
        document = cls(path, decode_xml(data, path))
        document.target_language = target_language
        document._collect(source_language)
        return document

    _pieces: list[Piece]

    def _collect(self, source_language: str) -> None:
        self._pieces = pieces(self.text, self.path)
        if not any(piece.name == "tmx" for piece in self._pieces[:20]):
            raise FormatError("not a TMX file", path=self.path, line=1)
        for number, piece in enumerate(self._pieces):
            if piece.kind == "start" and piece.name == "tu":
                self._add(number, source_language)

    def _add(self, start: int, source_language: str) -> None:
        variants: dict[str, int] = {}
        last = start
        number, end = start + 1, element_end(self._pieces, start)
        while number < end:
            piece = self._pieces[number]
            if piece.kind == "start" and piece.name == "tuv":
                language = piece.attributes.get("xml:lang") or piece.attributes.get("lang", "")
                variants.setdefault(language, number)
                last = element_end(self._pieces, number)
                number = last
            number += 1
        source = self._variant(variants, source_language)
        if source is None:
            return
        segment_start = self._segment(source)
        target = self._variant(variants, self.target_language)
        text = ""
        if target is not None:
            text = element_content(self._pieces, self._segment(target)).text
        unit = self._pieces[start]
        segment = Segment(
            element_content(self._pieces, segment_start),
            self.line_of(unit.start),
            unit.attributes.get("tuid", ""),
            State.done if text.strip() else State.empty,
            text,
        )
        self.slots.append(Slot(segment, self._writer(source, target, last)))

    def _variant(self, variants: dict[str, int], language: str) -> int | None:
        return next(
            (number for name, number in variants.items() if name and matches(name, language)), None
        )

    def _segment(self, variant: int) -> int:
        for number in range(variant, element_end(self._pieces, variant)):
            if self._pieces[number].name == "seg":
                return number
        raise FormatError(
            "a <tuv> without <seg>",
            path=self.path,
            line=self.line_of(self._pieces[variant].start),
        )

    def _writer(self, source: int, target: int | None, last: int) -> Writer:
        def write(fill: Fill) -> Sequence[Edit]:
            content = fill.target.rendered(escape)
            if target is not None:
                number = self._segment(target)
                first, end = self._pieces[number], self._pieces[element_end(self._pieces, number)]
                name = qualified(first)
                return [Edit(first.start, end.end, f"<{name}>{content}</{name}>")]
            begin = self._pieces[source]
            line = self.text.rfind("\n", 0, begin.start)
            before = self.text[line : begin.start] if line >= 0 else ""
            indent = before if not before.strip() else ""
            place = self._pieces[last].end
            name, seg = qualified(begin), qualified(self._pieces[self._segment(source)])
            variant = (
                f'{indent}<{name} xml:lang="{self.target_language}">'
                f"<{seg}>{content}</{seg}></{name}>"
            )
            return [Edit(place, place, variant)]

        return write
