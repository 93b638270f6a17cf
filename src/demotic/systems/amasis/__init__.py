"""Amasis: word-level ITG translation by sequence labelling (Zhang, Sun and Li).

demotic.train(bitext, dev=dev, system="amasis", config={"preset": "paper"}, out="de-en.demotic")

Items are the smallest translation units of the aligned text.  Each has a label that says what a
stack of target fragments does when it comes; labels are learned by SEARN, and the decoder goes from
left to right.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.amasis.config import CHOICES as CHOICES
    from demotic.systems.amasis.config import DEMO as DEMO
    from demotic.systems.amasis.config import Config as Config
    from demotic.systems.amasis.model import AmasisModel as AmasisModel
    from demotic.systems.amasis.model import AmasisModel as Model
    from demotic.systems.amasis.training import fit as fit
    from demotic.systems.amasis.training import tune as tune
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
