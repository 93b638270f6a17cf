"""One reader in this process: ``python -m tests.fuzz.seeded NAME SECONDS SEED FOLDER FROM TO``.

Inputs have numbers; those FROM one TO another are tried, as many as the seconds are enough for.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from tests.fuzz.guard import limit, passes
from tests.fuzz.mutating import mutant
from tests.fuzz.readers import readers

MOST_FAULTS = 5
BLOCK = 100


def main() -> None:
    name, seconds, seed, out = sys.argv[1], float(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    first, last = int(sys.argv[5]), int(sys.argv[6])
    reader = readers()[name]
    for each in reader.seeds:
        reader(each)  # a sound file is read without a limit: what is imported takes its time
    limit()
    number, faults = first, 0
    begin = time.process_time()
    rng = random.Random()
    while time.process_time() - begin < seconds and number < last and faults < MOST_FAULTS:
        if number == first or number % BLOCK == 0:
            rng.seed(f"{name} {seed} {number}")  # not for each: that takes as long as most readers
        faults += not passes(name, reader, mutant(reader.seeds, rng), out)
        number += 1
    print(number - first, time.process_time() - begin)
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
