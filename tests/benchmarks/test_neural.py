"""The Transformer that Demotic is compared with does what a Transformer does."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from benchmarks.neural import BEGIN, END, PAD, Pieces, Shape, Transformer, padded, search  # noqa: E402

SHAPE = Shape(pieces=30, dropout=0.0, width=16, inner=32, layers=2, heads=2)


def model() -> Transformer:
    torch.manual_seed(3)
    made = Transformer(SHAPE, 30)
    made.eval()
    return made


def test_step_by_step_is_all_at_once() -> None:
    made = model()
    source, target = (
        padded([[5, 6, 7, END], [8, END]]),
        torch.tensor([[BEGIN, 9, 4], [BEGIN, 3, 3]]),
    )
    memory = made.encoded(source)
    whole = made.decoded(target, memory)
    past: list[object] = [None] * SHAPE.layers
    for place in range(3):
        found, past = made.step(target[:, place], place, memory, past)
        assert torch.allclose(found, whole[:, place], atol=1e-5)


def test_empty_places_change_nothing() -> None:
    made = model()
    alone = made.encoded(torch.tensor([[8, END]]))
    beside = made.encoded(torch.tensor([[8, END, PAD, PAD], [5, 6, 7, END]]))
    begun = torch.tensor([[BEGIN, 9]])
    both = made.decoded(begun.repeat(2, 1), beside)
    assert torch.allclose(made.decoded(begun, alone)[0], both[0], atol=1e-5)


def test_a_beam_of_one_is_greedy() -> None:
    made = model()
    row = [5, 6, 7]
    memory = made.encoded(torch.tensor([[*row, END]]))
    ids = [BEGIN]
    while len(ids) < 12:
        scores = made.decoded(torch.tensor([ids]), memory)[0, -1]
        scores[[PAD, BEGIN]] = -torch.inf
        ids.append(int(scores.argmax()))
        if ids[-1] == END:
            break
    found = search(made, [row], 1)[0]
    assert found[: len(ids) - 1] == [each for each in ids[1:] if each != END]


def test_words_come_back_from_their_pieces() -> None:
    pieces = Pieces(["the old house", "the old man"] * 3, 60)
    assert [pieces.decode(each) for each in pieces.encode(["the man", "old house"])] == [
        "the man",
        "old house",
    ]
