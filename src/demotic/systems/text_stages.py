"""The stages of training that read text: it is cleaned, tokenised, aligned; language models.

:class:`demotic.systems.stages.Training` goes on from here.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from demotic import files
from demotic.align import Text, align, pharaoh
from demotic.bundle import check_place
from demotic.corpus import Bitext, Orthography, clean, split
from demotic.corpus.encoding import encoded_text
from demotic.corpus.splitting import normalised
from demotic.errors import ArgumentError, FormatError
from demotic.lm.classes import WordClasses, cluster
from demotic.lm.estimation import Estimate, estimate
from demotic.lm.further import class_model, write_units
from demotic.memory.options import OFF
from demotic.progress import SILENT, Progress
from demotic.systems.config import TrainingConfig
from demotic.systems.finishing import Settled
from demotic.systems.reverse import check_reverse
from demotic.systems.rules_model import CLASS_LM, CLASSES, EXTRA_LMS, UNIT_CLASSES, UNIT_LM
from demotic.systems.tuning import (
    SMALLEST_DEV,
    DevSet,
    check_dev,
    check_pairs,
    check_references,
    encoded_dev,
)
from demotic.systems.work import Stage, WorkFolder

Validation = Literal["given", "part", "folds", "none"]
FEWEST_FOR_FOLDS, MOST_FOR_FOLDS = 20, 1000
"""Pairs: fewer are no development set, all together; of more, a tenth will do."""
_WITHOUT = {
    "folds": "{:,} pairs: tuned on all of them, each translated by a model that has not seen it",
    "none": "{:,} pairs are too few to tune on a part of them: fixed weights, no figures",
}


def _validation(bitext: Bitext, config: TrainingConfig) -> Validation:
    """What a training without a development set tunes on."""
    if config.validation != "auto":
        return config.validation
    enough = len(bitext) // 10 >= SMALLEST_DEV
    if len(bitext) > MOST_FOR_FOLDS or (enough and config.against_folds):
        return "part"
    kept, _ = clean(bitext, config.cleaning)
    different = min(
        len({normalised(line) for line in side})
        for side in (kept.source_lines(), kept.target_lines())
    )
    if config.against_folds or different < FEWEST_FOR_FOLDS:
        return "part" if enough else "none"
    return "folds"


class TextStages:
    """A training under way: its text, its settings, its work folder."""

    def __init__(
        self,
        bitext: Bitext,
        dev: Bitext | None,
        config: TrainingConfig,
        *,
        references: Sequence[Sequence[str]] = (),
        out: Path,
        work: Path | None = None,
        resume: bool = False,
        memory: bool = True,
        fold: bool = False,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> None:
        """Refuses what cannot end well; without ``dev`` tunes as ``config.validation`` says.

        ``references`` are further ones of ``dev``, a line for each pair; an empty one is none.
        ``memory=False`` is for decoders that are compared: whatever the settings say, the model has
        none.  ``fold`` makes one of several models that are tuned together, later.
        """
        check_place(out)
        for path in config.reverse_models:
            check_reverse(
                path,
                source_language=bitext.source_language,
                target_language=bitext.target_language,
            )
        if dev is None and references:
            raise ArgumentError("further references without a development set")
        self.whole: Bitext | None = None
        """All of the text, where a part of it is held out and joins the rest in the end."""
        self.validation: Validation = "given" if dev is not None else "none"
        """What weights are tuned on."""
        if dev is None and not fold:
            self.validation = _validation(bitext, config)
        if self.validation in ("folds", "none"):
            check_pairs(bitext)
            if not fold:
                progress.say(_WITHOUT[self.validation].format(len(bitext)))
            dev = bitext.select([])
        elif dev is None:
            size = min(config.dev_size, len(bitext) // 10)
            parts = split(bitext, dev=size, test=0, seed=config.seed, progress=progress)
            self.whole = bitext if config.final == "full" else None
            bitext, dev = parts.train, parts.dev
        assert dev is not None
        if self.validation in ("given", "part"):
            check_dev(dev.source_lines(), dev.target_lines())
            check_references(dev, references)
        self.bitext, self.dev, self.references = bitext, dev, references
        self.settled: Settled | None = None
        """What a training before this one has found, and this one keeps."""
        self.config = config
        self.engine = config.engine.open(threads)
        self.out = out
        self.resume = resume
        self.threads = threads
        self.progress = progress
        self.memory = config.memory if memory else OFF
        self.choices: Mapping[str, Any] = {}
        """What was tried before the settings were settled, for the model to keep."""
        self._keep_work = work is not None
        # Beside the model, so that it is on a disk that has room.
        place = work if work is not None else out.with_name(f"{out.name}.work")
        self.work = WorkFolder(place, resume=resume, progress=progress)

    @property
    def untuned(self) -> bool:
        """Are weights those that tuning starts from?"""
        return self.validation == "none"

    def prepare(self) -> Stage:
        """Clean the bitext, learn to write both languages, split the sentences into tokens."""
        bitext, config = self.bitext, self.config
        stage = self.work.stage(
            "text",
            [fingerprint(bitext), asdict(config.cleaning), asdict(config.source),
             asdict(config.target), fingerprint_file(config.align.file)],
            files=["corpus.arrow", "source.json", "target.json", "train.source", "train.target",
                   "cleaning.json", *(["given.align"] if config.align.file is not None else [])],
        )  # fmt: skip
        if not stage.wanted:
            return stage
        kept, report = clean(bitext, config.cleaning, engine=self.engine, progress=self.progress)
        if not len(kept):
            raise ArgumentError("cleaning left no sentence pairs to learn from", remedy=str(report))
        kept.save(stage.path("corpus.arrow"))
        files.write_lines(stage.path("cleaning.json"), [report.to_json()])
        if config.align.file is not None:
            _select_links(config.align.file, bitext, kept, stage.path("given.align"))
        learn = Orthography.learn
        source = learn(
            kept.source_lines(), bitext.source_language, config=config.source,
            engine=self.engine, progress=self.progress,
        )  # fmt: skip
        target = learn(
            kept.target_lines(), bitext.target_language, config=config.target,
            engine=self.engine, progress=self.progress,
        )  # fmt: skip
        for name, side in (("source", source), ("target", target)):
            files.write_lines(stage.path(f"{name}.json"), [side.to_json()])
        with (
            self.progress.step("tokenising", len(kept), "pairs") as advance,
            files.write_bytes(stage.path("train.source")) as ours,
            files.write_bytes(stage.path("train.target")) as theirs,
        ):
            for one, other, count in encoded_text(source, target, kept, self.engine):
                ours.write(one)
                theirs.write(other)
                advance(count)
        stage.finish()
        return stage

    def development(self, text: Stage) -> Stage:
        """Take the development set apart as the text was; what comes before tuning is without it,
        so that trainings on other development sets share it."""
        if self.validation in ("folds", "none"):
            raise ArgumentError(
                f"{len(self.bitext):,} pairs are too few for this system, which learns from some "
                "of them held out",
                remedy="give a development set, or train hiero or phrase",
            )
        further = [f"dev.target{number}" for number in range(2, 2 + len(self.references))]
        stage = self.work.stage(
            "dev",
            self.dev_fingerprint(),
            after=[text],
            files=["dev.source", "dev.target", *further],
        )
        if stage.wanted:
            source, target = (
                Orthography.from_json(text.path(f"{side}.json").read_text(encoding="utf-8"))
                for side in ("source", "target")
            )
            encoded = encoded_dev(source, target, self.dev, self.references)
            files.write_lines(stage.path("dev.source"), encoded.source)
            files.write_lines(stage.path("dev.target"), encoded.reference)
            for name, lines in zip(further, encoded.further, strict=True):
                files.write_lines(stage.path(name), lines)
            stage.finish()
        return stage

    def dev_fingerprint(self) -> str | list[str]:
        """Of all texts of the development set."""
        if not self.references:
            return fingerprint(self.dev)
        texts = ("\n".join(lines).encode() for lines in self.references)
        return [fingerprint(self.dev), *(hashlib.sha256(text).hexdigest() for text in texts)]

    def align(self, text: Stage) -> Stage:
        """Link the words of each pair, in both directions, and symmetrise."""
        config = self.config.align
        stage = self.work.stage("align", asdict(config), after=[text], files=["train.align"])
        if stage.wanted:
            found = align(
                Text.read(text.path("train.source")),
                Text.read(text.path("train.target")),
                method=text.path("given.align") if config.file is not None else config.method,
                symmetrise=config.symmetrise,
                memory=self.engine.memory,
                temp=self.engine.temp,
                threads=self.threads,
                engine=self.engine,
                progress=self.progress,
            )
            pharaoh.write(stage.path("train.align"), found.links)
            stage.finish()
        return stage

    def language_model(self, text: Stage) -> Stage:
        """An n-gram model of the target side."""
        stage = self.work.stage("lm", self._lm_settings, after=[text], files=["lm.bin"])
        if stage.wanted:
            self._estimate(text.path("train.target"), stage.path("lm.bin"))
            stage.finish()
        return stage

    @property
    def _lm_settings(self) -> dict[str, Any]:
        """Of each n-gram model of words."""
        return {"order": self.config.lm.order, "prune": self.config.lm.prune}

    def _estimate(self, text: Path, out: Path) -> None:
        estimate(
            text,
            **self._lm_settings,
            memory=self.engine.memory,
            temp=self.engine.temp,
            skip_special=True,
            threads=self.threads,
            engine=self.engine,
            progress=self.progress,
        ).save(out)

    def further_models(self, text: Stage) -> list[Stage]:
        """Language models beside the first one: of word classes, of further texts."""
        config = self.config.lm
        stages = [self._class_model(text)] if config.classes else []
        for path, part in zip(config.extra, EXTRA_LMS, strict=False):
            stage = self.work.stage(
                part.removesuffix(".bin"),
                [self._lm_settings, fingerprint_file(path)],
                after=[text],
                files=[part],
            )
            if stage.wanted:
                target = Orthography.from_json(text.path("target.json").read_text("utf-8"))
                with tempfile.TemporaryDirectory(dir=self.engine.temp) as folder:
                    tokens = Path(folder) / "tokens"
                    lines = files.read_lines(path)
                    files.write_lines(tokens, (str(target.encode(line)) for line in lines))
                    try:
                        self._estimate(tokens, stage.path(part))
                    except FormatError as error:
                        raise FormatError(error.message, path=path, remedy=error.remedy) from None
                stage.finish()
            stages.append(stage)
        return stages

    def _class_model(self, text: Stage) -> Stage:
        """Words of the target side in classes, and an n-gram model of these."""
        config = self.config.lm
        stage = self.work.stage(
            "classes",
            {"classes": config.classes, "order": config.class_order},
            after=[text],
            files=[CLASSES, CLASS_LM],
        )
        if stage.wanted:
            made = self._model_of_classes(
                text.path("train.target"), config.classes, config.class_order
            )
            made.classes.save(stage.path(CLASSES))
            made.lm.save(stage.path(CLASS_LM))
            stage.finish()
        return stage

    def bilingual_model(self, text: Stage, links: Stage) -> Stage:
        """The same for units: the target's words, each with the source words that it translates."""
        config = self.config.lm
        stage = self.work.stage(
            "units",
            {"classes": config.bilingual, "order": config.bilingual_order},
            after=[text, links],
            files=[UNIT_CLASSES, UNIT_LM],
        )
        if stage.wanted:
            parts = text.path("train.source"), text.path("train.target"), links.path("train.align")
            with tempfile.TemporaryDirectory(dir=self.engine.temp) as folder:
                units = Path(folder) / "units"
                write_units(units, zip(*map(files.read_lines, parts), strict=True))
                made = self._model_of_classes(units, config.bilingual, config.bilingual_order)
            made.classes.save(stage.path(UNIT_CLASSES))
            made.lm.save(stage.path(UNIT_LM))
            stage.finish()
        return stage

    def _model_of_classes(self, text: Path, number: int, order: int) -> _Classed:
        common: dict[str, Any] = {"threads": self.threads, "progress": self.progress}
        classes = cluster(text, classes=number, skip_special=True, **common)
        engine = self.engine
        return _Classed(
            classes,
            class_model(
                text, classes, order=order, memory=engine.memory, temp=engine.temp, **common
            ),
        )


