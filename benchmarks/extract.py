"""Rule extraction: CPU time, memory and growth on Multi30k, beside word alignment in the same run.

    python -m benchmarks.extract                 # 29,000 pairs
    python -m benchmarks.extract --pairs 8000

Extraction, counting, scoring and writing are timed together, for half of the text and for all of
it; the ratio of the two says how time grows.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import tempfile
import time
from itertools import islice
from pathlib import Path

from benchmarks.corpora import data_folder
from demotic.align import Links, Text, align
from demotic.engine import LocalEngine
from demotic.grammar import extract_hiero
from demotic.systems.hiero import Config


def text(language: str, pairs: int) -> Text:
    path = data_folder() / "multi30k" / "tok" / f"train.{language}.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        return Text.of(line.rstrip("\n") for line in islice(lines, pairs))


def extraction(source: Text, target: Text, links: Links, engine: LocalEngine) -> tuple[float, int]:
    """CPU seconds and rules of the grammar that training takes."""
    source.lines, target.lines  # noqa: B018 - encoded before the clock starts
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        table = extract_hiero(
            source,
            target,
            links,
            out=Path(folder) / "r.bin",
            options=Config().extract,
            engine=engine,
        )
        return time.process_time() - begin, len(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=29000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=float, default=1.0, help="GiB")
    given = parser.parse_args()
    engine = LocalEngine(threads=given.threads, memory=int(given.memory * 2**30))
    source, target = text("de", given.pairs), text("en", given.pairs)
    begin = time.process_time()
    links = align(source, target, threads=given.threads).links
    aligning = time.process_time() - begin

    half = given.pairs // 2
    short, _ = extraction(text("de", half), text("en", half), links.slice(0, half), engine)
    whole, rules = extraction(source, target, links, engine)
    print(f"{given.pairs:,} pairs: {rules:,} rules, {whole:.1f} CPU seconds")
    print(f"CPU of extraction / CPU of word alignment: {whole / aligning:.2f}")
    print(f"CPU of all pairs / CPU of half of them:    {whole / short:.2f}")
    print(f"CPU microseconds per rule:                 {1e6 * whole / rules:.1f}")
    print(f"peak memory, MB: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:,}")


if __name__ == "__main__":
    main()
