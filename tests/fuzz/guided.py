"""One reader under atheris, which looks for inputs that reach new branches.

python -m tests.fuzz.guided NAME SECONDS SEED FOLDER      (pip install demotic[fuzz])
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
_DONE = re.compile(r"^Done (\d+) runs|^#(\d+)\s", re.MULTILINE)


def main() -> None:
    """In a process that libFuzzer ends in its own way, so that what it did can be counted."""
    name, seconds, seed, out = sys.argv[1:]
    Path(out).mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="demotic-fuzz-") as corpus,
        tempfile.TemporaryDirectory(prefix="demotic-fuzz-") as files,
    ):
        command = [sys.executable, "-m", "tests.fuzz.guided", "inside", name, corpus, out]
        command += [f"-max_total_time={max(1, round(float(seconds)))}", f"-seed={seed}"]
        command += ["-max_len=20000", f"-artifact_prefix={out}/{name.replace(' ', '-')} ", corpus]
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, "DEMOTIC_FUZZ": files}, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    runs = [int(one or other) for one, other in _DONE.findall(done.stderr)]
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        print(done.stderr[-3000:], file=sys.stderr)
    print(max(runs, default=0), spent.ru_utime + spent.ru_stime)
    sys.exit(done.returncode != 0)


def inside() -> None:
    """Never returns."""
    import atheris

    name, corpus, out = sys.argv[2:5]
    with atheris.instrument_imports(include=["demotic", "polib"], enable_loader_override=False):
        from tests.fuzz.readers import readers

        reader = readers()[name]
        for number, seed in enumerate(reader.seeds):
            (Path(corpus) / str(number)).write_bytes(seed)
            reader(seed)
    from tests.fuzz.guard import limit, passes

    limit()

    def one(content: bytes) -> None:
        if not passes(name, reader, content, Path(out)):
            os._exit(77)

    atheris.Setup([sys.argv[0], *sys.argv[5:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    inside() if sys.argv[1] == "inside" else main()
