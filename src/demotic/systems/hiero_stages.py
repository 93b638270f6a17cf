"""The stages of training a Hiero model; each leaves its files for those after it."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from demotic import files
from demotic.align import Text, align, pharaoh
from demotic.align.lexical import LexicalTable
from demotic.bundle import About, Bundle
from demotic.corpus import Bitext, Orthography, clean, encode_pair, encode_pairs
from demotic.engine import LocalEngine
from demotic.errors import ArgumentError
from demotic.grammar import RuleTable, extract_hiero
from demotic.learn import mert
from demotic.lm import LanguageModel
from demotic.lm.estimate import estimate
from demotic.progress import Progress
from demotic.systems.config import to_record
from demotic.systems.hiero_config import START, Config
from demotic.systems.hiero_model import HieroModel
from demotic.systems.tuning import DevSet, TuningTask
from demotic.systems.work import Stage, WorkFolder


class Training:
    """The stages, each of which reads the files of those before it."""

    def __init__(
        self, config: Config, folder: Path, resume: bool, threads: int, progress: Progress
    ) -> None:
        self.config = config
        self.work = WorkFolder(folder, resume=resume, progress=progress)
        self.resume = resume
        self.threads = threads
        self.progress = progress

    def prepare(self, bitext: Bitext, dev: Bitext) -> Stage:
        """Clean the bitext, learn to write both languages, take the sentences apart."""
        config = self.config
        stage = self.work.stage(
            "text",
            [fingerprint(bitext), fingerprint(dev), asdict(config.cleaning),
             asdict(config.source), asdict(config.target), fingerprint_file(config.align.file)],
            files=["corpus.arrow", "source.json", "target.json", "train.source", "train.target",
                   "dev.source", "dev.target", "cleaning.json"],
        )  # fmt: skip
        if not stage.wanted:
            return stage
        kept, report = clean(bitext, config.cleaning, progress=self.progress)
        if not len(kept):
            raise ArgumentError("cleaning left no sentence pairs to learn from", remedy=str(report))
        kept.save(stage.path("corpus.arrow"))
        files.write_lines(stage.path("cleaning.json"), [report.to_json()])
        if config.align.file is not None:
            _select_links(config.align.file, bitext, kept, stage.path("given.align"))
        learn = Orthography.learn
        source = learn(
            kept.source_lines(), bitext.source_language, config=config.source,
            dev=dev.source_lines(), progress=self.progress,
        )  # fmt: skip
        target = learn(
            kept.target_lines(), bitext.target_language, config=config.target,
            dev=dev.target_lines(), progress=self.progress,
        )  # fmt: skip
        for name, side in (("source", source), ("target", target)):
            stage.path(f"{name}.json").write_text(side.to_json(), encoding="utf-8")
        with self.progress.step("taking apart", len(kept), "pairs") as advance:
            pairs = ((pair.source, pair.target) for pair in kept)
            with (
                files.write_bytes(stage.path("train.source")) as ours,
                files.write_bytes(stage.path("train.target")) as theirs,
            ):
                for one, other in encode_pairs(source, target, pairs):
                    ours.write(f"{one}\n".encode())
                    theirs.write(f"{other}\n".encode())
                    advance(1)
        encoded = encoded_dev(source, target, dev)
        files.write_lines(stage.path("dev.source"), encoded.source)
        files.write_lines(stage.path("dev.target"), encoded.reference)
        stage.finish()
        return stage

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
                threads=self.threads,
                progress=self.progress,
            )
            pharaoh.write(stage.path("train.align"), found.links)
            stage.finish()
        return stage

    def extract(self, text: Stage, links: Stage) -> Stage:
        """Rules with their four scores (Chiang 2007, sections 3 and 4)."""
        stage = self.work.stage(
            "extract", asdict(self.config.grammar), after=[text, links], files=["rules.bin"]
        )
        if stage.wanted:
            source = Text.read(text.path("train.source"))
            target = Text.read(text.path("train.target"))
            aligned = pharaoh.read(links.path("train.align"))
            extract_hiero(
                source,
                target,
                aligned,
                lexical=LexicalTable.estimate(source, target, aligned, progress=self.progress),
                options=self.config.grammar,
                out=stage.path("rules.bin"),
                engine=LocalEngine(threads=self.threads),
                progress=self.progress,
            )
            stage.finish()
        return stage

    def language_model(self, text: Stage) -> Stage:
        """An n-gram model of the target side."""
        config = self.config.lm
        stage = self.work.stage("lm", asdict(config), after=[text], files=["lm.bin"])
        if stage.wanted:
            estimate(
                text.path("train.target"),
                order=config.order,
                prune=config.prune,
                memory=config.memory,
                skip_special=True,
                threads=self.threads,
                progress=self.progress,
            ).save(stage.path("lm.bin"))
            stage.finish()
        return stage

    def tune(self, text: Stage, rules: Stage, lm: Stage) -> Stage:
        """Weights that translate the development set best (Och 2003; Kumar et al. 2009)."""
        config = self.config
        stage = self.work.stage(
            "tune",
            [asdict(config.tune), asdict(config.decode), config.seed],
            after=[text, rules, lm],
            files=["weights.json"],
        )
        if stage.wanted:
            task = TuningTask(
                RuleTable.load(rules.path("rules.bin")),
                LanguageModel.load(lm.path("lm.bin")),
                config.decode,
                DevSet(
                    list(files.read_lines(text.path("dev.source"))),
                    list(files.read_lines(text.path("dev.target"))),
                ),
                config.tune.candidates,
                config.tune.list_size,
                self.threads,
            )
            found = mert(
                task,
                {name: START.get(name, 0.0) for name in task.feature_names},
                options=config.tune.mert,
                seed=config.seed,
                threads=self.threads,
                progress=self.progress,
                checkpoint=stage.path(f"mert-{stage.digest[:12]}.json"),
                resume=self.resume,
            )
            write_weights(stage.path("weights.json"), found.weights)
            stage.finish()
        return stage

    def bundle(self, stages: list[Stage], bitext: Bitext, dev: Bitext, out: Path) -> None:
        """Put the parts together, with the score they reach on the development set."""
        parts = {
            name: stage.path(name)
            for stage in stages
            for name in stage.files
            if name in HieroModel.PARTS
        }
        model = HieroModel.of_parts(parts, self.config.decode)
        cleaning = json.loads(next(files.read_lines(stages[0].path("cleaning.json"))))
        about = About(
            system="hiero",
            source_language=bitext.source_language,
            target_language=bitext.target_language,
            config=json.loads(json.dumps(to_record(self.config), default=str)),
            dev=model.score(dev, threads=self.threads, progress=self.progress),
            provenance=_provenance(bitext, dev, cleaning),
        )
        with Bundle.create(out, about) as folder:
            for name, path in parts.items():
                _place(path, folder / name)


def encoded_dev(source: Orthography, target: Orthography, dev: Bitext) -> DevSet:
    """The development set in tokens: the source as a user's text, the target as in training."""
    return DevSet(
        [str(source.encode(pair.source)) for pair in dev],
        [str(encode_pair(source, target, pair.source, pair.target)[1]) for pair in dev],
    )


def _place(path: Path, to: Path) -> None:
    """The same file under another name where the disk can do that; large tables are not copied."""
    try:
        to.hardlink_to(path)
    except OSError:
        shutil.copyfile(path, to)


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
    chosen = (line for line, pair in zip(lines, bitext, strict=True) if pair.id in left)
    files.write_lines(out, chosen)


def write_weights(path: Path, weights: dict[str, float]) -> None:
    path.write_text(json.dumps(weights, indent=2) + "\n", encoding="utf-8")


def _provenance(bitext: Bitext, dev: Bitext, cleaning: Any) -> dict[str, Any]:
    return {
        "files": sorted({pair.file for pair in bitext}),
        "pairs": len(bitext),
        "dev_pairs": len(dev),
        "fingerprint": fingerprint(bitext),
        "devfingerprint": fingerprint(dev),
        "cleaning": cleaning,
        "skipped": bitext.skipped,
    }
