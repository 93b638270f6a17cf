"""Every figure of the report stands in the row and the column that it belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from demotic.experiments.umt import paper, report
from demotic.experiments.umt.bench import HIERO
from demotic.experiments.umt.search import _compared
from demotic.experiments.umt.speed import LENGTHS
from tests.experiments.markdown import by_name, tables

DOCS = Path(__file__).parents[2] / "docs"


def test_the_papers_figures_are_those_that_the_handbook_has() -> None:
    """Typed twice, from the paper: a slip in either shows."""
    found = tables((DOCS / "umt.md").read_text())
    quality, speed, cost = (
        by_name(next(table for table in found if title in table[0]))
        for title in ("paper BLEU", "rescoring / UMT", "/ DRL")
    )
    figures = {"BLEU": paper.BLEU, "loss %": paper.RELATIVE_LOSS, "p": paper.SIGN_TEST}
    for name, known in (("b30", "b30"), ("b1", "b1"), ("umt paper", "umt")):
        for title, figure in figures.items():
            wanted = f"{figure[known]:.2f}" if known in figure else "-"
            assert quality[name][f"paper {title}"] == wanted
    for name in ("b1", "b30"):
        assert speed[name]["paper"] == f"{paper.ratio(paper.DECODING, name):.2f}"
        assert speed[name]["paper (10)"] == f"{paper.ratio(paper.RESCORING, name):.2f}"
        assert cost[f"MERT with {name}"]["paper"] == f"{paper.ratio(paper.TRAINING, name):.2f}"


def test_scores_above_and_below_are_not_confused() -> None:
    found = _compared([-3.0, -1.0, -2.0, -4.0, 0.5], [-1.0, -1.0, -1.0, -1.0, -0.5])
    assert found == {
        "mean": pytest.approx((-2 + 0 - 1 - 3 + 1) / 5),
        "median": pytest.approx(-1.0),
        "worse": pytest.approx(3 / 5),
        "better": pytest.approx(1 / 5),
    }
    assert _compared([1.0, 2.0], [1.0 + 1e-9, 2.0 - 1e-9])["worse"] == 0.0, "rounding"


def test_e6_shares_and_gaps() -> None:
    text = report.search(
        {"umt paper": {"start": 0.25, "down": 0.5, "up": 0.125}},
        {"umt": {"mean": -1.25, "median": -0.5, "worse": 0.75, "better": 0.0625}},
    )
    shares, gaps = tables(text)
    assert shares == [{"weights": "umt paper", "start %": "25.00", "down %": "50.00",
                       "up %": "12.50"}]  # fmt: skip
    assert gaps == [{"search": "umt", "mean gap to b30": "-1.250", "median": "-0.500",
                     "% below b30": "75.000", "% above b30": "6.250"}]  # fmt: skip


def times(total: float, parse: float, rescore: float, **others: float) -> dict[str, float]:
    row = {"total": total, "parse": parse, "rescore": rescore, "lm_words": 40.6}
    return {**row, "lm_evaluations": 1000 * total, **others}


def test_e1_times_and_ratios() -> None:
    record = {
        "sentences": 17,
        "repeats": 5,
        "systems": {
            "umt": times(2.0, 1.0, 0.25, **{"inside-outside": 0.75}),
            "b30 lazy": times(6.0, 1.5, 4.5),
        },
    }
    lengths = [{"words": 20, "systems": {n: {"total": t} for n, t in
                                         (("umt", 4.0), ("b1", 5.0), ("b30", 10.0))}}]  # fmt: skip
    text = report.speed(record, lengths)
    assert "17 sentences, median of 5 rounds" in text
    speed, growth = tables(text)
    umt, b30 = by_name(speed).values()
    assert umt == {
        "system": "umt", "total ms": "2.00", "parse": "1.00", "inside-outside": "0.75",
        "search": "0.25", "rescoring": "1.00", "LM evaluations": "2,000", "LM words": "41",
        "total / UMT": "1.00", "paper": "-", "rescoring / UMT": "1.00", "paper (11)": "-",
        "search / UMT": "1.00",
    }  # fmt: skip
    assert b30 == {
        "system": "b30 lazy", "total ms": "6.00", "parse": "1.50", "inside-outside": "-",
        "search": "4.50", "rescoring": "4.50", "LM evaluations": "6,000", "LM words": "41",
        "total / UMT": "3.00", "paper": f"{paper.ratio(paper.DECODING, 'b30'):.2f}",
        "rescoring / UMT": "4.50", "paper (11)": f"{paper.ratio(paper.RESCORING, 'b30'):.2f}",
        "search / UMT": "18.00",
    }  # fmt: skip
    assert [tuple(row.values()) for row in growth] == [
        ("20", "4.000", "5.000", "10.000", "0.200", "2.500")
    ]


def test_e2_costs_and_ratios() -> None:
    text = report.training(
        {
            "paper": {"parsing once": 2.0, "parsing each time": 3.0},
            "lookahead": {"parsing once": 5.0, "parsing each time": 6.5},
        },
        {"b1": {"ms": 5.0}, "b30": {"ms": 24.0}},
    )
    (table,) = tables(text)
    assert [tuple(row.values()) for row in table] == [
        ("DRL, full path, 1 sample", "2.00", "1.00", "1.00"),
        ("DRL, full path, 1 sample, if it parsed in every epoch", "3.00", "1.50", "-"),
        ("DRL, replay, 3 samples", "5.00", "2.50", "-"),
        ("DRL, replay, 3 samples, if it parsed in every epoch", "6.50", "3.25", "-"),
        ("MERT with b1", "5.00", "2.50", f"{paper.ratio(paper.TRAINING, 'b1'):.2f}"),
        ("MERT with b30", "24.00", "12.00", f"{paper.ratio(paper.TRAINING, 'b30'):.2f}"),
    ]


def scored(dev: float, test: float) -> dict[str, float]:
    return {"dev": float(dev), "test": float(test)}


def test_e3_means_spreads_losses_and_tests() -> None:
    seeds = {
        "b30": [scored(31, 39), scored(33, 41)],
        "b1": [scored(28, 36)],
        "umt paper": [scored(30, 38)],
        "umt paper, replay": [scored(31, 40)],
        "umt lookahead": [scored(32, 39)],
        "umt literal": [scored(20, 30)],
    }
    tests: dict[str, Any] = {
        "b30": {
            "umt paper": {"sign, one tail": 0.125, "bootstrap": 0.25, "randomisation": 0.5},
            "b1": {"sign, one tail": 0.01, "bootstrap": 0.02, "randomisation": 0.03},
        },
        "paper": {"umt paper": {"sign, one tail": 0.75, "bootstrap": 0.875}},
        "printed": {},
    }
    wide, narrow = tables(
        report.quality(seeds, {"paper": scored(34, 50), "printed": scored(33, 40)}, tests)
    )
    rows = by_name(wide)
    assert list(rows) == list(seeds)
    b30 = rows["b30"]
    assert (b30["dev BLEU"], b30["test BLEU"], b30["seeds"]) == ("32.00", "40.00", "39.00-41.00")
    assert (b30["to b30"], b30["relative loss %"]) == ("0.00", "0.00")
    b1 = rows["b1"]
    assert (b1["dev BLEU"], b1["test BLEU"], b1["seeds"]) == ("28.00", "36.00", "-")
    assert (b1["to b30"], b1["relative loss %"]) == ("-4.00", "10.00")
    assert (b1["sign p (one tail)"], b1["bootstrap p"], b1["randomisation p"]) == (
        "0.01", "0.02", "0.03",
    )  # fmt: skip
    for name, known in (("b30", "b30"), ("b1", "b1"), ("umt paper", "umt")):
        assert rows[name]["paper BLEU"] == f"{paper.BLEU[known]:.2f}"
        for column, figures in (
            ("paper loss %", paper.RELATIVE_LOSS),
            ("paper p", paper.SIGN_TEST),
        ):
            figure = figures.get(known)
            assert rows[name][column] == ("-" if figure is None else f"{figure:.2f}")
    assert rows["umt literal"]["paper BLEU"] == "-"
    assert [row["the paper's features"] for row in narrow] == [
        "b30, P(e\\|f)", "umt paper, P(e\\|f)", "umt paper, replay, P(e\\|f)",
        "umt lookahead, P(e\\|f)", "b30, P(f\\|e)", "umt literal, P(f\\|e)",
    ]  # fmt: skip
    best, ours, replayed, _, _, literal = narrow
    assert (replayed["relative loss %"], replayed["paper loss %"]) == ("20.00", "-")
    assert (best["dev BLEU"], best["test BLEU"], best["to b30"]) == ("34.00", "50.00", "-")
    assert (ours["dev BLEU"], ours["test BLEU"]) == ("30.00", "38.00")
    assert (ours["to b30"], ours["relative loss %"]) == ("-12.00", "24.00")
    assert (ours["sign p (one tail)"], ours["bootstrap p"]) == ("0.75", "0.88")
    assert ours["paper loss %"] == f"{paper.RELATIVE_LOSS['umt']:.2f}"
    assert (literal["relative loss %"], literal["paper loss %"]) == ("25.00", "-")


def test_e4_and_e5_differences_to_the_first_row_of_their_own_part() -> None:
    def row(part: str, name: str, dev: float, test: float) -> tuple[str, str, Any]:
        return part, name, {**scored(dev, test), "epochs": [{"updates": 3}, {"updates": 4}]}

    e4, e5 = tables(
        report.variations(
            [
                row("e4", "paper", 30, 40),
                row("e4", "CFF off", 29, 38),
                row("e5", "replay", 20, 25),
                row("e5", "MIRA", 21, 28),
            ]
        )
    )
    assert [tuple(each.values()) for each in e4] == [
        ("paper", "30.00", "40.00", "0.00", "0.00", "7"),
        ("CFF off", "29.00", "38.00", "-1.00", "-2.00", "7"),
    ]
    assert [tuple(each.values()) for each in e5] == [
        ("replay", "20.00", "25.00", "0.00", "0.00", "7"),
        ("MIRA", "21.00", "28.00", "1.00", "3.00", "7"),
    ]


def test_what_lies_beyond_and_what_tuned_chose() -> None:
    text = report.beyond(
        [{"name": "beam 4", "dev": 30.0, "test": 31.5, "ms": 1.5}],
        {"label": "beam=4", "trials": [{"label": "replay 0.3", "bleu": 29.5}]},
    )
    assert "chose: beam=4." in text
    beyond, tried = ([tuple(row.values()) for row in table] for table in tables(text))
    assert beyond == [("beam 4", "30.00", "31.50", "1.50")]
    assert tried == [("replay 0.3", "29.50")]


def test_baselines_are_called_by_their_pops() -> None:
    assert {f"b{pops}": pops for pops in HIERO.values()} == HIERO


def test_lengths_are_those_that_the_handbook_has() -> None:
    found = tables((DOCS / "umt.md").read_text())
    (growth,) = [table for table in found if "umt, ms a word" in table[0]]
    assert tuple(int(row["source words"]) for row in growth) == LENGTHS
