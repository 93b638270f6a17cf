"""What can be chosen for every system that is trained, with defaults that suit most corpora."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from demotic.align.symmetrise import DEFAULT, check_heuristic
from demotic.corpus import Cleaning, OrthographyConfig
from demotic.decode import Consensus
from demotic.engine import Engine, LocalEngine, check_engine, open_engine
from demotic.errors import ArgumentError, FileAccessError, check_choices, check_counts
from demotic.learn import MertOptions, MinriskOptions, MiraOptions, ProOptions, TunerOptions
from demotic.lm.estimation import MAX_ORDER
from demotic.memory.options import MemoryOptions
from demotic.systems.cdlm.config import CdlmConfig
from demotic.systems.cdlm.examples import check_text
from demotic.systems.imputing import ImputedConfig
from demotic.systems.records import over
from demotic.systems.rules_model import MOST_EXTRA
from demotic.systems.tuning import Kind


@dataclass(frozen=True, kw_only=True)
class AlignConfig:
    """Who aligns the words."""

    method: Literal["builtin", "eflomal", "thot"] = "builtin"
    """The aligner; eflomal and thot are packages of their own."""
    symmetrise: str = DEFAULT
    """How two directions become one: intersection, union, grow, grow-diag, grow-diag-final or
    grow-diag-final-and."""
    file: Path | None = None
    """Links made by somebody else, in Pharaoh format; the text must be tokenised."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_heuristic(self.symmetrise)


@dataclass(frozen=True, kw_only=True)
class EngineConfig:
    """Where bulk work runs, in how much memory, and where it puts what does not fit."""

    name: str = "local"
    """``local``, or a master of Apache Spark's: ``spark://HOST:PORT``, ``local[2]``, ``yarn``,
    ``k8s://...``; ``spark`` takes what spark-submit says."""
    memory: int = 1 << 30
    """Bytes; what does not fit goes to disk."""
    temp: Path | None = None
    """Folder for what does not fit; by default that of TMPDIR.  On Spark one that all machines
    see."""
    piece: int = 10_000
    """Lines that a task on Spark takes."""

    def __post_init__(self) -> None:
        check_engine(self.name)
        check_counts(self, "piece", least=1)
        LocalEngine(threads=1, memory=self.memory, temp=self.temp)  # complains if need be

    def open(self, threads: int) -> Engine:
        """The engine, with so many threads here; raises where Spark lacks something."""
        return open_engine(
            self.name, threads=threads, memory=self.memory, temp=self.temp, piece=self.piece
        )


@dataclass(frozen=True, kw_only=True)
class LmConfig:
    """The language model of the target side, and models beside it."""

    order: int = 5
    """Words of the longest n-grams, 1 to 8."""
    prune: tuple[int, ...] = ()
    """N-grams seen this often or less are dropped: a threshold for each order, from unigrams on;
    the last one counts for all higher orders."""
    classes: int = 0
    """Classes into which the target's words are sorted for a further model, of the classes of words
    (feature ClassModel); 0: none.  Only hiero, phrase and amasis have further models."""
    class_order: int = 7
    """Classes in the longest n-grams of that model, 1 to 8."""
    bilingual: int = 0
    """Classes of units for a further model, of the sequence of these (feature BilingualModel): a
    unit is a target word with the source words that it is linked to; 0: none.  Only phrase and
    amasis have it."""
    bilingual_order: int = 7
    """Units in the longest n-grams of that model, 1 to 8."""
    extra: tuple[Path, ...] = ()
    """Texts in the target language, plain or gzip, one sentence a line.  Each becomes a further
    model, its feature LanguageModel2, LanguageModel3, ..."""

    def __post_init__(self) -> None:
        orders = ("order", "class_order", "bilingual_order")
        check_counts(self, *orders, least=1, most=MAX_ORDER)
        check_counts(self, "classes", "bilingual", least=0)
        if len(self.extra) > MOST_EXTRA:
            raise ArgumentError(
                f"{len(self.extra)} further texts",
                remedy=f"there may be {MOST_EXTRA}: put some of them into one file",
            )
        if any(threshold < 0 for threshold in self.prune):
            raise ArgumentError("pruning thresholds cannot be negative")


AUTO = "mira"
"""The method of tuning that ``auto`` stands for: on the mean of the portfolio level with MERT, in
half the time, and better in small steps (docs/defaults.md)."""
_HURRIED = {"method": "mira", "candidates": "kbest", "mira": {"iterations": 6},
            "imputed": {"text": None, "reverse": None}}  # fmt: skip
"""The quickest method of tuning, cut short."""


