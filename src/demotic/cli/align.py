"""``demotic align``."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from demotic import files
from demotic.cli.options import (
    EngineName,
    JsonLog,
    Memory,
    Quiet,
    Temp,
    Threads,
    byte_count,
    check_files,
    check_temp,
    opened_engine,
    progress_for,
    thread_count,
    usage,
)
from demotic.errors import ArgumentError

if TYPE_CHECKING:
    from demotic.align import Alignments, Gold, Text
    from demotic.corpus import Bitext
    from demotic.progress import Progress

NAME = "align"
NEEDS_ARGUMENTS = True


class Heuristic(StrEnum):
    """How two directions become one."""

    intersection = "intersection"
    union = "union"
    grow = "grow"
    grow_diag = "grow-diag"
    grow_diag_final = "grow-diag-final"
    grow_diag_final_and = "grow-diag-final-and"


class Format(StrEnum):
    """How links are written."""

    pharaoh = "pharaoh"
    json = "json"


def command(
    source: Annotated[Path | None, typer.Option(help="Source text, one sentence a line.")] = None,
    target: Annotated[Path | None, typer.Option(help="Target text, line by line.")] = None,
    bitext: Annotated[
        Path | None, typer.Option(help="A TMX, PO, XLIFF or TSV file instead.")
    ] = None,
    from_: Annotated[str | None, typer.Option("--from", help="Source language.")] = None,
    to: Annotated[str | None, typer.Option("--to", help="Target language.")] = None,
    tokenise: Annotated[
        bool,
        typer.Option(
            "--tokenise",
            help="Tokenise and lower-case raw text; else tokens are what spaces separate.",
        ),
    ] = False,
    method: Annotated[
        str | None,
        typer.Option(help="builtin (default), eflomal, thot, or a Pharaoh file of links."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="Align with this trained aligner instead of training one.")
    ] = None,
    symmetrise: Annotated[
        Heuristic, typer.Option(help="How the two directions become one.")
    ] = Heuristic.grow_diag_final_and,
    engine: EngineName = "local",
    memory: Memory = "1G",
    temp: Temp = None,
    threads: Threads = 0,
    out: Annotated[Path | None, typer.Option(help="The links; - for the standard output.")] = None,
    format: Annotated[
        Format, typer.Option(help="pharaoh (0-0 1-2), or json: tokens and links, an object a line.")
    ] = Format.pharaoh,
    forward: Annotated[Path | None, typer.Option(help="Links of p(target | source) alone.")] = None,
    backward: Annotated[
        Path | None, typer.Option(help="Links of p(source | target) alone.")
    ] = None,
    tokens: Annotated[
        str | None,
        typer.Option(metavar="PREFIX", help="The tokenised text: PREFIX.source and PREFIX.target."),
    ] = None,
    lexical: Annotated[
        str | None,
        typer.Option(
            metavar="PREFIX", help="Lexical tables: PREFIX.f2e, PREFIX.e2f (text), PREFIX.bin."
        ),
    ] = None,
    save_model: Annotated[
        Path | None, typer.Option(help="The trained aligner, for --model.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="A page of alignment matrices to look at.")
    ] = None,
    html_pairs: Annotated[int, typer.Option(min=1, help="Sentence pairs on the page.")] = 20,
    reference_sure: Annotated[
        Path | None,
        typer.Option(
            help="Hand-made links of the first lines (1?2 or 1p2 are possible); prints AER."
        ),
    ] = None,
    reference_possible: Annotated[
        Path | None, typer.Option(help="Possible links, in a file of their own.")
    ] = None,
    one_based: Annotated[
        bool, typer.Option("--reference-one-based", help="The reference counts words from 1.")
    ] = False,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Align the words of parallel sentences.

    Links are source-target positions counted from 0, a line for each sentence pair. Files that end
    in .gz are compressed. The built-in aligner's result is the same for any --threads and --memory.

    \b
    demotic align --source train.de --target train.en --out train.align \\
                  --save-model de-en.aligner --html look.html
    demotic align --source new.de --target new.en --model de-en.aligner \\
                  --out new.align
    demotic align --bitext memory.tmx --from en --to fr --tokenise \\
                  --out memory.json --format json
    """
    inputs = _Inputs(source, target, bitext, from_, to, tokenise)
    outputs = _Outputs(out, format, forward, backward, tokens, lexical, save_model, html)
    inputs.check()
    if model is not None and method is not None:
        raise typer.BadParameter("--model stands for --method")
    if save_model is not None and (model is not None or method not in (None, "builtin")):
        raise typer.BadParameter("--save-model saves what the built-in aligner learns")
    if reference_sure is None and not outputs.files():
        raise typer.BadParameter("nothing is asked for: give --out, or another output")
    if reference_possible is not None and reference_sure is None:
        raise typer.BadParameter("--reference-possible needs --reference-sure")
    size = byte_count(memory, "--memory")
    check_temp(temp)
    with usage("--method"):
        how = _method(method)
    others = (model, how if isinstance(how, Path) else None, reference_sure, reference_possible)
    check_files(
        inputs=[*inputs.files(), *(path for path in others if path is not None)],
        outputs=outputs.files(),
    )
    if isinstance(how, Path) and (forward or backward):
        raise typer.BadParameter("a file of links has no directions to write")
    place = None
    if engine != "local":
        place = opened_engine(engine, threads=thread_count(threads), memory=size, temp=temp)
    progress = progress_for(quiet=quiet, json_log=json_log)

    from demotic.align import Aligner, align, error_rate, page

    texts = inputs.read(progress)
    found = align(
        *texts,
        method=Aligner.load(model) if model else how,
        symmetrise=symmetrise,
        memory=size,
        temp=temp,
        engine=place,
        threads=thread_count(threads),
        progress=progress,
    )
    gold = None
    if reference_sure is not None:
        gold = _reference(reference_sure, reference_possible, one_based=one_based, lines=len(found))
    shown = None
    if html is not None:
        shown = page(*texts, found, pairs=html_pairs, gold=gold, title=inputs.title())
    outputs.write(*texts, found, shown, progress)
    if gold is not None:
        rate = error_rate(found.links.slice(0, len(gold.sure)), gold.sure, gold.possible)
        # The standard output belongs to the links if they were sent there.
        typer.echo(str(rate), err=out == Path("-"))


