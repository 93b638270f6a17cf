"""Defaults are promises: who names no option gets tomorrow the weights of today."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from demotic.learn import CrfOptions, DrlOptions, MertOptions, SgdOptions


@pytest.mark.parametrize(
    ("options", "values"),
    [
        (
            MertOptions(),
            {
                "iterations": 10, "random_directions": 15, "restarts": 3, "min_gain": 0.01,
                "max_segments": 4096, "fixed": (),
            },
        ),
        (
            DrlOptions(),
            {
                "epochs": 10, "rate": 0.1, "update": "full_path", "exponent": 1.0, "samples": 1,
                "keep": 0.9, "temperature": 0.15, "fixed": (),
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
