"""Rules: extraction from aligned text, tables, filters, formats of other systems.

from demotic.grammar import HieroOptions, RuleTable, extract_hiero
"""

from demotic.grammar.extraction import HieroOptions, extract_hiero
from demotic.grammar.table import Rule, RuleTable

__all__ = ["HieroOptions", "Rule", "RuleTable", "extract_hiero"]
