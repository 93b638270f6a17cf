"""A small Transformer beside Demotic's systems: BLEU by CPU time of training.

    python -m benchmarks.neural [--pairs 1000,5000] [--seconds 600] [--out bench-out/neural.json]

The same text for both: the first pairs of Multi30k German-English, lower-cased and tokenised; what
is chosen is chosen on the first sentences of ``val`` (weights there, the best checkpoint here);
BLEU is that of ``test2016``.  The Transformer (Vaswani et al. 2017; layers normalised first, one
table of joint byte-pair pieces for both languages and the output) trains on one thread until its
CPU time is used up, measurements left out.  Its size, dropout and number of pieces are those that
small data asks for, set beforehand and not searched for.  Extra: ``pip install 'demotic[neural]'``.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor, nn

from benchmarks.trained import TESTED_ON, TUNED_ON, sentences, sizes
from demotic.metrics import Bleu

PAD, BEGIN, END = 0, 1, 2
LONGEST = 100  # pieces of a sentence
MARKS = (0.1, 0.25, 0.5, 0.75, 1.0)  # of the time: where it is measured
BEAM = 5

Kept = tuple[Any, Any]  # what attention looks at, and where it may


@dataclass(frozen=True)
class Shape:
    """Of a Transformer and its training."""

    pieces: int
    dropout: float
    width: int = 256
    inner: int = 1024
    layers: int = 3
    heads: int = 4
    smoothing: float = 0.1
    batch: int = 2000
    """Target pieces."""
    rate: float = 1e-3
    warmup: int = 400
    """Steps."""


def shape_for(pairs: int) -> Shape:
    """A smaller model, fewer pieces and more dropout for less text."""
    if pairs <= 2000:
        return Shape(1000, dropout=0.3, width=128, inner=512, layers=2, batch=500)
    if pairs <= 10_000:
        return Shape(3000, dropout=0.3, width=192, inner=512, layers=2, batch=1000)
    return Shape(8000, dropout=0.2)


class Pieces:
    """Words as byte-pair pieces (Sennrich et al. 2016), learned on both languages together."""

    def __init__(self, lines: Sequence[str], count: int) -> None:
        self._model = Tokenizer(models.BPE(unk_token="<unk>"))
        self._model.pre_tokenizer = pre_tokenizers.Metaspace()
        self._model.decoder = decoders.Metaspace()
        self._model.train_from_iterator(
            lines,
            trainers.BpeTrainer(
                vocab_size=count,
                special_tokens=["<pad>", "<s>", "</s>", "<unk>"],
                show_progress=False,
            ),
        )

    def __len__(self) -> int:
        return int(self._model.get_vocab_size())

    def encode(self, lines: Sequence[str]) -> list[list[int]]:
        return [each.ids[: LONGEST - 2] for each in self._model.encode_batch(list(lines))]

    def decode(self, ids: Sequence[int]) -> str:
        return str(self._model.decode(list(ids)))


class Attention(nn.Module):
    """Of several heads; what is attended to can be kept as keys and values."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.dropout = shape.heads, shape.dropout
        self.query = nn.Linear(shape.width, shape.width)
        self.both = nn.Linear(shape.width, 2 * shape.width)
        self.out = nn.Linear(shape.width, shape.width)

    def kept(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values."""
        keys, values = self.both(x).chunk(2, -1)
        return self._split(keys), self._split(values)

    def forward(self, x: Tensor, kept: tuple[Tensor, Tensor], mask: Tensor | None) -> Tensor:
        """``mask`` is true where one may look."""
        found = nn.functional.scaled_dot_product_attention(
            self._split(self.query(x)), *kept, mask, self.dropout if self.training else 0.0
        )
        return self.out(found.transpose(1, 2).flatten(2))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Layer(nn.Module):
    """Attention to one's own side, to the source if there is one, then two linear maps."""

    def __init__(self, shape: Shape, *, crossing: bool) -> None:
        super().__init__()
        self.attention = Attention(shape)
        self.crossing = Attention(shape) if crossing else None
        self.inner = nn.Sequential(
            nn.Linear(shape.width, shape.inner), nn.ReLU(), nn.Dropout(shape.dropout),
            nn.Linear(shape.inner, shape.width),
        )  # fmt: skip
        self.norms = nn.ModuleList(nn.LayerNorm(shape.width) for _ in range(3))
        self.dropout = nn.Dropout(shape.dropout)

    def forward(
        self, x: Tensor, mask: Tensor | None, source: Kept | None = None, past: Kept | None = None
    ) -> tuple[Tensor, Kept]:
        """``past`` has what stands before ``x``; what stands before the next ``x`` is returned."""
        normed = self.norms[0](x)
        keys, values = self.attention.kept(normed)
        if past is not None:
            keys, values = torch.cat([past[0], keys], 2), torch.cat([past[1], values], 2)
        x = x + self.dropout(self.attention(normed, (keys, values), mask))
        if self.crossing is not None and source is not None:
            memory, seen = source
            x = x + self.dropout(self.crossing(self.norms[1](x), memory, seen))
        return x + self.dropout(self.inner(self.norms[2](x))), (keys, values)


class Transformer(nn.Module):
    """Encoder and decoder; the output layer is the table of embeddings."""

    def __init__(self, shape: Shape, pieces: int) -> None:
        super().__init__()
        self.scale = math.sqrt(shape.width)
        self.table = nn.Embedding(pieces, shape.width, padding_idx=PAD)
        nn.init.normal_(self.table.weight, std=shape.width**-0.5)
        self.encoder = nn.ModuleList(Layer(shape, crossing=False) for _ in range(shape.layers))
        self.decoder = nn.ModuleList(Layer(shape, crossing=True) for _ in range(shape.layers))
        self.ends = nn.ModuleList(nn.LayerNorm(shape.width) for _ in range(2))
        self.dropout = nn.Dropout(shape.dropout)
        places = torch.arange(2 * LONGEST)[:, None]
        waves = torch.exp(torch.arange(0, shape.width, 2) * (-math.log(10_000) / shape.width))
        sines = torch.stack([torch.sin(places * waves), torch.cos(places * waves)], 2)
        self.register_buffer("places", sines.flatten(1))

    def _embedded(self, ids: Tensor, first: int = 0) -> Tensor:
        places = self.places[first : first + ids.shape[1]]
        return self.dropout(self.table(ids) * self.scale + places)

    def encoded(self, source: Tensor) -> list[Kept]:
        """What each layer of the decoder attends to, and where it may."""
        seen = (source != PAD)[:, None, None]
        x = self._embedded(source)
        for layer in self.encoder:
            x, _ = layer(x, seen)
        x = self.ends[0](x)
        return [(layer.crossing.kept(x), seen) for layer in self.decoder]

    def decoded(self, target: Tensor, source: list[Kept]) -> Tensor:
        """Scores of the next piece, at every place."""
        before = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).tril()
        x = self._embedded(target)
        for layer, memory in zip(self.decoder, source, strict=True):
            x, _ = layer(x, before, memory)
        return nn.functional.linear(self.ends[1](x), self.table.weight)

    def step(
        self, last: Tensor, place: int, source: list[Kept], past: list[Kept | None]
    ) -> tuple[Tensor, list[Kept | None]]:
        """Scores of the piece behind the ``last`` ones, and what the next step needs."""
        x, kept = self._embedded(last[:, None], place), []
        for layer, memory, before in zip(self.decoder, source, past, strict=True):
            x, now = layer(x, None, memory, before)
            kept.append(now)
        return nn.functional.linear(self.ends[1](x[:, 0]), self.table.weight), kept


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


