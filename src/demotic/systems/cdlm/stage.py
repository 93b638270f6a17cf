"""The stage of training that adds the column of a language model of confusions to the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demotic import files
from demotic.corpus import Orthography
from demotic.decode import HieroDecoder, HieroSearch
from demotic.decode.confusion import Confuser
from demotic.forest import Forest
from demotic.grammar import ConfusionGrammar, RuleTable, Symbols
from demotic.lm import LanguageModel
from demotic.progress import SILENT, Progress
from demotic.systems.cdlm.config import CdlmConfig
from demotic.systems.cdlm.examples import Example, of_lines
from demotic.systems.cdlm.model import Cdlm
from demotic.systems.cdlm.rounds import Learned, Rounds
from demotic.systems.reverse import open_reverse, sources_of
from demotic.systems.rules import RULE_WEIGHTS, decoder_of
from demotic.systems.rules_model import CDLM_PART
from demotic.systems.text_stages import fingerprint_file
from demotic.systems.weights import read_weights
from demotic.systems.work import Stage, WorkFolder

if TYPE_CHECKING:
    from demotic.systems.stages import Training

_TOGETHER = 16  # sources decoded at a time
_FEW = 100  # sentences
_STRANGE = 0.5  # of the words
_BASE = "base-weights.json"
_FOLDER = "cdlm"


def confusion_column(
    training: Training, config: CdlmConfig, text: Stage, rules: Stage, lm: Stage
) -> Stage:
    """Rules with one more column, ConfusionModel, or the rules as they are without a text.

    Where forests say what is confused, they are those that a hierarchical translator with the same
    rules and language model, tuned in a hurry, makes of the development set's sources.
    """
    if config.text is None:
        return rules
    # A folder of its own: the table keeps its name.
    work = WorkFolder(
        training.work.folder / _FOLDER, resume=training.resume, progress=training.progress
    )
    if training.settled is not None:
        return _kept(training.settled.work.folder / _FOLDER / CDLM_PART, work, rules)
    asked = [] if config.confusion.group == "source" else [_tuned(training, text, rules, lm)]
    dev = training.development(text)
    stage = work.stage(
        "cdlm",
        [asdict(config), [fingerprint_file(path) for path in config.files()], training.config.seed],
        after=[text, rules, lm, *asked, dev],
        files=["rules.bin", CDLM_PART],
    )
    if stage.wanted:
        table = RuleTable.load(rules.path("rules.bin"))
        model = LanguageModel.load(lm.path("lm.bin"))
        decoders = [HieroDecoder(table, model, read_weights(s.path(_BASE))) for s in asked]
        examples = _examples(training, config, text, model)
        sources = _first(dev.path("dev.source"), config.sources)
        if config.reverse is not None:
            sources += _round_trips(training, config.reverse, text, examples)
        cdlm = learn(
            confusions(
                config, table, decoders, sources, folder=work.folder, progress=training.progress
            ),
            model,
            examples,
            symbols_for(config, text.path("train.target"), training.threads, training.progress),
            config,
            folder=work.folder,
            origin=lm.digest,
            resume=training.resume,
            threads=training.threads,
            progress=training.progress,
        )
        cdlm.column(table, out=stage.path("rules.bin"))
        cdlm.write(stage.path(CDLM_PART))
        stage.finish()
    return stage


def _kept(learned: Path, work: WorkFolder, rules: Stage) -> Stage:
    """The column of a model that is there already, for other rules: its weight is settled, too."""
    stage = work.stage(
        "cdlm", fingerprint_file(learned), after=[rules], files=["rules.bin", CDLM_PART]
    )
    if stage.wanted:
        cdlm = Cdlm.read(learned)
        cdlm.column(RuleTable.load(rules.path("rules.bin")), out=stage.path("rules.bin"))
        cdlm.write(stage.path(CDLM_PART))
        stage.finish()
    return stage


def _tuned(training: Training, text: Stage, rules: Stage, lm: Stage) -> Stage:
    """Weights of a hierarchical decoder, as good as they get in a few rounds."""
    hurried: Any = training.config.for_trials()
    search = HieroSearch()
    decoder = decoder_of(HieroDecoder, rules, lm, search)
    start = {**RULE_WEIGHTS, "Glue": 0.0}
    return training.tune(
        text,
        [rules, lm],
        decoder,
        hurried.tune,
        start,
        search,
        name="base",
        file=_BASE,
        sparse=False,
    )


def confusions(
    config: CdlmConfig,
    rules: RuleTable,
    decoders: Sequence[HieroDecoder],
    sources: Sequence[str],
    *,
    folder: Path,
    progress: Progress = SILENT,
) -> ConfusionGrammar:
    """What translators with these rules confuse: in the forests of decoders, or by source; where
    there are round trips, the latter among rules for these sources alone."""
    options = config.confusion
    if options.group != "source":
        forests = (forest for decoder in decoders for forest in forests_of(decoder, sources))
        return ConfusionGrammar.from_forests(rules, forests, options, progress=progress)
    if config.reverse is not None:
        rules = rules.filter(sources, out=folder / "filtered.bin", progress=progress)
    return ConfusionGrammar.from_table(rules, options, progress=progress)


def forests_of(
    decoder: HieroDecoder, sources: Sequence[str], *, threads: int = 1
) -> Iterator[Forest]:
    """A decoder's forests, a few at a time."""
    for begin in range(0, len(sources), _TOGETHER):
        yield from decoder.forests(sources[begin : begin + _TOGETHER], threads=threads)


