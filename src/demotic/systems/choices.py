"""What training can choose by itself on a development set: the choices that systems share.

A system's package lists its own in ``CHOICES``, in the order in which they are tried: what matters
most comes first, and what has to redo the least last.  ``effort.py`` tries them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from demotic.corpus import Bitext, OrthographyConfig
from demotic.corpus.language_rules import FILLERS
from demotic.corpus.orthography import without_region
from demotic.systems import EFFORTS, Effort


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Settings of which the development set tells which are best."""

    name: str
    candidates: Mapping[str, Mapping[str, Any]]
    """By name, records of settings; all have the same ones.  Names stand in names of files."""
    effort: Effort = "thorough"
    """The least at which it is tried."""
    suits: Callable[[Bitext, Any], bool] = lambda _, __: True
    """Does it make a difference to this text, under this configuration?"""

    def within(self, effort: Effort) -> bool:
        """Is it tried at such an effort?"""
        return EFFORTS.index(self.effort) <= EFFORTS.index(effort)


def lm_order(*orders: int) -> Choice:
    """How long the n-grams of the language model are."""
    return Choice(name="lm", candidates={f"order-{n}": {"lm": {"order": n}} for n in orders})


COMPOUNDS = Choice(
    name="compounds",
    candidates={
        "split": {"source": {"compounds": "on"}},
        "whole": {"source": {"compounds": "off"}},
    },
    suits=lambda bitext, _: without_region(bitext.source_language) in FILLERS,
)
CASING = Choice(
    name="casing",
    candidates={
        "true": {"source": {"casing": "truecase"}, "target": {"casing": "truecase"}},
        "source-lower": {"source": {"casing": "lower"}, "target": {"casing": "truecase"}},
        "as-written": {"source": {"casing": "none"}, "target": {"casing": "none"}},
    },
)
SOURCE_WORDS = Choice(
    name="source-words",
    candidates={name: {"source": {"segment": name}} for name in ("jieba", "characters")},
    suits=lambda bitext, config: _segments(bitext.source_language, config.source),
)
TARGET_WORDS = Choice(
    name="target-words",
    candidates={name: {"target": {"segment": name}} for name in ("jieba", "characters")},
    suits=lambda bitext, config: _segments(bitext.target_language, config.target),
)
# Not eflomal, whose links differ from run to run.
ALIGNER = Choice(
    name="aligner",
    candidates={name: {"align": {"method": name}} for name in ("builtin", "thot")},
    suits=lambda _, config: config.align.file is None and find_spec("thot") is not None,
)
SYMMETRISATION = Choice(
    name="links",
    candidates={
        name: {"align": {"symmetrise": name}}
        for name in ("grow-diag-final-and", "grow-diag-final", "grow-diag")
    },
    suits=lambda _, config: config.align.file is None,
)
TEXT = (SOURCE_WORDS, TARGET_WORDS, COMPOUNDS, CASING)
"""How both languages are split into tokens."""
LINKS = (ALIGNER, SYMMETRISATION)
"""Which words are linked."""
PHRASES = Choice(
    name="phrases",
    candidates={name: {"extract": {"tight": name == "tight"}} for name in ("tight", "loose")},
    effort="normal",
    suits=lambda _, config: config.extract.table is None,
)
RULES = Choice(
    name="phrases",
    candidates={
        "tight": {"extract": {"tight": True, "tight_holes": False}},
        "loose": {"extract": {"tight": False, "tight_holes": False}},
        "loose-around-tight": {"extract": {"tight": False, "tight_holes": True}},
    },
    effort="normal",
)
"""May phrases begin or end with words that have no link?  May what nonterminals stand for?"""


def _segments(language: str, written: OrthographyConfig) -> bool:
    """Is there more than one way to find words?"""
    chinese = without_region(language) == "zh" and written.tokeniser == "reversible"
    return chinese and find_spec("jieba") is not None
