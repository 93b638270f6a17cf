"""What systems with rules share: a stage that extracts them, a decoder of them, first weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from demotic.align import Text, pharaoh
from demotic.align.lexical import LexicalTable
from demotic.decode.decoder import Decoder, Hypothesis
from demotic.grammar import HieroExtraction, RuleTable, extract_hiero
from demotic.lm import LanguageModel
from demotic.systems.rules_model import MOST_EXTRA, further_models, load_classifiers

if TYPE_CHECKING:
    from demotic.systems.stages import Training
    from demotic.systems.work import Stage

RULE_WEIGHTS = {
    "TargetGivenSource": 0.2,
    "SourceGivenTarget": 0.2,
    "LexicalTargetGivenSource": 0.2,
    "LexicalSourceGivenTarget": 0.2,
    "SeenOnce": 0.0,
    "SeenTwice": 0.0,
    "Deleted": 0.0,
    "Inserted": 0.0,
    "LanguageModel": 0.5,
    "ClassModel": 0.1,
    "BilingualModel": 0.1,
    "WordShare": 0.1,
    "WordCost": 0.0,
    **{f"LanguageModel{number}": 0.1 for number in range(2, 2 + MOST_EXTRA)},
    "WordPenalty": 0.5,
    "RulePenalty": 0.0,
    "PassThrough": -3.0,
    "UnknownWord": 0.0,
}
"""Where tuning begins, for features that systems with rules share; in the scale of natural logs."""


def extract_rules(training: Training, options: HieroExtraction, text: Stage, links: Stage) -> Stage:
    """Rules with their scores (Chiang 2007, sections 3 and 4)."""
    stage = training.work.stage(
        "extract", asdict(options), after=[text, links], files=["rules.bin"]
    )
    if stage.wanted:
        source = Text.read(text.path("train.source"))
        target = Text.read(text.path("train.target"))
        aligned = pharaoh.read(links.path("train.align"))
        extract_hiero(
            source,
            target,
            aligned,
            lexical=LexicalTable.estimate(source, target, aligned, progress=training.progress),
            options=options,
            out=stage.path("rules.bin"),
            engine=training.engine,
            progress=training.progress,
        )
        stage.finish()
    return stage


def decoder_of(
    kind: Callable[..., Decoder[Hypothesis]],
    rules: Stage,
    lm: Stage,
    options: object,
    further: Sequence[Stage] = (),
) -> Callable[[], Decoder[Hypothesis]]:
    """Makes a decoder from what stages left, when it is wanted; its weights come later.

    ``further`` are the stages of language models beside the first one, and of classifiers.
    """

    def make() -> Decoder[Hypothesis]:
        table = RuleTable.load(rules.path("rules.bin"))
        first = LanguageModel.load(lm.path("lm.bin"))
        if not further:
            return kind(table, first, {}, options=options)
        parts = {name: stage.path(name) for stage in further for name in stage.files}
        given: dict[str, object] = {"further": further_models(parts, verify=True)}
        if (classifiers := load_classifiers(parts, verify=True)) is not None:
            given["classifiers"] = classifiers
        return kind(table, first, {}, options=options, **given)

    return make
