"""Classifiers of words beside the rules: a stage of training that systems with rules share.

Boosted trees say which translation each word of a sentence should have, given the words around it
(docs/transducer.md).  Decoders ask them once for each sentence; what they say of the links of a
rule is two more of its features, WordShare and WordCost.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from demotic import files
from demotic.align import pharaoh
from demotic.errors import check_choices, check_counts
from demotic.learn.boosting import BoostingOptions
from demotic.lm.classes import cluster
from demotic.systems.rules_model import WORDS_PART
from demotic.transduce.corpus import WordCorpus
from demotic.transduce.words import WordTransducer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demotic.align import Links
    from demotic.systems.stages import Training
    from demotic.systems.work import Stage


@dataclass(frozen=True, kw_only=True)
class ClassifierConfig:
    """Whether there are classifiers of words, and how they learn."""

    method: Literal["off", "boosted"] = "off"
    """``boosted``: trees that see the sentence around a word, as features of the rules."""
    features: Literal["w", "c", "wc"] = "w"
    """What they see: ``w``, words and classes up to two places away; ``c``, those of the whole
    sentence; or both."""
    classes: int = 50
    """Classes of source words."""
    min_count: int = 2
    """Translations seen less often with a word have no classifier."""
    lambda_min: float = 1.0
    """Where the regularisation path ends; lambda is the one that is right most often on text held
    out."""
    held_out: int = 1000
    """Pairs for that, at most a tenth of all."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "min_count", "held_out", least=1)
        check_counts(self, "classes", least=2, most=60_000)
        BoostingOptions(lambda_min=self.lambda_min)  # complains if need be


def word_classifiers(
    training: Training, config: ClassifierConfig, text: Stage, links: Stage
) -> list[Stage]:
    """The stage that trains them, if they are wanted."""
    if config.method == "off":
        return []
    stage = training.work.stage("words", asdict(config), after=[text, links], files=[WORDS_PART])
    if stage.wanted:
        classes = cluster(
            text.path("train.source"),
            classes=config.classes,
            skip_special=True,
            threads=training.threads,
            progress=training.progress,
        )
        names = {word: f"c{number}" for word, number in classes.items()}
        whole = _corpus(
            _lines(text, "train.source"),
            _lines(text, "train.target"),
            pharaoh.read(links.path("train.align")),
            names,
            config.min_count,
        )
        train, held_out = _split(whole, config.held_out)
        made = WordTransducer.train(
            train,
            features=config.features,
            options=BoostingOptions(lambda_min=config.lambda_min),
            classes=names,
            threads=training.threads,
            progress=training.progress,
        )
        made = made.tuned(held_out, threads=training.threads)
        training.progress.say(
            f"classifiers of words: {len(made.ensembles):,}, with {made.size():,} features at "
            f"lambda {made.lambda_:.2f}"
        )
        made.save(stage.path(WORDS_PART))
        stage.finish()
    return [stage]


def _lines(text: Stage, name: str) -> list[list[str]]:
    return [line.split() for line in files.read_lines(text.path(name))]


def _corpus(
    source: Sequence[Sequence[str]],
    target: Sequence[Sequence[str]],
    links: Links,
    classes: dict[str, str],
    min_count: int,
) -> WordCorpus:
    """Of a word's links the one whose words were linked most often; none of rare ones."""
    pairs = [sorted(links[i]) for i in range(len(links))]
    counts: Counter[tuple[str, str]] = Counter()
    for s, t, row in zip(source, target, pairs, strict=True):
        counts.update((s[i], t[j]) for i, j in row)
    places = []
    for s, t, row in zip(source, target, pairs, strict=True):
        best = [-1] * len(s)
        for i, j in row:
            count = counts[s[i], t[j]]
            if count >= min_count and (best[i] < 0 or count > counts[s[i], t[best[i]]]):
                best[i] = j
        places.append(best)
    tags = [[classes.get(word, "new") for word in s] for s in source]
    return WordCorpus(source, target, places, tags)


def _split(corpus: WordCorpus, held_out: int) -> tuple[WordCorpus, WordCorpus]:
    """What to learn from, and what to choose lambda by: every so many-th pair."""
    every = max(10, len(corpus) // held_out)
    parts = []
    for wanted in (False, True):
        rows = [i for i in range(len(corpus)) if (i % every == every - 1) == wanted]
        parts.append(
            WordCorpus(
                [corpus.source[i] for i in rows],
                [corpus.target[i] for i in rows],
                [corpus.links[i] for i in rows],
                [corpus.tags[i] for i in rows] if corpus.tags is not None else None,
            )
        )
    return parts[0], parts[1]
