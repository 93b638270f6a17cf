"""Text: bitext from files, cleaning, splitting."""

from demotic.corpus.bitext import Bitext, Pair
from demotic.corpus.cleaning import Cleaning, CleaningReport, clean
from demotic.corpus.formats import detect_format, read_bitext
from demotic.corpus.splitting import Split, SplitReport, split

__all__ = [
    "Bitext",
    "Cleaning",
    "CleaningReport",
    "Pair",
    "Split",
    "SplitReport",
    "clean",
    "detect_format",
    "read_bitext",
    "split",
]
