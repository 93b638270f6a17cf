"""Transducers trained discriminatively: words and bags of words, each word by its own classifiers.

    from demotic.transduce import WordCorpus, WordTransducer

    corpus = WordCorpus(source, target, links)          # tokens; one target place or -1 per word
    words = WordTransducer.train(corpus, features="wc").tuned(held_out)
    words.translate([["the", "house"]])

Which target word a source word becomes is decided by boosted trees that see its whole sentence
(docs/transducer.md).  Nothing here knows a decoder or a system.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.transduce.bags import BagScore as BagScore
    from demotic.transduce.bags import Mixture as Mixture
    from demotic.transduce.bags import one_to_one_bound as one_to_one_bound
    from demotic.transduce.bags import score_bags as score_bags
    from demotic.transduce.corpus import EncodedWords as EncodedWords
    from demotic.transduce.corpus import Numbering as Numbering
    from demotic.transduce.corpus import WordCorpus as WordCorpus
    from demotic.transduce.corpus import one_to_one as one_to_one
    from demotic.transduce.orders import OrderExamples as OrderExamples
    from demotic.transduce.orders import train_orders as train_orders
    from demotic.transduce.words import FeatureSets as FeatureSets
    from demotic.transduce.words import WordTransducer as WordTransducer
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
