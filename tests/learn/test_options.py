"""Defaults are promises: who names no option gets tomorrow the weights of today."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from demotic.learn import (
    CrfOptions,
    DrlOptions,
    EventGroups,
    MertOptions,
    MiraOptions,
    ProOptions,
    SgdOptions,
    perceptron,
)


@pytest.mark.parametrize(
    ("options", "values"),
    [
        (
            MertOptions(),
            {
                "iterations": 10, "random_directions": 15, "restarts": 3, "min_gain": 0.01,
                "max_segments": 4096, "fixed": (), "average": 1, "holdout": 0.0, "patience": 0,
                "l2": 0.0,
            },
        ),
        (
            MiraOptions(),
            {
                "iterations": 10, "average": 1, "holdout": 0.0, "patience": 3, "fixed": (),
                "c": 0.01, "decay": 0.999, "passes": 60, "min_gain": 0.01, "l2": 0.0,
                "searches": 5, "strings": 10,
            },
        ),
        (
            ProOptions(),
            {
                "iterations": 20, "average": 1, "holdout": 0.0, "patience": 3, "fixed": (),
                "samples": 5000, "pairs": 50, "min_difference": 0.05, "step": 0.2, "l2": 1e-4,
                "strings": 100,
            },
        ),
        (
            DrlOptions(),
            {
                "epochs": 10, "rate": 0.1, "update": "full_path", "discount": 1.0, "exponent": 1.0,
                "samples": 1, "keep": 0.9, "temperature": 0.15, "fixed": (),
            },
        ),
        (
            SgdOptions(),
            {
                "passes": 40, "eta_float": 1e-5, "eta_binary": 1e-5, "adagrad": False, "l2": 0.0,
                "decay": 1.0, "stall": 1e-4, "unit": "group", "sample": 1.0, "minibatch": 0,
                "hogwild": False,
            },
        ),
        (CrfOptions(), {"passes": 10, "eta": 0.05, "l2": 1e-4}),
    ],
)  # fmt: skip
def test_defaults(options: Any, values: dict[str, Any]) -> None:
    assert asdict(options) == values


def test_a_perceptron_passes_over_its_events_ten_times() -> None:
    events = EventGroups.of([[[1.0], [2.0]]], [(0, 1)])
    assert len(perceptron(events).passes) == 10
