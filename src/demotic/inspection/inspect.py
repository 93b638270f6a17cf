"""From a file to a report."""

from __future__ import annotations

from pathlib import Path

from demotic import files
from demotic.errors import ArgumentError
from demotic.inspection.alignment import inspect_pharaoh
from demotic.inspection.bitext import inspect_arrow, inspect_units
from demotic.inspection.bundle import inspect_model
from demotic.inspection.detect import Kind, detect
from demotic.inspection.grammar import inspect_grammar
from demotic.inspection.models import inspect_arpa, inspect_container
from demotic.inspection.report import Report
from demotic.inspection.text import Findings, inspect_text, inspect_tsv
from demotic.progress import SILENT, Progress


def inspect(path: str | Path, *, verify: bool = False, progress: Progress = SILENT) -> Report:
    """Say what a file is and what is in it.

    Damage that keeps a file from being read raises the error that any other command would; flaws
    of a text that can be located are listed as problems.  ``verify`` compares all checksums.
    """
    if str(path) == "-":
        raise ArgumentError("a file must be named", remedy="save the stream to a file first")
    with files.naming(path):
        size = Path(path).stat().st_size
    kind = detect(path)
    name = str(kind)
    if kind is Kind.model:
        size, findings = inspect_model(path, verify=verify)
    elif kind is Kind.container:
        name, findings = inspect_container(path, verify=verify)
    else:
        findings = _findings(kind, path, progress)
    facts, remarks, problems = findings
    return Report(str(path), name, size, facts, tuple(remarks), tuple(problems))


def _findings(kind: Kind, path: str | Path, progress: Progress) -> Findings:
    match kind:
        case Kind.arpa:
            return inspect_arpa(path, progress=progress)
        case Kind.arrow:
            return inspect_arrow(path)
        case Kind.grammar:
            return inspect_grammar(path)
        case Kind.pharaoh:
            return inspect_pharaoh(path)
        case Kind.tsv:
            return inspect_tsv(path)
        case Kind.text:
            return inspect_text(path)
        case _:
            return inspect_units(path, kind.name)
