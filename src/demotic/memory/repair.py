"""Similar messages repaired: their words stay, what differs is translated anew.

    plan = planned(stored_words, stored_tokens, links, given_words)
    plan.pieces                          # source words to translate, piece by piece
    plan.filled(translations)            # the stored translation with these in their places

A piece that differs is cut out of the stored translation along the word links.  Where the links do
not tell its place without doubt there is no plan, and the sentence is left to the decoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from demotic.corpus.walls import ends_sentence

Words = Sequence[str]


@dataclass(frozen=True)
class Plan:
    """A translation with gaps."""

    pieces: tuple[tuple[str, ...], ...]
    """Source words for the gaps."""
    template: tuple[str | int, ...]
    """Target tokens that stay, and numbers of pieces."""

    def filled(self, translations: Sequence[Words]) -> tuple[str, ...]:
        """All tokens, with the translations of the pieces in their places.

        A decoder ends what it takes for a sentence; a piece that had no such mark gets none.
        """
        tokens: list[str] = []
        for each in self.template:
            tokens += (
                [each] if isinstance(each, str) else _fitting(translations[each], self.pieces[each])
            )
        return tuple(tokens)


def planned(stored: Words, tokens: Words, links: str, given: Words) -> Plan | None:
    """How to make the translation of a stored message one of the given words; None if in doubt."""
    pairs = _links(links, len(stored), len(tokens))
    if not pairs or not tokens:
        return None
    codes = SequenceMatcher(None, stored, given, autojunk=False).get_opcodes()
    pieces: list[tuple[str, ...]] = []
    gone: set[int] = set()
    gaps: dict[int, list[int]] = {}
    for kind, begin, end, first, last in codes:
        if kind == "equal":
            continue
        if last > first and ends_sentence(given[-1]) and not ends_sentence(stored[-1]):
            last = min(last, len(given) - 1)  # the mark goes to the end, wherever its word goes
        inside = {j for i, j in pairs if begin <= i < end}
        outside = {j for i, j in pairs if not begin <= i < end}
        if inside:
            whole = range(min(inside), max(inside) + 1)
            if not outside.isdisjoint(whole):
                return None
            gone.update(whole)
            place = min(inside)
        else:
            before = [j for i, j in pairs if i == begin - 1]
            after = [j for i, j in pairs if i == end]
            if not before and not after:
                return None
            place = max(before) + 1 if before else min(after)
        if last > first:
            gaps.setdefault(place, []).append(len(pieces))
            pieces.append(tuple(given[first:last]))
    if ends_sentence(given[-1]) and not ends_sentence(stored[-1]):
        gaps.setdefault(len(tokens), []).append(len(pieces))
        pieces.append((given[-1],))
    template: list[str | int] = []
    for place in range(len(tokens) + 1):
        template += gaps.get(place, ())
        if place < len(tokens) and place not in gone:
            template.append(tokens[place])
    return Plan(tuple(pieces), tuple(template))


def _fitting(translation: Words, piece: Words) -> Words:
    """A translation without a mark at its end that the piece has not; of a mark alone the mark."""
    if len(piece) == 1 and ends_sentence(piece[0]):
        return [next(filter(ends_sentence, translation), piece[0])]
    if len(translation) < 2 or not ends_sentence(translation[-1]) or ends_sentence(piece[-1]):
        return translation
    return translation[:-1]


def _links(text: str, source: int, target: int) -> list[tuple[int, int]]:
    """Links in Pharaoh format; none where one of them leads out of the words."""
    try:
        pairs = [(int(i), int(j)) for i, j in (each.split("-") for each in text.split())]
    except ValueError:
        return []
    fits = all(0 <= i < source and 0 <= j < target for i, j in pairs)
    return pairs if fits else []
