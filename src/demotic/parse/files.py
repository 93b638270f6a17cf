"""Parsers in files: one container with names, options and tables; parses kept beside the text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from demotic import _core, files
from demotic.errors import CorruptFileError, DemoticError, FormatError
from demotic.progress import SILENT, Progress
from demotic.trees import Tree, read_trees, write_trees
from demotic.trees.reading import same_words

KIND = "parser"
VERSION = 1
_RECORD = "record"


class Parser(Protocol):
    """Whatever turns sentences into trees."""

    KIND: ClassVar[str]
    symbols: tuple[str, ...]
    """Labels and tags."""

    def parse(
        self, sentences: Sequence[Sequence[str]], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Tree]:
        """A tree for each sentence."""

    def record(self) -> dict[str, Any]:
        """Names and options, for a file."""

    def arrays(self) -> dict[str, Any]:
        """Tables, for a file."""


def save_parser(parser: Parser, path: str | Path) -> None:
    """Write a parser to a file."""
    with files.atomic_path(path) as temporary:
        out = _core.ContainerWriter(str(temporary), KIND, VERSION)
        out.begin(_RECORD)
        record = {"parser": parser.KIND, **parser.record()}
        out.write(json.dumps(record, ensure_ascii=False, sort_keys=True).encode("utf-8"))
        for name, array in parser.arrays().items():
            out.begin(name)
            out.write(array.tobytes())
        out.finish()


def load_parser(path: str | Path, *, verify: bool | None = None) -> Parser:
    """A parser from its file; checksums are compared unless ``verify`` is False."""
    from demotic.parse.discriminative import DiscriminativeParser
    from demotic.parse.generative import GenerativeParser

    kinds: dict[str, Any] = {each.KIND: each for each in (GenerativeParser, DiscriminativeParser)}
    with files.naming(path):
        try:
            found = _core.Container(str(path), KIND, VERSION)
        except FormatError as error:
            error.message, error.remedy = "no parser", "demotic parse train makes one from trees"
            raise
        if verify is not False:
            found.verify()
        try:
            record = json.loads(found.section(_RECORD).decode("utf-8"))
            arrays = {name: found.section(name) for name, _ in found.sections}
            if record["parser"] not in kinds:
                raise CorruptFileError(f"there is no parser '{record['parser']}'")
            parser: Parser = kinds[record["parser"]].of_record(record, arrays)
            return parser
        except DemoticError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise CorruptFileError(
                f"a damaged parser: {error}", remedy="copy it again, or train it again"
            ) from error


def cached_parses(
    parser: Parser,
    sentences: Sequence[Sequence[str]],
    cache: Path,
    *,
    threads: int = 1,
    progress: Progress = SILENT,
) -> list[Tree]:
    """Parses kept in a file beside the text, made anew where text or parser have changed."""
    note = cache.with_name(f"{cache.name}.made-of")
    digest = _digest(parser, sentences)
    if cache.is_file() and note.is_file() and note.read_text().strip() == digest:
        found = list(read_trees(cache))
        if len(found) == len(sentences) and all(map(same_words, found, sentences)):
            return found
    found = parser.parse(sentences, threads=threads, progress=progress)
    write_trees(cache, found, form="conllu" if any(t.relations for t in found) else "penn")
    files.write_lines(note, [digest])
    return list(read_trees(cache))  # what a later run will see


def _digest(parser: Parser, sentences: Sequence[Sequence[str]]) -> str:
    made = hashlib.sha256(json.dumps(parser.record(), sort_keys=True).encode())
    for array in parser.arrays().values():
        made.update(array.tobytes())
    for words in sentences:
        made.update(f"{' '.join(words)}\n".encode())
    return made.hexdigest()
