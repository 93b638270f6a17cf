"""A stage of training: links in both directions, what they share and what one of them has."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from demotic.align import Text, align, pharaoh, symmetrise

if TYPE_CHECKING:
    from demotic.systems.stages import Training
    from demotic.systems.work import Stage

INTERSECTION, UNION = "intersection.align", "union.align"


def directions(training: Training, text: Stage) -> Stage:
    """Links that both directions have, and those that one of them has; a file of links is both."""
    config = training.config.align
    stage = training.work.stage(
        "directions", asdict(config), after=[text], files=[INTERSECTION, UNION]
    )
    if stage.wanted:
        found = align(
            Text.read(text.path("train.source")),
            Text.read(text.path("train.target")),
            method=text.path("given.align") if config.file is not None else config.method,
            memory=training.engine.memory,
            temp=training.engine.temp,
            threads=training.threads,
            engine=training.engine,
            progress=training.progress,
        )
        for name, file in (("intersection", INTERSECTION), ("union", UNION)):
            links = found.links
            if found.forward is not None and found.backward is not None:
                links = symmetrise(found.forward, found.backward, name, threads=training.threads)
            pharaoh.write(stage.path(file), links)
        stage.finish()
    return stage
