"""Rules: extraction from aligned text, tables, filters, formats of other systems.

from demotic.grammar import HieroOptions, RuleTable, extract_hiero
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.grammar.blocks import (
        Block,
        BlockOptions,
        BlockPairs,
        BlockTable,
        Projection,
        extract_blocks,
    )
    from demotic.grammar.extraction import HieroOptions, extract_hiero
    from demotic.grammar.filtering import filter_rules
    from demotic.grammar.formats import FORMATS, Format, guess_format
    from demotic.grammar.orientation import (
        BlockEvents,
        EventCounts,
        EventOptions,
        block_events,
        orient,
    )
    from demotic.grammar.table import Rule, RuleTable
    from demotic.grammar.templates import TEMPLATES, Template, TemplateOptions
else:
    from demotic.lazy import names_of

    __getattr__, __dir__ = names_of(
        __name__,
        blocks="Block BlockOptions BlockPairs BlockTable Projection extract_blocks",
        extraction="HieroOptions extract_hiero",
        filtering="filter_rules",
        formats="FORMATS Format guess_format",
        orientation="BlockEvents EventCounts EventOptions block_events orient",
        table="Rule RuleTable",
        templates="TEMPLATES Template TemplateOptions",
    )

__all__ = [
    "FORMATS",
    "TEMPLATES",
    "Block",
    "BlockEvents",
    "BlockOptions",
    "BlockPairs",
    "BlockTable",
    "EventCounts",
    "EventOptions",
    "Format",
    "HieroOptions",
    "Projection",
    "Rule",
    "RuleTable",
    "Template",
    "TemplateOptions",
    "block_events",
    "extract_blocks",
    "extract_hiero",
    "filter_rules",
    "guess_format",
    "orient",
]
