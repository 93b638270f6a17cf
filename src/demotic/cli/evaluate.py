"""``demotic evaluate``: scores with intervals and signatures, and tests against a baseline."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from demotic.cli.options import JsonLog, Quiet, Seed, Threads, progress_for, thread_count

if TYPE_CHECKING:
    from demotic.metrics import Metric, Result
    from demotic.progress import Progress

NAME = "evaluate"
NEEDS_ARGUMENTS = True

_SLOW_FOR_TER = 1000  # words

METRICS = ("bleu", "chrf", "chrf++", "ter", "gtm")


class Tokeniser(StrEnum):
    """sacreBLEU's tokenisers."""

    mteval = "13a"
    intl = "intl"
    zh = "zh"
    char = "char"
    none = "none"
    ja = "ja-mecab"
    ko = "ko-mecab"


class Format(StrEnum):
    """How results are printed."""

    text = "text"
    json = "json"


def _metric_names(text: str) -> str:
    for name in text.split(","):
        if name not in METRICS:
            raise typer.BadParameter(f"unknown metric '{name}'; choose from {', '.join(METRICS)}")
    return text


def command(
    hypothesis: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE", help="A system's translations, one sentence a line; may be repeated."
        ),
    ],
    reference: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="A human translation; repeat it for several references."),
    ],
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The translations that the others are tested against."),
    ] = None,
    metric: Annotated[
        str,
        typer.Option(
            help=f"What to compute, separated by commas: {', '.join(METRICS)}.",
            callback=_metric_names,
        ),
    ] = "bleu,chrf,ter",
    tokenise: Annotated[
        Tokeniser | None,
        typer.Option(
            help="Tokeniser for BLEU and GTM. [default: 13a for BLEU, none for GTM]",
            show_default=False,
        ),
    ] = None,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", help="Ignore case (TER always does).")
    ] = False,
    gtm_exponent: Annotated[
        float, typer.Option(min=1, max=100, help="GTM's reward for long runs; 1 ignores order.")
    ] = 1.0,
    samples: Annotated[
        int, typer.Option(min=1, help="Resamples for intervals, bootstrap and randomisation.")
    ] = 1000,
    seed: Seed = 0,
    format: Annotated[Format, typer.Option(help="A table, or JSON for machines.")] = Format.text,
    threads: Threads = 0,
    quiet: Quiet = False,
    json_log: JsonLog = False,
) -> None:
    """Score translations against references, with 95% intervals and significance tests.

    Files hold one sentence a line and may be gzip-compressed; '-' is standard input. BLEU, chrF and
    TER are sacreBLEU's and carry its signature. With --baseline each system is compared with it:
    paired bootstrap and approximate randomisation on the corpus score, sign test and Wilcoxon's
    signed ranks on sentence scores; the p-values are two-sided.

    \b
    Examples:
      demotic evaluate --hypothesis out.en --reference test.en
      demotic evaluate --hypothesis new.en --baseline old.en --reference test.en --metric bleu,ter
      demotic evaluate --hypothesis out.zh --reference a.zh --reference b.zh --tokenise zh
      demotic evaluate --hypothesis out.en --reference test.en.gz --format json
    """
    from demotic.metrics import evaluate

    paths = [*([baseline] if baseline is not None else []), *hypothesis]
    progress = progress_for(quiet=quiet, json_log=json_log)
    streams, references = _read(paths, reference)
    if "ter" in metric.split(","):
        _announce_long_lines(paths, streams, progress)
    results = evaluate(
        dict(zip(map(str, paths), streams, strict=True)),
        references,
        _metrics(metric, tokenise, lowercase, gtm_exponent, thread_count(threads)),
        baseline=None if baseline is None else str(baseline),
        samples=samples,
        seed=seed,
        progress=progress,
    )
    print(_as_json(results) if format is Format.json else _as_text(results))


def _read(paths: list[Path], references: list[Path]) -> tuple[list[list[str]], list[list[str]]]:
    from demotic.errors import ArgumentError, FormatError
    from demotic.files import read_lines

    repeated = {str(path) for path in paths if paths.count(path) > 1}
    if repeated or (paths + references).count(Path("-")) > 1:
        raise ArgumentError(f"given twice: {', '.join(sorted(repeated)) or 'standard input'}")
    streams = [list(read_lines(path)) for path in (*references, *paths)]
    for path, lines in zip((*references, *paths), streams, strict=True):
        if not lines:
            raise FormatError("is empty", path=path, remedy="give one sentence a line")
        if len(lines) != len(streams[0]):
            raise FormatError(
                f"has {len(lines)} lines, but {references[0]} has {len(streams[0])}",
                path=path,
                line=min(len(lines), len(streams[0])) + 1,
                remedy="line n of every file must translate the same sentence",
            )
    return streams[len(references) :], streams[: len(references)]


def _announce_long_lines(paths: list[Path], streams: list[list[str]], progress: Progress) -> None:
    """TER's search for shifts takes the square of the length: say why nothing seems to move."""
    for path, lines in zip(paths, streams, strict=True):
        for number, line in enumerate(lines, start=1):
            if line.count(" ") >= _SLOW_FOR_TER:
                progress.say(
                    f"{path}:{number}: {len(line.split()):,} words; TER can take minutes on such a"
                    " line (split it, or leave ter out of --metric)"
                )


def _metrics(
    names: str, tokenise: Tokeniser | None, lowercase: bool, exponent: float, threads: int
) -> list[Metric]:
    from demotic.metrics import Bleu, Chrf, Gtm, Ter

    def build(name: str) -> Metric:
        if name == "bleu":
            return Bleu(tokenise=tokenise or "13a", lowercase=lowercase, threads=threads)
        if name == "gtm":
            return Gtm(
                exponent=exponent,
                tokenise=tokenise or "none",
                lowercase=lowercase,
                threads=threads,
            )
        if name == "ter":
            return Ter()
        return Chrf(word_order=2 if name == "chrf++" else 0, lowercase=lowercase)

    return [build(name) for name in dict.fromkeys(names.split(","))]


def _as_json(results: list[Result]) -> str:
    import json
    from dataclasses import asdict

    return json.dumps([asdict(result) for result in results], ensure_ascii=False, indent=2)


def _as_text(results: list[Result]) -> str:
    tests = next((r.comparison.tests for r in results if r.comparison is not None), ())
    rows = [["metric", "system", "score", "95% interval"]]
    if tests:
        rows[0] += ["difference", *(f"p ({test.test})" for test in tests)]
    for result in results:
        score = result.score
        row = [score.name, result.system, f"{score.value:.2f}", ""]
        if score.interval is not None:
            row[3] = f"{score.interval.low:.2f} - {score.interval.high:.2f}"
        if result.comparison is not None:
            row.append(f"{result.comparison.difference:+.2f}")
            row += [f"{test.p_value:.4f}" for test in result.comparison.tests]
        rows.append(row + [""] * (len(rows[0]) - len(row)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    signatures = {result.score.name: result.score.signature for result in results}
    lines += ["", *(f"{name}: {signature}" for name, signature in signatures.items())]
    interval = results[0].score.interval
    if interval is not None:
        lines.append(f"{interval.samples} resamples, seed {interval.seed}")
    return "\n".join(lines)
