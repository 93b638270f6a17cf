"""Tuning that survives a break: its state in JSON, its hypotheses in a file beside it.

``tune.json`` names the file of hypotheses, ``tune.json.3.npz`` after round 3.  That one is complete
before ``tune.json`` is replaced, and the one before is removed after, so that a break at any time
leaves a state that can be continued.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from demotic import files
from demotic.errors import ArgumentError, CorruptFileError
from demotic.learn.rounds import Round, State

VERSION = 1

Lists: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]


@dataclass
class Checkpoint:
    """Where tuning with the given ``settings`` (anything that JSON can hold) is kept."""

    path: Path
    settings: Mapping[str, Any]
    _lists_file: str | None = field(default=None, init=False)

    def save(self, state: State, lists: Lists | None = None) -> None:
        """Replace what was saved before; without ``lists`` those saved last stay."""
        before = self._lists_file
        if lists is not None:
            self._lists_file = f"{self.path.name}.{len(state.rounds)}.npz"
            off, features, statistics = lists
            with files.write_bytes(self.path.with_name(self._lists_file)) as out:
                np.savez(out, off=off, features=features, statistics=statistics)
        record = {
            "version": VERSION,
            "settings": self.settings,
            "state": asdict(state),
            "hypotheses": self._lists_file,
        }
        files.write_lines(self.path, [json.dumps(record, indent=1, ensure_ascii=False)])
        if before is not None and before != self._lists_file:
            self.path.with_name(before).unlink(missing_ok=True)

    def load(self) -> tuple[State, Lists | None]:
        """What :meth:`save` wrote, if it was with the same settings."""
        with files.naming(self.path):
            text = self.path.read_bytes()
        try:
            record = json.loads(text)
            version = record["version"]
        except (ValueError, KeyError, TypeError) as error:
            raise self._damaged(str(error)) from None
        if version != VERSION:
            raise CorruptFileError(
                f"a checkpoint of version {version}, this Demotic reads version {VERSION}",
                path=self.path,
                remedy="tune again from the beginning",
            )
        try:
            settings, name = record["settings"], record["hypotheses"]
            state = _state(record["state"])
            if name is not None and (Path(name).name != name or not name.endswith(".npz")):
                raise ValueError(f"{name} is no file of hypotheses")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._damaged(str(error)) from None
        self._compare(settings)
        self._lists_file = name
        return state, None if name is None else self._read_lists(self.path.with_name(name))

    def _compare(self, settings: Mapping[str, Any]) -> None:
        ours = json.loads(json.dumps(self.settings))
        for key in sorted({*ours, *settings}):
            if ours.get(key) != settings.get(key):
                raise ArgumentError(
                    f"the checkpoint was made with another value of {key}: "
                    f"{settings.get(key)} instead of {ours.get(key)}",
                    path=self.path,
                    remedy="continue with the same settings, or tune again from the beginning",
                )

    def _read_lists(self, path: Path) -> Lists:
        try:
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as arrays:
                off = np.ascontiguousarray(arrays["off"], dtype=np.uint64)
                features = np.ascontiguousarray(arrays["features"], dtype=np.float64)
                statistics = np.ascontiguousarray(arrays["statistics"], dtype=np.int64)
        except FileNotFoundError:
            raise self._damaged(f"{path.name} is missing") from None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise self._damaged(f"{path.name}: {error}") from None
        rows = len(features)
        shapes = off.ndim == 1 and features.ndim == 2 and statistics.ndim == 2
        if not shapes or len(off) == 0 or off[-1] != rows or len(statistics) != rows:
            raise self._damaged(f"{path.name}: its arrays do not fit together")
        if off[0] != 0 or (off[1:] < off[:-1]).any():
            raise self._damaged(f"{path.name}: its borders are not in order")
        return off, features, statistics

    def _damaged(self, reason: str) -> CorruptFileError:
        return CorruptFileError(
            f"damaged checkpoint: {reason}",
            path=self.path,
            remedy="remove it and tune again from the beginning",
        )


def _state(record: Mapping[str, Any]) -> State:
    final = record["final_bleu"]
    return State(
        weights=_weights(record["weights"]),
        rounds=tuple(_round(entry) for entry in record["rounds"]),
        converged=bool(record["converged"]),
        final_bleu=None if final is None else float(final),
    )


def _round(entry: Mapping[str, Any]) -> Round:
    return Round(
        number=int(entry["number"]),
        weights=_weights(entry["weights"]),
        bleu=float(entry["bleu"]),
        reached=float(entry["reached"]),
        gain=float(entry["gain"]),
        moved=float(entry["moved"]),
        new=int(entry["new"]),
        truncated=int(entry["truncated"]),
    )


def _weights(record: Mapping[str, Any]) -> dict[str, float]:
    return {str(name): float(value) for name, value in record.items()}
