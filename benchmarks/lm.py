"""Language model queries beside the kenlm module's: time per word, loading, size.

    python -m benchmarks.lm [MODEL.arpa[.gz]]

Scores Multi30k's English test and validation text with an order-5 model of its training text, one
thread.  Both sides take turns; each figure is the least CPU time of its turns.  With KenLM's
build_binary on the PATH, its binary form is loaded as well.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import kenlm

from benchmarks.corpora import data_folder
from demotic.lm import LanguageModel
from demotic.lm.estimation import estimate

TURNS = 25


def in_turns(works: dict[str, Callable[[], object]], turns: int = TURNS) -> dict[str, float]:
    """The least CPU time of each piece of work."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(turns):
        for name, work in works.items():
            begin = time.process_time()
            work()
            best[name] = min(best[name], time.process_time() - begin)
    return best


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def peer(path: Path) -> kenlm.Model:
    """KenLM's model, read without its chatter."""
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    return kenlm.Model(str(path), config)


def each_line(score: Callable[[str], float], lines: list[str]) -> Callable[[], object]:
    """Score line by line, as a Python program would."""

    def work() -> None:
        for line in lines:
            score(line)

    return work


def queries(lm: LanguageModel, theirs: kenlm.Model, name: str, lines: list[str]) -> None:
    words = sum(len(line.split()) + 1 for line in lines)
    text = "\n".join(lines).encode()
    times = in_turns(
        {
            "kenlm": each_line(theirs.score, lines),
            "score": each_line(lm.score, lines),
            "score_lines": lambda: lm.score_lines(text),
        }
    )
    worst = max(abs(lm.score(line) - theirs.score(line)) for line in lines)
    print(f"{name}: {len(lines):,} lines, {words:,} words; largest difference {worst:.1e}")
    for call in ("score", "score_lines"):
        print(
            f"  {call:<12} {times['kenlm'] / times[call]:.2f} times as fast per word as"
            f" kenlm.Model.score ({1e6 * times[call] / words:.3f} and"
            f" {1e6 * times['kenlm'] / words:.3f} µs)"
        )


def loading(arpa: Path, binary: Path, folder: Path) -> None:
    works: dict[str, Callable[[], object]] = {
        "binary": lambda: LanguageModel.load(binary),
        "binary, unverified": lambda: LanguageModel.load(binary, verify=False),
        "ARPA": lambda: LanguageModel.load(arpa),
        "kenlm ARPA": lambda: peer(arpa),
    }
    build_binary = shutil.which("build_binary")
    if build_binary:
        theirs = folder / "kenlm.bin"
        subprocess.run([build_binary, arpa, theirs], check=True, capture_output=True)
        works["kenlm binary"] = lambda: peer(theirs)
        print(f"size: {binary.stat().st_size / theirs.stat().st_size:.2f} of KenLM's binary form")
    times = in_turns(works, turns=5)
    print(f"size: {binary.stat().st_size / arpa.stat().st_size:.2f} of the ARPA file")
    for name in works:
        ratio = times["kenlm ARPA"] / times[name]
        speed = f"{ratio:,.1f} times as fast as kenlm's ARPA"
        print(f"loading, {name}: {1e3 * times[name]:.1f} ms, {speed}")


def main() -> None:
    text = data_folder() / "multi30k" / "tok"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        arpa, binary = folder / "lm.arpa", folder / "lm.bin"
        if len(sys.argv) > 1:
            LanguageModel.load(sys.argv[1]).save(arpa)
        else:
            estimate(text / "train.en.gz", order=5).save(arpa)
        LanguageModel.load(arpa).save(binary)
        before = resident()
        lm = LanguageModel.load(binary)
        ours = resident() - before
        print(f"model: order {lm.order}, {sum(lm.counts):,} n-grams")
        loading(arpa, binary, folder)
        before = resident()
        theirs = peer(arpa)
        print(
            f"memory: {ours / (resident() - before):.2f} of kenlm's, {ours / 2**20:.0f} MiB mapped"
        )
        for names in (("test2016", "val"), ("train",)):
            lines = [
                line
                for name in names
                for line in gzip.decompress((text / f"{name}.en.gz").read_bytes())
                .decode()
                .splitlines()
            ]
            queries(lm, theirs, " + ".join(names), lines[:3000])


if __name__ == "__main__":
    main()
