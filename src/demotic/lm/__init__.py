"""N-gram language models: estimate, read, write, query; word classes."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.lm.classes import WordClasses as WordClasses
    from demotic.lm.classes import cluster as cluster
    from demotic.lm.estimation import Discounts as Discounts
    from demotic.lm.estimation import Estimate as Estimate
    from demotic.lm.estimation import estimate as estimate
    from demotic.lm.further import FurtherModel as FurtherModel
    from demotic.lm.further import class_model as class_model
    from demotic.lm.line_scores import LineScores as LineScores
    from demotic.lm.model import Fragment as Fragment
    from demotic.lm.model import LanguageModel as LanguageModel
    from demotic.lm.model import State as State
    from demotic.lm.model import WordScore as WordScore
    from demotic.lm.model import ngram_sink as ngram_sink
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