@dataclass(frozen=True, kw_only=True)
class TuneConfig:
    """How weights are found, from forests or from lists of the best translations."""

    method: Literal["mert", "mira", "pro", "minrisk", "auto"] = "mert"
    """Minimum error rate training, batch MIRA, pairwise ranking, minimum risk; or what suits most
    corpora."""
    candidates: Kind = "kbest"
    """Lists of the best translations, or forests: larger steps, several times the time."""
    list_size: int = 100
    """Translations in a list."""
    mert: MertOptions = field(default_factory=MertOptions)
    """Minimum error rate training."""
    mira: MiraOptions = field(default_factory=MiraOptions)
    """Batch MIRA."""
    pro: ProOptions = field(default_factory=ProOptions)
    """Pairwise ranking optimisation."""
    minrisk: MinriskOptions = field(default_factory=MinriskOptions)
    """Minimum risk, for any number of features."""
    imputed: ImputedConfig = field(default_factory=ImputedConfig)
    """Sentences of the target language, whose sources are imputed; by minrisk alone."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "list_size", least=1)
        if self.imputed.text is not None and not self.options.WEIGHS:
            raise ArgumentError(
                f"{self.method} cannot weigh imputed sources", remedy="tune by minrisk"
            )

    @property
    def options(self) -> TunerOptions:
        """Those of the method."""
        options: TunerOptions = getattr(self, AUTO if self.method == "auto" else self.method)
        return options

    @property
    def learns_sparse(self) -> bool:
        """Are weights of sparse features learned, or held?"""
        return self.options.LEARNS_SPARSE and self.candidates == "forest"

    def with_options(self, options: TunerOptions) -> TuneConfig:
        """The same with these options, and with the method that they are of."""
        given: dict[str, Any] = {
            each.name: options
            for each in fields(self)
            if type(getattr(self, each.name)) is type(options)
        }
        if type(self.options) is not type(options):
            given["method"] = next(iter(given))
        return replace(self, **given)


_UNTUNED = TuneConfig()
SMALL_STEPS = TuneConfig(method="mira", mira=MiraOptions(c=0.001))
"""MIRA that does not follow the development set too closely (docs/defaults.md)."""


def splitting_compounds() -> OrthographyConfig:
    """How a source language is written, its compounds split where the text has enough of them."""
    return OrthographyConfig(compounds="auto")


def _systems_with(ability: str) -> str:
    """The names of those whose configuration says so."""
    from demotic.systems import SYSTEMS, system_named

    return ", ".join(name for name in SYSTEMS if getattr(system_named(name).Config, ability))


class _OfPreset:
    """Stands for a value that a preset gives."""

    def __repr__(self) -> str:
        return "<that of the preset>"


OF_PRESET: Any = _OfPreset()
"""The default of a field whose value depends on ``preset``."""


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """What every system asks; systems add their own.  Saved in the model.

    A system with presets has a field ``preset`` and lists in ``PRESETS`` what each of them sets:
    values of the fields whose default is ``OF_PRESET``.  What is given goes before the preset.
    """

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    FURTHER_MODELS: ClassVar[bool] = False
    """Can the system's decoder use language models beside the first one?"""
    BILINGUAL: ClassVar[bool] = False
    """And those of units?"""
    FOLDS: ClassVar[bool] = False
    """Can models of several parts of the text be tuned together?"""

    tokenised: bool = False
    """The text has spaces between its tokens already; neither these nor their case change, but
    ``compounds`` may still be split."""
    validation: Literal["auto", "part", "folds", "none"] = "auto"
    """What weights are tuned on when no development set is given: a ``part`` of the pairs, which is
    held out; all of them in ``folds``, each translated by a model of the other folds; nothing, so
    that weights are those that tuning starts from; or what suits so many pairs."""
    dev_size: int = 1000
    """Pairs in a part that is held out; at most a tenth of all."""
    folds: int = 5
    """How many."""
    final: Literal["full", "train"] = "full"
    """When these are held out: after tuning, everything that needs no weights (rules, language
    models, the memory) is made again from all pairs, or stays as it is."""
    seed: int = 1
    """Of everything random."""
    cleaning: Cleaning = field(default_factory=Cleaning)
    """Which sentence pairs are dropped."""
    source: OrthographyConfig = field(default_factory=OrthographyConfig)
    """How the source language is split into tokens."""
    target: OrthographyConfig = field(default_factory=OrthographyConfig)
    """How the target language is split into tokens."""
    align: AlignConfig = field(default_factory=AlignConfig)
    """Who aligns the words."""
    lm: LmConfig = field(default_factory=LmConfig)
    """The language model of the target side."""
    consensus: Consensus = field(default_factory=Consensus)
    """Whether translations are chosen by what they have in common with the others."""
    memory: MemoryOptions = field(default_factory=MemoryOptions)
    """Whether the model answers what was translated before with that translation."""
    glossary: tuple[Path, ...] = ()
    """Terms whose translation is decided, for the model to keep to: tables of two columns, or
    TBX."""
    engine: EngineConfig = field(default_factory=EngineConfig)
    """Where bulk work runs; never shows in the result, and is not saved with it."""

    def __post_init__(self) -> None:
        self._take_preset()
        check_counts(self, "dev_size", least=1)
        check_counts(self, "folds", least=2)
        check_choices(self)
        self._check_folds()
        if not 0 <= self.seed < 2**63:
            raise ArgumentError(f"a seed of {self.seed}", remedy="give a number from 0 up")
        if self.tokenised:
            for side in ("source", "target"):
                asked: OrthographyConfig = getattr(self, side)
                plain = replace(asked, tokeniser="none", casing="none", protect=())
                object.__setattr__(self, side, plain)
        if self.align.file is not None:
            self._keep_words_whole()
        if not self.FURTHER_MODELS and (self.lm.classes or self.lm.extra):
            raise ArgumentError(
                f"lm.{'classes' if self.lm.classes else 'extra'}: this system's decoder has one "
                "language model",
                remedy=f"leave it out, or train one of {_systems_with('FURTHER_MODELS')}",
            )
        if not self.BILINGUAL and self.lm.bilingual:
            raise ArgumentError(
                "lm.bilingual: this system's decoder has no model of units",
                remedy=f"leave it out, or train one of {_systems_with('BILINGUAL')}",
            )
        self._check_sparse()
        if self._tuning.imputed.text is not None and not self.tunes:
            raise ArgumentError(
                "imputed sources are tuned on, and with this preset nothing is tuned",
                remedy="take a preset that tunes, such as 'tuned', or leave out tune.imputed",
            )

    @property
    def _tuning(self) -> TuneConfig:
        """The system's section."""
        tune: TuneConfig = vars(self).get("tune", _UNTUNED)
        return tune

    @property
    def _cdlm(self) -> CdlmConfig:
        """The section of systems that have one."""
        cdlm: CdlmConfig = vars(self).get("cdlm", CdlmConfig())
        return cdlm

    @property
    def reverse_models(self) -> tuple[Path, ...]:
        """Models of the opposite direction that training will ask."""
        asked = (self._cdlm.reverse if self._cdlm.text else None, self._tuning.imputed.reverse)
        return tuple(path for path in asked if path is not None)

    @property
    def tunes(self) -> bool:
        """Are weights tuned as the section ``tune`` says?"""
        return True

    def _check_folds(self) -> None:
        if self.validation == "folds" and (obstacle := self.against_folds):
            raise ArgumentError(
                f"validation=folds: {obstacle}", remedy="hold out a part: validation=part"
            )

    @property
    def against_folds(self) -> str:
        """Why models of several parts of the text cannot be tuned together, if so."""
        tune = vars(self).get("tune")
        if not self.FOLDS:
            return f"this system has none; {_systems_with('FOLDS')} have"
        if self.align.file is not None:
            return "given links are those of one text"
        if isinstance(tune, TuneConfig) and tune.learns_sparse:
            return "weights of sparse features are learned from one development set"
        if self._cdlm.text is not None:
            return "a model of confusions is learned from one development set"
        if getattr(vars(self).get("prune"), "composed", False):
            return "rules are dropped under weights tuned on one development set"
        return ""

    def _check_sparse(self) -> None:
        """Lists have no sparse features: who wants their weights learned has to ask for forests."""
        templates = getattr(getattr(vars(self).get("extract"), "sparse", None), "templates", ())
        tune = self._tuning
        if not templates:
            return
        if tune.options.LEARNS_SPARSE and not tune.learns_sparse:
            raise ArgumentError(
                "weights of sparse features are learned from forests, not from lists",
                remedy="say tune.candidates=forest",
            )

    def _take_preset(self) -> None:
        """Give the fields that nobody gave the values that the preset has for them."""
        if not self.PRESETS:
            return
        name = vars(self)["preset"]
        if name not in self.PRESETS:
            raise ArgumentError(
                f"there is no preset '{name}'", remedy=f"choose one of {', '.join(self.PRESETS)}"
            )
        for each in fields(self):
            if vars(self)[each.name] is OF_PRESET:
                object.__setattr__(self, each.name, self.PRESETS[name][each.name])

    def _keep_words_whole(self) -> None:
        """Links count words, and splitting compounds would make more of them."""
        if not self.tokenised:
            raise ArgumentError(
                "links of another aligner belong to text that is tokenised already",
                remedy="say that the text is tokenised",
            )
        for side in ("source", "target"):
            asked: OrthographyConfig = getattr(self, side)
            if asked.compounds == "on":
                raise ArgumentError(
                    "links of another aligner do not fit words that are split",
                    remedy=f"leave out {side}.compounds, or let Demotic align",
                )
            object.__setattr__(self, side, replace(asked, compounds="off"))

    def for_trials(self) -> Self:
        """The same, tuned in a hurry: for models that are compared with each other and not kept."""
        return over(self, {"tune": _HURRIED})

    def files(self) -> tuple[Path, ...]:
        """Those that training will read, beside the text."""
        links = () if self.align.file is None else (self.align.file,)
        return (*links, *self.lm.extra, *self.glossary, *self._tuning.imputed.files())

    def check_files(self) -> None:
        """Raise where one of them is missing, or a text has next to nothing in it: not when
        settings are read, which outlive files."""
        for path in self.files():
            if not path.is_file():
                raise FileAccessError("no such file", path=path)
        if self._cdlm.text is not None:
            check_text(self._cdlm.text, self._cdlm.learn.held_out)
        if (text := self._tuning.imputed.text) is not None:
            check_text(text, 1)
