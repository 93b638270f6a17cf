"""N-gram language models: estimate, read, write, query; word classes."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.lm.classes import WordClasses, cluster
    from demotic.lm.estimation import Discounts, Estimate, estimate
    from demotic.lm.line_scores import LineScores
    from demotic.lm.model import Fragment, LanguageModel, State, WordScore, ngram_sink
else:
    from demotic.lazy import names_of

    __getattr__, __dir__ = names_of(
        __name__,
        classes="WordClasses cluster",
        estimation="Discounts Estimate estimate",
        line_scores="LineScores",
        model="Fragment LanguageModel State WordScore ngram_sink",
    )

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
