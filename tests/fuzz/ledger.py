"""How many inputs each reader has taken so far, over all runs: a file that runs add to.

ledger = Ledger(Path("fuzz-out/ledger.json"))
ledger.inputs("weights", 1)          # of this seed
ledger.add("weights", 1, 20_000, cpu=1.5, failed=False)
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from demotic import files


class Ledger:
    """Kept in a file, if there is a path; replaced as a whole after each reader."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.readers: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            self.readers = json.loads(path.read_bytes())

    def inputs(self, name: str, seed: int | None = None) -> int:
        """Of a reader, of one seed or of all."""
        seeds = self.readers.get(name, {}).get("seeds", {})
        return sum(seeds.values()) if seed is None else int(seeds.get(str(seed), 0))

    def add(self, name: str, seed: int, inputs: int, *, cpu: float, failed: bool) -> None:
        """One more run."""
        entry = self.readers.setdefault(name, {"seeds": {}, "cpu": 0.0, "failed": 0})
        entry["seeds"][str(seed)] = self.inputs(name, seed) + inputs
        entry["cpu"] = round(entry["cpu"] + cpu, 2)
        entry["failed"] += failed
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            files.write_lines(self._path, [json.dumps(self.readers, indent=1, sort_keys=True)])

    def table(self) -> str:
        """All of it, in Markdown."""
        rows = ["| reader | inputs | CPU s | failed |", "|---|---:|---:|---:|"]
        for name, entry in sorted(self.readers.items()):
            rows.append(
                f"| {name} | {self.inputs(name):,} | {entry['cpu']:.0f} | {entry['failed']} |"
            )
        return "\n".join(rows)
