"""``demotic explain``: where each word of a translation comes from."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from demotic.cli.options import check_files

NAME = "explain"
NEEDS_ARGUMENTS = True


class Format(StrEnum):
    """How the explanation is written."""

    tree = "tree"
    json = "json"
    html = "html"


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A trained model.")],
    text: Annotated[
        list[str], typer.Argument(metavar="TEXT...", help="A sentence to translate, or several.")
    ],
    format: Annotated[
        Format, typer.Option(help="An indented tree, JSON, or a page to look at.")
    ] = Format.tree,
    memory: Annotated[
        bool,
        typer.Option(
            "--memory/--no-memory",
            help="Say where it was translated before, if it was, instead of how it is decoded.",
        ),
    ] = True,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where it goes.")
    ] = Path("-"),
) -> None:
    """Translate sentences and show how: rules, their scores, the training sentences behind them.

    The page has all of it in one file: pictures of the derivations, what each feature adds, what
    other rules there were.

    \b
    Examples:
      demotic explain en-fr.demotic "Delete the file?"
      demotic explain en-fr.demotic "Delete the file?" --format json
      demotic explain en-fr.demotic "Delete the file?" --format html --output why.html
    """
    import json

    from demotic import files
    from demotic.model import load
    from demotic.terminal import json_shown

    check_files(inputs=[model], outputs=[output])
    translator = load(model) if memory else load(model).with_memory({"use": False})
    lines = [each.replace("\n", " ") for each in text]
    if format is Format.tree:
        shown = "\n\n".join(translator.explain(line).tree() for line in lines)
    else:
        from demotic.explain.html import page
        from demotic.explain.view import view

        views = [view(translator, line) for line in lines]
        if format is Format.html:
            shown = page(views)
        else:
            told = views[0] if len(views) == 1 else views
            shown = json_shown(json.dumps(told, ensure_ascii=False, indent=2))
    files.write_lines(output, [shown])
