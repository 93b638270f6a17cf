"""``demotic config``: all settings of a system, to be edited."""

from __future__ import annotations

from typing import Annotated

import typer

from demotic.cli.options import usage
from demotic.systems import SYSTEMS

NAME = "config"
NEEDS_ARGUMENTS = True


def command(
    system: Annotated[
        str, typer.Argument(metavar="SYSTEM", help=f"Which one: {', '.join(SYSTEMS)}.")
    ],
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The settings of this preset, for a system with presets."
        ),
    ] = None,
) -> None:
    """Print every setting of a system with its default and what it is for, in TOML.

    demotic train reads what is printed; settings that are deleted keep their default.

    \b
    Examples:
      demotic config hiero > de-en.toml
      demotic train de-en.toml --source train.de --target train.en --out de-en.demotic
      demotic config umt --preset literal
    """
    from demotic.systems import configured
    from demotic.systems.template import template

    with usage():
        config = configured(system, {} if preset is None else {"preset": preset})
    print(template(system, config))
