"""Word alignment: the built-in aligner and others, symmetrisation, lexical tables, error rates.

from demotic.align import align, symmetrise, error_rate, LexicalTable, pharaoh

found = align("train.de.gz", "train.en.gz", threads=2)
pharaoh.write("train.align", found.links)
"""

from demotic._core import Links
from demotic.align import pharaoh
from demotic.align.aligner import Aligner, AlignerOptions
from demotic.align.alignments import METHODS, Alignments, align
from demotic.align.eflomal import EflomalOptions
from demotic.align.error_rate import ErrorRate, error_rate
from demotic.align.lexical import LexicalTable
from demotic.align.page import page
from demotic.align.pharaoh import Gold
from demotic.align.symmetrise import HEURISTICS, symmetrise
from demotic.align.text import Text
from demotic.align.thot import ThotOptions

__all__ = [
    "HEURISTICS",
    "METHODS",
    "Aligner",
    "AlignerOptions",
    "Alignments",
    "EflomalOptions",
    "ErrorRate",
    "Gold",
    "LexicalTable",
    "Links",
    "Text",
    "ThotOptions",
    "align",
    "error_rate",
    "page",
    "pharaoh",
    "symmetrise",
]
