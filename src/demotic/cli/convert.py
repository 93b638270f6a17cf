"""``demotic convert``: rule tables and language models between formats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from demotic.cli.options import JsonLog, Quiet, check_files, progress_for
from demotic.cli.rule_files import RuleFormat, check_out, table_file

if TYPE_CHECKING:
    from demotic.progress import Progress

NAME = "convert"
NEEDS_ARGUMENTS = True


def command(
    given: Annotated[Path, typer.Argument(metavar="IN", help="A rule table or a language model.")],
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="Binary (.bin), or text (.gz compresses).")
    ],
    from_: Annotated[
        RuleFormat | None,
        typer.Option("--from", help="Format of a text IN. [default: told by its rules]"),
    ] = None,
    to: Annotated[RuleFormat | None, typer.Option("--to", help="Format of a text OUT.")] = None,
    filter: Annotated[
        Path | None,
        typer.Option(metavar="TEXT", help="Keep only rules that can match these sentences."),
    ] = None,
    empty_targets: Annotated[
        bool, typer.Option("--empty-targets", help="Accept rules with an empty target side.")
    ] = False,
    first_duplicate: Annotated[
        bool,
        typer.Option(
            "--first-duplicate", help="Keep the first of rules that differ only in their scores."
        ),
    ] = False,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Keep this score as a column, though not every rule of IN has it; else it becomes"
            " a sparse feature. Can be repeated.",
        ),
    ] = None,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Convert a rule table (cdec, Joshua, Moses, binary) or a language model (ARPA, binary).

    Scores become natural logs: probabilities of Moses by their logarithm, costs of Joshua by their
    negative, values of cdec as they are. Scores whose name stands on some rules only become sparse
    features. The result is binary if OUT ends in .bin.

    \b
    Examples:
      demotic convert grammar.scfg.gz rules.bin --from cdec
      demotic convert phrase-table.gz phrases.bin
      demotic convert rules.bin rules.gz --to joshua --filter test.de
      demotic convert news.arpa.gz news.bin                      a language model; also back
    """
    progress = progress_for(quiet=quiet, json_log=json_log)
    check_files(inputs=[given, *([] if filter is None else [filter])], outputs=[out])
    of_text = from_ is not None or empty_targets or first_duplicate or bool(column)
    if _is_language_model(given):
        if of_text or to is not None or filter is not None:
            raise typer.BadParameter(f"'{given}' is a language model: it has no rules")
        from demotic.lm import LanguageModel

        LanguageModel.load(given, progress=progress).save(out)
        return
    check_out(out, to)
    if of_text and _kind(given) is not None:
        raise typer.BadParameter(f"'{given}' is binary: there is no text to read in another way")
    _convert(given, out, from_, to, filter, empty_targets, first_duplicate, column or [], progress)


def _convert(
    given: Path,
    out: Path,
    from_: RuleFormat | None,
    to: RuleFormat | None,
    filter: Path | None,
    empty_targets: bool,
    first_duplicate: bool,
    columns: list[str],
    progress: Progress,
) -> None:
    from demotic import files
    from demotic.grammar import RuleTable, filter_rules

    if _kind(given) is not None:
        table = RuleTable.load(given)
        if filter is not None and to is None:
            filter_rules(table, files.read_lines(filter), out=out, progress=progress)
        elif filter is None and to is not None:
            table.to_text(out, format=to.value, progress=progress)
        elif filter is None:
            raise typer.BadParameter("both files are binary: there is nothing to convert")
        else:
            with table_file(out, to, None, None, progress) as path:
                filter_rules(table, files.read_lines(filter), out=path, progress=progress)
        return
    with table_file(out, to, filter, None, progress) as path:
        RuleTable.from_text(
            given,
            out=path,
            format="auto" if from_ is None else from_.value,
            empty_targets=empty_targets,
            first_duplicate=first_duplicate,
            columns=columns,
            progress=progress,
        )


def _kind(path: Path) -> str | None:
    """What a binary file of ours is; None for anything else."""
    from demotic import _core, files

    if not path.is_file():
        return None
    with files.naming(path):
        with path.open("rb") as stream:
            if stream.read(8) != b"DEMOTIC\0":
                return None
        return _core.Container(str(path)).kind


def _is_language_model(path: Path) -> bool:
    from demotic import files

    kind = _kind(path)
    if kind is not None or not path.is_file():
        return kind == "lm"
    first = next(iter(files.read_text(path)), b"")
    return first.lstrip().startswith(b"\\data\\")
