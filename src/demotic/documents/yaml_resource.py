"""YAML resource files: the strings that are values, in the style in which they are written.

A file whose one key at the top is the source language, as Rails has it, gets the target language's
key with the first translation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from demotic.documents.document import Edit, Fill, Segment, Slot, TextDocument, Writer
from demotic.documents.encoded_text import decode
from demotic.documents.inline import Inline
from demotic.documents.prose import is_prose
from demotic.documents.wrapping import wrapped
from demotic.errors import FormatError, MissingDependencyError

_PLAIN = re.compile(r"[^\W\d_][^#:\n\"'{}\[\],&*!|>%@`]*", re.UNICODE)
_SAYS_MORE = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null"])
_MOST_DEPTH = 200


class YamlDocument(TextDocument):
    """Messages of one language; they become those of another."""

    format: ClassVar[str] = "yaml"

    @classmethod
    def read(
        cls, data: bytes, path: Path, target_language: str = "", source_language: str = ""
    ) -> YamlDocument:
        document = cls(path, decode(data, path))
        document.target_language = target_language
        document._collect(source_language)
        return document

    _key_edits: tuple[Edit, ...] = ()

    def _collect(self, source_language: str) -> None:
        for root in _composed(self.text, self.path):
            self._language_key(root, source_language)
            for keys, node in _strings(root, self.path):
                start, end = node.start_mark.index, node.end_mark.index
                if node.style in ("|", ">"):
                    end = _without_blank_end(self.text, start, end)
                if is_prose(node.value):
                    lead, text, trail = _edges(node.value)
                    line = node.start_mark.line + 1
                    segment = Segment(Inline(text), line, ".".join(keys))
                    write = self._writer(start, end, node, lead, trail)
                    self.slots.append(Slot(segment, write))

    def _language_key(self, root: Any, source_language: str) -> None:
        if root.id != "mapping" or len(root.value) != 1 or not self.target_language:
            return
        key = root.value[0][0]
        if key.id == "scalar" and key.value == source_language and not key.style:
            edit = Edit(key.start_mark.index, key.end_mark.index, self.target_language)
            self._key_edits = (edit,)

    def _writer(self, start: int, end: int, node: Any, lead: str, trail: str) -> Writer:
        style: str | None = node.style

        def write(fill: Fill) -> Sequence[Edit]:
            text = f"{lead}{fill.target.text}{trail}"
            if style in ("|", ">"):
                new = self._block(start, end, text)
            elif style == "'" and "\n" not in text:
                new = "'" + text.replace("'", "''") + "'"
            elif style is None and _PLAIN.fullmatch(text) and text.lower() not in _SAYS_MORE:
                new = text.rstrip()
            else:
                new = json.dumps(text, ensure_ascii=False)
            return [*self._key_edits, Edit(start, end, new)]

        return write

    def _block(self, start: int, end: int, text: str) -> str:
        """A literal or folded block: its header, and lines indented as the first one was."""
        header, _, body = self.text[start:end].partition("\n")
        first = next((line for line in body.split("\n") if line.strip()), "  ")
        indent = first[: len(first) - len(first.lstrip())]
        text = text.rstrip("\n")
        if header.startswith(">") and "\n" not in text:  # folded: single line ends are spaces
            text = wrapped(text, max(len(line) for line in body.split("\n")) - len(indent))
        else:
            header = header.replace(">", "|")
        return "\n".join(
            [header, *(f"{indent}{line}" if line else "" for line in text.split("\n"))]
        )


def _composed(text: str, path: Path) -> Iterator[Any]:
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError
    except ImportError:
        raise MissingDependencyError(
            "YAML files need the package ruamel.yaml", remedy="pip install 'demotic[yaml]'"
        ) from None
    try:
        yield from YAML(typ="safe", pure=True).compose_all(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise FormatError(
            f"broken YAML: {getattr(error, 'problem', None) or error}",
            path=path,
            line=mark.line + 1 if mark else None,
            remedy="repair the file",
        ) from None
    except RecursionError:
        raise FormatError(
            "YAML that is nested too deeply", path=path, remedy="split the file"
        ) from None


def _strings(root: Any, path: Path) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Scalars that are values and strings, with the keys above them; aliases count once."""
    seen: set[int] = set()
    waiting: list[tuple[tuple[str, ...], Any]] = [((), root)]
    while waiting:
        keys, node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if len(keys) > _MOST_DEPTH:
            raise FormatError("YAML that is nested too deeply", path=path, remedy="split the file")
        if node.id == "mapping":
            pairs = [((*keys, str(key.value)), value) for key, value in node.value]
            waiting += reversed(pairs)
        elif node.id == "sequence":
            waiting += reversed([((*keys, str(i)), each) for i, each in enumerate(node.value)])
        elif node.tag.endswith(":str"):
            yield keys, node


def _without_blank_end(text: str, start: int, end: int) -> int:
    """A block's end mark lies behind the blank lines and comments that follow it."""
    lines = text[start:end].split("\n")
    body = lines[1:]
    first = next((line for line in body if line.strip()), "")
    indent = len(first) - len(first.lstrip())
    kept = 1
    for number, line in enumerate(body, 2):
        if line.strip() and len(line) - len(line.lstrip()) >= indent:
            kept = number
    return start + len("\n".join(lines[:kept]))


def _edges(text: str) -> tuple[str, str, str]:
    core = text.strip()
    start = text.index(core)
    return text[:start], core, text[start + len(core) :]
