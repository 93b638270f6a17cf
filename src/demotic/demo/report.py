"""The tour as a page to look at, and as a few lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from demotic.align.page import STYLE as MATRIX_STYLE
from demotic.align.page import figure as matrix
from demotic.corpus import CleaningReport
from demotic.demo.desk import Desk
from demotic.demo.tour import Tour
from demotic.explain import page as explanation_page
from demotic.metrics import Result
from demotic.page import document, table

_STYLE = """
dl { background:var(--card); border:1px solid var(--rule); border-radius:10px; padding:.8rem 1.1rem;
  margin:0 0 1rem; display:grid; grid-template-columns:max-content 1fr; gap:.15rem 1rem; }
table.filled td { white-space:pre-wrap; overflow-wrap:anywhere; }
table.filled td:last-child { color:var(--soft); white-space:nowrap; }
dt { color:var(--soft); font-size:.85rem; } dd { margin:0; }
"""
_MATRICES = 8
_WORDS = 24
_TRANSLATIONS = 5


_COLUMNS = ("system", "BLEU", "chrF2", "TER", "sentences/s", "training")


def scores(tour: Tour) -> list[tuple[str, ...]]:
    """A row for each system: its name, BLEU with interval, chrF, TER, speed, time to train."""
    rows: dict[str, list[str]] = {}
    for result in tour.results:
        score = result.score
        row = rows.setdefault(result.system, [result.system])
        text = f"{score.value:.1f}"
        if score.interval is not None:
            text += f" [{score.interval.low:.1f}, {score.interval.high:.1f}]"
        row.append(text)
    for name, row in rows.items():
        speed = tour.speeds[name]
        trained = speed.training_seconds > 0  # leaving a message as it is takes no time to speak of
        row.append(f"{speed.sentences_per_second:,.0f}" if trained else "-")
        row.append(f"{speed.training_seconds:.1f} s" if trained else "-")
    return [tuple(row) for row in rows.values()]


def summary(tour: Tour) -> str:
    """What the terminal shows at the end."""
    parts = tour.parts.report
    best = min(tour.fluency, key=lambda fluency: fluency.perplexity)
    natural, scrambled = tour.orders[0], tour.orders[1]
    lines = [
        "",
        f"{parts.train + parts.dev + parts.test:,} messages of {tour.files} catalogues: "
        f"{parts.train:,} to learn from, {parts.test:,} unseen ones to test with",
        f"words linked: {tour.alignments.links.count:,}, "
        f"{len(tour.lexicon):,} words with a translation",
        f"language model of order {best.order}: {best.ngrams:,} n-grams, "
        f"perplexity {best.perplexity:.0f} on unseen messages",
        f"  {natural[1]:8.2f}  {natural[0]}",
        f"  {scrambled[1]:8.2f}  {scrambled[0]}",
        "",
        *_columns([_COLUMNS, *scores(tour)]),
        "",
        f"a file filled in, {tour.desk.filled}: {_filled(tour.desk)}",
        *tour.desk.report.lines(),
        "",
        "unseen messages:",
        *_translations(tour),
        "",
        "why:",
        *tour.explanation.tree().splitlines(),
        "",
        *_columns([(name, f"{seconds:.1f} s") for name, seconds in tour.seconds.items()]),
        "",
    ]
    return "\n".join(lines)


def _translations(tour: Tour) -> Iterator[str]:
    for sample in tour.samples[:_TRANSLATIONS]:
        yield f"  {sample['message']}"
        for system in tour.models:
            name = f"{system}: " if len(tour.models) > 1 else ""
            yield f"  → {name}{sample[system]}"


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def html(tour: Tour) -> str:
    """One page without scripts or outside parts."""
    title = f"Demotic: a tour from {tour.source_language} to {tour.target_language}"
    parts = tour.parts.report
    body = "\n".join(
        [
            f"<p>{parts.train:,} messages to learn from, {parts.dev:,} for development and "
            f"{parts.test:,} unseen ones, from {tour.files} message catalogues. "
            "No sentence is in two parts.</p>",
            *_desk(tour.desk),
            *_explanation(tour),
            *_evaluation(tour),
            *_alignment(tour),
            *_language_model(tour),
            "<h2>What cleaning dropped</h2>",
            table(("reason", "pairs"), _dropped(tour.cleaning)),
            "<h2>Time</h2>",
            table(("step", "seconds"), [(name, f"{s:.1f}") for name, s in tour.seconds.items()]),
        ]
    )
    return document(title, body, style=MATRIX_STYLE + _STYLE + explanation_page.STYLE)


def _desk(desk: Desk) -> Iterator[str]:
    yield f"<h2>A file, filled in: {escape(desk.name)}</h2>"
    yield f"<p>{escape(_filled(desk))}</p>"
    yield table(("message", "translation", ""), desk.shown, name="filled")
    yield "<p>What to look at first:</p>"
    yield table(("message", "translation", ""), desk.doubtful, name="filled")
    yield (
        f'<p>The whole report: <a href="{escape(desk.page.name)}">{escape(desk.page.name)}</a>; '
        f"the file: {escape(desk.filled.name)}.</p>"
    )


def _filled(desk: Desk) -> str:
    counts = ", ".join(f"{count:,} {what}" for what, count in desk.report.counts.items())
    return (
        f"{len(desk.report.filled):,} messages without translation, none of them learned from: "
        f"{counts}. {desk.right:,} are what the program's own translators wrote, word for word."
    )


def _dropped(cleaning: CleaningReport) -> Iterator[tuple[str, str]]:
    yield "read", f"{cleaning.read:,}"
    for reason, drop in cleaning.dropped.items():
        yield reason, f"{drop.count:,}"
    yield "kept", f"{cleaning.kept:,}"


def _alignment(tour: Tour) -> Iterator[str]:
    yield "<h2>How words correspond</h2>"
    yield (
        "<p>Source words run down, target words across; "
        f"{tour.alignments.links.count:,} links in all.</p>"
    )
    for row in _pairs_to_show(tour):
        yield matrix(
            row, tour.source_text.sentence(row), tour.target_text.sentence(row), tour.alignments
        )
    yield "<h2>Words and their likeliest translation</h2>"
    words = sorted(tour.lexicon.items(), key=lambda item: -item[1][1])
    # Words seen once or twice have probability 1 and would fill the table.
    shown = [
        (source, target, f"{probability:.2f}")
        for source, (target, probability) in words
        if source.isalpha() and len(source) > 4 and probability < 0.97
    ]
    yield table(("source", "target", "p(target | source)"), shown[:_WORDS])


def _language_model(tour: Tour) -> Iterator[str]:
    yield "<h2>What the language model expects</h2>"
    yield "<p>Perplexity on unseen messages, known words only: lower is better.</p>"
    rows = [(str(f.order), f"{f.ngrams:,}", f"{f.perplexity:.1f}") for f in tour.fluency]
    yield table(("order", "n-grams", "perplexity"), rows)
    yield "<p>The same words in three orders, with their log<sub>10</sub> probability:</p>"
    orders = [(words, f"{score:.2f}") for words, score in tour.orders]
    yield table(("words", "log10 p"), orders)


def _evaluation(tour: Tour) -> Iterator[str]:
    yield "<h2>What the metrics say</h2>"
    yield (
        f"<p>{', '.join(tour.models)} and three simple ways to translate a message, on "
        f"{tour.parts.report.test:,} unseen ones, with 95 % bootstrap intervals. What systems "
        "share is made once and counts as training time of the first.</p>"
    )
    yield table(_COLUMNS, scores(tour))
    compared = [result for result in tour.results if result.comparison is not None]
    yield "<p>Against the first, with two-sided p-values:</p>"
    yield table(("system", "metric", "difference", *_tests(compared)), map(_comparison, compared))
    signatures = dict.fromkeys(
        f"{result.score.name}: {result.score.signature}" for result in tour.results
    )
    yield f"<p><small>{'<br>'.join(map(escape, signatures))}</small></p>"
    yield "<h2>Unseen messages</h2>"
    yield "<p>Placeholders and tags come out intact, exactly once each.</p>"
    for sample in tour.samples:
        entries = (f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in sample.items())
        yield f"<dl>{''.join(entries)}</dl>"


def _explanation(tour: Tour) -> Iterator[str]:
    yield "<h2>Where each word comes from</h2>"
    yield f"<p>{escape(tour.explanation.source)}</p>"
    yield explanation_page.figure(tour.explanation)
    yield "<p>What its score is made of:</p>"
    yield explanation_page.features(tour.explanation)


def _pairs_to_show(tour: Tour) -> list[int]:
    """Pairs long enough to be interesting and short enough to be seen whole."""
    fitting = [
        row
        for row in range(len(tour.alignments))
        if 7 <= len(tour.source_text.sentence(row)) <= 14
        and len(tour.target_text.sentence(row)) <= 18
    ]
    step = max(1, len(fitting) // _MATRICES)
    return fitting[::step][:_MATRICES]


def _tests(compared: Sequence[Result]) -> list[str]:
    comparison = compared[0].comparison if compared else None
    return [test.test for test in comparison.tests] if comparison else []


def _comparison(result: Result) -> tuple[str, ...]:
    if result.comparison is None:
        return (result.system, result.score.name)
    p_values = [f"{test.p_value:.3f}" for test in result.comparison.tests]
    return (
        result.system,
        result.score.name,
        f"{result.comparison.difference:+.1f}",
        *p_values,
    )