def _method(name: str | None) -> str | Path:
    from demotic.align import METHODS

    if name is None or name in METHODS:
        return name or METHODS[0]
    if not Path(name).exists():
        raise ArgumentError(
            f"unknown alignment method '{name}', and no file of this name",
            remedy=f"one of {', '.join(METHODS)}, or a Pharaoh file",
        )
    return Path(name)


def _reference(sure: Path, possible: Path | None, *, one_based: bool, lines: int) -> Gold:
    from demotic.align import Gold, pharaoh
    from demotic.errors import FormatError

    gold = pharaoh.read_gold(sure, one_based=one_based)
    if possible is not None:
        gold = Gold(gold.sure, pharaoh.read_gold(possible, one_based=one_based).possible)
    if len(gold.sure) > lines or len(gold.sure) != len(gold.possible):
        raise FormatError(
            f"{len(gold.sure)} lines of sure links and {len(gold.possible)} of possible ones for "
            f"{lines} sentence pairs",
            path=sure,
            remedy="the reference belongs to the first lines of the text",
        )
    return gold


@dataclass(frozen=True)
class _Inputs:
    source: Path | None
    target: Path | None
    bitext: Path | None
    source_language: str | None
    target_language: str | None
    tokenise: bool

    def files(self) -> list[Path]:
        return [path for path in (self.source, self.target, self.bitext) if path is not None]

    def title(self) -> str:
        return " – ".join(path.name for path in self.files())

    def check(self) -> None:
        given = (self.source is not None, self.target is not None, self.bitext is not None)
        if given not in ((True, True, False), (False, False, True)):
            raise typer.BadParameter("give --source and --target, or --bitext")

    def read(self, progress: Progress) -> tuple[Text, Text]:
        from demotic.align import Text

        first, *second = self.files()
        if second and not self.tokenise:
            return Text.read(first), Text.read(second[0])
        from demotic.corpus import read_bitext

        pairs = read_bitext(
            first,
            second[0] if second else None,
            source=self.source_language,
            target=self.target_language,
            progress=progress,
        )
        if not self.tokenise:
            return Text.of(pairs.source_lines()), Text.of(pairs.target_lines())
        sources, targets = [], []
        with progress.step("tokenising", len(pairs), "sentence pairs") as advance:
            for source, target in _tokenised(pairs):
                sources.append(source)
                targets.append(target)
                advance(1)
        return Text.of(sources), Text.of(targets)


