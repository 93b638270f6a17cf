"""Text: bitext from files, cleaning, splitting; sentences to tokens and back."""

from demotic.corpus.bitext import Bitext, Pair
from demotic.corpus.cleaning import Cleaning, CleaningReport, clean
from demotic.corpus.compounds import CompoundOptions
from demotic.corpus.formats import detect_format, read_bitext
from demotic.corpus.marks import protected_class
from demotic.corpus.orthography import (
    Encoded,
    Orthography,
    encode_pair,
    encode_pairs,
)
from demotic.corpus.orthography_config import OrthographyConfig
from demotic.corpus.protect import Span
from demotic.corpus.splitting import Split, SplitReport, split

__all__ = [
    "Bitext",
    "Cleaning",
    "CleaningReport",
    "CompoundOptions",
    "Encoded",
    "Orthography",
    "OrthographyConfig",
    "Pair",
    "Span",
    "Split",
    "SplitReport",
    "clean",
    "detect_format",
    "encode_pair",
    "encode_pairs",
    "protected_class",
    "read_bitext",
    "split",
]
