"""TMX 1.4, the exchange format of translation memories.

Each ``<tu>`` gives at most one pair: its best variant in each of the two languages (``en`` takes
``en-US``).  Without languages asked for, the source is the header's ``srclang`` and the target the
one other language of the first unit.  The unit is the ``tuid``, or the line of the ``<tu>``.
"""

from __future__ import annotations

from collections.abc import Iterator

from demotic.corpus.language import choose, matches
from demotic.corpus.markup import XML_LANG, Attributes, Handler, InlineText, parse
from demotic.corpus.reading import Reading, Row
from demotic.errors import FormatError


def read_tmx(reading: Reading) -> Iterator[Row]:
    """Translation units of a TMX file."""
    return parse(_TmxHandler(reading))


class _TmxHandler(Handler):
    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._srclang = ""
        self._unit = ""
        self._language = ""
        self._variants: list[tuple[str, str]] = []
        self._segment: InlineText | None = None  # being read, and how deep in the file it lies
        self._depth = 0

    def begin(self, name: str, attributes: Attributes) -> None:
        if self._segment is not None:
            self._segment.begin(name, attributes)
        elif name == "seg" and self.path and self.path[-1] == "tuv":
            self._segment = InlineText()
            self._depth = len(self.path)
        elif name == "tuv":
            self._language = attributes.get(XML_LANG) or attributes.get("lang") or ""
        elif name == "tu":
            self._unit = attributes.get("tuid") or f"line {self.line}"
            self._variants = []
        elif name == "header":
            self._srclang = attributes.get("srclang", "")
        elif not self.path and name != "tmx":
            raise FormatError(
                f"not a TMX file: its root is <{name}>", path=self.reading.path, line=self.line
            )

    def data(self, text: str) -> None:
        if self._segment is not None:
            self._segment.data(text)

    def finish(self, name: str) -> None:
        if self._segment is not None:
            if len(self.path) == self._depth:
                self._variants.append((self._language, str(self._segment)))
                self._segment = None
            else:
                self._segment.finish()
        elif name == "tu":
            self._pair()

    def _pair(self) -> None:
        languages = [language for language, _ in self._variants]
        for language in languages:
            self.reading.saw(language)
        source, target = self._chosen(languages)
        if source is None or target is None or source == target:
            self.reading.skipped["without both languages"] += 1
            return
        pair = self._variants[source][1], self._variants[target][1]
        if not pair[0].strip() or not pair[1].strip():
            self.reading.skipped["untranslated"] += 1
            return
        self.rows.append((*pair, self._unit))

    def _chosen(self, languages: list[str]) -> tuple[int | None, int | None]:
        reading = self.reading
        if (
            reading.source is None
            and self._srclang not in ("", "*all*")
            and not (reading.target and matches(reading.target, self._srclang))
        ):
            reading.source = self._srclang
        if reading.source is None and reading.target is not None:
            reading.source = self._only_other(languages, reading.target)
        if reading.source is None:
            raise self._undecided(languages, "source")
        if reading.target is None:
            reading.target = self._only_other(languages, reading.source)
            if reading.target is None:
                return None, None
        return choose(reading.source, languages), choose(reading.target, languages)

    def _only_other(self, languages: list[str], known: str) -> str | None:
        """The one language beside ``known``; none if the unit has no other."""
        others = {language for language in languages if not matches(known, language)}
        if len(others) > 1:
            raise self._undecided(languages, "target" if self.reading.target is None else "source")
        return others.pop() if others else None

    def _undecided(self, languages: list[str], side: str) -> FormatError:
        return FormatError(
            f"several languages to choose from: {', '.join(sorted(set(languages)))}",
            path=self.reading.path,
            line=self.line,
            remedy=f"say which one is the {side} language",
        )
