"""Trainings that get too little of something, step by step more of it, and then enough.

Each of them ends with an error of ours and 1, or it ends well; what was at the model's place is
there until then; and with enough the training goes on to the bytes of one that had it all along.
"""

from __future__ import annotations

import random
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.training import Done, Place

MEGABYTE = 1 << 20
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Root may write where nobody may; not so without these capabilities."""


@dataclass
class Starved:
    """What came of trainings that got too little."""

    name: str
    of: str
    errors: int = 0
    """Processes that ended with an error of ours."""
    aborted: int = 0
    """Processes that a library ended which cannot live with too little memory."""
    ended: int = 0
    """Processes that got along with what they had."""
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.name}, {self.of}: {self.errors} errors, {self.aborted} aborted by others, "
            f"{self.ended} trainings that ended well, {len(self.faults)} faults"
        )


Steps = Callable[[Place, Done, random.Random, int], Iterator[tuple[str, Callable[[], Done]]]]
"""Trainings with too little, and what it was."""


def starve(name: str, of: str, steps: int, seed: int, folder: Path) -> Starved:
    """Train with too little of something (``KINDS``) so many times, then with enough of it."""
    found = Starved(name, of)
    reference = Place(folder / "reference", name)
    whole = reference.train(forked=True)
    assert whole.code == 0, whole.errors
    wanted = reference.model()
    rng = random.Random(f"{name} {of} {seed}")
    room = folder / "room"
    with _mounted(room) if of == "disk" else _plain(room):
        place = Place(room, name, out=rng.choice(("model", "model.demotic")))
        place.put_something()
        earlier = place.model()
        for what, train in KINDS[of](place, whole, rng, steps):
            done = train()
            there = place.model()
            if done.code == 0 and there == wanted:
                found.ended += 1
            elif of == "memory" and there == earlier and done.aborted:
                found.aborted += 1
            elif not done.refused:
                found.faults.append(f"{what}: {done.code}: {done.errors[-3000:]}")
            elif there not in (earlier, wanted):  # a kill may come after the new model
                found.faults.append(f"{what}: what was there before is gone")
            else:
                found.errors += 1
            if there == wanted:
                earlier = wanted
        last = place.train(options=["--force", "--resume"])
        if last.code or place.model() != wanted:
            found.faults.append(
                f"with enough: {last.code}: {last.errors[-3000:]}, or another model"
            )
    return found


@contextmanager
def _plain(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True)
    yield
    shutil.rmtree(folder)


@contextmanager
def _mounted(folder: Path) -> Iterator[None]:
    """A file system of its own, in memory."""
    folder.mkdir(parents=True)
    _mount("tmpfs", folder, size=64 * MEGABYTE)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def _mount(kind: str, folder: Path, *, size: int, again: bool = False) -> None:
    options = f"{'remount,' * again}size={size}"
    subprocess.run(["mount", "-t", kind, "-o", options, kind, folder], check=True)


def may_mount(folder: Path) -> bool:
    """Can a full disk be tried here?"""
    try:
        with _mounted(folder):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
    finally:
        folder.rmdir()


def _steps(rng: random.Random, least: int, most: int, steps: int) -> list[int]:
    """Some sizes between the two, more and more."""
    return sorted(rng.randint(least, most) for _ in range(steps))


def _again(place: Place, number: int) -> list[str]:
    return ["--force", *(["--resume"] if number else [])]


def _disk(
    place: Place, whole: Done, rng: random.Random, steps: int
) -> Iterator[tuple[str, Callable[[], Done]]]:
    """A disk that is full sooner or later; temporary files and the cache are on it as well."""
    for number, size in enumerate(_steps(rng, 0, 2 * MEGABYTE, steps)):
        room = shutil.disk_usage(place.folder).used + size
        _mount("tmpfs", place.folder, size=room, again=True)
        yield (
            f"{size} bytes on the disk",
            lambda n=number: place.train(options=_again(place, n), forked=True),
        )
    _mount("tmpfs", place.folder, size=64 * MEGABYTE, again=True)


def _file(
    place: Place, whole: Done, rng: random.Random, steps: int
) -> Iterator[tuple[str, Callable[[], Done]]]:
    """No file may have more than some bytes, as with ``ulimit -f``."""
    for number, size in enumerate(_steps(rng, 0, 60_000, steps)):
        limits = {resource.RLIMIT_FSIZE: size}
        yield (
            f"files of {size} bytes",
            lambda n=number, limits=limits: place.train(options=_again(place, n), limits=limits),
        )


def _memory(
    place: Place, whole: Done, rng: random.Random, steps: int
) -> Iterator[tuple[str, Callable[[], Done]]]:
    """A few megabytes of addresses beyond what the libraries take, and more and more."""
    sizes = sorted(MEGABYTE * 2 ** rng.uniform(0, 9) for _ in range(steps))
    for number, size in enumerate(map(int, sizes)):
        yield (
            f"{size / MEGABYTE:.1f} MB of memory",
            lambda n=number, size=size: place.train(
                "memory", size, options=_again(place, n), forked=True
            ),
        )


def _folders(
    place: Place, whole: Done, rng: random.Random, steps: int
) -> Iterator[tuple[str, Callable[[], Done]]]:
    """Folders that cannot be written: that of the model, temporary ones, the work, the cache."""
    folders = [place.folder, place.folder / "tmp", place.work, place.folder / "tmp" / "cache"]
    for number in range(steps):
        at = rng.randint(whole.changes // 4, whole.changes)
        place.train("file", at, options=["--force"], forked=True)
        folder = folders[number % len(folders)]
        folder.mkdir(exist_ok=True)  # unless it has come to its end
        folder.chmod(0o555)
        yield (
            f"{folder.name} cannot be written",
            lambda: place.train(options=["--force", "--resume"], under=UNPRIVILEGED),
        )
        if folder.exists():
            folder.chmod(0o755)


KINDS: dict[str, Steps] = {"disk": _disk, "file": _file, "memory": _memory, "folders": _folders}
