"""Tuning that survives a break: its rounds in JSON, its hypotheses in a file beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from demotic.learn.rounds import Decoded, Round, State
from demotic.learn.saved_state import SavedState

Lists: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]


class Checkpoint:
    """Where tuning with the given ``settings`` (anything that JSON can hold) is kept."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self._saved = SavedState(path, settings, arrays_key="hypotheses")

    def save(self, state: State, lists: Lists | None = None) -> None:
        """Replace what was saved before; without ``lists`` those saved last stay."""
        arrays = None
        if lists is not None:
            off, features, statistics = lists
            arrays = {"off": off, "features": features, "statistics": statistics}
        self._saved.save(asdict(state), arrays, number=len(state.rounds))

    def load(self) -> tuple[State, Lists | None]:
        """What :meth:`save` wrote, if it was with the same settings."""
        record, arrays = self._saved.load()
        try:
            state = _state(record)
            return state, None if arrays is None else self._lists(arrays)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._saved.damaged(str(error)) from None

    def _lists(self, arrays: Mapping[str, NDArray[Any]]) -> Lists:
        off = np.ascontiguousarray(arrays["off"], dtype=np.uint64)
        features = np.ascontiguousarray(arrays["features"], dtype=np.float64)
        statistics = np.ascontiguousarray(arrays["statistics"], dtype=np.int64)
        rows = len(features)
        shapes = off.ndim == 1 and features.ndim == 2 and statistics.ndim == 2
        if not shapes or len(off) == 0 or off[-1] != rows or len(statistics) != rows:
            raise self._saved.damaged("its arrays do not fit together")
        if off[0] != 0 or (off[1:] < off[:-1]).any():
            raise self._saved.damaged("its borders are not in order")
        return off, features, statistics


def _state(record: Mapping[str, Any]) -> State:
    final = record["final"]
    return State(
        weights=_weights(record["weights"]),
        rounds=tuple(_round(entry) for entry in record["rounds"]),
        converged=bool(record["converged"]),
        final=None if final is None else _decoded(final),
    )


def _round(entry: Mapping[str, Any]) -> Round:
    return Round(
        number=int(entry["number"]),
        weights=_weights(entry["weights"]),
        decoded=_decoded(entry["decoded"]),
        reached=float(entry["reached"]),
        gain=float(entry["gain"]),
        moved=float(entry["moved"]),
        new=int(entry["new"]),
        truncated=int(entry["truncated"]),
    )


def _decoded(entry: Mapping[str, Any]) -> Decoded:
    held = entry["held_out"]
    return Decoded(float(entry["bleu"]), None if held is None else float(held))


def _weights(record: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): float(value) for name, value in record.items()}
