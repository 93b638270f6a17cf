"""Rules: extraction from aligned text, tables, filters, formats of other systems.

from demotic.grammar import HieroExtraction, RuleTable, extract_hiero
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.grammar.bigrams import Symbols as Symbols
    from demotic.grammar.blocks import Block as Block
    from demotic.grammar.blocks import BlockExtraction as BlockExtraction
    from demotic.grammar.blocks import BlockPairs as BlockPairs
    from demotic.grammar.blocks import BlockTable as BlockTable
    from demotic.grammar.blocks import Projection as Projection
    from demotic.grammar.blocks import extract_blocks as extract_blocks
    from demotic.grammar.confusion import ConfusionGrammar as ConfusionGrammar
    from demotic.grammar.confusion import ConfusionOptions as ConfusionOptions
    from demotic.grammar.extraction import HieroExtraction as HieroExtraction
    from demotic.grammar.extraction import PhraseExtraction as PhraseExtraction
    from demotic.grammar.extraction import extract_hiero as extract_hiero
    from demotic.grammar.filtering import filter_rules as filter_rules
    from demotic.grammar.formats import FORMATS as FORMATS
    from demotic.grammar.formats import Format as Format
    from demotic.grammar.formats import guess_format as guess_format
    from demotic.grammar.items import Item as Item
    from demotic.grammar.items import ItemCounts as ItemCounts
    from demotic.grammar.items import ItemExtraction as ItemExtraction
    from demotic.grammar.items import extract_items as extract_items
    from demotic.grammar.items import items_of as items_of
    from demotic.grammar.items import label_corpora as label_corpora
    from demotic.grammar.lazy import LazyRules as LazyRules
    from demotic.grammar.lazy import write_lazy as write_lazy
    from demotic.grammar.orientation import BlockEvents as BlockEvents
    from demotic.grammar.orientation import EventCounts as EventCounts
    from demotic.grammar.orientation import EventOptions as EventOptions
    from demotic.grammar.orientation import block_events as block_events
    from demotic.grammar.orientation import orient as orient
    from demotic.grammar.table import Rule as Rule
    from demotic.grammar.table import RuleTable as RuleTable
    from demotic.grammar.templates import TEMPLATES as TEMPLATES
    from demotic.grammar.templates import Template as Template
    from demotic.grammar.templates import TemplateOptions as TemplateOptions
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
