"""A trained transducer at work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demotic import _core
from demotic.decode.transducer import TreeDecoder
from demotic.decode.tree_derivation import TreeDerivation
from demotic.decode.tree_search import TreeSearch
from demotic.files import naming
from demotic.systems.model import Model
from demotic.systems.translator import Translation
from demotic.trees.orders import OrderModel

if TYPE_CHECKING:
    from demotic.corpus import Encoded
    from demotic.explain import Explanation
    from demotic.explain.rivals import Rivals
    from demotic.forest import Forest
    from demotic.parse import Parser
    from demotic.systems.translator import Translation
    from demotic.trees import Tree

PARSER, WORDS, ORDERS = "parser.bin", "words.bin", "orders.bin"
LANGUAGE, INSERTED = "lm.bin", "inserted.bin"


def load_choices(path: Path, *, verify: bool | None = None) -> _core.WordChoices:
    """Classifiers of words, mapped."""
    with naming(path):
        return _core.WordChoices(str(path), verify)


def order_facts(path: Path, verify: bool | None) -> dict[str, object]:
    """What ``demotic inspect`` says of classifiers of orders."""
    model = OrderModel.load(path, verify=verify)
    return {
        "labels with classifiers of their own": len(model.labels) - 1,
        "leaves with a value": model.size(),
        "features": len(model.atoms) + len(model.arrays["dynamic_name"]),
        "lambda": model.lambda_,
    }


def beyond(parts: Mapping[str, Path], *, verify: bool) -> dict[str, Any]:
    """What the chapter's decoder does not have: a language model, words put in; where they are."""
    found: dict[str, Any] = {}
    if LANGUAGE in parts:
        from demotic.lm import LanguageModel

        found["language"] = LanguageModel.load(parts[LANGUAGE], verify=verify)
    if INSERTED in parts:
        found["insertions"] = load_choices(parts[INSERTED], verify=verify)
    return found


class TransducerModel(Model):
    """A parser, classifiers of words and of orders, weights, and how both languages are written."""

    SYSTEM = "transducer"
    PARTS = (*Model.PARTS, PARSER, WORDS, ORDERS)
    OPTIONAL = (LANGUAGE, INSERTED)
    SEARCH = TreeSearch
    SHAPE = "source-tree"
    FACTS = {"orders": ("classifiers of orders", order_facts)}  # noqa: RUF012

    decoder: TreeDecoder
    search: TreeSearch

    @classmethod
    def _check_parts(cls, parts: Mapping[str, Path]) -> None:
        from demotic.parse import load_parser

        super()._check_parts(parts)
        load_parser(parts[PARSER], verify=True)
        load_choices(parts[WORDS], verify=True)
        OrderModel.load(parts[ORDERS], verify=True)
        beyond(parts, verify=True)

    def _open_decoder(self, weights: Mapping[str, float]) -> TreeDecoder:
        self.choices = load_choices(self.part(WORDS), verify=False)
        with naming(self.part(ORDERS)):
            return TreeDecoder(
                LateParser(self.part(PARSER)),
                self.choices,
                OrderModel.load(self.part(ORDERS), verify=False),
                weights,
                options=self.search,
                **beyond(self._parts, verify=False),
            )

    def forest(self, text: str) -> Forest:
        """All that the decoder considered for a line."""
        return self.decoder.forest(self.encode(text).tokens)

    def step_values(
        self, encoded: Encoded, translation: Translation
    ) -> list[dict[str, float]] | None:
        """The features of each node: of its word, or of its order."""
        from demotic.explain.transducer import step_values

        derivation = translation.derivation
        assert isinstance(derivation, TreeDerivation)
        return step_values(derivation)

    def rivals_of(self, translation: Translation, step: int, most: int) -> Rivals | None:
        """The other translations of a word."""
        from demotic.explain.transducer import rivals_of_word

        derivation = translation.derivation
        assert isinstance(derivation, TreeDerivation)
        return rivals_of_word(derivation, step, self.decoder, most)

    def knows(self, word: str) -> bool:
        """Is a token among the source words of the classifiers?"""
        return bool(self.choices.find_source(word))

    def _explained(self, text: str, encoded: Encoded, translation: Translation) -> Explanation:
        from dataclasses import replace

        from demotic.explain.transducer import explain_tree

        derivation = translation.derivation
        assert isinstance(derivation, TreeDerivation)
        found = explain_tree(text, translation.text, encoded, derivation, self.decoder)
        return replace(found, consensus=translation.consensus)


class LateParser:
    """A parser in a file, which is read when the first sentence comes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _parser(self) -> Parser:
        from demotic.parse import load_parser

        return load_parser(self.path, verify=False)

    def parse(self, sentences: Sequence[Sequence[str]], *, threads: int = 1) -> list[Tree]:
        """A tree for each sentence."""
        return self._parser.parse(sentences, threads=threads)
