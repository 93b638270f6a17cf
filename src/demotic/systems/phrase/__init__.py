"""Phrase: phrase-based translation (Koehn, Och and Marcu 2003), from two texts to a tuned model.

model = fit(bitext, dev, Config(), out=Path("de-en.demotic"))
model = open_model(Bundle.open("de-en.demotic"))
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.phrase.config import START, Config, PhraseTableConfig
    from demotic.systems.phrase.model import PhraseModel, open_model
    from demotic.systems.phrase.training import fit, phrase_table, tune
else:
    from demotic.lazy import names_of

    __getattr__, __dir__ = names_of(
        __name__,
        config="START Config PhraseTableConfig",
        model="PhraseModel open_model",
        training="fit phrase_table tune",
    )

__all__ = [
    "START",
    "Config",
    "PhraseModel",
    "PhraseTableConfig",
    "fit",
    "open_model",
    "phrase_table",
    "tune",
]
