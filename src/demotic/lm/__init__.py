"""N-gram language models: estimate, read, write, query; word classes."""

from demotic.lm.model import Fragment, LanguageModel, LineScores, State, WordScore

__all__ = ["Fragment", "LanguageModel", "LineScores", "State", "WordScore"]
