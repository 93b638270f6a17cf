"""Hiero: hierarchical phrase-based translation (Chiang 2007), from two texts to a tuned model.

demotic.train(bitext, dev=dev, system="hiero", out="de-en.demotic")
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.hiero.config import CHOICES as CHOICES
    from demotic.systems.hiero.config import DEMO as DEMO
    from demotic.systems.hiero.config import START as START
    from demotic.systems.hiero.config import Config as Config
    from demotic.systems.hiero.model import HieroModel as HieroModel
    from demotic.systems.hiero.model import HieroModel as Model
    from demotic.systems.hiero.training import fit as fit
    from demotic.systems.hiero.training import tune as tune
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
