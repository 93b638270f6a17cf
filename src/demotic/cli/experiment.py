"""``demotic experiment``: a paper's experiments, on any data; settings compared on many sets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from typing import Annotated, Any

import typer

from demotic.cli.options import (
    JsonLog,
    Quiet,
    Threads,
    progress_for,
    setting,
    thread_count,
    usage,
)
from demotic.experiments import EXPERIMENTS
from demotic.systems import DEFAULT

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
            help="Folder with train.LANG, dev.LANG (or val) and test.LANG, plain or .gz;"
            " portfolio: a folder of such folders.",
        ),
    ],
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
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="LANG", help="All but portfolio: language of the source."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="LANG", help="All but portfolio: language of the target."),
    ] = None,
    other_data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="amasis: a folder like --data, of another domain; its test set is translated,"
            " too.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="umt: a hiero model of this data, to start from. [default: train one]",
        ),
    ] = None,
    treebank: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="transducer: trees of the source language. [default: those that links show]",
        ),
    ] = None,
    tokenised: Annotated[
        bool | None,
        typer.Option(
            "--tokenised/--raw",
            help="Tokens and spaces, or text as people write it; portfolio makes lower-cased tokens"
            " of Moses where a set has none. [default: tokens; portfolio: raw]",
        ),
    ] = None,
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
        str | None,
        typer.Option(
            help="Seeds; transducer draws its pairs by the first. [default: 1,2,3; portfolio: 1]"
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=1, help="umt: rounds of each measurement of time; the median counts. [default: 5]"
        ),
    ] = None,
    portfolio: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="portfolio: sets and settings, in TOML. [default: standard sets]"
        ),
    ] = None,
    sets: Annotated[
        str | None, typer.Option(help="portfolio: only these sets, by name. [default: all]")
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help=f"portfolio: which are trained. [default: {DEFAULT}]")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--setting",
            metavar="'NAME: KEY=VALUE ...'",
            help="portfolio: compare this with the default; again for more.",
        ),
    ] = None,
    base: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="portfolio: for all settings, the default, too."
        ),
    ] = None,
    parts: Annotated[
        str | None, typer.Option(help="Only these parts, such as e1,e3. [default: all]")
    ] = None,
    threads: Threads = 0,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Run the experiments of a paper and set its figures beside those measured here; or compare
    settings on a portfolio of many sets.

    Times are CPU seconds of one thread; the machine should have little else to do.  The whole of
    blocks takes about two hours of one core for 29,000 pairs of short sentences and three seeds; a
    run that was stopped goes on with the next part.

    \b
    Examples:
      demotic experiment umt --data multi30k/tok --from de --to en --out umt-de-en
      demotic experiment umt --data multi30k/tok --from de --to en --out umt-de-en --parts e1,e6
      demotic experiment blocks --data multi30k/tok --from de --to en --out blocks-de-en
      demotic experiment amasis --data multi30k/tok --from fr --to en --out amasis-fr-en \\
                    --other-data europarl-fr-en/tok
      demotic experiment cdlm --data tatoeba/tok --from zh --to en --out cdlm-zh-en
      demotic experiment portfolio --data corpora --out portfolio \\
                    --setting 'loose: extract.tight=false' --setting 'lm4: lm.order=4'
    """
    from demotic.experiments import experiment_named
    from demotic.experiments.setup import Setup

    with usage("NAME"):
        chosen = experiment_named(name)
    for option, given in (
        ("from", from_), ("to", to), ("other-data", other_data), ("model", model),
        ("treebank", treebank),
        ("seeds", seeds), ("repeats", repeats), ("portfolio", portfolio), ("sets", sets),
        ("systems", systems), ("setting", settings), ("set", base),
    ):  # fmt: skip
        if given is None and option in chosen.USES and option in ("from", "to"):
            raise typer.BadParameter("say which language", param_hint=f"--{option}")
        if given is not None and option not in chosen.USES:
            raise typer.BadParameter(
                f"the experiment {name} does not use it", param_hint=f"--{option}"
            )
    setup = Setup(
        data=data,
        other=other_data,
        source=from_ or "",
        target=to or "",
        out=out,
        model=model,
        treebank=treebank,
        tokenised=chosen.TOKENISED if tokenised is None else tokenised,
        quick=quick,
        train_lines=train_lines,
        dev_lines=dev_lines,
        test_lines=test_lines,
        seeds=_numbers(seeds or ("1" if name == "portfolio" else "1,2,3")),
        repeats=repeats or 5,
        parts=tuple(parts.split(",")) if parts else (),
        threads=thread_count(threads),
        portfolio=portfolio,
        sets=tuple(sets.split(",")) if sets else (),
        systems=tuple(systems.split(",")) if systems else (DEFAULT,),
        base=_merged(setting(each, "--set") for each in base or []),
        settings=dict(map(_named, settings or [])),
        progress=progress_for(quiet=quiet, json_log=json_log),
    )
    with usage():
        chosen.check(setup)
    print(chosen.run(setup))


def _named(text: str) -> tuple[str, dict[str, Any]]:
    """``loose: extract.tight=false lm.order=4`` as a name and a record."""
    name, colon, changes = text.partition(":")
    if not colon:
        raise typer.BadParameter(f"'{text}': write NAME: KEY=VALUE", param_hint="--setting")
    pairs = re.split(r"[,\s]+(?=[\w.]+=)", changes.strip())
    return name.strip(), _merged(setting(each, "--setting") for each in pairs)


def _merged(records: Iterable[dict[str, Any]]) -> dict[str, Any]:
    from demotic.systems.records import merged

    return reduce(merged, records, {})


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"'{text}': write 1,2,3", param_hint="--seeds") from None
