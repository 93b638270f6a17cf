"""The two-minute tour on real text: ``demotic demo``."""
