"""Rules: extraction from aligned text, tables, filters, formats of other systems.

from demotic.grammar import HieroOptions, RuleTable, extract_hiero
"""

from demotic.grammar.extraction import HieroOptions, extract_hiero
from demotic.grammar.filtering import filter_rules
from demotic.grammar.formats import FORMATS, guess_format, read_rules, write_rules
from demotic.grammar.table import Format, Rule, RuleTable

__all__ = [
    "FORMATS",
    "Format",
    "HieroOptions",
    "Rule",
    "RuleTable",
    "extract_hiero",
    "filter_rules",
    "guess_format",
    "read_rules",
    "write_rules",
]
