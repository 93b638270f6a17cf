"""Blocks: the localized block model of Tillmann and Zhang (2005), from two texts to a translator.

demotic.train(bitext, dev=dev, system="blocks", config={"preset": "row4"}, out="de-en.demotic")
model = open_model(Bundle.open("de-en.demotic"))
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.blocks.config import Config, LearnConfig
    from demotic.systems.blocks.model import BlocksModel, open_model
    from demotic.systems.blocks.training import fit, tune
else:
    from demotic.lazy import names_of

    __getattr__, __dir__ = names_of(
        __name__,
        config="Config LearnConfig",
        model="BlocksModel open_model",
        training="fit tune",
    )

__all__ = ["BlocksModel", "Config", "LearnConfig", "fit", "open_model", "tune"]
