"""``demotic lm``: estimate a language model, score text with one, convert one, cluster words."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from demotic.cli import options

if TYPE_CHECKING:
    from demotic.lm import LineScores
    from demotic.progress import Progress

NAME = "lm"
NEEDS_ARGUMENTS = True


class Format(StrEnum):
    """How scores are printed."""

    text = "text"
    json = "json"


def _thresholds(text: str) -> tuple[int, ...]:
    """``0,0,1`` or ``0 0 1`` as pruning thresholds."""
    try:
        return tuple(int(each) for each in text.replace(",", " ").split())
    except ValueError:
        raise typer.BadParameter(
            f"'{text}': write thresholds like 0,0,1", param_hint="--prune"
        ) from None


def command(
    text: Annotated[
        list[Path] | None,
        typer.Argument(metavar="TEXT", help="Tokenised text, one sentence a line; .gz, '-'."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where the model or the classes go. Models: .arpa, .arpa.gz, or binary (.bin).",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A model, ARPA or binary: score TEXT, or convert it."),
    ] = None,
    order: Annotated[int, typer.Option(min=1, max=8, help="Words in the longest n-grams.")] = 5,
    engine: options.EngineName = "local",
    memory: options.Memory = "1G",
    temp: options.Temp = None,
    prune: Annotated[
        str,
        typer.Option(
            metavar="COUNTS",
            help="Drop n-grams seen no more often than this, by order; 0,0,1 drops trigrams and"
            " longer n-grams seen once.",
        ),
    ] = "0",
    limit_vocab: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Keep only the N most frequent words.")
    ] = None,
    discount_fallback: Annotated[
        bool,
        typer.Option(help="Use fixed discounts where the text is too small to estimate them."),
    ] = True,
    skip_special: Annotated[
        bool, typer.Option("--skip-special", help="Pass over <s>, </s> and <unk> in TEXT.")
    ] = False,
    classes: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Cluster the words into N classes.")
    ] = None,
    iterations: Annotated[int, typer.Option(min=1, help="Rounds of clustering, at most.")] = 10,
    min_count: Annotated[
        int, typer.Option(min=1, help="Words seen less often go into one class together.")
    ] = 1,
    verify: Annotated[
        bool | None,
        typer.Option(
            help="Compare a binary model with its checksums. [default: if it is up to 64 MiB]",
            show_default=False,
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="Scores as a table or as JSON lines.")] = (
        Format.text
    ),
    threads: options.Threads = 0,
    quiet: options.Quiet = False,
    json_log: options.JsonLog = False,
) -> None:
    """Estimate an n-gram model from text, score text with a model, convert a model, cluster words.

    Estimation is interpolated modified Kneser-Ney, equal to KenLM's lmplz. Scores are log10, after
    <s> and with </s>; the perplexity is given with and without unknown words (OOV).

    \b
    Examples:
      demotic lm train.en.gz --order 5 --out en.arpa.gz    estimate
      demotic lm train.en --out en.bin --memory 500M       estimate, binary form
      demotic lm --model en.arpa.gz --out en.bin           convert; also from binary to ARPA
      demotic lm --model en.bin test.en                    score each line, and all of them
      demotic lm --model en.bin test.en --format json      the same for machines
      demotic lm train.en --classes 100 --out classes.txt  word classes
    """
    progress = options.progress_for(quiet=quiet, json_log=json_log)
    read = [*(text or []), *([model] if model is not None else [])]
    options.check_files(inputs=read, outputs=[out] if out is not None else [])
    options.check_temp(temp)
    if classes is not None:
        if model is not None or not text or out is None:
            raise typer.BadParameter("--classes takes TEXT and --out")
        from demotic.lm.classes import cluster

        cluster(
            text,
            classes=classes,
            iterations=iterations,
            min_count=min_count,
            threads=options.thread_count(threads),
            progress=progress,
        ).save(out)
    elif model is None:
        if not text or out is None:
            raise typer.BadParameter("give TEXT and --out to estimate a model, or --model")
        from demotic.lm.estimation import estimate

        size, cores = options.byte_count(memory, "--memory"), options.thread_count(threads)
        place = None
        if engine != "local":
            if Path("-") in text:
                raise typer.BadParameter("a cluster reads files, and them twice", param_hint="TEXT")
            place = options.opened_engine(engine, threads=cores, memory=size, temp=temp)
        estimate(
            text,
            order=order,
            memory=size,
            temp=temp,
            discount_fallback=discount_fallback,
            prune=_thresholds(prune),
            vocab_limit=limit_vocab,
            skip_special=skip_special,
            threads=cores,
            engine=place,
            progress=progress,
        ).save(out, progress=progress)
    elif text:
        if out is not None:
            raise typer.BadParameter("--out converts a model; scores go to standard output")
        _score(model, text, format, verify, options.thread_count(threads), progress)
    elif out is not None:
        from demotic.lm import LanguageModel

        LanguageModel.load(model, verify=verify, progress=progress).save(out)
    else:
        raise typer.BadParameter("give TEXT to score, or --out to convert the model")


def _score(
    path: Path,
    text: list[Path],
    format: Format,
    verify: bool | None,
    threads: int,
    progress: Progress,
) -> None:
    from demotic import files
    from demotic.errors import FormatError
    from demotic.lm import LanguageModel, LineScores

    lm = LanguageModel.load(path, verify=verify, progress=progress)
    parts: list[LineScores] = []
    if format is Format.text:
        print("log10\twords\toov")
    with progress.step("scoring", unit="lines") as advance:
        for file in text:
            for block in files.read_text(file):
                parts.append(lm.score_lines(block, threads=threads))
                _print_lines(parts[-1], format)
                advance(len(parts[-1]))
    if not parts:
        raise FormatError(
            "no text to score", path=text[0], remedy="give at least one sentence, one a line"
        )
    _print_summary(LineScores.joined(parts), format)


def _print_lines(scores: LineScores, format: Format) -> None:
    import json

    rows = zip(scores.log10.tolist(), scores.words.tolist(), scores.oovs.tolist(), strict=True)
    if format is Format.json:
        lines = [json.dumps({"log10": a, "words": b, "oov": c}) for a, b, c in rows]
    else:
        lines = [f"{a:.6f}\t{b}\t{c}" for a, b, c in rows]
    print("\n".join(lines))


def _print_summary(scores: LineScores, format: Format) -> None:
    import json

    summary = {
        "sentences": len(scores),
        "words": int(scores.words.sum()),
        "oov": int(scores.oovs.sum()),
        "log10": scores.total,
        "perplexity": scores.perplexity,
        "perplexity_without_oov": scores.perplexity_without_oov,
    }
    if format is Format.json:
        print(json.dumps({"total": summary}))
    else:
        for name, value in summary.items():
            shown = f"{value:,}" if isinstance(value, int) else f"{value:.6f}"
            print(f"# {name.replace('_', ' ')}: {shown}")
