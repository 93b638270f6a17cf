"""Trainings of each system, killed, starved and resumed.

python -m tests.chaos                             all of it
python -m tests.chaos --kinds kills disk          some of it
python -m tests.chaos --train umt "umt, full"     for some trainings (``training.py``)
python -m tests.chaos --kills 200 --seed 2        more of it, at other points
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.chaos.kills import Kills, kill
from tests.chaos.starving import KINDS, Starved, may_mount, starve
from tests.chaos.training import TRAININGS


def main() -> None:
    options = _options()
    unknown = {*options.train} - {*TRAININGS}
    if unknown:
        sys.exit(f"no such training: {', '.join(sorted(unknown))}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="demotic-chaos-", dir=options.folder) as name:
        folder = Path(name)
        kinds = list(options.kinds)
        if "disk" in kinds and not may_mount(folder / "disk"):
            print("disk: not tried, since nothing can be mounted here", flush=True)
            kinds.remove("disk")
        for training in options.train:
            for kind in kinds:
                found = _try(training, kind, folder / training / kind, options)
                print(found, *found.faults, sep="\n    ", flush=True)
                failed += len(found.faults)
    sys.exit(failed > 0)


def _try(training: str, kind: str, folder: Path, options: argparse.Namespace) -> Kills | Starved:
    if kind == "kills":
        return kill(training, options.kills, options.seed, folder)
    return starve(training, kind, options.steps, options.seed, folder)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos")
    parser.add_argument("--train", nargs="+", metavar="NAME", default=list(TRAININGS))
    parser.add_argument("--kinds", nargs="+", choices=["kills", *KINDS], default=["kills", *KINDS])
    parser.add_argument("--kills", type=int, default=50, help="of each training, at least")
    parser.add_argument("--steps", type=int, default=8, help="trainings with too little, each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where trainings go")
    return parser.parse_args()


if __name__ == "__main__":
    main()
