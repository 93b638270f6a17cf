"""Packed forests: every derivation a decoder considered, and the algorithms that read them.

from demotic.forest import Forest, ForestBuilder

forest = Forest.load("sentence.forest")
best = forest.viterbi()
print(best.text, best.score)
print(best.tree())
for derivation in forest.kbest(100, unique=True):
    ...
"""

from demotic.forest.builder import ForestBuilder
from demotic.forest.cdec import from_cdec, read_cdec, to_cdec, write_cdec
from demotic.forest.derivation import ForestDerivation, ForestRule
from demotic.forest.dot import to_dot
from demotic.forest.envelope import Envelope, envelopes
from demotic.forest.exchange import from_json, read_json, to_json, write_json
from demotic.forest.forest import Forest, Posteriors
from demotic.forest.many import consensus, kbest, prune, rescore, sample
from demotic.forest.ngrams import linear_bleu
from demotic.forest.risk import Risk, risk

__all__ = [
    "Envelope",
    "Forest",
    "ForestBuilder",
    "ForestDerivation",
    "ForestRule",
    "Posteriors",
    "Risk",
    "consensus",
    "envelopes",
    "from_cdec",
    "from_json",
    "kbest",
    "linear_bleu",
    "prune",
    "read_cdec",
    "read_json",
    "rescore",
    "risk",
    "sample",
    "to_cdec",
    "to_dot",
    "to_json",
    "write_cdec",
    "write_json",
]
