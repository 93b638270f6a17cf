"""How good is a translation, and is it better than another one?

from demotic.metrics import Bleu, SentenceBleu, evaluate
Bleu().score(hypotheses, [references])            # Score with sacreBLEU's signature
SentenceBleu([reference]).score(hypothesis)       # smoothed, fast
evaluate({"new": a, "old": b}, [references], [Bleu()], baseline="old")
"""

from demotic.metrics.bleu import Bleu
from demotic.metrics.chrf import Chrf
from demotic.metrics.evaluation import Comparison, Result, evaluate
from demotic.metrics.gtm import Gtm
from demotic.metrics.metric import Metric
from demotic.metrics.score import Interval, Score
from demotic.metrics.sentence_bleu import SentenceBleu, sentence_bleu_scores
from demotic.metrics.significance import (
    Significance,
    approximate_randomisation,
    confidence_interval,
    mcnemar,
    paired_bootstrap,
    sign_test,
    wilcoxon,
)
from demotic.metrics.ter import Ter

__all__ = [
    "Bleu",
    "Chrf",
    "Comparison",
    "Gtm",
    "Interval",
    "Metric",
    "Result",
    "Score",
    "SentenceBleu",
    "Significance",
    "Ter",
    "approximate_randomisation",
    "confidence_interval",
    "evaluate",
    "mcnemar",
    "paired_bootstrap",
    "sentence_bleu_scores",
    "sign_test",
    "wilcoxon",
]
