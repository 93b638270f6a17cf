"""Small phrase tables for the tests of the phrase-based decoder."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from demotic.decode import PhraseDecoder, PhraseSearch
from demotic.grammar import RuleTable
from tests.decode.grammars import language_model
from tests.oracles import phrase_search as oracle
from tests.oracles.phrase_search import ORIENTATIONS, Phrase

REORDERING = tuple(f"{o}{side}" for side in ("Previous", "Next") for o in ORIENTATIONS)
WEIGHTS = {
    "score": 0.9,
    "LanguageModel": 0.6,
    "WordPenalty": 0.3,
    "RulePenalty": -0.2,
    "Distortion": 0.4,
    "PassThrough": -1.5,
    "UnknownWord": -0.7,
}
LEXICALISED = WEIGHTS | dict(zip(REORDERING, (0.5, 0.3, 0.2, 0.4, 0.6, 0.1), strict=True))
ALL = 1_000_000
EXACT = PhraseSearch(pops=ALL, stack=ALL, threshold=0.0, distortion_limit=-1, table_limit=ALL)


def phrase_table(phrases: Sequence[Phrase]) -> RuleTable:
    """The phrases as a table; it stays mapped when its file is gone."""
    with TemporaryDirectory() as folder:
        text = Path(folder) / "phrases.txt"
        lines = [
            f"[X] ||| {' '.join(each.source)} ||| {' '.join(each.target)} ||| "
            + " ".join(f"{name}={value!r}" for name, value in each.scores.items())
            + (" ||| " + " ".join(f"{i}-{j}" for i, j in each.links) if each.links else "")
            for each in phrases
        ]
        text.write_text("\n".join(lines) + "\n", encoding="utf-8")
        out = Path(folder) / "phrases.bin"
        return RuleTable.from_text(text, format="cdec", out=out, empty_targets=True)


@cache
def _known(order: int) -> frozenset[str]:
    lm = language_model(order)
    words = ["a", "b", "c", "d", "e", "the", "of", "x", "y", "A", "B", "C", "D"]
    return frozenset(word for word in words if word in lm)


def score_of(
    path: oracle.Path, sentence: Sequence[str], weights: Mapping[str, float], order: int
) -> float:
    """The score of a path, from its definition."""
    lm = language_model(order)
    total = sum(
        weights.get(name, 0.0) * value
        for name, value in oracle.features(path, sentence, _known(order)).items()
    )
    return total + weights["LanguageModel"] * math.log(10) * lm.score(
        " ".join(oracle.words_of(path))
    )


def decoder(
    phrases: Sequence[Phrase],
    *,
    order: int = 3,
    weights: Mapping[str, float] = WEIGHTS,
    options: PhraseSearch = EXACT,
) -> PhraseDecoder:
    table = phrase_table(phrases)
    lm = language_model(order) if order else None
    names = {*table.feature_names, *WEIGHTS} - {"score"} | {"score"}
    used = {name: value for name, value in weights.items() if name in names}
    return PhraseDecoder(table, lm, used, options=options)


_scores = st.integers(-40, 0).map(lambda tenths: tenths / 8)  # exact in single precision
_source = st.lists(st.sampled_from(["A", "B", "C"]), min_size=1, max_size=3).map(tuple)
_target = st.lists(
    st.sampled_from(["a", "b", "c", "d", "e", "the", "of"]), min_size=0, max_size=3
).map(tuple)


def phrases(*, lexicalised: bool = False, fewest_words: int = 1) -> st.SearchStrategy[list[Phrase]]:
    """A few phrases with one score each, or with orientations too."""
    names = ("score", *REORDERING) if lexicalised else ("score",)
    phrase = st.builds(
        Phrase,
        _source,
        _target.filter(lambda words: len(words) >= fewest_words),
        st.fixed_dictionaries({name: _scores for name in names}),
    )
    return st.lists(phrase, min_size=1, max_size=6, unique_by=lambda p: (p.source, p.target))


def _linked(phrase: Phrase) -> st.SearchStrategy[Phrase]:
    pairs = sorted(product(range(len(phrase.source)), range(len(phrase.target))))
    some = st.sets(st.sampled_from(pairs)) if pairs else st.just(set[tuple[int, int]]())
    return some.map(lambda links: replace(phrase, links=frozenset(links)))


def linked_phrases() -> st.SearchStrategy[list[Phrase]]:
    """Phrases with some of the links that are possible."""
    return phrases().flatmap(lambda found: st.tuples(*map(_linked, found)).map(list))


sentences = st.lists(st.sampled_from(["A", "B", "C", "D", "the"]), min_size=1, max_size=4)
