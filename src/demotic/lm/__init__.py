"""N-gram language models: estimate, read, write, query; word classes."""

from demotic.lm.classes import WordClasses, cluster
from demotic.lm.estimate import Discounts, Estimate, estimate
from demotic.lm.model import Fragment, LanguageModel, LineScores, State, WordScore, ngram_sink

__all__ = [
    "Discounts",
    "Estimate",
    "Fragment",
    "LanguageModel",
    "LineScores",
    "State",
    "WordClasses",
    "WordScore",
    "cluster",
    "estimate",
    "ngram_sink",
]
