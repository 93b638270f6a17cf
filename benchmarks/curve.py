"""Time against quality: every system's decoder from its narrowest search to a wide one.

    python -m benchmarks.curve [--pairs 1000,5000] [--systems hiero] [--models DIR] [--sentences N]

Models are those of ``benchmarks.trained``, trained if they are not there.  Every setting translates
the same first sentences of ``test2016`` on one thread, raw tokens in and out, memory off; a figure
is CPU time of a sentence by a decoder that has seen none.  Peers that are named
(``benchmarks.peers``) translate the same sentences in the same run.  Results are kept in
``curve.json`` beside the models' folder, for the page.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import demotic
from benchmarks.peers import peers
from benchmarks.trained import TESTED_ON, arguments, home, sentences, trained
from demotic.metrics import Bleu

SETTINGS: dict[str, tuple[str, tuple[int, ...]]] = {
    "hiero": ("pops", (1, 3, 10, 30, 50, 100, 200)),
    "phrase": ("pops", (3, 10, 30, 100, 200, 500, 1000)),
    "umt": ("beam", (1, 2, 4, 8)),
    "blocks": ("beam", (3, 10, 30, 100, 500)),
    "amasis": ("pops", (10, 30, 100, 300, 1000)),
    "transducer": ("beam", (3, 10, 20, 40, 80)),
}
"""Of each system the option that says how widely it searches, with values around its default."""


def points(system: str, pairs: int, models: Path, count: int) -> list[dict[str, Any]]:
    """Time and BLEU of one model under each setting, the default among them."""
    trained(system, pairs, models)
    lines, reference = (sentences(f"test2016.{code}.gz", count) for code in ("de", "en"))
    model = demotic.load(home(models, system, pairs)).with_memory({"use": False})
    option, values = SETTINGS[system]
    default = getattr(model.search, option)
    found = []
    for value in sorted({*values, default}):
        searching = model.with_search({option: value})
        searching.translate(lines[0])  # files are mapped, modules imported
        began = time.process_time()
        texts = [each.text for each in searching.translate_batch(lines)]
        spent = (time.process_time() - began) * 1000 / len(lines)
        bleu = Bleu(tokenise="none").score(texts, [reference]).value
        found.append({
            "setting": f"{option} {value}", "default": value == default,
            "milliseconds": spent, "bleu": bleu,
        })  # fmt: skip
    return found


def main() -> None:
    """One table for each size."""
    parser = arguments(__doc__)
    parser.add_argument("--sentences", type=int, default=TESTED_ON)
    given = parser.parse_args()
    kept_in = given.models.parent / "curve.json"
    kept = json.loads(kept_in.read_text()) if kept_in.exists() else {}
    for pairs in given.pairs:
        print(f"\n{pairs:,} pairs, {given.sentences} sentences")
        print(f"{'system':12}{'setting':>12}{'ms':>9}{'BLEU':>8}")
        for system in given.systems:
            found = points(system, pairs, given.models, given.sentences)
            kept.setdefault(str(pairs), {})[system] = found
            for each in found:
                mark = " (default)" if each["default"] else ""
                print(
                    f"{system:12}{each['setting']:>12}{each['milliseconds']:9.2f}"
                    f"{each['bleu']:8.2f}{mark}",
                    flush=True,
                )
            kept_in.write_text(json.dumps(kept, indent=1) + "\n")
    kept["peers"] = peers(given.sentences)
    kept_in.write_text(json.dumps(kept, indent=1) + "\n")
    for name, each in kept["peers"].items():
        print(f"{name:24}{each['milliseconds']:9.2f}{each['bleu']:8.2f}  (in this run)")


if __name__ == "__main__":
    main()
