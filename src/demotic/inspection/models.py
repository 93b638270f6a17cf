"""Binary parts and language models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from demotic import _core, files
from demotic.inspection.report import Fact
from demotic.inspection.text import Findings
from demotic.progress import SILENT, Progress
from demotic.systems import SYSTEMS, system_named

if TYPE_CHECKING:
    from demotic.systems.model import Description

MAGIC = b"DEMOTIC\0"
_DIGITS = 18  # of a count
_SMALL = 64 << 20  # bytes that are read through without being asked to


def is_container(path: str | Path) -> bool:
    """Does the file begin as Demotic's binary files do?"""
    with files.naming(path), Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def inspect_container(path: str | Path, *, verify: bool) -> tuple[str, Findings]:
    """What it holds; with ``verify``, or if small, every checksum is compared."""
    with files.naming(path):
        part = _core.Container(str(path))
        facts: dict[str, Fact] = {"layout version": part.version}
        if verify or part.file_size <= _SMALL:
            part.verify()
            facts["checksums"] = "all verified"
        else:
            facts["checksums"] = "header and table verified, --verify checks all"
        name, described = describe_container(path, verify=verify)
        facts |= described
        facts["bytes by section"] = dict(part.sections)
    return name, (facts, [], [])


def describe_container(path: str | Path, *, verify: bool) -> tuple[str, dict[str, Fact]]:
    """What people call a binary file, and what is in it, as far as its kind tells.

    With ``verify``, or if it is small, all of it must make sense.
    """
    with files.naming(path):
        kind = _core.Container(str(path)).kind
        found = _KINDS.get(kind) or _of_a_system(kind)
        if found is None:
            return f"Demotic binary file of kind '{kind}'", {}
        name, describe = found
        return name, describe(Path(path), verify or None)


def _of_a_system(kind: str) -> Description | None:
    """What the system says of it that alone has such files."""
    for name in SYSTEMS:
        facts = system_named(name).Model.FACTS
        if kind in facts:
            return facts[kind]
    return None


def _language_model(path: Path, verify: bool | None) -> dict[str, Fact]:
    from demotic.lm import LanguageModel

    model = LanguageModel.load(path, verify=verify)
    return {"order": model.order, "n-grams by order": _by_order(model.counts)}


def _aligner(path: Path, _: bool | None) -> dict[str, Fact]:
    from dataclasses import asdict

    from demotic.align.aligner import Aligner

    model = _core.AlignerModel.load(str(path))
    return {
        "words of both languages": model.words,
        "word pairs": model.cells,
        "training": asdict(Aligner.load(path).options),
    }


def _lexical_table(path: Path, _: bool | None) -> dict[str, Fact]:
    from demotic.align.lexical import LexicalTable

    return {"word pairs": len(LexicalTable.load(path))}


def _rules(path: Path, verify: bool | None) -> dict[str, Fact]:
    from demotic.grammar import RuleTable

    table = RuleTable.load(path, verify=verify)
    shapes = table.shapes()
    facts: dict[str, Fact] = {
        "rules": len(table),
        "source sides": sum(sources for _, sources, _, _ in shapes),
        "source words": table.source_words,
        "target words": table.target_words,
        "categories": list(table.categories),
        "scores": list(table.feature_names),
        "rules by source side (w: words, X: nonterminal)": {
            shape: rules for shape, _, rules, _ in shapes
        },
        "rules that swap their nonterminals": sum(swapped for *_, swapped in shapes),
    }
    if table.sparse_features:
        facts["sparse features"] = table.sparse_features
        facts["values of sparse features"] = table.sparse_values
        facts["names of sparse features"] = (
            f"hashed to {table.sparse_bits} bits" if table.sparse_bits else "kept"
        )
    return facts


def _forest(path: Path, _: bool | None) -> dict[str, Fact]:
    from demotic.forest import Forest

    forest = Forest.load(path)
    return {
        "nodes": forest.nodes,
        "edges": forest.edges,
        "derivations": f"{float(forest.count()):.3g}",
        "features": list(forest.features),
    }


def _parser(path: Path, verify: bool | None) -> dict[str, Fact]:
    from demotic.parse import load_parser

    record = load_parser(path, verify=verify).record()
    return {
        "tags": len(record["tags"]),
        "labels and tags": len(record["symbols"]),
        "words and shapes": len(record["words"]),
        "options": record["options"],
    }


def _words(path: Path, verify: bool | None) -> dict[str, Fact]:
    words: Any = _core.WordChoices(str(path), verify)
    return {
        "source words": len(words.source_words()),
        "target words": len(words.target_words()),
        "classifiers": len(words.trees),
        "decision trees": words.trees.trees,
        "lambda": words.lambda_,
        "see": [
            name
            for name, seen in (
                ("the window", words.window),
                ("the whole sentence", words.cooccurrence),
                ("dependencies", len(words.other_words()) > 1),
            )
            if seen
        ],
    }


def _boosted(path: Path, verify: bool | None) -> dict[str, Fact]:
    trees = _core.TreeEnsembles(str(path), verify)
    return {"classifiers": len(trees), "decision trees": trees.trees, "features": trees.features}


def _memory(path: Path, verify: bool | None) -> dict[str, Fact]:
    memory = _core.Memory(str(path), verify is not False)
    return {"messages": len(memory), "translations": memory.translation_count}


def _aligned_text(path: Path, verify: bool | None) -> dict[str, Fact]:
    text = _core.AlignedText(str(path), verify)
    return {
        "sentence pairs": len(text),
        "source words": text.source_words,
        "target words": text.target_words,
        "places of a sequence that are looked at, at most": text.sample,
    }


_KINDS: dict[str, Description] = {
    "parser": ("parser", _parser),
    "words": ("classifiers of words", _words),
    "boosted": ("boosted trees", _boosted),
    "lm": ("binary language model", _language_model),
    "aligner": ("aligner model", _aligner),
    "rules": ("rule table", _rules),
    "forest": ("forest", _forest),
    "memory": ("translation memory", _memory),
    "lexical": ("lexical translation table", _lexical_table),
    "aligned-text": ("aligned text, for rules on demand", _aligned_text),
}


def inspect_arpa(path: str | Path, *, progress: Progress = SILENT) -> Findings:
    """Counts of a model in ARPA format, read through to its end and checked."""
    from demotic.lm import arpa

    counts = _declared(path)
    # The reader raises where the content does not keep what the header promises.
    arpa.read(path, _core.ArpaWriter(lambda text: None), progress=progress)
    facts: dict[str, Fact] = {"order": len(counts), "n-grams by order": _by_order(counts)}
    return facts, [], []


def _declared(path: str | Path) -> list[int]:
    counts = []
    for line in files.read_lines(path):
        number = line.rpartition("=")[2].strip()
        if line.startswith("ngram ") and number.isdecimal() and len(number) <= _DIGITS:
            counts.append(int(number))
        elif counts and line.startswith("\\"):
            break
    return counts


def _by_order(counts: list[int] | tuple[int, ...]) -> dict[str, int]:
    return {f"{order}-grams": count for order, count in enumerate(counts, start=1)}
