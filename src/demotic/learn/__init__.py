"""Learners: they see features, BLEU statistics and forests, never a decoder or a system.

from demotic.learn import KBestCandidates, MertOptions, mert

result = mert(task, {"LanguageModel": 1.0, "WordPenalty": 0.0}, seed=1)
result.weights, result.bleu
"""

from demotic.learn.candidates import (
    Candidates,
    ForestCandidates,
    KBestCandidates,
    Task,
    statistics_against,
)
from demotic.learn.line_search import LineSearch, Step, decoded_bleu
from demotic.learn.mert import MertOptions, MertResult, mert
from demotic.learn.rounds import Round

__all__ = [
    "Candidates",
    "ForestCandidates",
    "KBestCandidates",
    "LineSearch",
    "MertOptions",
    "MertResult",
    "Round",
    "Step",
    "Task",
    "decoded_bleu",
    "mert",
    "statistics_against",
]
