"""The undirected decoder (Gesmundo and Henderson 2014): one tree, grown in any order.

    decoder = UndirectedDecoder(rules, lm, {"LanguageModel": 0.5, "Cff1": 1, "Cff2": 1, ...})
    derivation = decoder.decode("das haus ist klein .")
    print(derivation.text, derivation.score)
    for action in derivation.actions:
        print(action)

It stands on the same grammar, forest and language model as :class:`HieroDecoder`, but instead of
filling a chart it takes the best action at each step and never takes it back.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from demotic import _core
from demotic.decode.core_decoder import MOST, CoreDecoder, check_positive, counted, tokens_of
from demotic.decode.decoder import Sentence
from demotic.decode.derivation import Derivation
from demotic.decode.parsing import ParseOptions
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.decode.episode import Episodes, Floats, UndirectedEpisode
    from demotic.grammar import RuleTable
    from demotic.lm import LanguageModel


@dataclass(frozen=True, kw_only=True)
class UndirectedSearch(ParseOptions):
    """How to search."""

    kappa: float = 0.0
    """How much the language model's estimates of words with open context count, 0 to 1."""
    cff: Literal["raw", "delta", "off"] = "raw"
    """Bounds on missing branches as features of the slots that an action opens; ``delta``
    subtracts the bound of the slot that it closes, ``off`` has none."""
    turn: Literal["score", "margin", "age"] = "score"
    """Which open slot comes next: the one whose best action has the highest ``score``; or the one
    whose best action is furthest ahead of the next best there; or the oldest, whatever it has.
    Restarts, beams and samples rank actions by their scores in any case."""
    bounds: Literal["local", "words", "chart"] = "local"
    """What those bounds know of a branch: ``local`` the best sum of rules' own features, an exact
    bound; ``words`` the language model's estimate of each rule's words as well; ``chart`` its
    score of the branch that a bottom-up search with one candidate for each node would find."""
    lookahead: bool = False
    """Score an action by what the language model says of the whole yield with every gap filled by
    the best branch of its node, before and after; needs ``bounds="chart"``, takes the place of
    ``kappa`` and goes with ``cff="delta"``.  Features of actions stay what they are."""
    argmax: Literal["lazy", "eager"] = "lazy"
    """``lazy`` scores only actions that may still be the best; the results are the same."""
    stale_queue: bool = False
    """Leave the scores of open actions as they were first computed, though words came to stand
    beside their gap."""
    restarts: int = 1
    """Start from so many of the best leaves and keep the best translation."""
    repairs: int = 0
    """Passes over the finished tree: each branch is cut off and grown anew, and stays so if the
    translation scores better.  Beyond some 200 words, only the first branches."""
    repair_width: int = 1
    """Actions to begin with where a branch was cut off."""
    beam: int = 1
    """Partial trees kept side by side; beyond 300 words only one, since each step copies them."""
    sparse_bits: int = 0
    """Sparse features of what stands beside a gap, hashed to 2**bits ids; 0: none.  For each
    action the pairs of words that come to stand side by side where it joins the tree, and its rule
    with the rule there."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "restarts", "repair_width", "beam")
        if self.repairs < 0:
            raise ArgumentError("repairs must not be negative")
        if not 0 <= self.sparse_bits <= 24:
            raise ArgumentError("sparse_bits must be 0 to 24")
        if not 0 <= self.kappa <= 1:
            raise ArgumentError("kappa must be 0 to 1")
        if self.lookahead and self.bounds != "chart":
            raise ArgumentError(
                "lookahead needs the bounds of a chart",
                remedy="choose bounds=chart, or lookahead=false",
            )


DEFAULTS = UndirectedSearch()


@dataclass(frozen=True, kw_only=True)
class Perturbation:
    """How roll-outs for k-best lists stray from the best path.

    In every state the ``width`` best actions get Gumbel noise of this temperature, in units of the
    score, before the best is taken.  The noise depends on the seed and the sentence alone.
    """

    seed: int = 1
    temperature: float = 1.0
    width: int = 8
    rollouts: int | None = None
    """At most so many for a sentence; None: four for each translation asked for."""


NOISE = Perturbation()


@dataclass(frozen=True)
class Action:
    """One step of growth."""

    kind: Literal["start", "down", "up"]
    step: int
    """The step of ``Derivation.steps`` that it added."""
    slot: int
    """``down``: which child of its parent the step became; ``up``: which of its own children the
    tree became; from 0, in source order."""
    choices: int
    """Actions that there were to choose from."""
    score: float
    """By which it was chosen."""
    features: dict[str, float]
    """phi, by name, zeros included."""


@dataclass(frozen=True, eq=False)
class UndirectedDerivation(Derivation):
    """A derivation with the order in which it grew.

    Of ``features``, those of the model are as for any decoder; the bounds on missing branches are
    0, since nothing is missing.  ``actions`` have the bounds of the moment.
    """

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """In the order in which they were taken."""
        core = cast("_core.UndirectedDerivation", self.core)
        names = self.feature_names
        return tuple(
            Action(kind, step, slot, choices, score, dict(zip(names, features, strict=True)))
            for kind, step, slot, choices, score, features in core.actions
        )


@dataclass(frozen=True)
class UndirectedCounters:
    """What the decoder did so far."""

    sentences: int
    shortened: int
    """Sentences whose span limit was lowered to stay within ``max_edges``."""
    edges: int
    """Edges of the context-free forests."""
    actions: int
    """Actions whose score was looked at, with the language model or without."""
    steps: int
    """Actions taken, in all roll-outs."""
    starts: int
    downs: int
    ups: int
    lm_evaluations: int
    """Actions that the language model has scored."""
    lm_words: int
    """Words that it has looked up for them."""
    seconds: dict[str, float]
    """CPU time by phase: ``load``, ``parse``, ``inside-outside``, ``rescore``."""


class UndirectedDecoder(CoreDecoder[UndirectedDerivation]):
    """Translates lists of tokens; safe to share between threads."""

    KIND = UndirectedDerivation

    rules: RuleTable
    _search: _core.UndirectedDecoder

    def __init__(
        self,
        rules: RuleTable,
        lm: LanguageModel | None,
        weights: Mapping[str, float],
        *,
        options: UndirectedSearch = DEFAULTS,
        sparse: Floats | None = None,
    ) -> None:
        """``sparse`` are the weights of sparse features, one for each id; None: all 0."""
        begin = time.thread_time()
        self.rules, self.lm, self.options = rules, lm, options
        self._use_weights(_core.undirected_feature_names(rules), weights, rules)
        settings = asdict(options)
        del settings["zones"]  # sentences bring them
        for name in ("restarts", "repairs", "repair_width", "beam", "span_limit"):
            settings[name] = min(settings[name], MOST)
        self.sparse_features = 2**options.sparse_bits if options.sparse_bits else 0
        self.sparse = sparse
        self._search = _core.UndirectedDecoder(
            rules,
            lm,
            self._dense_weights,
            self._sparse_weights,
            array("d") if sparse is None else sparse,  # type: ignore[arg-type]
            **settings,
        )
        self._labels = tuple(self._search.labels)
        self._load_seconds = time.thread_time() - begin

    def with_weights(
        self, weights: Mapping[str, float], *, sparse: Floats | None = None
    ) -> UndirectedDecoder:
        """The same decoder with other weights; those of sparse features stay if none are given."""
        sparse = self.sparse if sparse is None else sparse
        return UndirectedDecoder(self.rules, self.lm, weights, options=self.options, sparse=sparse)

    def kbest(
        self, sentence: Sentence, k: int, *, unique: bool = True, perturbation: Perturbation = NOISE
    ) -> list[UndirectedDerivation]:
        """Derivations of perturbed roll-outs, best first, that of :meth:`decode` among them.

        ``unique`` keeps the best derivation of each string.  Fewer than k if the roll-outs found
        no more.
        """
        return self.kbest_lines([sentence], k, unique=unique, perturbation=perturbation)[0]

    def episode(self, sentence: Sentence) -> UndirectedEpisode:
        """The sentence, parsed, for learning; its weights are given with every call."""
        from demotic.decode.episode import UndirectedEpisode

        return UndirectedEpisode(self._search, tokens_of(sentence))

    def episodes(self, lines: Iterable[Sentence], *, memory: int = 1 << 30) -> Episodes:
        """Sentences for learning; parses are kept within so many bytes."""
        from demotic.decode.episode import Episodes

        return Episodes(self._search, [tokens_of(line) for line in lines], memory)

    # -- many sentences, over threads, in order -------------------------------------------------

    def kbest_lines(
        self,
        lines: Iterable[Sentence],
        k: int,
        *,
        unique: bool = True,
        perturbation: Perturbation = NOISE,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> list[list[UndirectedDerivation]]:
        """As :meth:`kbest`, for each line."""
        noise = asdict(perturbation) | {"rollouts": perturbation.rollouts or 0}

        def run(sentences: list[list[str]], threads: int) -> list[list[_core.UndirectedDerivation]]:
            return self._search.kbest(sentences, k, unique, threads, **noise)

        return self._lists(lines, k, threads, progress, run)

    # -- what it did ----------------------------------------------------------------------------

    @property
    def counters(self) -> UndirectedCounters:
        """Work done since the decoder was made or :meth:`reset_counters` was called."""
        core = self._search.counters
        seconds = {
            "load": self._load_seconds,
            "parse": core.parse_seconds,
            "inside-outside": core.bound_seconds,
            "rescore": core.rescore_seconds,
        }
        steps = core.starts + core.downs + core.ups
        return counted(UndirectedCounters, core, steps=steps, seconds=seconds)

    def _lowered(self) -> str:
        return self.options.lowered
