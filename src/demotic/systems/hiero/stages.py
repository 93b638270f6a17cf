"""The stage of Hiero's own: its rules."""

from __future__ import annotations

from dataclasses import asdict

from demotic.align import Text, pharaoh
from demotic.align.lexical import LexicalTable
from demotic.grammar import HieroOptions, extract_hiero
from demotic.systems.stages import Training
from demotic.systems.work import Stage


def extract_rules(training: Training, options: HieroOptions, text: Stage, links: Stage) -> Stage:
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
