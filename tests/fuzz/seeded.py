"""One reader in this process: ``python -m tests.fuzz.seeded NAME SECONDS SEED FOLDER``."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from tests.fuzz.guard import limit, passes
from tests.fuzz.mutating import mutant
from tests.fuzz.readers import readers

MOST_FAULTS = 5


def main() -> None:
    name, seconds, seed, out = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    reader = readers()[name]
    for each in reader.seeds:
        reader(each)  # a sound file is read without a limit: what is imported takes its time
    limit()
    inputs = faults = 0
    begin = time.process_time()
    while time.process_time() - begin < seconds and faults < MOST_FAULTS:
        rng = random.Random(f"{name} {seed} {inputs}")
        faults += not passes(name, reader, mutant(reader.seeds, rng), out)
        inputs += 1
    print(inputs, time.process_time() - begin)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
