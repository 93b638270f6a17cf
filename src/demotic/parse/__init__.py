"""Parsers for source trees: trained from any treebank, kept in one file.

from demotic.parse import GenerativeParser, load_parser
from demotic.trees import read_trees

parser = GenerativeParser.train(read_trees("treebank.mrg.gz"))
parser.save("en.parser")
load_parser("en.parser").parse([["The", "house", "is", "old", "."]])
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.parse.discriminative import DiscriminativeOptions as DiscriminativeOptions
    from demotic.parse.discriminative import DiscriminativeParser as DiscriminativeParser
    from demotic.parse.evaluation import ParseScore as ParseScore
    from demotic.parse.evaluation import evaluate as evaluate
    from demotic.parse.files import Parser as Parser
    from demotic.parse.files import cached_parses as cached_parses
    from demotic.parse.files import load_parser as load_parser
    from demotic.parse.generative import GenerativeOptions as GenerativeOptions
    from demotic.parse.generative import GenerativeParser as GenerativeParser
    from demotic.parse.tagger import Tagger as Tagger
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
