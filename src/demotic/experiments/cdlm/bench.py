"""The work bench: a hierarchical baseline, confusion grammars of it, and models that learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from demotic import files
from demotic.corpus import Bitext, Orthography
from demotic.decode import HieroDecoder, HieroSearch
from demotic.decode.confusion import START as BLM
from demotic.decode.confusion import Confuser, ConfusionSearch
from demotic.experiments.data import DataFolder, part_files
from demotic.experiments.parts import Parts
from demotic.experiments.setup import Setup
from demotic.grammar import ConfusionGrammar, ConfusionOptions, RuleTable, Symbols
from demotic.grammar.bigrams import Preset
from demotic.learn import MiraOptions, tune_weights
from demotic.lm import LanguageModel
from demotic.systems.cdlm.config import CdlmLearning
from demotic.systems.cdlm.examples import Example, judge, of_groups, of_lines
from demotic.systems.cdlm.model import Cdlm
from demotic.systems.cdlm.rounds import Learned, Rounds
from demotic.systems.cdlm.stage import forests_of
from demotic.systems.hiero.config import START, Config
from demotic.systems.rules import extract_rules
from demotic.systems.stages import Training
from demotic.systems.tuning import DevSet, TuningTask

CONDITIONS = ("paper", "clean")
"""In the paper's, confusions are those of tuning and test sources, and the text learned from is the
tuning set's; in the clean one, confusions are those of tuning sources, and the text is in no other
part."""
_MONO = 1000  # pairs taken off the training text, whose target side the clean condition learns from
_TOO_LARGE = 20  # options of a cell that take part, where all would be millions of rules


@dataclass(frozen=True)
class Arm:
    """One way to confuse and to learn."""

    condition: str = "paper"
    confusion: ConfusionOptions = field(default_factory=ConfusionOptions)
    learning: CdlmLearning = field(default_factory=CdlmLearning)
    preset: Preset = "paper"
    bigrams: bool = True
    further: tuple[str, ...] = ()
    """Scores of confusion rules and of their decoder that get weights, too."""
    references: int = 0
    """The most for one sentence to learn from; 0: all."""


@dataclass(eq=False)
class Bench:
    """What every part of the experiment needs."""

    setup: Setup
    data: DataFolder
    parts: Parts

    @property
    def seeds(self) -> tuple[int, ...]:
        """Of a quick run only the first."""
        return self.setup.seeds[:1] if self.setup.quick else self.setup.seeds

    @property
    def pops(self) -> int:
        """Of the decoder whose forests say what is confused."""
        return 30 if self.setup.quick else 200

    # -- texts ----------------------------------------------------------------------------------

    @cached_property
    def _split(self) -> tuple[Bitext, list[str]]:
        """Training pairs, and target sentences that are none of them."""
        size = min(_MONO, len(self.data.train) // 10)
        pairs = [(pair.source, pair.target) for pair in self.data.train]
        kept = Bitext.from_pairs(
            pairs[:-size],
            source_language=self.setup.source,
            target_language=self.setup.target,
            file=self.data.names[0],
        )
        return kept, [target for _, target in pairs[-size:]]

    @cached_property
    def _training(self) -> Training:
        config = replace(Config(tokenised=self.setup.tokenised), seed=1)
        out = self.setup.out / "models" / "unused"
        out.parent.mkdir(parents=True, exist_ok=True)
        return Training(
            self._split[0], self.data.dev, config, out=out, work=self.setup.out / "work",
            resume=True, threads=self.setup.threads, progress=self.setup.progress,
        )  # fmt: skip

    @cached_property
    def stages(self) -> dict[str, Any]:
        """Text, rules and language model of the baseline."""
        training = self._training
        config = training.config
        assert isinstance(config, Config)
        text = training.prepare()
        rules = extract_rules(training, config.extract, text, training.align(text))
        return {"text": text, "rules": rules, "lm": training.language_model(text)}

    def _written(self, side: str, lines: Sequence[str]) -> list[str]:
        path: Path = self.stages["text"].path(f"{side}.json")
        orthography = Orthography.from_json(path.read_text("utf-8"))
        return [str(orthography.encode(line)) for line in lines]

    def sources(self, part: str) -> list[str]:
        """Tokens of the source side of ``dev`` or ``test``."""
        bitext: Bitext = getattr(self.data, part)
        return self._written("source", list(bitext.source_lines()))

    def references(self, part: str) -> list[list[str]]:
        """Tokens of all references."""
        bitext: Bitext = getattr(self.data, part)
        name = self.data.names[1 if part == "dev" else 2]
        paths = part_files(self.setup.data, name, self.setup.target)
        streams = [list(islice(files.read_lines(path), len(bitext))) for path in paths]
        return [self._written("target", stream) for stream in streams]

    def examples(self, condition: str, references: int = 0) -> list[Example]:
        """Sentences to learn from."""
        if condition == "clean":
            lines = self._written("target", self._split[1])
            return of_lines(lines, most=len(self.data.dev), max_words=40)
        found = of_groups(self.references("dev"))
        if not references:
            return found
        return [replace(e, references=e.references[:references]) for e in found]

    @cached_property
    def tests(self) -> list[Example]:
        """Sentences of the test set, with their paraphrases."""
        return of_groups(self.references("test"))

    @property
    def overlap(self) -> int:
        """Sentences to learn from that are also in the test set."""
        known = {e.sentence for e in self.tests}
        return sum(e.sentence in known for c in CONDITIONS for e in self.examples(c))

    # -- the baseline ---------------------------------------------------------------------------

    @cached_property
    def rules(self) -> RuleTable:
        """Of the baseline."""
        return RuleTable.load(self.stages["rules"].path("rules.bin"))

    @cached_property
    def lm(self) -> LanguageModel:
        """Of the baseline."""
        return LanguageModel.load(self.stages["lm"].path("lm.bin"))

    def tuned(self, rules: RuleTable, name: str, seed: int) -> dict[str, float]:
        """Weights of a hierarchical decoder with some rules."""

        def run() -> dict[str, float]:
            decoder = HieroDecoder(rules, self.lm, {})
            dev = DevSet(self.sources("dev"), self.references("dev")[0])
            task = TuningTask(decoder, dev, "kbest", 100, self.setup.threads)
            start = {each: START.get(each, 0.0) for each in task.feature_names}
            rounds = 2 if self.setup.quick else 8
            found = tune_weights(
                task, start, options=MiraOptions(iterations=rounds), seed=seed,
                threads=self.setup.threads, progress=self.setup.progress,
            )  # fmt: skip
            return dict(found.weights)

        weights: dict[str, float] = self.parts.get(f"weights-{name}-seed-{seed}", run)
        return weights

    @cached_property
    def baseline(self) -> HieroDecoder:
        """Tuned with the first seed; it says what is confused."""
        weights = self.tuned(self.rules, "baseline", self.seeds[0])
        return HieroDecoder(self.rules, self.lm, weights, options=HieroSearch(pops=self.pops))

    # -- confusions -----------------------------------------------------------------------------

    def grammar(self, condition: str, options: ConfusionOptions) -> ConfusionGrammar:
        """A confusion grammar; cells are too large to take part as a whole."""
        if options.group == "source":
            return ConfusionGrammar.from_table(self.filtered(condition), options)
        if options.group == "cell" and options.max_options is None:
            options = replace(options, max_options=_TOO_LARGE)
        forests = forests_of(self.baseline, self.confusing(condition), threads=self.setup.threads)
        return ConfusionGrammar.from_forests(self.rules, forests, options)

    def confusing(self, condition: str) -> list[str]:
        """Sources whose translations say what is confused."""
        tests = self.sources("test") if condition == "paper" else []
        return [*self.sources("dev"), *tests]

    def filtered(self, condition: str) -> RuleTable:
        """The rules that can translate these."""
        out = self.setup.out / "work" / f"filtered-{condition}.bin"
        return self.rules.filter(self.confusing(condition), out=out)

    def confused(self, arm: Arm) -> tuple[ConfusionGrammar, Confuser, Symbols, int]:
        """A grammar, a confuser of the sentences of learning and test, and bigrams."""
        grammar = self.grammar(arm.condition, arm.confusion)
        symbols = self.symbols(arm.preset)
        bigrams = symbols.bigrams(grammar.rules)
        bigrams.meet_sides(grammar.core)
        bigrams.freeze()
        lines = [e.sentence for e in (*self.examples(arm.condition), *self.tests)]
        out = self.setup.out / "work" / "confusion.bin"
        table = grammar.table(lines, out=out, bigrams=bigrams)
        search = ConfusionSearch(pops=self.pops)
        unchanged = None
        if arm.learning.objective == "likelihood":
            place = out.with_name("unchanged.bin")
            unchanged = grammar.table(lines, out=place, bigrams=bigrams, unchanged=True)
        confuser = Confuser(table, self.lm, unchanged=unchanged, options=search)
        return grammar, confuser, symbols, len(bigrams)

    def symbols(self, preset: Preset) -> Symbols:
        """Learned from the training text, or the parts of speech that the data folder has."""
        table = self.setup.data / f"symbols.{self.setup.target}"
        if preset == "paper" and table.is_file():
            return Symbols.read(table)
        return Symbols.learn(self.stages["text"].path("train.target"), preset=preset)

    # -- models ---------------------------------------------------------------------------------

    def learned(self, arm: Arm, name: str) -> Any:
        """Learn (or remember) an arm: weights, rounds, and what it makes of the test sentences."""

        def run() -> dict[str, Any]:
            import time

            begin = time.process_time()
            _, confuser, symbols, bigrams = self.confused(arm)
            found = self._rounds(arm, confuser).run()
            seconds = time.process_time() - begin
            decoded = self.simulated(confuser, found.weights)
            blm = self.simulated(confuser, BLM)
            return {
                "weights": found.weights,
                "symbols": dict(symbols.of),
                "bigrams": bigrams,
                "sentences": len(self.examples(arm.condition)),
                "rounds": [asdict(each) for each in found.rounds],
                "held out": [found.start.bleu, _best(found)],
                "test": decoded,
                "BLM": blm,
                "rescored": self.rescored(confuser, found.weights),
                "seconds": seconds,
            }

        return self.parts.get(f"learned-{name}", run, settings=_record(arm))

    def _rounds(self, arm: Arm, confuser: Confuser) -> Rounds:
        learning = replace(arm.learning, rounds=2) if self.setup.quick else arm.learning
        return Rounds(
            confuser,
            self.examples(arm.condition, arm.references),
            options=learning,
            bigrams=arm.bigrams,
            further=arm.further,
            threads=self.setup.threads,
            progress=self.setup.progress,
        )

    def simulated(self, confuser: Confuser, weights: Mapping[str, float]) -> dict[str, float]:
        """How good the best confusion of each test sentence is, and what it is made of."""
        lines = [e.sentence for e in self.tests]
        found = confuser.best(lines, weights, threads=self.setup.threads)
        texts = [" ".join(each.tokens) for each in found]
        kinds = {
            "one": [i for i, e in enumerate(self.tests) if len(e.references) == 1],
            "several": [i for i, e in enumerate(self.tests) if len(e.references) > 1],
        }
        parts = {
            name: judge([texts[i] for i in chosen], [self.tests[i] for i in chosen]).bleu
            for name, chosen in kinds.items()
            if chosen
        }
        same = sum(text == line for text, line in zip(texts, lines, strict=True))
        rules = sum(each.features["RulePenalty"] for each in found)
        words = sum(len(line.split()) for line in lines)
        return {
            **asdict(judge(texts, self.tests)),
            **parts,
            "same": same / max(1, len(lines)),
            "words": words / max(1.0, rules),
        }

    def rescored(self, confuser: Confuser, weights: Mapping[str, float]) -> float:
        """The same, from forests that the n-gram model alone has made."""
        lines = [e.sentence for e in self.tests]
        scores = confuser.decoder(weights).weights
        forests = confuser.forests(lines, BLM, threads=self.setup.threads)
        return judge([f.rescore(scores).viterbi().text for f in forests], self.tests).bleu

    def column(self, record: Any, name: str) -> RuleTable:
        """The baseline's rules with what was learned as one more score."""
        cdlm = Cdlm(Symbols(record["symbols"]), record["weights"])
        return cdlm.column(self.rules, out=self.setup.out / "work" / f"rules-{name}.bin")

    def translated(self, rules: RuleTable, weights: Mapping[str, float]) -> list[str]:
        """The test set by a decoder with these rules."""
        decoder = HieroDecoder(rules, self.lm, weights)
        found = decoder.decode_lines(self.sources("test"), threads=self.setup.threads)
        return [" ".join(each.tokens) for each in found]


def _best(found: Learned) -> float:
    return max([found.start.bleu, *(each.bleu for each in found.rounds if each.accepted)])


def _record(arm: Arm) -> Any:
    return asdict(arm)
