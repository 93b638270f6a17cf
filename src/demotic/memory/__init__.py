"""The translation memory of a model: what was translated before is translated so again.

memory = TranslationMemory.load("memory.bin", source, target)
memory.answers("Delete the file?")              # translations of the same message, best first
memory.similar(source.encode("Delete the files?"), least=0.7)    # others, with their similarity
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.memory.building import build as build
    from demotic.memory.match import Match as Match
    from demotic.memory.match import Piece as Piece
    from demotic.memory.options import MemoryOptions as MemoryOptions
    from demotic.memory.store import TranslationMemory as TranslationMemory
    from demotic.memory.suggested import SuggestedMemory as SuggestedMemory
    from demotic.memory.suggestions import Suggestion as Suggestion
    from demotic.memory.suggestions import SuggestionFile as SuggestionFile
else:
    from demotic.lazy import exports

    __getattr__, __dir__, __all__ = exports(__name__)
