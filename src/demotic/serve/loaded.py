"""The models that are served: by name, and by the languages that they translate.

models = Loaded.open([Path("de-en.demotic")], options)
models.chosen("de", "en")                          # the first that translates so
models.detector().detect("Wo ist das Haus?")
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demotic.corpus.language import choose
from demotic.model import load
from demotic.serve.batching import Batcher
from demotic.serve.detection import Detector
from demotic.serve.languages import canonical, language_name, right_to_left
from demotic.serve.options import ServeOptions
from demotic.serve.refusal import Refusal
from demotic.serve.suggesting import Suggestions

if TYPE_CHECKING:
    from demotic.memory import Match
    from demotic.systems.model import Model

AUTO = "auto"
_SAMPLE = 2_000
"""Lines of each side of a model's text from which its languages are known."""


class Served:
    """A model with its name and its queue."""

    def __init__(
        self,
        name: str,
        path: Path,
        model: Model,
        options: ServeOptions,
        suggestions: Suggestions | None,
    ) -> None:
        self.name = name
        self.path = path
        self.model = model
        self._suggestions = suggestions
        self.source = canonical(model.about.source_language)
        self.target = canonical(model.about.target_language)
        self.batcher = Batcher(model, threads=options.threads, limit=options.queue_limit)

    @property
    def suggestion_files(self) -> list[Path]:
        """Where there may be suggestions for its languages."""
        return [] if self._suggestions is None else self._suggestions.files

    def suggested(self, match: Match) -> bool:
        """Does a match come from a suggestion?"""
        return match.file in map(str, self.suggestion_files)

    @cached_property
    def decoder_alone(self) -> Model:
        """The model without what was translated before."""
        return self.model.with_memory({"use": False}).with_suggestions(None)

    def record(self) -> dict[str, Any]:
        """What it is, for those who choose between models."""
        about = self.model.about
        dev = {
            name: about.dev[name]
            for name in ("metric", "value", "signature", "sentences")
            if name in (about.dev or {})
        }
        features = ["explain", "memory", "alternatives"]
        if self.model.suggestions is not None:
            features.append("suggest")
        return {
            "name": self.name,
            "system": about.system,
            "source": language_record(self.source),
            "target": language_record(self.target),
            "dev": dev or None,
            "pairs": len(self.model.training_corpus),
            "memory": self.model.memory is not None,
            "glossary": bool(self.model.glossary),
            "nbest": True,
            "features": features,
        }


def language_record(code: str) -> dict[str, Any]:
    """A language as the page needs it."""
    return {"code": code, "name": language_name(code), "rtl": right_to_left(code)}


class Loaded:
    """All models; the first of a pair of languages is its default."""

    def __init__(self, served: Sequence[Served], suggestions: Suggestions | None) -> None:
        self.all = list(served)
        self.suggestions = suggestions
        self._detector: Detector | None = None
        self._detecting = threading.Lock()

    @classmethod
    def open(cls, paths: Sequence[Path], options: ServeOptions) -> Loaded:
        """Models of files or folders."""
        suggestions = None if options.disable_suggestions else Suggestions(options.suggestions)
        served: list[Served] = []
        for path in paths:
            model = load(path)
            if suggestions is not None:
                model = suggestions.taught(model, path)
            served.append(Served(_free_name(path, served), path, model, options, suggestions))
        return cls(served, suggestions)

    def close(self) -> None:
        """Finish what waits."""
        for each in self.all:
            each.batcher.close()

    @cached_property
    def sources(self) -> list[str]:
        """Codes of the languages that can be translated, in the order of the models."""
        return list(dict.fromkeys(each.source for each in self.all))

    @cached_property
    def languages(self) -> list[str]:
        """Codes of all languages: those that can be translated, then the others."""
        return list(dict.fromkeys([*self.sources, *(each.target for each in self.all)]))

    def targets(self, source: str) -> list[str]:
        """Codes of the languages that one can be translated to."""
        return list(dict.fromkeys(each.target for each in self.all if each.source == source))

    def named(self, name: str) -> Served:
        """The model of a name."""
        for each in self.all:
            if each.name == name:
                return each
        known = ", ".join(each.name for each in self.all)
        raise Refusal(400, f"Invalid request: no model {name!r} (there are {known})")

    def known(self, code: str) -> str:
        """The loaded language that a code means: ``en`` for ``en-US``."""
        found = choose(code, self.languages)
        if found is None:
            raise Refusal(400, f"{code} is not supported")
        return self.languages[found]

    def chosen(self, source: str, target: str) -> Served:
        """The model that translates from one language to another, of codes as loaded."""
        for each in self.all:
            if (each.source, each.target) == (source, target):
                return each
        raise Refusal(
            400,
            f"{language_name(target)} ({target}) is not available as a target language from "
            f"{language_name(source)} ({source})",
        )

    def detector(self) -> Detector:
        """Of the loaded languages; made when it is first needed."""
        with self._detecting:
            if self._detector is None:
                self._detector = Detector(
                    {code: list(self._sample(code)) for code in self.languages}
                )
            return self._detector

    def _sample(self, code: str) -> Iterator[str]:
        for each in self.all:
            text = each.model.training_corpus
            step = max(1, len(text) // _SAMPLE)
            if each.source == code:
                yield from islice(text.source_lines(), 0, None, step)
            if each.target == code:
                yield from islice(text.target_lines(), 0, None, step)


def _free_name(path: Path, taken: Sequence[Served]) -> str:
    base = path.resolve().name.removesuffix(".demotic")
    name, number = base, 1
    while any(each.name == name for each in taken):
        number += 1
        name = f"{base}-{number}"
    return name
