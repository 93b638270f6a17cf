"""The figures of Li, Wang, Khudanpur and Eisner (COLING 2010): IWSLT 2005, Chinese to English."""

from __future__ import annotations

RULES = (167_000, 1_583_000)
"""Of the bilingual grammar, filtered for tuning and test sources, and of the confusion grammar."""
FEATURES = 525
"""Bigrams on target sides."""
SIMULATED = {"BLM": 12.8, "BLM+WP": 14.2, "BLM+WP+TsRB": 25.3}
"""Table 2: BLEU of the best confusion of each test sentence, with 16 references."""
TRANSLATED = {"baseline": 48.5, "+CDLM": 49.5}
"""Table 3: BLEU of translations, with 16 references."""
NGRAMS = {1: (36.5, 48.2), 2: (10.1, 12.8), 3: (3.7, 4.6), 4: (2.0, 2.4)}
"""Table 4: precision and recall of the n-grams in lists of 100, per cent."""
