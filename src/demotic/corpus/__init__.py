"""Text: bitext from files, cleaning, splitting; sentences to tokens and back."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
else:
    from demotic.lazy import names_of

    __getattr__, __dir__ = names_of(
        __name__,
        bitext="Bitext Pair",
        cleaning="Cleaning CleaningReport clean",
        compounds="CompoundOptions",
        formats="detect_format read_bitext",
        marks="protected_class",
        orthography="Encoded Orthography encode_pair encode_pairs",
        orthography_config="OrthographyConfig",
        protect="Span",
        splitting="Split SplitReport split",
    )

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
