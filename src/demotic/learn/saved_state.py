"""A learner's state on disk: a record in JSON, arrays in a file beside it.

    saved = SavedState(Path("tune.json"), {"seed": 1, "features": ["a", "b"]})
    saved.save({"weights": [0.5, 1.0]}, {"lists": rows}, number=3)
    record, arrays = saved.load()                     # ArgumentError if the settings differ

``tune.json`` names the file of arrays, ``tune.json.3.npz``.  That one is complete before
``tune.json`` is replaced, and the one before is removed after, so that a break at any time leaves a
state that can be continued.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic import files
from demotic.errors import ArgumentError, CorruptFileError

VERSION = 1


class SavedState:
    """Where learning with the given ``settings`` (anything that JSON can hold) is kept."""

    def __init__(
        self, path: Path, settings: Mapping[str, Any], *, arrays_key: str = "arrays"
    ) -> None:
        self.path = path
        self.settings = settings
        self._arrays_key = arrays_key
        self._arrays_file: str | None = None

    def save(
        self,
        state: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]] | None = None,
        *,
        number: int,
    ) -> None:
        """Replace what was saved before; without ``arrays`` those saved last stay."""
        before = self._arrays_file
        if arrays is not None:
            self._arrays_file = f"{self.path.name}.{number}.npz"
            with files.write_bytes(self.path.with_name(self._arrays_file)) as out:
                np.savez(out, **arrays)  # type: ignore[arg-type]
        record = {
            "version": VERSION,
            "settings": self.settings,
            "state": state,
            self._arrays_key: self._arrays_file,
        }
        files.write_lines(self.path, [json.dumps(record, indent=1, ensure_ascii=False)])
        if before is not None and before != self._arrays_file:
            self.path.with_name(before).unlink(missing_ok=True)

    def load(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]] | None]:
        """What :meth:`save` wrote, if it was with the same settings."""
        with files.naming(self.path):
            text = self.path.read_bytes()
        try:
            record = json.loads(text)
            version = record["version"]
        except (ValueError, KeyError, TypeError) as error:
            raise self.damaged(str(error)) from None
        if version != VERSION:
            raise CorruptFileError(
                f"a checkpoint of version {version}, this Demotic reads version {VERSION}",
                path=self.path,
                remedy="tune again from the beginning",
            )
        try:
            settings, name = record["settings"], record[self._arrays_key]
            state = dict(record["state"])
            if name is not None and (Path(name).name != name or not name.endswith(".npz")):
                raise ValueError(f"{name} is no file of {self._arrays_key}")
            self._compare(settings)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self.damaged(str(error)) from None
        self._arrays_file = name
        return state, None if name is None else self._read_arrays(self.path.with_name(name))

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

    def _read_arrays(self, path: Path) -> dict[str, NDArray[Any]]:
        try:
            with path.open("rb") as raw, np.load(raw, allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except FileNotFoundError:
            raise self.damaged(f"{path.name} is missing") from None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise self.damaged(f"{path.name}: {error}") from None

    def damaged(self, reason: str) -> CorruptFileError:
        """The error of a checkpoint that cannot be continued from."""
        return CorruptFileError(
            f"damaged checkpoint: {reason}",
            path=self.path,
            remedy="remove it and tune again from the beginning",
        )
