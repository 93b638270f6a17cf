"""The end of training: what the model remembers, and all text for what was tuned without some.

Without a development set, a part of the text is held out to tune on, and its messages and words are
lost to the model.  When the weights are known, everything that needs no weights is made again from
all of the text (``final = "full"``); the score stays that of the model before, on text that it had
not seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from demotic import files
from demotic.bundle import About
from demotic.corpus import Bitext, Orthography
from demotic.glossary import read_glossary
from demotic.memory.building import build
from demotic.progress import SILENT, Progress
from demotic.systems import system_named
from demotic.systems.model import GLOSSARY, MEMORY
from demotic.systems.quality import assess_parts
from demotic.systems.records import to_record
from demotic.systems.tuning import streams, with_best_scale
from demotic.systems.work import Stage, WorkFolder, place

if TYPE_CHECKING:
    from demotic.systems.model import Model
    from demotic.systems.stages import Training
    from demotic.systems.translator import Translation

AGAIN = "full"
"""Where, in the work folder, things are made again."""
REPAIRS = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Similarities that are tried."""
FEWEST = 10
"""Sentences of a development set that can tell whether repairs are better."""


@dataclass(frozen=True)
class Settled:
    """What was found on text held out, for a training on all text to keep."""

    work: WorkFolder
    """With the files of weights."""
    about: About
    """Score and settings."""


def remember(training: Training, text: Stage, fingerprint: str) -> Stage:
    """The memory: all pairs of the text, with words and links where there are some."""
    links = [stage for stage in training.work.stages if stage.name == "align"]
    stage = training.work.stage("memory", fingerprint, after=[text, *links], files=[MEMORY])
    if stage.wanted:
        build(
            training.bitext,
            Orthography.from_json(text.path("source.json").read_text(encoding="utf-8")),
            out=stage.path(MEMORY),
            kept=Bitext.open(text.path("corpus.arrow")),
            words=text.path("train.source"),
            tokens=text.path("train.target"),
            links=links[-1].path("train.align") if links else None,
            progress=training.progress,
        )
        stage.finish()
    return stage


def keep_terms(training: Training) -> Stage:
    """The glossary, in one table."""
    paths = training.config.glossary
    bitext = training.bitext
    languages = (bitext.source_language, bitext.target_language)
    made_of = [*languages, *(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths)]
    stage = training.work.stage("glossary", made_of, files=[GLOSSARY])
    if stage.wanted:
        glossary = read_glossary(paths, source=languages[0], target=languages[1])
        files.write_lines(stage.path(GLOSSARY), glossary.lines())
        stage.finish()
    return stage


def keep(training: Training, name: str, files: list[str]) -> Stage:
    """A stage whose files are those of the training before."""
    assert training.settled is not None
    before = training.settled.work
    [made] = [
        stage for stage in before.stages if stage.name == name and set(files) <= {*stage.files}
    ]
    stage = training.work.stage(f"{name}-kept", made.digest, files=files)
    if stage.wanted:
        for file in files:
            stage.path(file).unlink(missing_ok=True)
            place(made.path(file), stage.path(file))
        stage.finish()
    return stage


def described(
    training: Training,
    model: Model,
    provenance: Mapping[str, Any],
    text: Stage,
    folds: Sequence[tuple[Model, Bitext]] = (),
) -> About:
    """What a model says of itself, with its score on the development set, or the settled one, or
    that of the models of ``folds``, each on text that it did not see."""
    provenance = {**provenance, **({"choices": training.choices} if training.choices else {})}
    if training.settled is not None:
        return replace(training.settled.about, provenance=provenance | {"final": "full"})
    from demotic.systems.stages import saved_settings
    from demotic.systems.text_stages import read_dev

    consensus = training.config.consensus
    common: Any = {"threads": training.threads, "progress": training.progress}
    given = training.validation in ("given", "part")
    if consensus.method != "off" and consensus.scale == "auto" and given:
        dev = read_dev(training.development(text))
        consensus = with_best_scale(model.decoder, dev, consensus, **common)
    settings = {"consensus": to_record(consensus), "memory": to_record(training.memory)}
    parts = [
        (each.with_consensus(settings["consensus"]).with_memory(settings["memory"]), unseen)
        for each, unseen in (folds or [(model, training.dev)])
    ]
    measured: Any = {**common, "references": training.references}
    figures: dict[str, Any] = {}
    if training.untuned:
        settings["memory"]["repair"] = 0.0
    else:
        if training.memory.use and training.memory.repair == "auto":
            settings["memory"]["repair"] = best_repair(parts, **measured)
            parts = [(each.with_memory(settings["memory"]), unseen) for each, unseen in parts]
        figures = assess_parts(parts, pairs=len(training.bitext), **measured)
    return About(
        system=model.SYSTEM,
        source_language=training.bitext.source_language,
        target_language=training.bitext.target_language,
        config=saved_settings(training.config) | settings,
        dev=figures,
        provenance=provenance,
    )


def best_repair(
    parts: Sequence[tuple[Model, Bitext]],
    *,
    references: Sequence[Sequence[str]] = (),
    threads: int = 1,
    progress: Progress = SILENT,
) -> float:
    """The similarity from which repaired messages are better than the decoder on text that the
    models did not see; 0 if they never are, or too few of them tell."""
    reference = streams([line for _, dev in parts for line in dev.target_lines()], *references)

    def translated(repair: float) -> list[Translation]:
        return [
            each
            for model, dev in parts
            for each in model.with_memory({"repair": repair}).translate_lines(
                dev.source_lines(), threads=threads
            )
        ]

    own, others = translated(0.0), translated(REPAIRS[0])
    yardstick = parts[0][0].yardstick()
    best, least = yardstick.score([each.text for each in own], reference).value, 0.0
    for similarity in REPAIRS:
        near = [
            each.memory is not None
            and each.memory.kind == "repaired"
            and each.memory.similarity >= similarity
            for each in others
        ]
        if sum(near) < FEWEST:
            break
        texts = [
            (other if better else each).text
            for each, other, better in zip(own, others, near, strict=True)
        ]
        value = yardstick.score(texts, reference).value
        if value > best:
            best, least = value, similarity
    said = f"from a similarity of {least:g}" if least else "never"
    progress.say(f"similar messages are repaired {said}: BLEU {best:.2f}")
    return least


def made_again(training: Training, system: str, about: About) -> Model:
    """The model from all of the text, with the weights, the settings and the score of this one."""
    whole = training.whole
    assert whole is not None
    training.progress.say(
        f"made again from all {len(whole):,} pairs, the {len(training.dev):,} held out for tuning "
        "included; weights and score stay those found without them"
    )
    again = training.on_all_text(Settled(training.work, about))
    fitted: Any = system_named(system).fit(again, training.config)
    found: Model = fitted
    return found
