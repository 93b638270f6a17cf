"""What systems with rules share: a stage that extracts them, a decoder of them, first weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from demotic.align import Text, pharaoh
from demotic.align.lexical import LexicalTable
from demotic.decode.decoder import Decoder, Hypothesis
from demotic.decode.lazy import LazyDecoder
from demotic.errors import ArgumentError
from demotic.grammar import HieroExtraction, LazyRules, RuleTable, extract_hiero, write_lazy
from demotic.lm import LanguageModel
from demotic.systems.rules_model import (
    ALIGNED_PART,
    LEXICAL_PART,
    MOST_EXTRA,
    further_models,
    load_classifiers,
    span_of,
)

if TYPE_CHECKING:
    from demotic.grammar import PhraseExtraction
    from demotic.systems.cdlm.config import CdlmConfig
    from demotic.systems.pruning import PruneConfig
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


def check_lazy(
    extract: HieroExtraction | PhraseExtraction, cdlm: CdlmConfig, prune: PruneConfig | None = None
) -> None:
    """Raise where rules on demand are to have what only a table of all rules can get."""
    if extract.rules == "table":
        return
    for name, asked in (
        ("cdlm.text", cdlm.text is not None),
        ("prune.composed", prune is not None and prune.composed),
    ):
        if asked:
            raise ArgumentError(
                f"{name} needs a table of all rules",
                remedy="leave it out, or set extract.rules to table",
            )


def extract_rules(training: Training, options: HieroExtraction, text: Stage, links: Stage) -> Stage:
    """Rules with their scores (Chiang 2007, sections 3 and 4), or what they are made of."""
    if options.rules == "lazy":
        return _index_text(training, options, text, links)
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


def _index_text(training: Training, options: HieroExtraction, text: Stage, links: Stage) -> Stage:
    """The aligned text with an index, for rules on demand."""
    stage = training.work.stage(
        "index", asdict(options), after=[text, links], files=[ALIGNED_PART, LEXICAL_PART]
    )
    if stage.wanted:
        source = Text.read(text.path("train.source"))
        target = Text.read(text.path("train.target"))
        aligned = pharaoh.read(links.path("train.align"))
        LexicalTable.estimate(source, target, aligned, progress=training.progress).save(
            stage.path(LEXICAL_PART)
        )
        write_lazy(
            source, target, aligned, out=stage.path(ALIGNED_PART), options=options,
            threads=training.threads, progress=training.progress,
        )  # fmt: skip
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
        made: Callable[..., Decoder[Hypothesis]] = kind
        table: RuleTable | LazyRules
        if ALIGNED_PART in rules.files:
            made = partial(LazyDecoder, kind)
            table = LazyRules.load(
                rules.path(ALIGNED_PART), rules.path(LEXICAL_PART), span=span_of(options)
            )
        else:
            table = RuleTable.load(rules.path("rules.bin"))
        first = LanguageModel.load(lm.path("lm.bin"))
        if not further:
            return made(table, first, {}, options=options)
        parts = {name: stage.path(name) for stage in further for name in stage.files}
        given: dict[str, object] = {"further": further_models(parts, verify=True)}
        if (classifiers := load_classifiers(parts, verify=True)) is not None:
            given["classifiers"] = classifiers
        return made(table, first, {}, options=options, **given)

    return make
