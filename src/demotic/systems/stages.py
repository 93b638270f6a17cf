"""The stages of training that systems share; each leaves its files for those after it.

training = Training(bitext, dev, config, out=out, work=None, resume=False, ...)
text = training.prepare()
links = training.align(text)
rules = ...                                      # a stage of the system's own, in training.work
lm = training.language_model(text)
weights = training.tune(text, [rules, lm], decoder, config.tune, START, config.search)
return training.finish(HieroModel, [text, rules, lm, weights], config.search)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from demotic import files
from demotic.bundle import Bundle
from demotic.corpus import Bitext, Orthography
from demotic.decode.core_decoder import has_sparse
from demotic.decode.decoder import Decoder, Hypothesis
from demotic.grammar import RuleTable
from demotic.grammar.templates import keep_features
from demotic.learn import tune_weights
from demotic.systems.config import TrainingConfig, TuneConfig
from demotic.systems.finishing import (
    AGAIN,
    Settled,
    described,
    keep,
    keep_terms,
    made_again,
    remember,
)
from demotic.systems.folds import FOLDED, tuned_on_folds
from demotic.systems.imputing import NONE, Imputed, ImputedConfig, impute
from demotic.systems.model import GLOSSARY, MEMORY, Model
from demotic.systems.records import to_record
from demotic.systems.text_stages import TextStages, fingerprint, fingerprint_file, read_dev
from demotic.systems.tuning import (
    TuningTask,
    has_sparse_features,
)
from demotic.systems.weights import read_weights, write_weights
from demotic.systems.work import Stage, place

Made = TypeVar("Made", bound=Model)
IMPUTED = "imputed.tsv"


class Training(TextStages):
    """A training from its text to the model."""

    _selected = False
    """Are sparse features chosen by tuning?"""

    def tune(
        self,
        text: Stage,
        after: Sequence[Stage],
        decoder: Callable[[], Decoder[Hypothesis]],
        config: TuneConfig,
        start: Mapping[str, float],
        search: Any,
        *,
        name: str = "tune",
        file: str = "weights.json",
        sparse: bool = True,
    ) -> Stage:
        """Weights that translate the development set best.

        ``decoder`` is made from the stages ``after`` and from the options ``search`` (a dataclass);
        ``start`` may lack features and have those of other grammars.  Where a tuner can, it learns
        weights of ``sparse`` features.
        """
        self._selected = sparse and config.learns_sparse and not self.untuned
        if self.settled is not None:
            kept = keep(self, name, [file])
            if self._selected:
                _forget_lost(kept.path(file), decoder())
            return kept
        if self.validation in ("folds", "none"):
            fixed = self.work.stage(name, dict(start), after=after, files=[file])
            if fixed.wanted:
                features = decoder().feature_names
                write_weights(fixed.path(file), {each: start.get(each, 0.0) for each in features})
                fixed.finish()
            return fixed
        dev = self.development(text)
        imputed = self._imputed(text, config.imputed)
        stage = self.work.stage(
            name,
            [_tuning(config), asdict(search), self.config.seed],
            after=[dev, *imputed, *after],
            files=[file],
        )
        if stage.wanted:
            made = decoder()
            learns = sparse and config.learns_sparse and has_sparse_features(made)
            task = TuningTask(
                made, read_dev(dev), config.candidates, config.list_size, self.threads,
                learns=learns, imputed=Imputed.read(imputed[0].path(IMPUTED)) if imputed else NONE,
                density=config.options.kept_edges,
            )  # fmt: skip
            found = tune_weights(
                task,
                task.reduced({each: start.get(each, 0.0) for each in task.feature_names}),
                options=task.tuner(config.options),
                seed=self.config.seed,
                threads=self.threads,
                progress=self.progress,
                checkpoint=stage.path(f"{name}-{stage.digest[:12]}.json"),
                resume=self.resume,
            )
            write_weights(stage.path(file), task.restored(found.weights))
            stage.finish()
        return stage

    def _imputed(self, text: Stage, config: ImputedConfig) -> list[Stage]:
        """Sentences to tune on beside the development set, if any."""
        if config.text is None:
            return []
        settings = [asdict(config), *map(fingerprint_file, config.files())]
        stage = self.work.stage("imputed", settings, after=[text], files=[IMPUTED])
        if stage.wanted:
            source, target = (
                Orthography.from_json(text.path(f"{side}.json").read_text("utf-8"))
                for side in ("source", "target")
            )
            languages = self.bitext.source_language, self.bitext.target_language
            impute(
                config, source, target, languages, threads=self.threads, progress=self.progress
            ).write(stage.path(IMPUTED))
            stage.finish()
        return [stage]

    def on_all_text(self, settled: Settled) -> Training:
        """The training that follows: the same, on all of the text, with what is settled."""
        assert self.whole is not None
        again = Training(
            self.whole,
            self.dev,
            self.config,
            references=self.references,
            out=self.out,
            work=self.work.folder / AGAIN,
            resume=self.resume,
            threads=self.threads,
            progress=self.progress,
        )
        again.settled, again.choices, again.memory = settled, self.choices, self.memory
        return again

    def finish(self, model: type[Made], stages: Sequence[Stage], search: Any) -> Made:
        """Bundle the parts with the score they reach on the development set; the model, opened.

        ``stages`` begins with that of the text; ``search`` are the decoder's options.  A work
        folder that nobody asked for is removed.
        """
        if self.whole is not None and not model.FINAL:
            # Its weights belong to its tables: only the memory can have all of the text.
            self.bitext, self.whole = self.whole, None
        if self.memory.use:
            stages = [*stages, remember(self, stages[0], fingerprint(self.bitext))]
        if self.config.glossary:
            stages = [*stages, keep_terms(self)]
        names = {name for stage in stages for name in stage.files}
        wanted = (*model.parts_of(names), *model.OPTIONAL, MEMORY, GLOSSARY)
        parts = {
            name: stage.path(name) for stage in stages for name in stage.files if name in wanted
        }
        folds: Sequence[tuple[Model, Bitext]] = ()
        if self.validation == "folds":
            folds, weights = tuned_on_folds(self, model.SYSTEM, stages)
            parts["weights.json"] = weights.path(FOLDED)
        trained = model.of_parts(parts, search)
        cleaning = json.loads(next(files.read_lines(stages[0].path("cleaning.json"))))
        provenance = _provenance(self.bitext, self.dev, cleaning)
        if folds:
            provenance["folds"] = len(folds)
        about = described(self, trained, provenance, stages[0], folds)
        if self.whole is not None:
            again = made_again(self, model.SYSTEM, about)
            assert isinstance(again, model)
            self._clear()
            return again
        with Bundle.create(self.out, about) as folder:
            for name, path in parts.items():
                # Stages replace their files and never write into them: what a model holds stays.
                if name == "rules.bin" and self._selected:
                    _place_selected(path, trained.weights, folder / name)
                else:
                    place(path, folder / name)
        self._clear()
        return model.open(Bundle.open(self.out))

    def _clear(self) -> None:
        if not self._keep_work:
            self.work.remove()


def _forget_lost(path: Path, decoder: Decoder[Hypothesis]) -> None:
    """Weights without those of sparse features that the rules of all text do not have."""
    table = getattr(decoder, "rules", None)
    dense = set(decoder.feature_names)
    weights = {
        name: weight
        for name, weight in read_weights(path).items()
        if name in dense or (table is not None and has_sparse(table, name))
    }
    write_weights(path, weights)


def _place_selected(rules: Path, weights: Mapping[str, float], out: Path) -> None:
    """A table without the sparse features that tuning gave no weight."""
    table = RuleTable.load(rules)
    if table.sparse_features:
        keep_features(table, (name for name, weight in weights.items() if weight), out=out)
    else:
        place(rules, out)


def _tuning(config: TuneConfig) -> list[Any]:
    """What shapes the weights: options of other methods do not."""
    options = config.options
    return [config.candidates, config.list_size, type(options).__name__, asdict(options)]


def saved_settings(config: TrainingConfig) -> dict[str, Any]:
    """A configuration as a record for the model: all that shapes it."""
    record: dict[str, Any] = json.loads(json.dumps(to_record(config), default=str))
    del record["engine"]
    return record


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
