"""A policy of boosted trees, for tasks whose actions are numbers and share the state's features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic.errors import ArgumentError
from demotic.learn.ensembles import Ensembles
from demotic.learn.policies import LearnedPolicy
from demotic.learn.search import Action, Draw, Search, State


@dataclass(frozen=True, eq=False)
class TreePolicy(LearnedPolicy):
    """Takes the action k whose classifier, the k-th of an ensemble, has the highest score."""

    ensembles: Ensembles

    def action(
        self, search: Search[State, Action], state: State, actions: Sequence[Action], draw: Draw
    ) -> Action:
        """See :class:`Policy`; the first of equals."""
        best, highest = actions[0], -math.inf
        for action in actions if len(actions) > 1 else ():
            if not isinstance(action, int):
                raise ArgumentError(f"trees choose among numbers, and {action!r} is none")
            atoms = [int(atom) for atom in search.features(state, action).ids]
            score = self.ensembles.score(atoms, action)
            if score > highest:
                best, highest = action, score
        return best

    def arrays(self) -> dict[str, NDArray[Any]]:
        """See :class:`LearnedPolicy`."""
        return {"trees": np.frombuffer(self.ensembles.__getstate__(), dtype=np.uint8)}

    @classmethod
    def of_bytes(cls, trees: NDArray[Any]) -> TreePolicy:
        """What :meth:`arrays` has kept."""
        ensembles = Ensembles.__new__(Ensembles)
        ensembles.__setstate__(trees.astype(np.uint8).tobytes())
        return cls(ensembles)

    def blend(self, factor: float, others: Sequence[tuple[float, LearnedPolicy]]) -> TreePolicy:
        """See :class:`LearnedPolicy`."""
        parts, factors = [self.ensembles.core], [factor]
        for weight, other in others:
            if not isinstance(other, TreePolicy):
                raise ArgumentError("policies of several kinds have no mean")
            parts.append(other.ensembles.core)
            factors.append(weight)
        return TreePolicy(Ensembles(_core.TreeEnsembles.blend(parts, factors)))
