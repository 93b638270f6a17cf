"""The weights from which a UMT model learns, those that it leaves alone, and the learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from demotic.decode.undirected import UndirectedSearch
from demotic.errors import ArgumentError
from demotic.learn import DrlOptions
from demotic.systems.umt.config import Features

if TYPE_CHECKING:
    from demotic.systems.umt.learning import Learner, Trial

CFF = ("Cff1", "Cff2", "CffHead")
_BESIDE = (
    "LexicalTargetGivenSource", "LexicalSourceGivenTarget", "LanguageModel", "WordPenalty", "Glue",
    "PassThrough", "ConfusionModel", *CFF,
)  # fmt: skip
NARROW: Mapping[Features, tuple[str, ...]] = {
    "paper": ("TargetGivenSource", *_BESIDE),
    "printed": ("SourceGivenTarget", *_BESIDE),
}
"""Sets of features that leave some of Hiero's out."""


def start_weights(
    names: Sequence[str], base: Mapping[str, float], features: Features, options: UndirectedSearch
) -> dict[str, float]:
    """The weights of ``base`` (Hiero's), those of the bounds 1; 0 for other features.

    From weights of 0 the bounds would be void: learning starts from weights that translate.
    """
    bound = 0.0 if options.cff == "off" else 1.0
    return {
        name: bound if name in CFF else base.get(name, 0.0) if _known(name, features) else 0.0
        for name in names
    }


def holding(
    start: Mapping[str, float], options: DrlOptions, features: Features, search: UndirectedSearch
) -> DrlOptions:
    """Options that leave alone what is not among the features, and bounds that must not be learned.

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
    fixed = {*options.fixed, *(name for name in start if not _known(name, features))}
    if search.cff != "raw" or options.update == "replay":
        fixed |= set(CFF)
    return replace(options, fixed=tuple(sorted(fixed)))


def learned(
    learner: Learner,
    base: Mapping[str, float],
    features: Features,
    search: UndirectedSearch,
    options: DrlOptions,
    *,
    curve: bool = False,
) -> Trial:
    """What a learner makes of ``base`` with these features."""
    names = learner.decoder(search, {}).feature_names
    start = start_weights(names, base, features, search)
    return learner.learn(search, holding(start, options, features, search), start, curve=curve)


def _known(name: str, features: Features) -> bool:
    return features not in NARROW or name in NARROW[features]
