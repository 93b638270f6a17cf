"""CDLM: a language model that learns from what the translator would write instead (Li et al. 2010).

It is no system of its own: ``hiero``, ``phrase`` and ``umt`` use it as one column of their rules.

    demotic.train(bitext, system="hiero", config={"cdlm": {"text": "monolingual.txt"}}, out=...)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.cdlm.config import CdlmConfig as CdlmConfig
    from demotic.systems.cdlm.config import CdlmLearning as CdlmLearning
    from demotic.systems.cdlm.examples import Example as Example
    from demotic.systems.cdlm.model import Cdlm as Cdlm
    from demotic.systems.cdlm.rounds import Round as Round
    from demotic.systems.cdlm.rounds import Rounds as Rounds
    from demotic.systems.cdlm.stage import confusion_column as confusion_column
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
