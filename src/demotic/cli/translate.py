"""``demotic translate``: line in, line out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from demotic.cli.bulk import Asked, Format, TranslateLines, Written, translate_pieces
from demotic.cli.options import (
    EngineName,
    JsonLog,
    Quiet,
    Temp,
    Threads,
    check_files,
    opened_engine,
    progress_for,
    thread_count,
    usage,
)

if TYPE_CHECKING:
    from demotic.engine import Engine
    from demotic.progress import Progress
    from demotic.systems.translator import Translation

NAME = "translate"
NEEDS_ARGUMENTS = True


class Method(StrEnum):
    """Of consensus."""

    off = "off"
    forest = "forest"
    kbest = "kbest"


def command(
    model: Annotated[
        Path | None, typer.Argument(metavar="MODEL", help="A trained model; none with --rules.")
    ] = None,
    text: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE ...]", help="Text, one sentence a line; .gz. [default: -]"),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where it goes; .gz compresses.")
    ] = Path("-"),
    nbest: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="K",
            help="Up to K different translations of each line: number ||| text ||| features |||"
            " score, and ||| gain with consensus.",
        ),
    ] = 1,
    format: Annotated[Format, typer.Option(help="Text, or a JSON object for each line.")] = (
        Format.text
    ),
    rules: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A grammar of one's own instead of a model: a table, or text of cdec, Joshua or"
            " Moses. The text to translate is in tokens.",
        ),
    ] = None,
    lm: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Its language model: ARPA or binary; needs --rules."),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Weights of its features, a JSON object; needs --rules."),
    ] = None,
    pops: Annotated[
        int | None,
        typer.Option(
            help="hiero, phrase, amasis: candidates that cube pruning takes. [default: the model's"
            " own]"
        ),
    ] = None,
    stack: Annotated[
        int | None,
        typer.Option(help="phrase: hypotheses kept in each stack. [default: the model's own]"),
    ] = None,
    beam: Annotated[
        int | None,
        typer.Option(
            help="blocks, amasis: hypotheses of each number of words; umt: trees side by side;"
            " transducer: items of each cell. [default: the model's own]"
        ),
    ] = None,
    consensus: Annotated[
        Method | None,
        typer.Option(
            help="Choose what most of the possible translations agree on: in all that the search"
            " kept, or in a list. [default: the model's own]",
            show_default=False,
        ),
    ] = None,
    consensus_scale: Annotated[
        float | None,
        typer.Option(
            metavar="SCALE",
            help="How much consensus trusts the model's scores. [default: the model's own]",
        ),
    ] = None,
    file_format: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="What the file is: text, po, xliff, tmx, android, strings, properties, json, yaml,"
            " html, markdown, docx, odt or srt. [default: by its content and name]",
            show_default=False,
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Of a document: what was filled in and what to look at first, as .html or .json.",
        ),
    ] = None,
    memory: Annotated[
        bool,
        typer.Option(
            "--memory/--no-memory",
            help="Answer what was translated before with that translation.",
        ),
    ] = True,
    glossary: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Terms whose translation is decided, beside those that the model was trained with:"
            " TSV, CSV or TBX; a term without translation stays as it is. Give it again for more.",
        ),
    ] = None,
    markup: Annotated[
        bool,
        typer.Option(
            "--markup",
            help='Lines hold instructions: <x translation="...">, <x translate="no">, <zone>,'
            " <wall/>.",
        ),
    ] = False,
    no_glossary: Annotated[
        bool, typer.Option("--no-glossary", help="Do without the model's own glossary.")
    ] = False,
    verify: Annotated[
        bool | None,
        typer.Option(
            help="Compare the model with its checksums. [default: if it has changed]",
            show_default=False,
        ),
    ] = None,
    engine: EngineName = "local",
    temp: Temp = None,
    threads: Threads = 0,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Translate text line by line, or fill in a document.

    The order and the number of lines are kept; lines from the standard input are translated as they
    come.  Placeholders, tags, numbers and addresses come out unchanged, exactly once each.  A
    document (PO, XLIFF, TMX, resource files, HTML, Markdown, DOCX, ODT, subtitles) is known by its
    content: what it lacks is filled in, and everything else comes back byte for byte.

    \b
    Examples:
      demotic translate en-fr.demotic messages.txt --output messages.fr
      echo "Delete the file?" | demotic translate en-fr.demotic
      demotic translate en-fr.demotic app.po --output app-filled.po --report app.html
      demotic translate en-fr.demotic messages.txt --nbest 5 --format json
      demotic translate en-fr.demotic messages.txt --pops 10     faster, not quite as good
      demotic translate en-fr.demotic messages.txt --consensus forest
      demotic translate --rules grammar.gz --lm en.arpa --weights weights.json text.tok
      demotic translate en-fr.demotic messages.txt --no-memory   what the decoder alone says
      demotic translate en-fr.demotic app.po -o app-fr.po --glossary terms.tsv
      demotic translate en-fr.demotic big.en.gz -o big.fr.gz --engine spark://master:7077
    """
    from demotic import files
    from demotic.cli.document_options import document_of, fill

    progress = progress_for(quiet=quiet or _typed(text), json_log=json_log)
    if rules is not None or lm is not None or weights is not None:
        if rules is None or lm is None or weights is None:
            raise typer.BadParameter("a grammar needs --rules, --lm and --weights")
        if any(each is not None for each in (stack, beam, consensus, consensus_scale)):
            raise typer.BadParameter("a grammar is searched with --pops alone")
        _engine(engine, temp, threads, True)
        from demotic.cli.own_grammar import translate_with

        given_text = [each for each in (model, *(text or [])) if each is not None] or [Path("-")]
        check_files(inputs=[rules, lm, weights, *given_text], outputs=[output])
        with usage("--pops"):
            translate = translate_with(rules, lm, weights, pops, progress)
        _write_all(
            given_text,
            output,
            lambda lines: translate(lines, nbest, thread_count(threads)),
            Written(nbest, format, lambda line: []),
            progress,
        )
        return
    if model is None:
        raise typer.BadParameter("name a model, or a grammar by --rules, --lm and --weights")
    outputs = [output] if report is None else [output, report]
    check_files(inputs=[model, *(text or [Path("-")]), *(glossary or [])], outputs=outputs)
    document = document_of(text or [], file_format, report)
    if document is not None and (nbest > 1 or format is not Format.text):
        raise typer.BadParameter("--nbest and --format are for lines of text, not for documents")
    elsewhere = _engine(engine, temp, threads, document is not None)
    if document is not None and markup:
        raise typer.BadParameter("--markup is for lines of text, not for documents")
    search = {"pops": pops, "stack": stack, "beam": beam}
    agreed = {"method": consensus and consensus.value, "scale": consensus_scale}
    asked = Asked(
        model,
        verify,
        tuple((name, value) for name, value in search.items() if value is not None),
        tuple((name, value) for name, value in agreed.items() if value is not None),
        memory,
        tuple(glossary or []),
        own_glossary=not no_glossary,
    )
    translator = asked.open()
    if document is not None:
        fill(document, translator, output, report, thread_count(threads), progress)
        return
    paths = text or [Path("-")]
    if elsewhere is not None:
        del translator  # has been tried
        job = TranslateLines(asked.absolute(), nbest, format, markup)
        batches = (lines for path in paths for lines in _batches(path, markup=markup))
        with files.write_bytes(output) as out:
            out.writelines(translate_pieces(batches, job, elsewhere, progress))
        return
    _write_all(
        paths,
        output,
        lambda lines: translator.nbest_lines(
            lines, nbest, markup=markup, threads=thread_count(threads)
        ),
        Written(nbest, format, translator.matches),
        progress,
        markup=markup,
    )


