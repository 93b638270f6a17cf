"""``demotic inspect``: what a file is, what is in it, whether it is sound."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from demotic.cli.options import JsonLog, Quiet, progress_for

NAME = "inspect"
NEEDS_ARGUMENTS = True


class Format(StrEnum):
    """How the report is printed."""

    text = "text"
    json = "json"


def command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files of any kind, or models.")
    ],
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Compare every checksum of binary files beyond 64 MiB, too."),
    ] = False,
    format: Annotated[Format, typer.Option(help="Lines for people, or JSON.")] = Format.text,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Say what a file is and what is in it.

    Knows everything that Demotic reads or writes: plain text, TSV, TMX, XLIFF, PO and MO (gzip or
    not), Arrow bitext, word alignments in Pharaoh format, language models (ARPA and binary),
    aligner models, rule tables, forests and its other binary files, and trained models, which are
    folders or .demotic files: system, score, weights, parts, configuration, provenance. Every file
    is reported; the exit code is 1 if one of them cannot be read or has a problem, such as invalid
    UTF-8.

    \b
    Examples:
      demotic inspect train.de train.en.gz
      demotic inspect memory.tmx --format json
      demotic inspect news.bin --verify
      demotic inspect de-en.demotic
    """
    import json
    from dataclasses import asdict

    from demotic.errors import DemoticError
    from demotic.inspection import inspect
    from demotic.terminal import json_shown, shown

    progress = progress_for(quiet=quiet, json_log=json_log)
    records: list[dict[str, object]] = []
    bad = False
    for path in files:
        try:
            report = inspect(path, verify=verify, progress=progress)
        except DemoticError as error:
            bad = True
            records.append({"path": str(path), "error": str(error)})
            typer.echo(f"demotic: error: {shown(str(error))}", err=True)
            continue
        bad |= bool(report.problems)
        records.append(asdict(report))
        if format is Format.text:
            print("\n".join(map(shown, report.lines())))
    if format is Format.json:
        print(json_shown(json.dumps(records, ensure_ascii=False, indent=2)))
    if bad:
        raise typer.Exit(1)
