"""UMT: undirected hierarchical translation (Gesmundo and Henderson 2014).

demotic.train(bitext, dev=dev, system="umt", config={"preset": "paper"}, out="de-en.demotic")

Rules and language model are Hiero's.  The decoder grows one tree in any order, best action first,
and its weights are learned from its own roll-outs, judged by BLEU on the development set.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.umt.config import CHOICES as CHOICES
    from demotic.systems.umt.config import DEMO as DEMO
    from demotic.systems.umt.config import Config as Config
    from demotic.systems.umt.model import UmtModel as Model
    from demotic.systems.umt.model import UmtModel as UmtModel
    from demotic.systems.umt.training import fit as fit
    from demotic.systems.umt.training import tune as tune
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
