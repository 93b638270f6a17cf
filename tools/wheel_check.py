"""What somebody does first, in an environment that has Demotic and nothing else.

A made-up memory is trained on from the command line, translated with, explained and inspected.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

THINGS = {"file": "fichier", "page": "page", "user": "compte", "folder": "dossier", "link": "lien"}
ACTIONS = {"Delete": "Supprimer", "Open": "Ouvrir", "Save": "Enregistrer", "Copy": "Copier"}
COUNTS = {"one": "un", "each": "chaque", "this": "ce", "another": "un autre"}


def main() -> None:
    """Three commands; then the same from Python."""
    pairs = [
        (f"{act} {count} {thing}.", f"{ACTIONS[act]} {COUNTS[count]} {THINGS[thing]}.")
        for act, count, thing in itertools.product(ACTIONS, COUNTS, THINGS)
    ]
    lines = (f"{source}\t{target}\n" for source, target in pairs if source != "Open this folder.")
    Path("memory.tsv").write_text("".join(lines), encoding="utf-8")
    languages = ("--from", "en", "--to", "fr")
    run("train", "--bitext", "memory.tsv", *languages, "--out", "en-fr.demotic", "--quiet")
    said = run("translate", "en-fr.demotic", given="Open this folder.\n")
    assert said == "Ouvrir ce dossier.\n", said
    assert "dossier" in run("explain", "en-fr.demotic", "Open this folder.")
    assert "hiero" in run("inspect", "--verify", "en-fr.demotic")

    import demotic

    model = demotic.load("en-fr.demotic")
    assert model.translate("Open this folder.").text == "Ouvrir ce dossier."
    print(f"demotic {demotic.__version__} on Python {sys.version.split()[0]}: works")


def run(*command: str, given: str = "") -> str:
    """What the command writes."""
    whole = [str(Path(sys.executable).with_name("demotic")), *command]
    done = subprocess.run(whole, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


if __name__ == "__main__":
    main()
