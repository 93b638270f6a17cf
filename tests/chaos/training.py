"""What is trained here, in seconds: each system on an invented language pair, some in further ways.

place = Place(folder, "hiero")                    # writes the texts
done = place.train("never", 0)                    # demotic train, in a process of its own
place.model()                                     # what came of it: a digest for each part
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.forks import forks

ROOT = Path(__file__).parents[2]

TRAININGS: dict[str, tuple[str, ...]] = {
    "hiero": ("--dev", "dev.tsv"),
    "phrase": ("--dev", "dev.tsv"),
    "umt": ("--dev", "dev.tsv"),
    "blocks": ("--dev", "dev.tsv"),
    "amasis": ("--dev", "dev.tsv"),
    "transducer": ("--dev", "dev.tsv", "--trees", "induced"),
    # Without a development set: tuned on folds, or on a part that joins the rest in the end.
    "hiero, folds": ("--set", "validation=folds", "--set", "folds=3"),
    "phrase, part": ("--set", "validation=part", "--set", "dev_size=12"),
    "amasis, part": ("--set", "validation=part", "--set", "dev_size=12"),
    # Settings chosen by trials; rounds of confusions; learning by imitation, all rounds of it.
    "hiero, effort": ("--dev", "dev.tsv", "--effort", "normal"),
    "phrase, cdlm": ("--dev", "dev.tsv", "--cdlm", "mono.txt", "--classifiers", "boosted"),
    "umt, full": ("--dev", "dev.tsv", "--set", "preset=full", "--set", "learn.drl.epochs=2"),
    "blocks, row": ("--dev", "dev.tsv", "--set", "preset=row4", "--set", "learn.lm_folds=2"),
}
"""Options by name; the first word is the system."""

Parts = Mapping[str, str]
"""The sha256 of each part of a model, ``model.json`` included."""


@dataclass(frozen=True)
class Done:
    """How a process ended."""

    code: int
    errors: str
    changes: int = 0
    """Of files, before it ended by itself."""
    begun: float = 0.0
    """CPU seconds before the first of them."""
    cpu: float = 0.0
    addresses: int = 0
    """The most bytes of addresses that it had."""

    @property
    def killed(self) -> bool:
        return self.code == -9

    @property
    def aborted(self) -> bool:
        """Did a library end it which is not ours?"""
        last = re.search(r'^  File "(.*?)"', self.errors, re.MULTILINE)
        inside = last is not None and "/site-packages/" in last[1] and "demotic" not in last[1]
        return "thread-local data: ABORT" in self.errors or (self.code < 0 and inside)

    @property
    def refused(self) -> bool:
        """Did it end with an error of ours, and nothing worse?"""
        last = self.errors.strip().rpartition("\n")[2]
        wrong = "Error: Invalid value for --"  # seen before anything was done
        return (self.code, last[: len(wrong)]) == (2, wrong) or (
            self.code == 1 and last.startswith("demotic: error: ")
        )


class Place:
    """A folder with the texts of a training, where it is killed and resumed."""

    def __init__(self, folder: Path, name: str, *, out: str = "model.demotic", pairs: int = 60):
        from tests.systems import toys

        self.folder, self.name, self.out = folder, name, folder / out
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "tmp").mkdir(exist_ok=True)
        texts = {"toy": toys.memory(pairs), "dev": toys.text(12)}
        for file, bitext in texts.items():
            lines = [f"{pair.source}\t{pair.target}\n" for pair in bitext]
            (folder / f"{file}.tsv").write_text("".join(lines), encoding="utf-8")
        lines = [f"{line}\n" for line in toys.text(40, 3).target_lines()]
        (folder / "mono.txt").write_text("".join(lines), encoding="utf-8")

    def put_something(self) -> None:
        """Something else at the model's place, for the training to replace."""
        if self.out.suffix:
            with zipfile.ZipFile(self.out, "w") as archive:
                archive.writestr("model.json", "{}")
        else:
            self.out.mkdir()
            (self.out / "model.json").write_text("{}")

    @property
    def work(self) -> Path:
        return self.out.with_name(f"{self.out.name}.work")

    @property
    def command(self) -> list[str]:
        """Of the training, without --resume."""
        system = self.name.split(",")[0]
        return [
            "train", "--bitext", "toy.tsv", "--from", "en", "--to", "fr", "--system", system,
            "--out", self.out.name, "--threads", "2", "--quiet", *TRAININGS[self.name],
        ]  # fmt: skip

    def train(
        self,
        when: str = "never",
        at: float = 0,
        *,
        options: Sequence[str] = (),
        forked: bool = False,
        limits: Mapping[int, int] | None = None,
        under: Sequence[str] = (),
    ) -> Done:
        """Train, or die at a point (see ``dying.py``), within ``limits`` (of ``resource``).

        ``forked`` is the quick way, see ``forks.py``.
        """
        trace = self.folder / "tmp" / "trace.json"
        trace.unlink(missing_ok=True)
        point = f"{at:.3f}" if when == "cpu" else f"{at:.0f}"
        arguments = [str(self.folder), str(trace), when, point, *self.command, *options]
        mine = {
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(self.folder / "tmp" / "cache"),
            "TMPDIR": str(self.folder / "tmp"),
            "PYTHONFAULTHANDLER": "1",
        }
        if forked:
            code, errors = forks().run(arguments, self.folder, mine)
        else:
            done = subprocess.run(
                [*under, sys.executable, "-m", "tests.chaos.dying", *arguments], cwd=self.folder,
                env={**os.environ, **mine}, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, errors="replace", check=False, preexec_fn=_limited(limits or {}),
            )  # fmt: skip
            code, errors = done.returncode, done.stderr
        record = json.loads(trace.read_text()) if trace.exists() and trace.stat().st_size else {}
        return Done(code, errors, **record)

    def model(self) -> Parts | None:
        """Of the model that is there; None if there is none."""
        return parts(self.out)

    def finished(self) -> list[str]:
        """Names of the stages that a killed training had finished, in any work folder."""
        return sorted(path.stem for path in self.work.rglob("*.done"))


def parts(path: Path) -> Parts | None:
    """Digests of a model's files, whether it is a folder or an archive."""
    if path.is_dir():
        found = {each.name: each.read_bytes() for each in path.iterdir()}
    elif path.exists():
        with zipfile.ZipFile(path) as archive:
            found = {name: archive.read(name) for name in archive.namelist()}
    else:
        return None
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(found.items())}


def _limited(limits: Mapping[int, int]) -> Callable[[], None]:
    def limit() -> None:
        for what, most in limits.items():
            resource.setrlimit(what, (most, resource.RLIM_INFINITY))

    return limit
