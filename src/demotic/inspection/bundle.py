"""Trained models: what they are, what they weigh, what is in their parts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from demotic.bundle import Bundle
from demotic.inspection.models import describe_container, is_container
from demotic.inspection.report import Fact
from demotic.inspection.text import Findings
from demotic.systems import system_named
from demotic.systems.weights import read_weights

_WEIGHTS = "weights.json"


def inspect_model(path: str | Path, *, verify: bool) -> tuple[int, Findings]:
    """The bytes of all parts, and what a folder or ``.demotic`` file says of itself.

    Parts are compared with their checksums if they were not before, with ``verify`` in any case.
    """
    bundle = Bundle.open(path, verify=verify or None)
    about = bundle.about
    facts: dict[str, Fact] = {
        "system": about.system,
        "source language": about.source_language,
        "target language": about.target_language,
        "development set": _plain(about.dev),
        "checksums": "all parts compared"
        if bundle.compared
        else "compared on an earlier run, --verify compares again",
        "bytes by part": {name: part.bytes for name, part in bundle.parts.items()},
    }
    if _WEIGHTS in bundle.parts:
        weights = read_weights(bundle.path(_WEIGHTS))
        facts["weights"] = {name: weights[name] for name in _by_size(weights)}
    own = system_named(about.system).Model.FACTS
    for name in bundle.parts:
        path = bundle.path(name)
        if name in own:
            kind, describe = own[name]
            facts[name] = {"kind": kind, **describe(path, verify or None)}
        elif is_container(path):
            kind, described = describe_container(path, verify=verify)
            facts[name] = {"kind": kind, **described}
    facts["configuration"] = _plain(about.config)
    provenance = _plain(about.provenance)
    facts |= {"choices": provenance.pop("choices")} if "choices" in provenance else {}
    facts["provenance"] = provenance
    return sum(part.bytes for part in bundle.parts.values()), (facts, [], [])


def _by_size(weights: Mapping[str, float]) -> list[str]:
    return sorted(weights, key=lambda name: -abs(weights[name]))


def _plain(record: Mapping[str, Any]) -> dict[str, Fact]:
    """What JSON gave, as facts."""
    return {
        str(name): _plain(value) if isinstance(value, Mapping) else value
        for name, value in record.items()
    }
