"""``demotic tune``: new weights for a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from demotic.cli.options import (
    DevSource,
    DevTarget,
    JsonLog,
    Quiet,
    Seed,
    Threads,
    Tuner,
    check_files,
    further_references,
    progress_for,
    thread_count,
    usage,
)

NAME = "tune"
NEEDS_ARGUMENTS = True


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A trained model.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="MODEL", help="The tuned model; may be the same.")
    ],
    dev_source: DevSource = None,
    dev_target: DevTarget = None,
    dev: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Both in one: TMX, XLIFF, PO, MO, TSV.")
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rounds of tuning, at most; umt: epochs of learning. [default: the model's own]",
        ),
    ] = None,
    tuner: Tuner = None,
    imputed: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Text in the target language to tune on, too, by minrisk, its sources imputed.",
        ),
    ] = None,
    reverse: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL", help="A model of the opposite direction, which imputes them."
        ),
    ] = None,
    seed: Seed = 1,
    threads: Threads = 0,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Tune a model's weights on a development set for BLEU.

    It is tuned as it was when it was trained (its section [tune]), or by another tuner.  A model of
    the system umt goes on learning from its own roll-outs instead.

    \b
    Examples:
      demotic tune de-en.demotic --dev-source news.de --dev-target news.en --out news.demotic
      demotic tune en-fr.demotic --dev product.tmx --out product.demotic --iterations 5
      demotic tune de-en.demotic --dev-source news.de --dev-target news.en --out news.demotic \\
                   --tuner mira
      demotic tune de-en.demotic --dev-source news.de --dev-target news.en --out news.demotic \\
                   --tuner minrisk --imputed more.en --reverse en-de.demotic
    """
    from dataclasses import replace

    from demotic.bundle import check_place
    from demotic.corpus import read_bitext
    from demotic.model import load, tune
    from demotic.systems.imputing import ImputedConfig
    from demotic.systems.records import over
    from demotic.systems.tuning import own_tuning

    targets = dev_target or []
    if (dev is None) == (dev_source is None) or (dev_source is None) != (not targets):
        raise typer.BadParameter("give --dev-source and --dev-target, or --dev")
    with usage("--out"):
        check_place(out)
    with usage("--imputed"):
        without_source = ImputedConfig(text=imputed, reverse=reverse)
    given = (dev, dev_source, *targets, *without_source.files())
    check_files(inputs=[path for path in given if path is not None], outputs=[])
    progress = progress_for(quiet=quiet, json_log=json_log)
    translator = load(model)
    options = None
    if tuner is not None or iterations is not None:
        with usage("--tuner"):
            wanted = {} if tuner is None else {"method": tuner}
            options = over(own_tuning(translator), wanted, "tune").options
    if options is not None and iterations is not None:
        options = replace(options, iterations=iterations)
    about = translator.about
    text = read_bitext(
        dev if dev is not None else str(dev_source),
        targets[0] if targets else None,
        source=about.source_language,
        target=about.target_language,
        progress=progress,
    )
    references = further_references(targets[1:], len(text))
    tuned = tune(
        translator,
        text,
        out=out,
        references=references,
        options=options,
        imputed=without_source,
        seed=seed,
        threads=thread_count(threads),
        progress=progress,
    )
    before = translator.score(text, references=references, threads=thread_count(threads))
    after = tuned.about.dev
    progress.say(f"{after['metric']} {before.value:.2f} before, {after['value']:.2f} after tuning")