def _tokenised(pairs: Bitext) -> Iterator[tuple[str, str]]:
    from demotic.corpus import Orthography, OrthographyConfig, encode_pairs

    # Lower case needs no learning: text to be aligned later with the same model comes out alike.
    config = OrthographyConfig(casing="lower")
    source = Orthography(pairs.source_language, config)
    target = Orthography(pairs.target_language, config)
    raw = ((pair.source, pair.target) for pair in pairs)
    return ((str(one), str(other)) for one, other in encode_pairs(source, target, raw))


@dataclass(frozen=True)
class _Outputs:
    links: Path | None
    format: Format
    forward: Path | None
    backward: Path | None
    tokens: str | None
    lexical: str | None
    model: Path | None
    html: Path | None

    def files(self) -> list[Path]:
        """Every file to be written."""
        given = [self.links, self.forward, self.backward, self.model, self.html]
        paths = [path for path in given if path is not None]
        if self.tokens is not None:
            paths += [Path(f"{self.tokens}.{side}") for side in ("source", "target")]
        if self.lexical is not None:
            paths += [Path(f"{self.lexical}.{form}") for form in ("f2e", "e2f", "bin")]
        return paths

    def write(
        self, source: Text, target: Text, found: Alignments, page: str | None, progress: Progress
    ) -> None:
        """All files or none: each takes its place when the last is complete."""
        from demotic.align import LexicalTable, pharaoh

        with contextlib.ExitStack() as stack:

            def put(path: Path | None, chunks: Iterable[bytes]) -> None:
                if path is not None:
                    stack.enter_context(files.write_bytes(path)).writelines(chunks)

            if self.lexical is not None:
                table = LexicalTable.estimate(source, target, found.links, progress=progress)
                put(Path(f"{self.lexical}.f2e"), table.text(target_given_source=True))
                put(Path(f"{self.lexical}.e2f"), table.text(target_given_source=False))
                table.save(stack.enter_context(files.atomic_path(f"{self.lexical}.bin")))
            if self.tokens is not None:
                put(Path(f"{self.tokens}.source"), source.chunks())
                put(Path(f"{self.tokens}.target"), target.chunks())
            if self.model is not None and found.aligner is not None:
                found.aligner.save(stack.enter_context(files.atomic_path(self.model)))
            if found.forward is not None and found.backward is not None:
                put(self.forward, pharaoh.text(found.forward))
                put(self.backward, pharaoh.text(found.backward))
            if page is not None:
                put(self.html, [page.encode("utf-8")])
            as_json = self.format is Format.json
            put(self.links, _json(source, target, found) if as_json else pharaoh.text(found.links))


def _json(source: Text, target: Text, found: Alignments) -> Iterator[bytes]:
    for line in range(len(found)):
        record = {
            "source": source.sentence(line),
            "target": target.sentence(line),
            "links": found.links[line],
        }
        yield json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"
