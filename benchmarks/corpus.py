"""Reading and cleaning: speed beside a bare loop over the lines, and memory as the corpus grows.

    python -m benchmarks.corpus

Speed on Europarl French-English (200,000 pairs, gzip) and on files of each format made from it.
Memory on generated text: the growth of the peak between 100,000 and 1,000,000 lines, measured in
processes of their own.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.corpora import data_folder
from demotic.corpus import Bitext, clean, read_bitext, split

CONVERTED = 50_000  # pairs in the files of other formats


def cpu(work: Callable[[], object], repeats: int = 3) -> float:
    """The least CPU time of a few runs."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def bare_loop(*paths: Path) -> int:
    """What any reader must do: decompress, decode, and look at each line."""
    count = 0
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for _ in lines:
                count += 1
    return count


def plain_speed(folder: Path) -> Bitext:
    """Reading two gzip files, cleaning and splitting, as multiples of the bare loop."""
    paths = folder / "train.fr.gz", folder / "train.en.gz"
    bare = cpu(lambda: bare_loop(*paths))
    bitext = read_bitext(*paths)
    sentences = 2 * len(bitext)
    print(f"Europarl fr-en, {len(bitext):,} pairs = {sentences:,} sentences, one core, CPU time")
    print(f"{'':28}{'x bare loop':>12}{'sentences/s':>14}")
    print(f"{'bare loop over the lines':28}{1:12.2f}{sentences / bare:14,.0f}")
    steps: dict[str, Callable[[], object]] = {
        "read": lambda: read_bitext(*paths),
        "clean": lambda: clean(bitext),
        "read and clean": lambda: clean(read_bitext(*paths)),
        "split": lambda: split(bitext, dev=2000, test=2000),
    }
    for name, work in steps.items():
        seconds = cpu(work)
        print(f"{name:28}{seconds / bare:12.2f}{sentences / seconds:14,.0f}")
    return bitext


def format_speed(bitext: Bitext, folder: Path) -> None:
    """Reading the same pairs from a file of each format, relative to TSV."""
    pairs = bitext.select(range(CONVERTED))
    writers = {"tsv": write_tsv, "tmx": write_tmx, "xliff": write_xliff, "po": write_po}
    print(f"\n{len(pairs):,} pairs in other formats{'':2}{'x TSV':>6}{'sentences/s':>14}")
    base = 0.0
    for name, write in writers.items():
        path = folder / f"pairs.{name}"
        write(pairs, path)
        count = 2 * len(read_bitext(path, source="fr", target="en"))
        seconds = cpu(lambda path=path: read_bitext(path, source="fr", target="en"), 1)  # type: ignore[misc]
        base = base or seconds
        print(f"{name:28}{seconds / base:6.2f}{count / seconds:14,.0f}")


def write_tsv(bitext: Bitext, path: Path) -> None:
    bitext.write(path)


def write_tmx(bitext: Bitext, path: Path) -> None:
    with path.open("w") as out:
        out.write('<tmx version="1.4"><header srclang="fr"/><body>\n')
        for pair in bitext:
            out.write(
                f'<tu><tuv xml:lang="fr"><seg>{escape(pair.source)}</seg></tuv>\n'
                f'<tuv xml:lang="en"><seg>{escape(pair.target)}</seg></tuv></tu>\n'
            )
        out.write("</body></tmx>\n")


def write_xliff(bitext: Bitext, path: Path) -> None:
    with path.open("w") as out:
        out.write('<xliff version="1.2"><file source-language="fr" target-language="en"><body>\n')
        for pair in bitext:
            out.write(
                f'<trans-unit id="{pair.id}"><source>{escape(pair.source)}</source>\n'
                f"<target>{escape(pair.target)}</target></trans-unit>\n"
            )
        out.write("</body></file></xliff>\n")


def write_po(bitext: Bitext, path: Path) -> None:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    with path.open("w") as out:
        for pair in bitext:
            out.write(f"msgid {quoted(pair.source)}\nmsgstr {quoted(pair.target)}\n\n")


PEAK = """
import sys
from demotic.corpus import clean, read_bitext
bitext, report = clean(read_bitext(sys.argv[1]))
for pair in bitext:
    pass
# Not ru_maxrss, which a process inherits from the one that started it.
status = open("/proc/self/status").read()
print(int(status.split("VmHWM:")[1].split()[0]) * 1024)
"""


def memory(folder: Path) -> None:
    """Peak memory of reading, cleaning and iterating, for corpora that differ only in length."""
    print(f"\n{'lines':>12}{'file MB':>10}{'peak MB':>10}")
    measured = []
    for lines in (100_000, 1_000_000):
        path = folder / "generated.tsv"
        with path.open("w") as out:
            for number in range(lines):
                words = " ".join(str(number * step % 9973) for step in range(1, 16))
                out.write(f"{number} {words}\t{words} {number}\n")
        command = [sys.executable, "-c", PEAK, str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        measured.append((lines, path.stat().st_size, int(done.stdout)))
        print(f"{lines:12,}{measured[-1][1] / 1e6:10.0f}{measured[-1][2] / 1e6:10.0f}")
    (few, _, low), (many, size, high) = measured
    print(
        f"growth: {(high - low) / (many - few):.0f} bytes a pair "
        f"({(high - low) / size:.2f} of the larger file; hashes for ids and duplicates)"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        europarl = data_folder() / "europarl-fr-en"
        if europarl.is_dir():
            format_speed(plain_speed(europarl), folder)
        else:
            print("no Europarl in the folder of corpora (set DEMOTIC_DATA): speed is not measured")
        memory(folder)


if __name__ == "__main__":
    main()
