"""Random back-off models and sentences for property tests."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from hypothesis import strategies as st

from demotic.lm import LanguageModel
from tests.oracles import backoff

WORDS = ("<unk>", "<s>", "</s>", "a", "b", "c")

probs = st.floats(-5, -0.0078125, width=32)
backoffs = st.one_of(st.just(0.0), st.floats(-2, 0, width=32))

sentences = st.lists(st.sampled_from(("a", "b", "c", "<unk>", "zebra")), max_size=9)


@st.composite
def ngrams(draw: st.DrawFn, *, max_order: int = 4) -> backoff.Ngrams:
    """Any n-grams over a few words; suffixes and contexts may be missing, as in pruned models."""
    order = draw(st.integers(1, max_order))
    model = {(word,): (draw(probs), draw(backoffs) if order > 1 else 0.0) for word in WORDS}
    for n in range(2, order + 1):
        space = list(product(WORDS, repeat=n)) if n < 4 else []
        chosen = draw(
            st.lists(
                st.sampled_from(space) if space else st.tuples(*[st.sampled_from(WORDS)] * n),
                min_size=1,
                max_size=12,
                unique=True,
            )
        )
        for words in chosen:
            model[words] = (draw(probs), draw(backoffs) if n < order else 0.0)
    return model


def order_of(model: backoff.Ngrams) -> int:
    return max(map(len, model))


def load(model: backoff.Ngrams, folder: Path) -> LanguageModel:
    """The model, through an ARPA file."""
    path = folder / "random.arpa"
    path.write_text(backoff.write_arpa(model, order_of(model)))
    return LanguageModel.load(path)
