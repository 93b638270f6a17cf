"""What learning from roll-outs writes down after each epoch, and how it takes it up again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from demotic.forest.weights import Floats
from demotic.learn.averaged import AveragedWeights
from demotic.learn.epochs import Epoch
from demotic.learn.replay import Replay
from demotic.learn.saved_state import SavedState

if TYPE_CHECKING:
    from demotic.learn.drl import DrlOptions


def settings(
    names: Sequence[str], start: Floats, examples: int, options: DrlOptions, seed: int
) -> dict[str, Any]:
    """What must be the same for learning to go on."""
    chosen = asdict(options)
    del chosen["epochs"]  # more of them may be asked for later
    return {
        "features": list(names),
        "start": start.tolist(),
        "examples": examples,
        "seed": seed,
        **chosen,
    }


def save(
    saved: SavedState, learned: AveragedWeights, replay: Replay | None, epochs: Sequence[Epoch]
) -> None:
    """Write the state after an epoch."""
    state = {
        "weights": learned.dense.tolist(),
        "sum": learned.dense_sum.tolist(),
        "count": learned.count,
        "epochs": [asdict(epoch) for epoch in epochs],
    }
    arrays = None
    if len(learned.sparse):
        arrays = {"weights": learned.sparse, "sum": learned.sparse_sum}
    if replay is not None:
        arrays = replay.to_arrays()
    saved.save(state, arrays, number=len(epochs))


def restore(saved: SavedState, learned: AveragedWeights, replay: Replay | None) -> list[Epoch]:
    """Put the saved state back; the epochs behind it."""
    record, arrays = saved.load()
    try:
        learned.dense[:] = record["weights"]
        learned.dense_sum[:] = record["sum"]
        learned.count = int(record["count"])
        if arrays is None and (replay is not None or len(learned.sparse)):
            raise ValueError("its arrays are missing")
        if replay is not None and arrays is not None:
            replay.restore(arrays)
        if len(learned.sparse) and arrays is not None:
            learned.sparse[:] = arrays["weights"]
            learned.sparse_sum[:] = arrays["sum"]
        return [Epoch(**epoch) for epoch in record["epochs"]]
    except (ValueError, KeyError, TypeError) as error:
        raise saved.damaged(str(error)) from None
