"""One model of each system and size, trained once and kept for the benchmarks that compare them.

    python -m benchmarks.trained [--pairs 1000,5000] [--systems hiero,phrase] [--models DIR]

The first pairs of Multi30k German-English, lower-cased and tokenised; tuned on the first sentences
of ``val``, by each system's defaults on one thread.  A model stands in DIR (``bench-out/models``)
beside a record of what its training took: CPU seconds and the peak of memory of the whole command,
the start of Python included.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.corpora import data_folder
from demotic.systems import SYSTEMS

MODELS = Path("bench-out/models")
SIZES = (1000, 5000, 29000)
TUNED_ON = 500  # sentences of val
TESTED_ON = 1000  # sentences of test2016
EXTRA = {"transducer": ("--trees", "induced")}


@dataclass(frozen=True)
class Trained:
    """A model, and what its training took."""

    system: str
    pairs: int
    seconds: float
    """CPU time."""
    megabytes: float
    """Peak memory."""
    size: float
    """Megabytes on disk."""


def sentences(name: str, most: int | None = None) -> list[str]:
    """Lines of a file of ``multi30k/tok``, lower-cased."""
    path = data_folder() / "multi30k" / "tok" / name
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n").lower() for line in lines][:most]


def home(folder: Path, system: str, pairs: int) -> Path:
    """Where a model stands."""
    return folder / f"{system}-{pairs}"


def trained(system: str, pairs: int, folder: Path = MODELS) -> Trained:
    """The record of a model, which is trained if it is not there."""
    model = home(folder, system, pairs)
    record = model.with_suffix(".json")
    if not record.exists():
        record.write_text(json.dumps(asdict(_train(system, pairs, model)), indent=1))
    return Trained(**json.loads(record.read_text()))


def _train(system: str, pairs: int, model: Path) -> Trained:
    model.parent.mkdir(parents=True, exist_ok=True)
    files = {}
    for part, most in (("train", pairs), ("val", TUNED_ON)):
        for language in ("de", "en"):
            path = files[part, language] = model.parent / f"{part}-{most}.{language}"
            lines = sentences(f"{part}.{language}.gz", most)
            path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    seconds, megabytes = run_measured([
        sys.executable, "-m", "demotic", "train", "--tokenised", "--from", "de", "--to", "en",
        "--source", str(files["train", "de"]), "--target", str(files["train", "en"]),
        "--dev-source", str(files["val", "de"]), "--dev-target", str(files["val", "en"]),
        "--system", system, *EXTRA.get(system, ()), "--out", str(model), "--threads", "1",
        "--quiet", "--force",
    ])  # fmt: skip
    size = sum(each.stat().st_size for each in model.rglob("*") if each.is_file()) / 1e6
    return Trained(system, pairs, seconds, megabytes, size)


def run_measured(command: Sequence[str]) -> tuple[float, float]:
    """Run a command in a process of its own: CPU seconds, peak memory in MB."""
    child = os.posix_spawn(command[0], list(command), dict(os.environ))
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def sizes(text: str) -> list[int]:
    """``1000,5000`` of the command line."""
    return [int(each) for each in text.split(",")]


def arguments(description: str | None) -> argparse.ArgumentParser:
    """The options of all benchmarks that use these models."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=sizes, default=list(SIZES), metavar="N,N")
    parser.add_argument("--systems", type=lambda text: text.split(","), default=list(SYSTEMS))
    parser.add_argument("--models", type=Path, default=MODELS, metavar="DIR")
    return parser


def main() -> None:
    """Train what is not there yet, and say what each took."""
    given = arguments(__doc__).parse_args()
    print(f"{'system':12}{'pairs':>8}{'CPU s':>9}{'peak MB':>9}{'size MB':>9}")
    for pairs in given.pairs:
        for system in given.systems:
            each = trained(system, pairs, given.models)
            print(
                f"{system:12}{pairs:8,}{each.seconds:9.1f}{each.megabytes:9.0f}{each.size:9.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
