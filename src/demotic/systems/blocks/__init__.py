"""Blocks: the localized block model of Tillmann and Zhang (2005), from two texts to a translator.

demotic.train(bitext, dev=dev, system="blocks", config={"preset": "row4"}, out="de-en.demotic")
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.blocks.config import CHOICES as CHOICES
    from demotic.systems.blocks.config import DEMO as DEMO
    from demotic.systems.blocks.config import Config as Config
    from demotic.systems.blocks.config import LearnConfig as LearnConfig
    from demotic.systems.blocks.model import BlocksModel as BlocksModel
    from demotic.systems.blocks.model import BlocksModel as Model
    from demotic.systems.blocks.training import fit as fit
    from demotic.systems.blocks.training import tune as tune
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
