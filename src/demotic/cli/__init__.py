"""The ``demotic`` command: one module per subcommand, heavy imports inside the functions."""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module
from typing import Annotated, Any

import typer

from demotic.cli import signals, streams
from demotic.errors import DemoticError
from demotic.extras import TRAINING, missing
from demotic.terminal import shown

COMMANDS = {
    name: name
    for name in (
        "demo",
        "config",
        "train",
        "translate",
        "explain",
        "evaluate",
        "align",
        "lm",
        "parse",
        "extract",
        "tune",
        "inspect",
        "convert",
        "experiment",
        "serve",
    )
} | dict.fromkeys(("tokenise", "detokenise", "sentences"), "tokenise")
"""Each command with its module, in the order of the help."""


def _version(wanted: bool) -> None:
    if wanted:
        from demotic import __version__

        print(f"demotic {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def application(only: str | None = None) -> typer.Typer:
    """The command line; with ``only`` one of its commands, since all take as long to set up as a
    model to load."""
    made = typer.Typer(
        name="demotic",
        help="Turn a translation memory into a fast, explainable translator.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_root)
    for name in [only] if only in COMMANDS else COMMANDS:
        module = import_module(f"demotic.cli.{COMMANDS[name]}")
        if COMMANDS[name] == name and name != "tokenise":
            made.command(name, no_args_is_help=module.NEEDS_ARGUMENTS)(module.command)
        else:
            made.command(name)(module.COMMANDS[name])
    return made


def __getattr__(name: str) -> Any:
    if name == "app":  # all of it
        return application()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_NO_MEMORY = "out of memory (use a smaller input or a lower --memory)"


def main() -> None:
    """Run the command line: 0 ok, 1 failure, 2 wrong usage, 130 interrupted, 143 terminated."""
    streams.guard()
    signals.listen()
    try:
        try:
            application(next(iter(sys.argv[1:]), None))()
        finally:
            sys.stdout.flush()  # here, where a full disk can still be reported
    except DemoticError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in TRAINING:
            raise
        _fail(str(missing(str(error.name))))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        _drop_output()  # the reader (`| head`) has seen enough
        sys.exit(1)
    except MemoryError:
        _fail(_NO_MEMORY)
    except ImportError as error:
        if "failed to map segment" not in str(error):  # of a library, where addresses are few
            raise
        _fail(_NO_MEMORY)
    except OSError as error:
        if error.filename is None:
            _drop_output()
        if error.errno == errno.ENOSPC:
            _fail(f"{error.filename or 'output'}: no space left on the disk (free some space)")
        _fail(str(error))


def _drop_output() -> None:
    """Keep the interpreter from trying once more at exit to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> None:
    lines = "\n".join(map(shown, message.split("\n")))
    print(f"demotic: error: {lines}", file=sys.stderr)
    sys.exit(1)
