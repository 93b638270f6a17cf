"""Loading a translator in a new process: import, load, first translation.

    python -m benchmarks.load [MODEL ...]

Without a model, two are trained on parts of Multi30k, one on five times as much text as the other:
loading should not take longer for it.  Each is stored as a folder and as one file.  Every figure is
the least CPU time of fresh processes that take turns, with all files in the disk's cache and all
modules compiled, as an installation leaves them; "seen for the first time" is a load that compares
all checksums, since the user's cache knows nothing of the model.  Beside the time stands its ratio
to reading the model's bytes once, and KenLM's for reading the same language model from ARPA text
(and from its own binary form where build_binary is on the PATH).
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import demotic
from benchmarks.corpora import data_folder
from demotic.corpus import Bitext
from demotic.lm import LanguageModel

TURNS = 15
SIZES = (2_000, 10_000)
LINE = "ein mann mit einem roten hut spielt gitarre ."
CLOCK = "import json, sys, time\nnow = time.process_time\n"
SCRIPTS = {
    "read": """
from pathlib import Path
a = now()
for part in sorted(Path(sys.argv[1]).iterdir()):
    with part.open("rb") as file:
        while file.read(1 << 20):
            pass
print(json.dumps({"reading all bytes": now() - a}))
""",
    "demotic": f"""
a = now()
import demotic
b = now()
model = demotic.load(sys.argv[1])
c = now()
model.translate({LINE!r})
d = now()
model.translate({LINE!r})
e = now()
print(json.dumps({{"import demotic": b - a, "demotic.load": c - b, "first translation": d - c,
                  "second translation": e - d}}))
""",
    "kenlm": """
import kenlm
config = kenlm.Config()
config.show_progress = False
config.arpa_complain = kenlm.ARPALoadComplain.NONE
a = now()
kenlm.Model(sys.argv[1], config)
print(json.dumps({sys.argv[2]: now() - a}))
""",
}


def seconds(script: str, *arguments: str | Path, **environment: str) -> dict[str, float]:
    """What a new process has measured."""
    inherited = {name: v for name, v in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", CLOCK + SCRIPTS[script], *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
        env=inherited | environment,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def train(pairs: int, out: Path) -> None:
    """A model of the first pairs of Multi30k; one round of tuning, since only its size matters."""
    sides = []
    for language in ("de", "en"):
        path = data_folder() / "multi30k" / "tok" / f"train.{language}.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            sides.append([line.rstrip("\n") for line in lines][: pairs + 50])
    both = list(zip(*sides, strict=True))
    texts = [
        Bitext.from_pairs(part, source_language="de", target_language="en")
        for part in (both[:pairs], both[pairs:])
    ]
    settings = {"tune": {"mert": {"iterations": 1, "restarts": 0}}}
    demotic.train(texts[0], dev=texts[1], config=settings, out=out, threads=2)


def measure(model: Path, scratch: Path) -> None:
    """Print one model's figures."""
    loaded = demotic.load(model)
    folder, archive, arpa = scratch / "folder", scratch / "model.demotic", scratch / "lm.arpa"
    loaded.save(folder)
    loaded.save(archive)
    LanguageModel.load(folder / "lm.bin").save(arpa)
    works: list[tuple[str, list[str | Path]]] = [
        ("read", [folder]),
        ("demotic", [folder]),
        ("demotic", [archive]),
        ("kenlm", [arpa, "KenLM, from ARPA"]),
    ]
    if shutil.which("build_binary"):
        binary = scratch / "lm.kenlm"
        subprocess.run(["build_binary", arpa, binary], capture_output=True, check=True)
        works.append(("kenlm", [binary, "KenLM, from its binary form"]))
    best: dict[str, float] = {}
    compiled = {"PYTHONPYCACHEPREFIX": str(scratch / "compiled")}
    for turn in range(TURNS):
        for script, arguments in works:
            for name, value in seconds(script, *arguments, **compiled).items():
                name = f"{name}, one file" if arguments[0] == archive else name
                best[name] = min(best.get(name, value), value)
        cache = {"XDG_CACHE_HOME": str(scratch / f"cache{turn}")}
        value = seconds("demotic", folder, **compiled, **cache)["demotic.load"]
        name = "demotic.load, seen for the first time"
        best[name] = min(best.get(name, value), value)
    size = sum(part.stat().st_size for part in folder.iterdir())
    print(f"{model.name}: {size:,} bytes")
    unit = best["reading all bytes"]
    for name, value in best.items():
        print(f"  {name:<38} {value * 1e3:9.2f} ms  {value / unit:8.3f} of reading")


def main() -> None:
    """Models that were named, or two that are trained for this."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        models = [Path(each) for each in sys.argv[1:]]
        if not models:
            for size in SIZES:
                models.append(home / f"{size}-pairs")
                train(size, models[-1])
        for number, model in enumerate(models):
            (home / str(number)).mkdir()
            measure(model, home / str(number))


if __name__ == "__main__":
    main()
