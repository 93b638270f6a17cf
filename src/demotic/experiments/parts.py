"""Results on disk: a part of an experiment that is finished is not run again.

    parts = Parts(out, settings)
    record = parts.get("speed", lambda: {"umt": measure(...)})   # runs once, then reads speed.json

A result belongs to the settings it was made with (anything that JSON can hold); under other
settings the part is run again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from demotic import files
from demotic.progress import SILENT, Progress


class Parts:
    """The results of an experiment, one JSON file for each part."""

    def __init__(
        self, folder: Path, settings: Mapping[str, Any], *, progress: Progress = SILENT
    ) -> None:
        self.folder = folder
        self._settings = json.loads(json.dumps(settings, default=str))
        self._progress = progress
        with files.naming(folder):
            folder.mkdir(parents=True, exist_ok=True)

    def get(self, name: str, run: Callable[[], Any], *, settings: Any = None) -> Any:
        """The result of a part, from disk or by running it; plain lists, dicts and numbers.

        ``settings`` are those of this part alone.
        """
        key = self._key(settings)
        path = self.folder / f"{name}.json"
        if self.has(name, settings=settings):
            self._progress.say(f"{name}: done before")
            return self.known(name)[1]  # type: ignore[index]
        self._progress.say(name)
        result = json.loads(json.dumps(run(), default=float))
        text = json.dumps({"settings": key, "result": result}, indent=1, ensure_ascii=False)
        files.write_lines(path, [text])
        return result

    def has(self, name: str, *, settings: Any = None) -> bool:
        """Was a part run under these very settings?"""
        known = self.known(name)
        return known is not None and known[0] == self._key(settings)

    def _key(self, settings: Any) -> Any:
        return json.loads(json.dumps([self._settings, settings], default=str))

    def known(self, name: str) -> tuple[Any, Any] | None:
        """The settings and the result of a part that was run, under whatever settings."""
        try:
            record = json.loads((self.folder / f"{name}.json").read_bytes())
            return record["settings"], record["result"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