def _engine(name: str, temp: Path | None, threads: int, here: bool) -> Engine | None:
    """Where lines are translated, if not in this process."""
    if name == "local":
        return None
    if here:
        raise typer.BadParameter(
            "lines of text go to a cluster, with a model", param_hint="--engine"
        )
    return opened_engine(name, threads=thread_count(threads), temp=temp)


def _write_all(
    paths: Sequence[Path],
    output: Path,
    translate: Callable[[list[str]], Iterable[list[Translation]]],
    written: Written,
    progress: Progress,
    *,
    markup: bool = False,
) -> None:
    """All lines of all files, in their order."""
    from demotic import files

    number = 0
    with (
        files.write_bytes(output) as out,
        progress.step("translating", unit="lines") as advance,
    ):
        for path in paths:
            for lines in _batches(path, markup=markup):
                for line, best in zip(lines, translate(lines), strict=True):
                    written.write(out, number, line, best)
                    number += 1
                    advance(1)
                if str(output) == "-":
                    out.flush()


def _typed(text: list[Path] | None) -> bool:
    """Does a person type the text?  Then no bar may be drawn where they do."""
    import sys

    return Path("-") in (text or [Path("-")]) and sys.stdin.isatty()


def _batches(path: Path, *, markup: bool) -> Iterator[list[str]]:
    """Lines of a file; those with instructions that cannot be followed are refused."""
    from demotic import files

    number = 0
    for block in files.read_text(path):
        lines = block.decode("utf-8")[:-1].split("\n")
        if markup:
            _check_instructions(path, number, lines)
        number += len(lines)
        yield lines


def _check_instructions(path: Path, before: int, lines: Sequence[str]) -> None:
    from demotic.errors import FormatError
    from demotic.glossary.instructions import instructions

    for number, line in enumerate(lines, before + 1):
        try:
            instructions(line)
        except FormatError as error:
            name = "standard input" if str(path) == "-" else path
            raise FormatError(error.message, path=name, line=number, remedy=error.remedy) from None
