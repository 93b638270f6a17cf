"""Makes a memory from the text that a model was trained on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING

from demotic import _core, files
from demotic.corpus.normalise import plain_spaces
from demotic.corpus.protect import SpanFinder
from demotic.memory.mending import folded, masked
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.corpus import Bitext, Orthography

_ENTRIES = 10_000  # added in one call


def build(
    bitext: Bitext,
    source: Orthography,
    *,
    out: Path,
    kept: Bitext | None = None,
    words: Path | None = None,
    tokens: Path | None = None,
    links: Path | None = None,
    progress: Progress = SILENT,
) -> None:
    """Write the memory of a bitext; all pairs count in which both sides have text.

    ``kept`` are the pairs whose ``words``, target ``tokens`` and ``links`` stand in files, line by
    line: of others the memory knows words alone, and cannot repair them.
    """
    builder = _core.MemoryBuilder()
    find = SpanFinder(source.config.protect)
    lines: Iterator[tuple[str, str, str]] = iter(())
    if kept is not None and words is not None and tokens is not None:
        linked = files.read_lines(links) if links is not None else repeat("")
        lines = zip(files.read_lines(words), files.read_lines(tokens), linked, strict=False)
    ids = iter([] if kept is None else (pair.id for pair in kept))
    waiting = next(ids, None)

    def entries() -> Iterator[list[str]]:
        nonlocal waiting
        for pair in bitext:
            prepared = ("", "", "")
            if pair.id == waiting:
                prepared, waiting = next(lines, prepared), next(ids, None)
            # No-break spaces of the target stay: its typography may need them.
            text, target = plain_spaces(pair.source), pair.target.strip()
            if not text or not target:
                continue
            key = masked(text, find)
            seen, told, between = prepared
            yield [
                text, target, key.text if key.spans else "", folded(key.text), pair.file, pair.unit,
                seen or str(source.encode(text)), told, between,
            ]  # fmt: skip

    with (
        progress.step("remembering", len(bitext), "pairs") as advance,
        files.atomic_path(out) as temporary,
    ):
        rest = entries()
        while some := list(islice(rest, _ENTRIES)):
            builder.add(some)
            advance(len(some))
        builder.save(str(temporary))
