"""Learners: they see features, BLEU statistics and forests, never a decoder or a system.

from demotic.learn import KBestCandidates, MertOptions, MiraOptions, tune_weights

start = {"LanguageModel": 1.0, "WordPenalty": 0.0}
result = tune_weights(task, start, options=MertOptions(), seed=1)  # or MiraOptions, ...
result.weights, result.bleu

from demotic.learn import DrlOptions, drl

drl(task_to_search, {"LanguageModel": 1.0}, options=DrlOptions(rate=0.1)).weights

from demotic.learn import DecisionTask, Expert, LinearPolicy, Mixture

class Mine(DecisionTask[State, Action]): ...       # states, actions, features, costs
Mine().cost_examples(0, LinearPolicy(weights), Expert(), seed=1)
"""

from demotic.learn.boosting import BoostedTrees, BoostingOptions, train_groups
from demotic.learn.candidates import (
    Candidates,
    ForestCandidates,
    KBestCandidates,
    Task,
    statistics_against,
)
from demotic.learn.crf import CrfExample, CrfOptions, CrfResult, crf
from demotic.learn.decisions import DecisionTask
from demotic.learn.drl import DivergedError, DrlOptions, DrlResult, drl
from demotic.learn.ensembles import BinaryRows, Compound, Ensembles
from demotic.learn.epochs import Epoch
from demotic.learn.events import (
    EventGroups,
    LocalWeights,
    Objective,
    gradient,
    objective,
    probabilities,
)
from demotic.learn.known import Known, LineStep, decoded_bleu
from demotic.learn.mert import MertOptions
from demotic.learn.minrisk import MinriskOptions
from demotic.learn.mira import MiraOptions
from demotic.learn.objectives import ExpectedBleu, Likelihood, LinearRisk, estimated_gain
from demotic.learn.online import Online, learn_online
from demotic.learn.optimise import Found, Penalty, minimise_objective
from demotic.learn.perceptron import perceptron
from demotic.learn.policies import Expert, LinearPolicy, Mixture, Policy
from demotic.learn.pro import ProOptions
from demotic.learn.risk_set import RiskSet, with_bleu_counts
from demotic.learn.rounds import Decoded, Round, TunerOptions
from demotic.learn.search import CostExample, CostTask, Features, SampleTask
from demotic.learn.searn import (
    CostLearner,
    EventLearner,
    Learned,
    SearnOptions,
    SearnResult,
    searn,
)
from demotic.learn.sgd import LearningResult, SgdOptions, sgd
from demotic.learn.tuner import TuneResult, tune_weights

__all__ = [
    "BinaryRows",
    "BoostedTrees",
    "BoostingOptions",
    "Candidates",
    "Compound",
    "CostExample",
    "CostLearner",
    "CostTask",
    "CrfExample",
    "CrfOptions",
    "CrfResult",
    "DecisionTask",
    "Decoded",
    "DivergedError",
    "DrlOptions",
    "DrlResult",
    "Ensembles",
    "Epoch",
    "EventGroups",
    "EventLearner",
    "ExpectedBleu",
    "Expert",
    "Features",
    "ForestCandidates",
    "Found",
    "KBestCandidates",
    "Known",
    "Learned",
    "LearningResult",
    "Likelihood",
    "LineStep",
    "LinearPolicy",
    "LinearRisk",
    "LocalWeights",
    "MertOptions",
    "MinriskOptions",
    "MiraOptions",
    "Mixture",
    "Objective",
    "Online",
    "Penalty",
    "Policy",
    "ProOptions",
    "RiskSet",
    "Round",
    "SampleTask",
    "SearnOptions",
    "SearnResult",
    "SgdOptions",
    "Task",
    "TuneResult",
    "TunerOptions",
    "crf",
    "decoded_bleu",
    "drl",
    "estimated_gain",
    "gradient",
    "learn_online",
    "minimise_objective",
    "objective",
    "perceptron",
    "probabilities",
    "searn",
    "sgd",
    "statistics_against",
    "train_groups",
    "tune_weights",
    "with_bleu_counts",
]
