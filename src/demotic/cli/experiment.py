"""``demotic experiment``: a paper's experiments, on any data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from demotic.cli.options import JsonLog, Quiet, Threads, progress_for, thread_count, usage
from demotic.experiments import EXPERIMENTS

NAME = "experiment"
NEEDS_ARGUMENTS = True


def command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help=f"Which one: {', '.join(EXPERIMENTS)}.")
    ],
    data: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Folder with train.LANG, dev.LANG (or val) and test.LANG, plain or .gz.",
        ),
    ],
    from_: Annotated[str, typer.Option("--from", metavar="LANG", help="Language of the source.")],
    to: Annotated[str, typer.Option("--to", metavar="LANG", help="Language of the target.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder for results, models, plots and report.md; what is finished there is not"
            " done again.",
        ),
    ],
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="umt: a hiero model of this data, to start from. [default: train one]",
        ),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Text as people write it. [default: tokens and spaces]")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="See whether it all works: small, figures mean little.")
    ] = False,
    train_lines: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first lines. [default: all]")
    ] = None,
    dev_lines: Annotated[
        int | None, typer.Option(min=10, metavar="N", help="Only the first lines. [default: all]")
    ] = None,
    test_lines: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first lines. [default: all]")
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(help="umt: seeds of repeated learning. [default: 1,2,3]")
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1, help="umt: rounds of each measurement of time; the median counts. [default: 5]"
        ),
    ] = None,
    parts: Annotated[
        str | None, typer.Option(help="Only these parts, such as e1,e3. [default: all]")
    ] = None,
    threads: Threads = 0,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Run the experiments of a paper and set its figures beside those measured here.

    Times are CPU seconds of one thread; the machine should have little else to do.  The whole of
    blocks takes about 40 minutes of one core for 29,000 pairs of short sentences; a run that was
    stopped goes on with the next part.

    \b
    Examples:
      demotic experiment umt --data multi30k/tok --from de --to en --out umt-de-en
      demotic experiment umt --data multi30k/tok --from de --to en --out umt-de-en --parts e1,e6
      demotic experiment blocks --data multi30k/tok --from de --to en --out blocks-de-en
    """
    from demotic.experiments import experiment_named
    from demotic.experiments.setup import Setup

    with usage("NAME"):
        chosen = experiment_named(name)
    for option, given in (("model", model), ("seeds", seeds), ("repeats", repeats)):
        if given is not None and option not in chosen.USES:
            raise typer.BadParameter(
                f"the experiment {name} does not use it", param_hint=f"--{option}"
            )
    setup = Setup(
        data=data,
        source=from_,
        target=to,
        out=out,
        model=model,
        tokenised=not raw,
        quick=quick,
        train_lines=train_lines,
        dev_lines=dev_lines,
        test_lines=test_lines,
        seeds=_numbers(seeds or "1,2,3"),
        repeats=repeats or 5,
        parts=tuple(parts.split(",")) if parts else (),
        threads=thread_count(threads),
        progress=progress_for(quiet=quiet, json_log=json_log),
    )
    with usage("--parts"):
        setup.check_parts(tuple(chosen.PARTS))
    print(chosen.run(setup))


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"'{text}': write 1,2,3", param_hint="--seeds") from None
