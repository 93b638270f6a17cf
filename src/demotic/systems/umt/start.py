"""The weights from which an UMT model learns, and those that learning leaves alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from demotic.decode.undirected import UndirectedOptions
from demotic.learn import DrlOptions
from demotic.systems.umt.config import Preset

CFF = ("Cff1", "Cff2", "CffHead")
NOT_IN_THE_PAPER = ("TargetGivenSource", "RulePenalty", "UnknownWord")


def start_weights(
    names: Sequence[str], base: Mapping[str, float], preset: Preset, options: UndirectedOptions
) -> dict[str, float]:
    """The weights of ``base`` (Hiero's), those of the bounds 1; 0 for what the preset leaves out.

    From weights of 0 the bounds would be void: learning starts from weights that translate.
    """
    bound = 0.0 if options.cff == "off" else 1.0
    left_out = NOT_IN_THE_PAPER if preset == "paper" else ()
    return {
        name: bound if name in CFF else 0.0 if name in left_out else base.get(name, 0.0)
        for name in names
    }


def learning(options: DrlOptions, preset: Preset, search: UndirectedOptions) -> DrlOptions:
    """Options that leave alone what the preset leaves out, and bounds that must not be learned.

    Differences of bounds telescope: DRL sees no difference between two full paths, so their weight
    stays 1.
    """
    fixed = set(options.fixed)
    if preset == "paper":
        fixed |= set(NOT_IN_THE_PAPER)
    if search.cff != "raw":
        fixed |= set(CFF)
    return replace(options, fixed=tuple(sorted(fixed)))
