"""The undirected decoder as a task of discriminative reinforcement learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic.decode.episode import Rollout, Sample, UndirectedEpisode
from demotic.decode.undirected import UndirectedDecoder, UndirectedSearch
from demotic.forest.weights import Floats
from demotic.grammar import RuleTable
from demotic.learn import DrlOptions, Epoch, LinearPolicy, drl
from demotic.lm import LanguageModel
from demotic.metrics import Bleu, SentenceBleu
from demotic.progress import SILENT, Progress
from demotic.systems.tuning import DevSet
from demotic.systems.umt.config import Reward, Rewards
from demotic.systems.umt.rewards import limits_of, matches_by_action
from demotic.thread_pool import thread_pool


class UmtTask:
    """Sentences to translate.

    The reward is BLEU+1 of the sentence; or BLEU of all of them as the policy translates them when
    the epoch begins, plus what it would gain if this one were translated so, times their number:
    on the scale of a sentence's own BLEU.
    """

    def __init__(
        self,
        decoder: UndirectedDecoder,
        dev: DevSet,
        *,
        memory: int,
        reward: Reward = "sentence",
        rewards: Rewards = "end",
        threads: int = 1,
    ) -> None:
        self.feature_names: Sequence[str] = decoder.feature_names
        self.sparse_features = decoder.sparse_features
        pairs = [pair for pair in zip(dev.source, dev.references, strict=True) if pair[0].strip()]
        self._episodes = decoder.episodes([source for source, _ in pairs], memory=memory)
        self._metrics = [_metric(references) for _, references in pairs]
        self._limits = [limits_of(lines) for _, lines in pairs] if rewards == "steps" else None
        self._corpus = Bleu(tokenise="none") if reward == "corpus" else None
        self._others: NDArray[np.int64] = np.empty((0, 0), dtype=np.int64)
        self._level = 0.0
        self._threads = threads

    def __len__(self) -> int:
        return len(self._metrics)

    def prepare(self, policy: LinearPolicy) -> None:
        """Translate all sentences, to know what each is to be seen with."""
        if self._corpus is not None:

            def counted(example: int) -> NDArray[np.int64]:
                rollout = self.episode(example).decode(policy.dense, sparse=policy.sparse)
                return self._metrics[example].statistics(" ".join(rollout.tokens))

            with thread_pool(self._threads) as pool:
                rows = np.array(list(pool.map(counted, range(len(self)))))
            self._others = rows.sum(axis=0) - rows
            self._level = self._corpus.corpus_value(rows)

    def episode(self, example: int) -> UndirectedEpisode:
        """A parsed sentence."""
        found: UndirectedEpisode = self._episodes[example]
        return found

    def samples(
        self,
        example: int,
        policy: LinearPolicy,
        draws: Sequence[tuple[float, float]],
        *,
        exponent: float = 1.0,
    ) -> list[Sample]:
        """All in one call of the core."""
        return self.episode(example).samples(
            policy.dense, draws, exponent=exponent, sparse=policy.sparse
        )

    def cost(self, example: int, rollout: Rollout) -> float:
        """What is rewarded is no cost."""
        return -self.reward(example, rollout)

    def reward(self, example: int, rollout: Rollout) -> float:
        """Of the whole translation."""
        text = " ".join(rollout.tokens)
        if self._corpus is None:
            return self._metrics[example].score(text)
        return self._worth(example, self._metrics[example].statistics(text))

    def rewards(self, example: int, rollout: Rollout) -> list[float]:
        """All of it at the end, or what each action did for the n-grams of the translation.

        What was there before counts with the first action, so that together they are the reward.
        """
        if self._limits is None:
            return [*([0.0] * (rollout.steps - 1)), self.reward(example, rollout)]
        rows = matches_by_action(
            rollout.tokens, rollout.turns, rollout.steps, self._limits[example]
        )
        end = self._metrics[example].statistics(" ".join(rollout.tokens))
        worth = [self._worth(example, np.concatenate([row, end[len(row) :]])) for row in rows]
        return [worth[0], *np.diff(worth).tolist()]

    def _worth(self, example: int, statistics: NDArray[np.int64]) -> float:
        if self._corpus is None:
            return float(_BLEU1.values(statistics[np.newaxis].astype(np.float64))[0])
        gain = self._corpus.corpus_value((self._others[example] + statistics)[np.newaxis])
        return self._level + len(self) * (gain - self._level)


_BLEU1 = Bleu(smoothing="add-k", smoothing_value=1, effective_order=True, tokenise="none")


def _metric(references: list[str]) -> SentenceBleu:
    return SentenceBleu(references, smoothing="add-k", smoothing_value=1, tokenise="none")


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Weights that were learned under given options, and what they reach."""

    search: UndirectedSearch
    drl: DrlOptions
    weights: dict[str, float]
    sparse: Floats = field(repr=False)
    bleu: float
    """Corpus BLEU on what the learner judges by."""
    epochs: tuple[Epoch, ...]

    @property
    def label(self) -> str:
        """What is not as by default."""
        plain = asdict(UndirectedSearch())
        search = [f"{k}={v}" for k, v in asdict(self.search).items() if v != plain[k]]
        learned = f"{self.drl.update} {self.drl.rate:g}" if self.drl.epochs else "not learned"
        return ", ".join([learned, *search])

    def to_record(self) -> dict[str, Any]:
        """What there is to tell about it, for JSON."""
        return {
            "search": asdict(self.search),
            "drl": asdict(self.drl),
            "bleu": self.bleu,
            "epochs": [asdict(epoch) for epoch in self.epochs],
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class Learner:
    """Rules, a language model and a development set to learn on."""

    rules: RuleTable
    lm: LanguageModel
    dev: DevSet
    judge: DevSet | None = None
    """What weights are judged by; the development set itself where there is none."""
    seed: int = 1
    threads: int = 1
    reward: Reward = "corpus"
    rewards: Rewards = "end"
    memory: int = 1 << 30
    """Bytes of parsed sentences kept from epoch to epoch."""
    folder: Path | None = None
    """For checkpoints; without it there are none."""
    origin: str = ""
    """What rules, language model and development set were made of; checkpoints of another origin
    are not continued."""
    resume: bool = False
    progress: Progress = SILENT

    def decoder(
        self,
        options: UndirectedSearch,
        weights: Mapping[str, float],
        sparse: Floats | None = None,
    ) -> UndirectedDecoder:
        """A decoder over the rules and the language model."""
        if sparse is not None and not len(sparse):
            sparse = None
        return UndirectedDecoder(self.rules, self.lm, weights, options=options, sparse=sparse)

    def learn(
        self,
        search: UndirectedSearch,
        options: DrlOptions,
        start: Mapping[str, float],
        *,
        curve: bool = False,
    ) -> Trial:
        """Learn from ``start`` on; ``curve`` judges what was learned after each epoch."""
        # The policy that learns is greedy: roll-outs of a beam are not its own.
        greedy = replace(search, beam=1, restarts=1, repairs=0)
        task = UmtTask(
            self.decoder(greedy, start),
            self.dev,
            memory=self.memory,
            reward=self.reward,
            rewards=self.rewards,
            threads=self.threads,
        )

        def judge(weights: dict[str, float], sparse: Floats) -> float:
            return self.bleu(self.decoder(greedy, weights, sparse))

        found = drl(
            task,
            start,
            options=options,
            seed=self.seed,
            progress=self.progress,
            checkpoint=self._checkpoint(greedy, options, start, curve=curve),
            resume=self.resume,
            evaluate=judge if curve else None,
            threads=self.threads,
        )
        bleu = self.bleu(self.decoder(search, found.weights, found.sparse))
        return Trial(
            search=search,
            drl=options,
            weights=found.weights,
            sparse=found.sparse,
            bleu=bleu,
            epochs=found.epochs,
        )

    def with_sparse(self, trial: Trial, bits: int, rate: float) -> Trial:
        """Sparse features learned beside weights that stay as they are."""
        search = replace(trial.search, sparse_bits=bits)
        options = replace(
            trial.drl,
            update="expected_reward",
            rate=rate,
            epochs=trial.drl.epochs or DrlOptions().epochs,
            fixed=tuple(trial.weights),
        )
        return self.learn(search, options, trial.weights)

    def searching(self, trial: Trial, search: UndirectedSearch) -> Trial:
        """The same weights under another way to search."""
        bleu = self.bleu(self.decoder(search, trial.weights, trial.sparse))
        return replace(trial, search=search, bleu=bleu)

    def bleu(self, decoder: UndirectedDecoder) -> float:
        """Corpus BLEU on what weights are judged by."""
        judge = self.judge or self.dev
        found = decoder.decode_lines(judge.source, threads=self.threads)
        lines = [" ".join(each.tokens) for each in found]
        return judge.bleu(lines)

    def _checkpoint(
        self,
        search: UndirectedSearch,
        options: DrlOptions,
        start: Mapping[str, float],
        *,
        curve: bool,
    ) -> Path | None:
        if self.folder is None or not options.epochs:
            return None  # nothing learned, nothing to continue
        chosen = {**asdict(options), "epochs": None}
        known = [
            asdict(search), chosen, dict(start), self.seed, len(self.dev.source), curve,
            self.reward, *([self.rewards] if self.rewards != "end" else []),
        ]  # fmt: skip
        key = dumps([*known, self.origin] if self.origin else known)
        return self.folder / f"drl-{sha256(key.encode()).hexdigest()[:12]}.json"
