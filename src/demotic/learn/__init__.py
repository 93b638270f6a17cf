"""Learners: they see features, BLEU statistics and forests, never a decoder or a system.

from demotic.learn import KBestCandidates, MertOptions, mert

result = mert(task, {"LanguageModel": 1.0, "WordPenalty": 0.0}, seed=1)
result.weights, result.bleu

from demotic.learn import DrlOptions, drl

drl(task_of_episodes, {"LanguageModel": 1.0}, options=DrlOptions(rate=0.1)).weights
"""

from demotic.learn.candidates import (
    Candidates,
    ForestCandidates,
    KBestCandidates,
    Task,
    statistics_against,
)
from demotic.learn.crf import CrfExample, CrfOptions, CrfResult, crf
from demotic.learn.drl import DivergedError, DrlOptions, DrlResult, drl
from demotic.learn.episodes import Epoch
from demotic.learn.events import (
    EventGroups,
    LocalWeights,
    Objective,
    gradient,
    objective,
    probabilities,
)
from demotic.learn.line_search import LineSearch, Step, decoded_bleu
from demotic.learn.mert import MertOptions, MertResult, mert
from demotic.learn.perceptron import perceptron
from demotic.learn.rounds import Round
from demotic.learn.sgd import LearningResult, SgdOptions, sgd

__all__ = [
    "Candidates",
    "CrfExample",
    "CrfOptions",
    "CrfResult",
    "DivergedError",
    "DrlOptions",
    "DrlResult",
    "Epoch",
    "EventGroups",
    "ForestCandidates",
    "KBestCandidates",
    "LearningResult",
    "LineSearch",
    "LocalWeights",
    "MertOptions",
    "MertResult",
    "Objective",
    "Round",
    "SgdOptions",
    "Step",
    "Task",
    "crf",
    "decoded_bleu",
    "drl",
    "gradient",
    "mert",
    "objective",
    "perceptron",
    "probabilities",
    "sgd",
    "statistics_against",
]
