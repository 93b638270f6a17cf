"""The aligner eflomal (Östling and Tiedemann 2016): ``pip install 'demotic[eflomal]'``.

It is free software under the GPL and runs as a program of its own, in a separate process.  It
samples without a seed: two runs on the same text differ.  Sentences of more than 1,024 words get
no links.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from demotic._core import Links
from demotic.align import pharaoh
from demotic.align.text import Text
from demotic.errors import ArgumentError, DemoticError, MissingDependencyError
from demotic.files import write_lines
from demotic.progress import SILENT, Progress


@dataclass(frozen=True, kw_only=True)
class EflomalOptions:
    """What eflomal can be told; the defaults are its own."""

    model: int = 3  # 1 = IBM 1, 2 = and HMM, 3 = and fertility
    samplers: int = 3
    length: float = 1.0  # relative number of sampling rounds
    null_prior: float = 0.2
    seed: int | None = None  # not supported: says so instead of promising what cannot be kept

    def __post_init__(self) -> None:
        if self.seed is not None:
            raise ArgumentError(
                "eflomal takes no seed, its links differ from run to run",
                remedy="use the built-in aligner for reproducible links",
            )
        if self.model not in (1, 2, 3):
            raise ArgumentError(f"eflomal has no model {self.model}", remedy="one of 1, 2, 3")


def align(
    source: Text,
    target: Text,
    *,
    options: EflomalOptions | None = None,
    threads: int = 1,
    progress: Progress = SILENT,
) -> tuple[Links, Links]:
    """The forward and the backward links."""
    options = options or EflomalOptions()
    script = _program()
    with (
        tempfile.TemporaryDirectory(prefix="demotic-eflomal-") as name,
        progress.step("aligning with eflomal", len(source), "sentence pairs") as advance,
    ):
        folder = Path(name)
        _write_ids(folder / "source", source)
        _write_ids(folder / "target", target)
        arguments = [
            *("--source", "source", "--target", "target"),
            *("--forward-links", "forward", "--reverse-links", "backward"),
            *("--model", str(options.model), "--n-samplers", str(options.samplers)),
            *("--length", str(options.length), "--null-prior", str(options.null_prior)),
        ]
        done = subprocess.run(
            [sys.executable, str(script), *arguments],
            cwd=folder,
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            raise DemoticError(f"eflomal failed: {said[0]}")
        advance(len(source))
        forward, backward = (
            pharaoh.read(folder / way, source=source.lines, target=target.lines)
            for way in ("forward", "backward")
        )
        return forward, backward


def _program() -> Path:
    """eflomal's own command, wherever the package put it."""
    try:
        installed = importlib.metadata.files("eflomal") or []
    except importlib.metadata.PackageNotFoundError:
        raise MissingDependencyError(
            "the method 'eflomal' needs the package eflomal",
            remedy="pip install 'demotic[eflomal]'",
        ) from None
    for file in installed:
        if file.name == "eflomal-align":
            return Path(str(file.locate()))
    raise MissingDependencyError(
        "the package eflomal lacks its command eflomal-align",
        remedy="pip install --force-reinstall eflomal",
    )


def _write_ids(path: Path, text: Text) -> None:
    """Numbers for words: eflomal lower-cases, and splits at every kind of space Unicode has."""
    numbers: dict[str, int] = {}
    lowered = [
        str(numbers.setdefault(text.vocab.word(word).lower(), len(numbers)))
        for word in range(len(text.vocab))
    ]
    write_lines(
        path, (" ".join(lowered[word] for word in text.lines[line]) for line in range(len(text)))
    )
