"""Transducer: trees to words by boosted classifiers (Wellington, Turian and Melamed 2009).

demotic.train(bitext, dev=dev, system="transducer", out="en-fr.demotic",
              config={"trees": {"treebank": "wsj.mrg.gz"}})
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.systems.transducer.config import CHOICES as CHOICES
    from demotic.systems.transducer.config import DEMO as DEMO
    from demotic.systems.transducer.config import START as START
    from demotic.systems.transducer.config import Config as Config
    from demotic.systems.transducer.model import TransducerModel as Model
    from demotic.systems.transducer.model import TransducerModel as TransducerModel
    from demotic.systems.transducer.training import fit as fit
    from demotic.systems.transducer.training import tune as tune
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