@dataclass(frozen=True)
class _Classed:
    """Classes of what stands in a text, and a model of these."""

    classes: WordClasses
    lm: Estimate


def read_dev(dev: Stage) -> DevSet:
    """What :meth:`Training.development` took apart."""
    source, target, *further = (list(files.read_lines(dev.path(name))) for name in dev.files)
    return DevSet(source, target, tuple(further))


def fingerprint(bitext: Bitext) -> str:
    """Ids are digests of the sentences."""
    digest = hashlib.sha256()
    for batch in bitext.batches():
        digest.update("\n".join(batch.column("id").to_pylist()).encode())
    return digest.hexdigest()


def fingerprint_file(path: Path | None) -> str:
    if path is None:
        return ""
    with files.naming(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _select_links(path: Path, bitext: Bitext, kept: Bitext, out: Path) -> None:
    """The lines of an alignment whose pairs survived cleaning."""
    left = {pair.id for pair in kept}
    lines = list(files.read_lines(path))
    if len(lines) != len(bitext):
        raise ArgumentError(
            f"{path} has {len(lines)} lines and the bitext {len(bitext)} pairs",
            remedy="give the alignment of this text, and a development set of its own",
        )
    with files.naming(path):  # now, while its lines have the numbers that the user knows
        source, target = Text.of(bitext.source_lines()), Text.of(bitext.target_lines())
        pharaoh.read(path).check(source.lines, target.lines)
    chosen = (line for line, pair in zip(lines, bitext, strict=True) if pair.id in left)
    files.write_lines(out, chosen)
