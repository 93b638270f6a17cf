"""How many terms come out right with a glossary and without, on catalogues that no model saw.

    python -m benchmarks.glossary --model MODEL --catalogue FILE.po [...]

The glossary is made of the catalogue's own short messages (one to three words) with their
translations, as far as other messages hold them.  A term of a message counts where the reference
has its translation, too; it is right where the output has it as often.  Terms that only the
reference's inflection hides do not count at all.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import demotic
from demotic.corpus.orthography import without_region
from demotic.glossary import Finder, Glossary
from demotic.glossary.placing import uses
from demotic.metrics import Bleu, Chrf
from demotic.systems.model import Model

_WORDS = 3


@dataclass(frozen=True)
class Message:
    """A message, its translation, and the terms that both have."""

    source: str
    reference: str
    terms: tuple[tuple[str, str, int], ...]
    """Source, target, and how often."""


def messages(model: Model, pairs: Sequence[tuple[str, str]]) -> tuple[Glossary, list[Message]]:
    """Messages with terms, and the glossary that has these."""
    language = without_region(model.target.language)
    short = [
        (source.strip(".:"), target.strip(".:"))
        for source, target in pairs
        if len(source.split()) <= _WORDS and source.strip(".:").replace(" ", "").isalpha()
    ]
    everything = Glossary.of(dict(short).items())
    finder = Finder(everything, model.source, model.target)
    found, used = [], {}
    for source, target in pairs:
        if len(source.split()) <= _WORDS:
            continue
        counts: dict[str, int] = {}
        targets: dict[str, str] = {}
        for each in finder.terms_in(model.encode(source)):
            counts[each.term.source] = counts.get(each.term.source, 0) + 1
            targets[each.term.source] = each.term.targets[0]
        terms = tuple(
            (name, targets[name], count)
            for name, count in counts.items()
            if uses(target, [targets[name]], language) >= count
        )
        used.update({name: other for name, other, _ in terms})
        if terms:
            found.append(Message(source, target, terms))
    return Glossary.of(used.items()), found


def right(model: Model, found: Sequence[Message], texts: Sequence[str]) -> tuple[int, int]:
    """Terms that the texts have, and all."""
    language = without_region(model.target.language)
    hits = total = 0
    for message, text in zip(found, texts, strict=True):
        for _, target, count in message.terms:
            total += count
            hits += min(count, uses(text, [target], language))
    return hits, total


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--catalogue", type=Path, nargs="+", required=True)
    arguments = parser.parse_args()
    model = demotic.load(arguments.model).with_memory({"use": False})
    about = model.about
    bitext = demotic.read_bitext(
        [str(path) for path in arguments.catalogue],
        source=about.source_language,
        target=about.target_language,
    )
    pairs = list(dict.fromkeys((each.source, each.target) for each in bitext))
    glossary, found = messages(model, pairs)
    print(f"{len(glossary)} terms, {len(found)} messages with some")
    references = [[each.reference for each in found]]
    base = 0.0
    for name, used in (
        ("without", model.with_glossary(Glossary())),
        ("with glossary", model.with_glossary(glossary)),
    ):
        start = time.process_time()
        lines = used.translate_batch([each.source for each in found])
        seconds = time.process_time() - start
        base = base or seconds
        texts = [each.text for each in lines]
        hits, total = right(model, found, texts)
        bleu, chrf = (m.score(texts, references).value for m in (Bleu(), Chrf()))
        put = sum(use.outcome == "put in" for each in lines for use in each.terms)
        print(
            f"{name:14} terms right {hits}/{total} = {hits / max(total, 1):.1%}  put in {put}  "
            f"BLEU {bleu:.2f}  chrF {chrf:.2f}  time {seconds / base:.2f}"
        )


if __name__ == "__main__":
    main()
