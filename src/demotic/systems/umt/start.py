"""The weights from which a UMT model learns, those that it leaves alone, and the learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from demotic.decode.undirected import UndirectedSearch
from demotic.errors import ArgumentError
from demotic.learn import DrlOptions
from demotic.systems.umt.config import Preset

if TYPE_CHECKING:
    from demotic.systems.umt.learning import Learner, Trial

CFF = ("Cff1", "Cff2", "CffHead")
PAPER = (
    "SourceGivenTarget", "LexicalTargetGivenSource", "LexicalSourceGivenTarget", "LanguageModel",
    "WordPenalty", "Glue", "PassThrough", *CFF,
)  # fmt: skip


def start_weights(
    names: Sequence[str], base: Mapping[str, float], preset: Preset, options: UndirectedSearch
) -> dict[str, float]:
    """The weights of ``base`` (Hiero's), those of the bounds 1; 0 for what the preset leaves out.

    From weights of 0 the bounds would be void: learning starts from weights that translate.
    """
    bound = 0.0 if options.cff == "off" else 1.0
    return {
        name: bound if name in CFF else base.get(name, 0.0) if _known(name, preset) else 0.0
        for name in names
    }


def holding(
    start: Mapping[str, float], options: DrlOptions, preset: Preset, search: UndirectedSearch
) -> DrlOptions:
    """Options that leave alone what the preset leaves out, and bounds that must not be learned.

    Differences of bounds telescope: DRL sees no difference between two full paths, so their weight
    stays 1.  So it does with ``replay``: bounds grow with the weights they are computed
    from, and cannot be learned as if they were features beside the others.
    """
    held = [name for name in options.fixed if name not in CFF and start.get(name)]
    if held and options.update == "replay":
        raise ArgumentError(
            f"replay cannot hold the weight of {', '.join(held)}, which is not 0",
            remedy="choose another update, such as learn.drl.update=expected_reward",
        )
    fixed = {*options.fixed, *(name for name in start if not _known(name, preset))}
    if search.cff != "raw" or options.update == "replay":
        fixed |= set(CFF)
    return replace(options, fixed=tuple(sorted(fixed)))


def learned(
    learner: Learner,
    base: Mapping[str, float],
    preset: Preset,
    search: UndirectedSearch,
    options: DrlOptions,
    *,
    curve: bool = False,
) -> Trial:
    """What a learner makes of ``base`` with the features of a preset."""
    names = learner.decoder(search, {}).feature_names
    start = start_weights(names, base, preset, search)
    return learner.learn(search, holding(start, options, preset, search), start, curve=curve)


def _known(name: str, preset: Preset) -> bool:
    return preset not in ("paper", "literal") or name in PAPER
