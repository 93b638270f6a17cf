"""Every figure of the report on blocks stands where it belongs, beside the paper's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from demotic.experiments.blocks import paper, report
from demotic.metrics import Bleu
from demotic.metrics.significance import paired_bootstrap
from tests.experiments.markdown import by_name, tables

REFERENCE = [f"a b c d e{number}" for number in range(30)]
NAMES = ("Unigram", "Orientation", "FirstWord", "RestWords", "Lexical")
DOCS = Path(__file__).parents[2] / "docs"


def lines(wrong: int) -> list[str]:
    """The reference with its first lines changed."""
    return ["a x c y z", *REFERENCE[1:]] if wrong == 1 else ["q"] * wrong + REFERENCE[wrong:]


def record(number: int) -> dict[str, Any]:
    """A row of the experiment; its figures tell its number."""
    weights = {name: number + i / 10 for i, name in enumerate(NAMES)}
    weights |= {f"Neutral{name}": -value for name, value in weights.items()}
    found: dict[str, Any] = {
        "bleu": 30.0 + number, "low": 29.0 + number, "high": 31.5 + number,
        "lines": lines(number), "weights": weights, "blocks": 5.0 + number, "left": 0.5 * number,
        "ms": 0.25 * number, "seconds": 10.0 * number,
    }  # fmt: skip
    if number > 5:
        tried = {"small": 20.0 + number, "large": 21.0 + number} if number in (6, 8) else {}
        found |= {"oracle": 50.0 + number, "first": 40.0 + number, "events": 100 + number,
                  "alone": number, "tried": tried}  # fmt: skip
    return found


READING: dict[str, Any] = {
    "rows": {f"row{number}": record(number) for number in range(1, 10)},
    "counts": {"left": 30, "right": 90, "neutral": 80, "rare": 12, "pairs": 110, "skipped": 10},
    "learned": {"sides": 50, "neutral": 25, "candidates": 3.5},
    "pairs": 1234,
}


def test_the_papers_figures_are_those_that_the_handbook_has() -> None:
    """Typed twice, from the paper: a slip in either shows."""
    found = tables((DOCS / "blocks.md").read_text())
    rows, events = (
        next(by_name(table) for table in found if name in by_name(table))
        for name in ("1 MON a,c", "of these L or R")
    )
    for name, (value, half) in paper.TABLE_2.items():
        assert rows[paper.NAMES[name]]["paper"] == f"{value:.1f} ±{half:.1f}"
    assert events["events a pair that are learned from"]["paper"] == f"{paper.EVENTS_PER_PAIR:.1f}"
    assert events["of these L or R"]["paper"] == f"{paper.SIDES_PER_PAIR:.1f}"
    assert events["candidates a predecessor"]["paper"] == f"{paper.CANDIDATES:.1f}"


def test_table_2_has_scores_intervals_and_differences_to_the_row_before() -> None:
    table, *_ = tables(report.rows({"ours": [READING]}, REFERENCE))
    assert len(table) == 9
    for number, (row, name) in enumerate(zip(table, paper.NAMES, strict=True), 1):
        value, half = paper.TABLE_2[name]
        assert row["row"] == paper.NAMES[name]
        assert row["paper (MT03)"] == f"{value:.1f} ±{half:.1f}"
        assert row["ours: BLEU [95%]"] == (
            f"{30 + number:.2f} [{29 + number:.2f}, {31.5 + number:.2f}]"
        )
    differences = [row["ours: against the row before"] for row in table]
    metric = Bleu(tokenise="none")
    statistics = [metric.statistics(lines(number), [REFERENCE]) for number in (2, 1)]
    expected = paired_bootstrap(metric, *statistics, samples=1000, seed=1).p_value
    assert differences[:2] == ["-", f"+1.00 (p = {expected:.3f})"]
    assert all(text.startswith("+1.00 (p = ") for text in differences[1:])


def test_events_are_counted_for_each_pair_of_the_text() -> None:
    _, events, *_ = tables(report.rows({"ours": [READING]}, REFERENCE))
    papers, ours = by_name(events).values()
    assert list(papers.values())[4:8] == [
        f"{paper.EVENTS_PER_PAIR:.2f}", f"{paper.SIDES_PER_PAIR:.2f}", f"{paper.CANDIDATES:.2f}",
        "3,370,000",
    ]  # fmt: skip
    assert list(ours.values()) == [
        "ours", "2.00", "25.0%", "10.0%", "0.75", "0.50", "3.50", "1,234", "56.0 of 46.0", "106",
        "6",
    ]  # fmt: skip


def test_weights_and_costs_stand_in_the_row_that_has_them() -> None:
    _, _, weights, choices = tables(report.rows({"ours": [READING]}, REFERENCE))
    assert [row["row"] for row in weights] == [str(number) for number in range(1, 10)]
    third = list(weights[2].values())
    assert third == [
        "ours", "3", "3.00", "3.10", "3.20", "3.30", "3.40", "-3.00", "-3.20", "-3.30", "-3.40",
        "8.00", "1.50", "0.75", "30.00",
    ]  # fmt: skip
    assert [tuple(row.values()) for row in choices] == [
        ("ours", "6", "26.00", "27.00"),
        ("ours", "8", "28.00", "29.00"),
    ]


def test_without_a_choice_of_steps_there_is_no_table_of_them() -> None:
    fixed = {**READING, "rows": {name: {**row, "tried": {}} for name, row in
                                 READING["rows"].items()}}  # fmt: skip
    text = report.rows({"literal": [fixed]}, REFERENCE)
    assert len(tables(text)) == 3
    assert "Steps on the events" not in text


def scored(bleu: float, **others: Any) -> dict[str, Any]:
    return {"bleu": bleu, "low": bleu - 1, "high": bleu + 2, **others}


def test_seeds_are_shown_by_their_mean_and_from_which_to_which_they_go() -> None:
    seeds = [scored(bleu, pairs=int(bleu)) for bleu in (21.0, 20.0, 25.0)]
    (table,) = tables(report.simple("Pairs", {"few": seeds}, {"pairs": "pairs"}))
    assert list(table[0].values()) == ["few", "22.00 [20.00, 23.00], 20.00-25.00", "21"]
    changed = [{"row4": each, "row6": each, "blocks": 1} for each in seeds]
    (table,) = tables(report.ablations({"ours": changed, "D1": changed[:1]}))
    assert [row["difference of row 6"] for row in table] == ["+0.00", "-1.00"]


def test_the_gain_is_that_of_row_7_over_row_1_as_the_paper_counts_it() -> None:
    better = {**READING, "rows": {**READING["rows"], "row1": {**record(1), "bleu": 43.0}}}
    text = report.rows({"ours": [READING, better]}, REFERENCE)
    assert "paper +18.6 %, ours +0.0 %" in text  # 37 over the mean of 31 and 43
    table, *_ = tables(text)
    assert table[0]["ours: BLEU [95%]"] == "37.00 [30.00, 32.50], 31.00-43.00"


def test_simple_tables_have_the_extra_figures_that_were_asked_for() -> None:
    text = report.simple("Pairs", {"few": [scored(20.0, pairs=12345)]}, {"pairs": "pairs seen"})
    assert text.startswith("## Pairs\n")
    assert tables(text) == [
        [{"": "few", "BLEU [95%]": "20.00 [19.00, 22.00]", "pairs seen": "12,345"}]
    ]


def test_ablations_are_compared_with_ours_in_row_6() -> None:
    def found(row4: float, row6: float, blocks: int) -> dict[str, Any]:
        return {"row4": scored(row4), "row6": scored(row6), "blocks": blocks}

    (table,) = tables(report.ablations({"ours": [found(30, 32, 70)], "D1": [found(20, 31.5, 80)]}))
    assert [tuple(row.values()) for row in table] == [
        ("ours", "30.00 [29.00, 32.00]", "32.00 [31.00, 34.00]", "+0.00", "70"),
        ("D1", "20.00 [19.00, 22.00]", "31.50 [30.50, 33.50]", "-0.50", "80"),
    ]


def test_the_global_model_tells_the_first_loss_of_each_round_and_the_last() -> None:
    found = scored(25.0, losses=[[5.0, 4.0], [3.0, 2.5]], reached=[7, 9], sentences=10, seconds=1.5)
    (table,) = tables(report.beyond({"CRF a-e": [found]}))
    assert list(table[0].values()) == [
        "CRF a-e", "25.00 [24.00, 27.00]", "7/10, 9/10", "5.00 → 3.00 → 2.50", "1.50",
    ]  # fmt: skip


def test_speed_is_of_groups_and_of_events() -> None:
    found = {
        "events": 2000, "groups": 100, "candidates": 900, "bytes": 3_000_000,
        "memory": 50_000_000,
        "group": {"passes": 40, "seconds": 2.0, "per_second": 40000.0},
        "event": {"passes": 1, "seconds": 0.5, "per_second": 4000.0},
    }  # fmt: skip
    text = report.speed(found)
    assert "2,000 events in 100 groups of 900 candidates, 3 MB (1500 bytes an event)" in text
    assert "at most 50 MB in use" in text
    (table,) = tables(text)
    assert [tuple(row.values()) for row in table] == [
        ("passes", "40", "1"),
        ("CPU seconds", "2.00", "0.50"),
        ("events a second", "40000.00", "4000.00"),
    ]
