"""Corrections: on the disk first, then in the memories of all models of the pair.

suggestions = Suggestions.open([("de", "en", path, [model])], None)
model = suggestions.taught(model)
suggestions.add("Hallo", "Hello", "de", "en")        # returns when it is on the disk
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from demotic.memory.suggested import SuggestedMemory
from demotic.memory.suggestions import Suggestion, SuggestionFile, suggestions_path
from demotic.serve.languages import canonical

if TYPE_CHECKING:
    from demotic.systems.model import Model


class Suggestions:
    """Those of all loaded models."""

    def __init__(self, file: Path | None) -> None:
        self._one = file
        self._files: dict[Path, SuggestionFile] = {}
        self._read: dict[Path, list[Suggestion]] = {}
        self._taught: list[tuple[str, str, Path, SuggestedMemory]] = []
        self._lock = threading.Lock()
        self.count = 0
        """Of those that were added since the start."""

    def taught(self, model: Model, path: Path) -> Model:
        """The model at a path, which answers from what was suggested for its languages."""
        about = model.about
        place = self._one or suggestions_path(path)
        memory = SuggestedMemory(model.source, model.target)
        if place not in self._files:
            self._files[place] = SuggestionFile(place)
            self._read[place] = self._files[place].read()
        pair = canonical(about.source_language), canonical(about.target_language)
        self._taught.append((*pair, place, memory))
        self._remember(memory, about.source_language, about.target_language)
        for source, target, _, earlier in self._taught[:-1]:
            self._remember(earlier, source, target, only=place)
        return model.with_suggestions(memory)

    def _remember(
        self, memory: SuggestedMemory, source: str, target: str, only: Path | None = None
    ) -> None:
        kept = [
            (each.time, str(place), each)
            for place, those in self._read.items()
            if only in (None, place)
            for each in those
            if each.serves(source, target)
        ]
        for _, name, each in sorted(kept, key=lambda known: known[0]):
            memory.add(each, name)

    def add(self, text: str, translation: str, source: str, target: str) -> None:
        """Keep a suggestion for the models from one language to another."""
        with self._lock:
            fitting = [
                (place, memory)
                for one, other, place, memory in self._taught
                if (source, target) == (one, other)
            ]
            place = fitting[0][0]
            kept = self._files[place].append(Suggestion(text, translation, source, target))
            for _, memory in fitting:
                memory.add(kept, str(place))
            self.count += 1

    @property
    def files(self) -> list[Path]:
        """Where suggestions are, or will be."""
        return list(self._files)


def from_files(model: Model, paths: Iterable[Path]) -> Model:
    """The model, which answers from the suggestions in these files."""
    memory = SuggestedMemory(model.source, model.target)
    about = model.about
    for path in paths:
        for each in SuggestionFile(path).read():
            if each.serves(about.source_language, about.target_language):
                memory.add(each, str(path))
    return model.with_suggestions(memory)
