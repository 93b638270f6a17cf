"""All derivations of block search, by cutting the sentence in every way and swapping neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from demotic.grammar import Block, BlockPairs, BlockTable
from demotic.lm import LanguageModel

LN10 = math.log(10)
FLOOR = 1e-7


@dataclass(frozen=True)
class Piece:
    """A block at its place; None is a word that passes through."""

    block: Block | None
    begin: int
    end: int


@dataclass(frozen=True)
class Search:
    """What there is to search, and how it is scored."""

    table: BlockTable
    lm: LanguageModel
    weights: dict[str, float]
    pairs: BlockPairs | None = None
    swap: bool = True
    alternatives: int = 9
    min_left: int = 0
    start: bool = True
    z_alternatives: bool = False

    def pieces(self, tokens: list[str], begin: int, end: int) -> list[Piece]:
        found = self.table.blocks_for(" ".join(tokens[begin:end]))[: self.alternatives]
        if not found and end == begin + 1:
            return [Piece(None, begin, end)]
        return [Piece(block, begin, end) for block in found]

    def cuts(self, tokens: list[str], begin: int = 0) -> Iterator[list[Piece]]:
        """Every sequence of pieces in the order of the source."""
        if begin == len(tokens):
            yield []
        for end in range(begin + 1, len(tokens) + 1):
            for piece in self.pieces(tokens, begin, end):
                for rest in self.cuts(tokens, end):
                    yield [piece, *rest]

    def orders(self, pieces: list[Piece]) -> Iterator[list[Piece]]:
        """As they are, and with some neighbours swapped, no piece twice."""
        if len(pieces) < 2:
            yield pieces
            return
        for rest in self.orders(pieces[1:]):
            yield [pieces[0], *rest]
        if self.swap:
            for rest in self.orders(pieces[2:]):
                yield [pieces[1], pieces[0], *rest]

    def orientations(self, order: list[Piece]) -> list[str] | None:
        """L, R or N for each piece; None if one may not go to the left."""
        found = []
        before: tuple[int, int] | None = (0, 0) if self.start else None
        for piece in order:
            if before is not None and piece.begin == before[1]:
                found.append("R")
            elif before is not None and piece.end == before[0]:
                if piece.block is None or piece.block.left < self.min_left:
                    return None
                found.append("L")
            else:
                found.append("N")
            before = (piece.begin, piece.end)
        return found

    def derivations(self, tokens: list[str]) -> list[tuple[float, list[Piece]]]:
        """All of them, with their scores."""
        found = []
        for pieces in self.cuts(tokens):
            for order in self.orders(pieces):
                orientations = self.orientations(order)
                if orientations is not None:
                    found.append((self.score(tokens, order, orientations), order))
        return found

    def words(self, tokens: list[str], piece: Piece) -> list[str]:
        return [tokens[piece.begin]] if piece.block is None else list(piece.block.target)

    def costs(
        self, tokens: list[str], piece: Piece, orientation: str, history: list[str]
    ) -> dict[str, float]:
        """Features of one piece by name."""
        table, block = self.table, piece.block
        p = block.count / table.total if block is not None else FLOOR
        unigram = -math.log(p) / (piece.end - piece.begin)
        lexical = block.lexical if block is not None else -math.log(FLOOR)
        lm = []
        history = ["<s>", *history]
        for word in self.words(tokens, piece):
            lm.append(-LN10 * self.lm.score_ngram(history, word).log10)
            history.append(word)
        values = {"Unigram": unigram, "FirstWord": lm[0], "RestWords": sum(lm[1:])}
        values["Lexical"] = lexical
        if orientation == "N":
            values = {f"Neutral{name}": value for name, value in values.items()}
        else:
            left, right = (block.left, block.right) if block is not None else (0, 0)
            both = table.left_total + table.right_total
            share = table.left_total / both if both else 0.5
            seen = left if orientation == "L" else right
            prior = share if orientation == "L" else 1 - share
            values["Orientation"] = -math.log(
                max(FLOOR, (seen + 0.5 * prior) / (left + right + 0.5))
            )
        if block is None:
            values["PassThrough"] = 1.0
        return values

    def local(
        self,
        tokens: list[str],
        piece: Piece,
        orientation: str,
        history: list[str],
        before: Piece | None,
    ) -> float:
        """w.f of one piece, Z left out."""
        sum_ = sum(
            self.weights.get(name, 0.0) * value
            for name, value in self.costs(tokens, piece, orientation, history).items()
        )
        if self.pairs is not None and orientation != "N" and piece.block is not None:
            previous = 2**32 - 2 if before is None else before.block.id if before.block else None
            if previous is not None:
                number = self.pairs.find(previous, piece.block.id)
                if number != 2**32 - 1:
                    sum_ += float(self.pairs.weights[number])
        return sum_

    def score(self, tokens: list[str], order: list[Piece], orientations: list[str]) -> float:
        """Equation 1 of the paper in logs, and the end of the sentence."""
        total = 0.0
        history: list[str] = []
        before: Piece | None = None
        for piece, orientation in zip(order, orientations, strict=True):
            total += self.local(tokens, piece, orientation, history, before)
            if self.z_alternatives:
                others = self.pieces(tokens, piece.begin, piece.end)
                total -= math.log(
                    math.fsum(
                        math.exp(self.local(tokens, each, orientation, history, before))
                        for each in others
                    )
                )
            else:
                total -= math.log(0.5)
            history += self.words(tokens, piece)
            before = piece
        end = -LN10 * self.lm.score_ngram(["<s>", *history], "</s>").log10
        return total + self.weights.get("FirstWord", 0.0) * end
