"""Language-model estimation: beside lmplz, under a memory bound, as the text grows; word classes.

    DEMOTIC_LMPLZ=path/to/lmplz python -m benchmarks.lm_estimate

Each measurement is a process of its own; CPU time is user plus system time of that process,
interpreter and all.  Without an lmplz (given, or on the PATH) only the estimates are compared, with
the reference files that lmplz once wrote.
"""

from __future__ import annotations

import filecmp
import gzip
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.corpora import data_folder
from demotic import files
from demotic.lm.classes import cluster
from demotic.lm.estimation import estimate

MIB = 1 << 20


@dataclass(frozen=True)
class Cost:
    cpu: float
    peak: int  # bytes

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu + other.cpu, max(self.peak, other.peak))


def run(command: list[str], repeats: int = 3) -> Cost:
    """The cheapest of a few runs."""
    costs = []
    for _ in range(repeats):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"failed: {' '.join(command)}")
        costs.append(Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024))
    return min(costs, key=lambda cost: cost.cpu)


def demotic(text: Path, out: Path, *, memory: int, threads: int = 1, repeats: int = 3) -> Cost:
    program = (
        "import sys; from demotic.lm.estimation import estimate;"
        "text, out, memory, threads = sys.argv[1:];"
        "estimate(text, order=5, memory=int(memory), threads=int(threads)).save(out)"
    )
    arguments = [str(text), str(out), str(memory), str(threads)]
    return run([sys.executable, "-c", program, *arguments], repeats)


def lmplz(binary: str, text: Path, out: Path, *, memory: int, repeats: int = 3) -> Cost:
    options = ["-o", "5", "-S", f"{memory}b", "--discount_fallback"]
    return run([binary, *options, "--text", str(text), "--arpa", str(out)], repeats)


def read_arpa(path: Path) -> dict[str, tuple[float, float]]:
    out = {}
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            prob, tab, rest = line.rstrip("\n").partition("\t")
            if tab:
                ngram, _, backoff = rest.partition("\t")
                out[ngram] = (float(prob), float(backoff or 0))
    return out


def compare(name: str, ours: Path, theirs: Path) -> None:
    """In a process of its own: a child's peak memory would count what its parent held."""
    process = multiprocessing.Process(target=_compare, args=(name, ours, theirs))
    process.start()
    process.join()


def _compare(name: str, ours: Path, theirs: Path) -> None:
    found, wanted = read_arpa(ours), read_arpa(theirs)
    same = "the same n-grams" if found.keys() == wanted.keys() else "DIFFERENT n-grams"
    worst = max(
        max(abs(found[ngram][i] - wanted[ngram][i]) for i in (0, 1))
        for ngram in found.keys() & wanted.keys()
    )
    print(
        f"{name}: {len(found):,} n-grams, {same}, largest difference in log10 {worst:.1e}",
        flush=True,
    )


def equality(one: Path, other: Path) -> str:
    return "the same bytes" if filecmp.cmp(one, other, shallow=False) else "DIFFERENT bytes"


def first_lines(source: Path, count: int | None, out: Path) -> Path:
    files.write_lines(out, islice(files.read_lines(source), count))
    return out


def beside_lmplz(folder: Path, data: Path) -> None:
    ours, theirs = folder / "ours.arpa", folder / "theirs.arpa"
    for order in (2, 3, 5):
        estimate(data / "lm-reference" / "text.en.gz", order=order).save(ours)
        compare(f"reference, order {order}", ours, data / "lm-reference" / f"lm.o{order}.arpa.gz")
    text = first_lines(data / "multi30k" / "tok" / "train.en.gz", None, folder / "multi30k")
    binary = os.environ.get("DEMOTIC_LMPLZ") or shutil.which("lmplz")
    if binary is None:
        print("no lmplz here (DEMOTIC_LMPLZ or PATH): speed is not compared")
        return
    demotic_cost = demotic(text, ours, memory=1 << 30)
    peer = lmplz(binary, text, theirs, memory=1 << 30)
    start = run([sys.executable, "-c", "import demotic.lm.estimation"])
    compare("Multi30k English, order 5", ours, theirs)
    print(
        "  lmplz / Demotic, text to ARPA with 1 GiB:"
        f" CPU {peer.cpu / demotic_cost.cpu:.2f},"
        f" without starting Python {peer.cpu / (demotic_cost.cpu - start.cpu):.2f},"
        f" peak memory {peer.peak / demotic_cost.peak:.2f}"
    )


def under_a_bound(folder: Path, data: Path) -> None:
    source = data / "europarl-fr-en" / "train.en.gz"
    out, free = folder / "bounded.arpa", folder / "free.arpa"
    start = run([sys.executable, "-c", "import demotic.lm.estimation"], repeats=1)
    previous: Cost | None = None
    for lines in (50_000, 100_000, 200_000):
        text = first_lines(source, lines, folder / f"europarl{lines}")
        cost = demotic(text, out, memory=64 * MIB, repeats=1)
        growth = f", {cost.cpu / previous.cpu:.2f} times the CPU of half" if previous else ""
        above = (cost.peak - start.peak) / (64 * MIB)
        print(f"Europarl, {lines:,} lines, 64 MiB: peak above start {above:.2f} of it{growth}")
        previous = cost
    assert previous is not None
    roomy = demotic(text, free, memory=4 << 30, repeats=1)
    same = equality(out, free)
    print(f"  bounded / in memory: CPU {previous.cpu / roomy.cpu:.2f}, {same}")
    demotic(text, out, memory=4 << 30, threads=2, repeats=1)
    same = equality(out, free)
    print(f"  two threads / one: {same}")
    binary = os.environ.get("DEMOTIC_LMPLZ") or shutil.which("lmplz")
    if binary is not None:
        peer = lmplz(binary, text, out, memory=64 * MIB, repeats=1)
        print(
            f"  lmplz / Demotic with 64 MiB: CPU {peer.cpu / previous.cpu:.2f},"
            f" peak memory {peer.peak / previous.peak:.2f}"
        )


def word_classes(data: Path) -> None:
    text = data / "multi30k" / "tok" / "train.en.gz"
    initial = cluster(text, iterations=0).log_likelihood
    found = cluster(text)
    assert initial is not None
    assert found.log_likelihood is not None
    gain = found.log_likelihood / initial
    print(f"Multi30k English, {found}: log likelihood {gain:.3f} of the initial partition's")


def main() -> None:
    data = data_folder()
    with tempfile.TemporaryDirectory() as folder:
        beside_lmplz(Path(folder), data)
        under_a_bound(Path(folder), data)
    word_classes(data)


if __name__ == "__main__":
    main()
