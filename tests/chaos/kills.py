"""Trainings that are killed at random points, and go on, until they have ended.

Half of the points are changes of files (just before a note is written, a file gets its name, a
folder goes), half are moments of CPU time, whatever the training does then.  What was at the
model's place stays there until the new model is complete, and that one has the bytes of a training
that nobody killed.
"""

from __future__ import annotations

import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.training import Done, Parts, Place

AT_ONCE = 6  # kills of one training, at most


@dataclass
class Kills:
    """What came of many kills of one kind of training."""

    name: str
    kills: int = 0
    trainings: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    """Kills by the number of stages that were finished."""
    left: int = 0
    """Temporary files and folders that lie around after the last training of each place."""
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        spread = " ".join(f"{stage}:{count}" for stage, count in sorted(self.stages.items()))
        return (
            f"{self.name}: {self.kills} kills in {self.trainings} trainings, "
            f"{len(self.faults)} faults; finished stages: {spread}; left over: {self.left}"
        )


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def kill(
    name: str, kills: int, seed: int, folder: Path, say: Callable[[str], None] = _say
) -> Kills:
    """Kill trainings of a kind at least so many times; each goes on to its end."""
    found = Kills(name)
    reference = Place(folder / "reference", name)
    _sound(reference.train())
    wanted = reference.model()
    length = _sound(Place(folder / "length", name).train(forked=True))
    rng = random.Random(f"{name} {seed}")
    while found.kills < kills and not found.faults:
        # By turns a folder and an archive, in an empty place and in that of another model.
        out = ("model", "model.demotic")[found.trainings % 2]
        place = Place(folder / f"{found.trainings}", name, out=out)
        if found.trainings % 4 > 1:
            place.put_something()
        _kill_one(place, length, wanted, rng, found)
        found.trainings += 1
        found.left += len([path for path in place.folder.iterdir() if path.name.startswith(".")])
        if not found.faults:
            shutil.rmtree(place.folder)
        say(str(found))
    return found


def _sound(done: Done) -> Done:
    if done.code:
        raise RuntimeError(f"a training that nobody killed ended with {done.code}: {done.errors}")
    return done


def _kill_one(
    place: Place, length: Done, wanted: Parts | None, rng: random.Random, found: Kills
) -> None:
    """One training, killed up to some number of times, then left alone."""
    earlier = place.model()
    for number in range(rng.randint(1, AT_ONCE) + 1):
        options = ["--force"] if earlier is not None else []
        options += ["--resume"] if number else []
        when, at = _point(length, rng)
        done = place.train(when, at, options=options, forked=True)
        if not done.killed:
            break
        found.kills += 1
        found.stages[f"{len(place.finished()):02}"] += 1
        there = place.model()
        if there == wanted:  # it was killed after its end
            break
        if there != earlier:
            found.faults.append(f"{place.folder}: killed by {when} {at}: a model that is neither")
            return
    # Forks have one seed of hashes; some end in a process with another one, as the reference did.
    last = place.train(options=["--force", "--resume"], forked=rng.random() < 0.7)
    if last.code:
        found.faults.append(f"{place.folder}: ended with {last.code}: {last.errors[-2000:]}")
    elif (there := place.model()) != wanted:
        other = sorted({*(there or {}).items()} ^ {*(wanted or {}).items()})
        found.faults.append(f"{place.folder}: another model: {other}")
    elif place.work.exists():
        found.faults.append(f"{place.folder}: the work folder is still there")


def _point(length: Done, rng: random.Random) -> tuple[str, float]:
    if rng.random() < 0.5:
        return "file", rng.randint(1, length.changes)
    return "cpu", rng.uniform(length.begun, length.cpu)
