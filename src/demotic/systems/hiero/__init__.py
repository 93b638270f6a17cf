"""Hiero: hierarchical phrase-based translation (Chiang 2007), from two texts to a tuned model.

model = fit(bitext, dev, Config(), out=Path("de-en.demotic"))
model = open_model(Bundle.open("de-en.demotic"))
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.hiero.config import START, Config
    from demotic.systems.hiero.model import HieroModel, open_model
    from demotic.systems.hiero.training import extract_rules, fit, tune
else:
    from demotic.lazy import names_of

    __getattr__, __dir__ = names_of(
        __name__,
        config="START Config",
        model="HieroModel open_model",
        training="extract_rules fit tune",
    )

__all__ = ["START", "Config", "HieroModel", "extract_rules", "fit", "open_model", "tune"]