def batches(
    pairs: Sequence[tuple[list[int], list[int]]], size: int, rng: random.Random
) -> Iterator[tuple[Tensor, Tensor]]:
    """An epoch: pairs of like length together, in random order."""
    order = sorted(range(len(pairs)), key=lambda i: (len(pairs[i][1]), rng.random()))
    groups: list[list[int]] = [[]]
    for i in order:
        if (len(groups[-1]) + 1) * (len(pairs[i][1]) + 1) > size and groups[-1]:
            groups.append([])
        groups[-1].append(i)
    rng.shuffle(groups)
    for group in groups:
        yield (
            padded([[*pairs[i][0], END] for i in group]),
            padded([[BEGIN, *pairs[i][1], END] for i in group]),
        )


@torch.no_grad()
def search(model: Transformer, source: Sequence[list[int]], beam: int) -> list[list[int]]:
    """The best translations by beam search; scores are means of a piece."""
    model.eval()
    rows = len(source)
    memory = [
        (tuple(each.repeat_interleave(beam, 0) for each in kept), seen.repeat_interleave(beam, 0))
        for kept, seen in model.encoded(padded([[*row, END] for row in source]))
    ]
    past: list[Kept | None] = [None] * len(memory)
    kept = torch.full((rows * beam, 1), BEGIN)
    scores = torch.full((rows, beam), -math.inf)
    scores[:, 0] = 0
    done: list[list[tuple[float, list[int]]]] = [[] for _ in source]
    for place in range(min(LONGEST, 3 * max(map(len, source)) // 2 + 10)):
        found, past = model.step(kept[:, -1], place, memory, past)
        found = found.log_softmax(-1).view(rows, beam, -1)
        found[:, :, [PAD, BEGIN]] = -math.inf
        scores, places = (scores[:, :, None] + found).flatten(1).topk(beam)
        parents = (places // found.shape[2] + torch.arange(rows)[:, None] * beam).flatten()
        pieces = places % found.shape[2]
        kept = torch.cat([kept[parents], pieces.flatten()[:, None]], 1)
        past = [(keys[parents], values[parents]) for keys, values in past]
        ended = pieces == END
        for row, way in (ended & (scores > -math.inf)).nonzero().tolist():
            ids = kept[row * beam + way].tolist()[1:-1]
            done[row].append((float(scores[row, way]) / (len(ids) + 1), ids))
        scores = scores.masked_fill(ended, -math.inf)
        if all(len(each) >= beam for each in done):
            break
    for row, each in enumerate(done):
        if not each:
            each.append((0.0, kept[row * beam].tolist()[1:]))
    return [max(each)[1] for each in done]


def bleu(
    model: Transformer, pieces: Pieces, text: tuple[Sequence[str], Sequence[str]], beam: int = 1
) -> tuple[float, float]:
    """BLEU, and CPU milliseconds of a sentence in batches of 64."""
    source, reference = text
    ids = pieces.encode(source)
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    lines = [""] * len(ids)
    began = time.process_time()
    for first in range(0, len(order), 64):
        some = order[first : first + 64]
        for i, found in zip(some, search(model, [ids[i] for i in some], beam), strict=True):
            lines[i] = pieces.decode(found)
    spent = time.process_time() - began
    return Bleu(tokenise="none").score(lines, [list(reference)]).value, spent * 1000 / len(ids)


def run(pairs: int, seconds: float, seed: int, keep: Callable[[dict[str, Any]], None]) -> None:
    """Train on so many pairs for so many CPU seconds; the curve is kept whenever it grows."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    shape = shape_for(pairs)
    source, target = sentences("train.de.gz", pairs), sentences("train.en.gz", pairs)
    dev = sentences("val.de.gz", TUNED_ON), sentences("val.en.gz", TUNED_ON)
    test = sentences("test2016.de.gz", TESTED_ON), sentences("test2016.en.gz", TESTED_ON)
    pieces = Pieces([*source, *target], shape.pieces)
    text = list(zip(pieces.encode(source), pieces.encode(target), strict=True))
    model = Transformer(shape, len(pieces))
    optimiser = torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9)
    loss = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=shape.smoothing)
    curve: list[dict[str, float]] = []
    size = sum(each.numel() for each in model.parameters())
    record: dict[str, Any] = {"pairs": pairs, "parameters": size, "curve": curve}
    best, chosen = -1.0, model.state_dict()
    spent, step, epoch = 0.0, 0, 0
    began = time.process_time()
    while len(curve) < len(MARKS):
        epoch += 1
        for sources, targets in batches(text, shape.batch, rng):
            model.train()
            step += 1
            rate = shape.rate * min(step / shape.warmup, math.sqrt(shape.warmup / step))
            for group in optimiser.param_groups:
                group["lr"] = rate
            optimiser.zero_grad()
            scores = model.decoded(targets[:, :-1], model.encoded(sources))
            loss(scores.flatten(0, 1), targets[:, 1:].flatten()).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            if spent + time.process_time() - began < MARKS[len(curve)] * seconds:
                continue
            spent += time.process_time() - began
            figures = {
                "seconds": spent, "epoch": epoch,
                "dev": bleu(model, pieces, dev)[0], "test": bleu(model, pieces, test)[0],
            }  # fmt: skip
            curve.append(figures)
            print(
                f"{pairs:,} pairs, {spent:5.0f} CPU s, epoch {epoch}: BLEU"
                f" {figures['dev']:.2f} on val, {figures['test']:.2f} on test2016",
                flush=True,
            )
            keep(record)
            if figures["dev"] > best:
                best, chosen = figures["dev"], copy.deepcopy(model.state_dict())
            began = time.process_time()
            if len(curve) == len(MARKS):
                break
    model.load_state_dict(chosen)
    reached, milliseconds = bleu(model, pieces, test, BEAM)
    print(f"the best on val: BLEU {reached:.2f} with a beam of {BEAM}, {milliseconds:.0f} ms")
    keep({**record, "best_dev": best, "beam": reached, "milliseconds": milliseconds})


def main() -> None:
    """Train at each size, and keep what came of it beside earlier sizes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=sizes, default=[1000, 5000], metavar="N,N")
    parser.add_argument("--seconds", type=float, default=600, help="CPU time of each training")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("bench-out/neural.json"))
    given = parser.parse_args()
    torch.set_num_threads(1)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(given.out.read_text()) if given.out.exists() else {}

    def keep(record: dict[str, Any]) -> None:
        kept[str(record["pairs"])] = record
        given.out.write_text(json.dumps(kept, indent=1) + "\n")

    for pairs in given.pairs:
        run(pairs, given.seconds, given.seed, keep)


if __name__ == "__main__":
    main()
