"""Phrase: phrase-based translation (Koehn, Och and Marcu 2003), from two texts to a tuned model.

demotic.train(bitext, dev=dev, system="phrase", out="de-en.demotic")
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.phrase.config import CHOICES as CHOICES
    from demotic.systems.phrase.config import DEMO as DEMO
    from demotic.systems.phrase.config import START as START
    from demotic.systems.phrase.config import Config as Config
    from demotic.systems.phrase.model import PhraseModel as Model
    from demotic.systems.phrase.model import PhraseModel as PhraseModel
    from demotic.systems.phrase.training import fit as fit
    from demotic.systems.phrase.training import phrase_table as phrase_table
    from demotic.systems.phrase.training import tune as tune
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
