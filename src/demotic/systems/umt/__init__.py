"""UMT: undirected hierarchical translation (Gesmundo and Henderson 2014).

demotic.train(bitext, dev=dev, system="umt", config={"preset": "paper"}, out="de-en.demotic")

Rules and language model are Hiero's.  The decoder grows one tree in any order, best action first,
and its weights are learned from its own roll-outs, judged by BLEU on the development set.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.umt.config import Config
    from demotic.systems.umt.model import UmtModel, open_model
    from demotic.systems.umt.training import fit, tune
else:
    from demotic.lazy import names_of

    __getattr__, __dir__ = names_of(
        __name__, config="Config", model="UmtModel open_model", training="fit tune"
    )

__all__ = ["Config", "UmtModel", "fit", "open_model", "tune"]
