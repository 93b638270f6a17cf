"""Modified weight training (section 4 of the paper): learn from the best that search can reach.

    found = oracle_events(decoder, source, references, options, list_size=1000)
    found.events                         # of the oracles' transitions
    found.bleu                           # of the oracles, corpus BLEU

For each sentence the derivation with the best sentence BLEU among the ``list_size`` best is taken
as the truth; ties go to the better score.  Its candidates are the alternatives of each block that
occur in that list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from demotic.decode import BlockDecoder, BlockOracle
from demotic.grammar.blocks import BlockTable
from demotic.grammar.orientation import FEATURES, NEUTRAL_FEATURES, BlockEvents, EventOptions
from demotic.learn import EventGroups
from demotic.metrics import Bleu
from demotic.progress import SILENT, Progress

_LN10 = math.log(10)
_WORST = -99.0
Candidate = list[float]


@dataclass(frozen=True, eq=False)
class OracleEvents:
    """Events of the oracles, and what they are worth."""

    events: BlockEvents
    bleu: float
    first_bleu: float
    """Of the best translations by score."""
    alone: int
    """Events whose intersection with the list is the block itself."""

    @property
    def count(self) -> int:
        """Of all orientations."""
        return len(self.events.successors) + len(self.events.neutral)


def oracle_events(
    decoder: BlockDecoder,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    options: EventOptions,
    *,
    list_size: int = 1000,
    lengths: bool = False,
    threads: int = 1,
    progress: Progress = SILENT,
) -> OracleEvents:
    """Decode a text, take the best translations by BLEU, and make events of their transitions.

    ``references`` has the translations of each sentence, one or more.  With ``lengths`` candidates
    are all blocks of the list that could have come instead, whatever source words they cover, and
    the number of these is one feature more.
    """
    writer = _Writer(decoder, options, lengths)
    found = decoder.oracles(source, references, list_size, threads=threads, progress=progress)
    for each in found:
        writer.add(each)
    return OracleEvents(
        writer.finish(),
        corpus_bleu([each.best.text for each in found], references),
        corpus_bleu([each.first.text for each in found], references),
        writer.alone,
    )


def corpus_bleu(lines: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Of translations in tokens; a sentence with fewer references than others repeats its last."""
    most = max(map(len, references), default=1)
    columns = [[each[min(i, len(each) - 1)] for each in references] for i in range(most)]
    return Bleu(tokenise="none").score(list(lines), columns).value


class _Writer:
    """Turns derivations into groups of candidates with their features, as training has them."""

    def __init__(self, decoder: BlockDecoder, options: EventOptions, lengths: bool) -> None:
        self.blocks: BlockTable = decoder.rules
        self.lm = decoder.lm
        self.options = options
        self.lengths = lengths
        self.most = options.alternatives
        self.alone = 0
        self._successors: list[list[Candidate]] = []
        self._labels: list[tuple[int, int]] = []
        self._neutral: list[list[Candidate]] = []
        self._neutral_labels: list[tuple[int, int]] = []
        self._by_length = self.blocks.length_totals
        both = max(1, self.blocks.left_total + self.blocks.right_total)
        self._share_left = self.blocks.left_total / both

    def add(self, oracle: BlockOracle) -> None:
        """The transitions of one oracle."""
        derivation = oracle.best
        begin = end = 0
        first = True
        words: list[str] = []
        for step in (each for each in derivation.steps if each.kind != "goal"):
            orientation = "R" if step.begin == end else "L" if step.end == begin else "N"
            if first and self.options.boundary == "neutral":
                orientation = "N"
            first, begin, end = False, step.begin, step.end
            if step.rule is None:  # a word that passes through has no alternatives
                words.append(derivation.source[step.begin])
                continue
            if self.lengths and orientation != "L":  # which fills a gap of so many words
                block_ids = self._rivals(step.rule, step.begin, step.end, oracle)
            else:
                block_ids = self._alternatives(step.rule, step.begin, step.end, oracle)
            if step.rule not in block_ids:
                words += self._words(step.rule)
                continue
            if len(block_ids) == 1:
                self.alone += 1
            group = [self._features(block, orientation, words) for block in block_ids]
            label = block_ids.index(step.rule)
            if orientation == "N":
                self._neutral_labels.append((len(self._neutral), label))
                self._neutral.append(group)
            else:
                self._labels.append((len(self._successors), label))
                self._successors.append(group)
            words += self._words(step.rule)

    def _alternatives(self, truth: int, begin: int, end: int, oracle: BlockOracle) -> list[int]:
        """The most frequent blocks of a source phrase, as far as the list has them here.

        A rarer true block takes the place of the last; or is not there, and the event is dropped.
        """
        low, high = self.blocks.find(self.blocks.source_ids(truth))
        known = list(range(low, min(high, low + self.most)))
        if truth not in known and self.options.rare == "replace":
            known[-1] = truth
        return [each for each in known if each == truth or (each, begin, end) in oracle.listed]

    def _rivals(self, truth: int, begin: int, end: int, oracle: BlockOracle) -> list[int]:
        """What else begins there: alternatives of all phrases that the list has at this place."""
        ends = {last for _, first, last in oracle.listed if first == begin}
        found = self._alternatives(truth, begin, end, oracle)
        for last in sorted(ends - {end}):
            placed = [each for each, *at in oracle.listed if at == [begin, last]]
            low, _ = self.blocks.find(self.blocks.source_ids(placed[0]))
            found += sorted(each for each in placed if each < low + self.most)
        return found

    def _words(self, block: int) -> list[str]:
        return list(map(self.blocks.target_word, self.blocks.target_ids(block)))

    def _features(self, block: int, orientation: str, before: list[str]) -> Candidate:
        """(a) to (e), or without (b) for a neutral block."""
        table = self.blocks
        words = self._words(block)
        costs = []
        history = ["<s>", *before][-8:]
        for word in words:
            log10 = self.lm.score_ngram(history, word).log10 if self.lm is not None else 0.0
            costs.append(-_LN10 * max(log10, _WORST))
            history.append(word)
        size = len(table.source_ids(block))
        kind = self.options.unigram
        total = self._by_length[size] if kind == "equal-length" else table.total
        unigram = math.log(total) - math.log(table.count(block))
        if kind == "per-word":
            unigram /= size
        rest = [costs[0], sum(costs[1:]), table.lexical(block)]
        if self.lengths:
            rest.append(float(size))
        if orientation == "N":
            return [unigram, *rest]
        left, right = table.left(block), table.right(block)
        seen, share = (
            (left, self._share_left) if orientation == "L" else (right, 1 - self._share_left)
        )
        alpha = self.options.smoothing
        p = (seen + alpha * share) / (left + right + alpha)
        return [unigram, -math.log(max(p, 1e-7)), *rest]

    def finish(self) -> BlockEvents:
        """All events."""
        return BlockEvents(
            _groups(self._successors, self._labels, len(FEATURES) + self.lengths),
            _groups(self._neutral, self._neutral_labels, len(NEUTRAL_FEATURES) + self.lengths),
        )


def _groups(
    features: list[list[Candidate]], labels: list[tuple[int, int]], width: int
) -> EventGroups:
    return EventGroups.of(features, labels, width=width)