def _first(path: Path, lines: int) -> list[str]:
    return [line for line, _ in zip(files.read_lines(path), range(lines), strict=False)]


def _examples(
    training: Training, config: CdlmConfig, text: Stage, lm: LanguageModel
) -> list[Example]:
    assert config.text is not None
    target = Orthography.from_json(text.path("target.json").read_text("utf-8"))
    lines = (str(target.encode(line)) for line in files.read_lines(config.text))
    progress = training.progress
    with files.naming(config.text):
        found = of_lines(
            lines, most=config.sentences, max_words=config.learn.max_words, progress=progress
        )
    if len(found) < _FEW:
        progress.warn(f"{config.text}: {len(found)} sentences are few to learn a model from")
    words = [word for example in found for word in example.sentence.split()]
    strange = sum(word not in lm for word in words)
    if strange > _STRANGE * len(words):
        progress.warn(
            f"{config.text}: of {len(words):,} words {strange:,} are in no training sentence; "
            f"is it in the target language, {training.bitext.target_language}?"
        )
    return found


def _round_trips(
    training: Training, reverse: Path, text: Stage, examples: Sequence[Example]
) -> list[str]:
    """What a model of the opposite direction makes of the sentences, as sources."""
    bitext = training.bitext
    model = open_reverse(
        reverse, source_language=bitext.source_language, target_language=bitext.target_language
    )
    source, target = (
        Orthography.from_json(text.path(f"{side}.json").read_text("utf-8"))
        for side in ("source", "target")
    )
    lines = [example.sentence for example in examples]
    found = sources_of(
        model, lines, source, target, most=1, threads=training.threads, progress=training.progress
    )
    return [best for each in found for best, _ in each]


def symbols_for(
    config: CdlmConfig, text: Path, threads: int = 1, progress: Progress = SILENT
) -> Symbols:
    """The symbols of words: a table, or learned from the language model's text."""
    if config.symbols is not None:
        return Symbols.read(config.symbols)
    return Symbols.learn(
        text,
        preset=config.preset,
        frequent=config.frequent,
        classes=config.classes,
        threads=threads,
        progress=progress,
    )


def learn(
    grammar: ConfusionGrammar,
    lm: LanguageModel,
    examples: Sequence[Example],
    symbols: Symbols,
    config: CdlmConfig,
    *,
    folder: Path,
    origin: str = "",
    resume: bool = False,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Cdlm:
    """From a translator's confusions and sentences of its target language to weights of bigrams.

    ``origin`` tells the language model from others, lest rounds under another one be gone on with.
    """
    bigrams = symbols.bigrams(grammar.rules)
    bigrams.meet_sides(grammar.core)
    bigrams.freeze()
    lines = [example.sentence for example in examples]
    place = folder / "confusion.bin"
    table = grammar.table(lines, out=place, bigrams=bigrams, progress=progress)
    unchanged = None
    if config.learn.objective == "likelihood":
        unchanged = grammar.table(
            lines, out=folder / "unchanged.bin", bigrams=bigrams, unchanged=True
        )
    progress.say(
        f"{len(table):,} confusion rules match; {len(bigrams):,} bigrams of "
        f"{len(set(symbols.of.values())):,} symbols"
    )
    rounds = Rounds(
        Confuser(table, lm, unchanged=unchanged, options=config.search),
        examples,
        options=config.learn,
        threads=threads,
        progress=progress,
        checkpoint=folder / "rounds.json",
        origin=f"{fingerprint_file(place)} {origin}",
        resume=resume,
    )
    learned = rounds.run()
    return Cdlm(symbols, learned.weights, record_of(learned, grammar, len(table), len(bigrams)))


def record_of(
    learned: Learned, grammar: ConfusionGrammar, rules: int, bigrams: int
) -> dict[str, Any]:
    """What is worth knowing of a training."""
    return {
        "classes": grammar.classes,
        "sides": grammar.sides,
        "rules": rules,
        "bigrams": bigrams,
        "start": asdict(learned.start),
        "rounds": [asdict(each) for each in learned.rounds],
    }
