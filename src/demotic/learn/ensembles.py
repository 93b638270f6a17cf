"""Trees that boosting has learned, and the rows of binary features that they look at."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic.files import atomic_path, naming


@dataclass(frozen=True)
class BinaryRows:
    """Rows of atoms, compressed: row i is ``atoms[begins[i] : begins[i + 1]]``."""

    begins: NDArray[np.uint64]
    atoms: NDArray[np.uint32]
    features: int
    """Atoms are below this."""

    def __len__(self) -> int:
        return max(0, len(self.begins) - 1)

    def __getitem__(self, row: int) -> NDArray[np.uint32]:
        return self.atoms[int(self.begins[row]) : int(self.begins[row + 1])]

    @classmethod
    def from_lists(cls, rows: Iterable[Sequence[int]], features: int) -> BinaryRows:
        lists = list(rows)
        begins = np.zeros(len(lists) + 1, dtype=np.uint64)
        np.cumsum([len(row) for row in lists], out=begins[1:])
        atoms = np.fromiter((a for row in lists for a in row), dtype=np.uint32)
        return cls(begins, atoms, features)

    @classmethod
    def of(cls, matrix: Any) -> BinaryRows:
        """Of a scipy sparse or a numpy matrix: what is not 0 is there."""
        if hasattr(matrix, "tocsr"):
            csr = matrix.tocsr()
            if csr.nnz and not np.all(csr.data):
                csr = csr.copy()
                csr.eliminate_zeros()
            begins, atoms = csr.indptr, csr.indices
        else:
            array = np.asarray(matrix)
            places = np.nonzero(array)
            begins = np.concatenate([[0], np.cumsum(np.count_nonzero(array, axis=1))])
            atoms = places[1]
        return cls(
            np.ascontiguousarray(begins, dtype=np.uint64),
            np.ascontiguousarray(atoms, dtype=np.uint32),
            int(matrix.shape[1]),
        )

    def take(self, rows: NDArray[np.int64]) -> BinaryRows:
        """Some rows, in the order given."""
        ends = self.begins.astype(np.int64)
        lengths = ends[rows + 1] - ends[rows]
        begins = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(lengths, out=begins[1:])
        index = np.arange(begins[-1]) + np.repeat(ends[rows] - begins[:-1], lengths)
        return BinaryRows(begins.astype(np.uint64), self.atoms[index], self.features)


@dataclass(frozen=True)
class Compound:
    """A conjunction of atoms, and its weight in one classifier; ``~a`` is the negation of a."""

    literals: tuple[int, ...]
    weight: float

    def holds(self, atoms: set[int]) -> bool:
        return all((a in atoms) if a >= 0 else (~a not in atoms) for a in self.literals)


class Ensembles:
    """Trained classifiers, each a list of trees in falling order of lambda; plain tables."""

    def __init__(self, core: Any) -> None:
        self._core = core

    def __len__(self) -> int:
        return len(self._core)

    def content(self) -> bytes:
        """The bytes of its file."""
        with tempfile.TemporaryDirectory() as folder:
            self.save(Path(folder) / "trees")
            return (Path(folder) / "trees").read_bytes()

    @classmethod
    def of_content(cls, content: bytes) -> Ensembles:
        """What these bytes are the file of."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trees"
            path.write_bytes(content)
            return cls(_core.TreeEnsembles(str(path), True))

    def __getstate__(self) -> bytes:
        return self.content()

    def __setstate__(self, state: bytes) -> None:
        self._core = Ensembles.of_content(state).core

    @property
    def core(self) -> Any:
        return self._core

    @property
    def features(self) -> int:
        return int(self._core.features)

    @property
    def trees(self) -> int:
        return int(self._core.trees)

    @property
    def nodes(self) -> int:
        return int(self._core.nodes)

    def save(self, path: Path | str) -> None:
        with atomic_path(path) as temporary:
            self._core.save(str(temporary))

    @classmethod
    def load(cls, path: Path | str, *, verify: bool | None = None) -> Ensembles:
        with naming(path):
            return cls(_core.TreeEnsembles(str(path), verify))

    def prefix(self, lambda_: float) -> Ensembles:
        """The model for one lambda: larger ones are gone, and the bias is one tree."""
        return Ensembles(self._core.model_for(lambda_))

    def lambdas(self, classifier: int) -> NDArray[np.float64]:
        """One for each tree, falling."""
        return np.asarray(self._core.lambdas(classifier))

    def tree(self, classifier: int, number: int) -> tuple[list[int], list[int], list[float]]:
        """A tree's nodes in preorder: atoms (-1: a leaf), where to go without them, values."""
        atoms, others, values = self._core.tree(classifier, number)
        return [-1 if a == 0xFFFFFFFF else a for a in atoms], others, values

    def depth(self, classifier: int, number: int) -> int:
        atoms, others, _ = self.tree(classifier, number)
        depths = [0] * len(atoms)
        for at, atom in enumerate(atoms):
            if atom >= 0:
                depths[at + 1] = depths[others[at]] = depths[at] + 1
        return max(depths)

    def size(self, lambda_: float = 0.0) -> int:
        """Compounds with a weight, over all classifiers."""
        return int(self._core.size(lambda_))

    def compounds(self, classifier: int, lambda_: float = 0.0) -> list[Compound]:
        """In the order in which they came in."""
        return [
            Compound(tuple(~(x // 2) if x % 2 else x // 2 for x in literals), weight)
            for literals, weight in self._core.compounds(classifier, lambda_)
        ]

    def active(self, atoms: Iterable[int], classifier: int, lambda_: float = 0.0) -> list[Compound]:
        """The compounds that hold of a row, those of the largest weight first."""
        present = set(atoms)
        found = [c for c in self.compounds(classifier, lambda_) if c.holds(present)]
        return sorted(found, key=lambda compound: -abs(compound.weight))

    def scores(
        self,
        rows: BinaryRows,
        first: NDArray[Any],
        count: NDArray[Any],
        *,
        lambda_: float = 0.0,
        threads: int = 1,
    ) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Of row i by classifiers first[i] ... first[i] + count[i] - 1: where a row's scores begin,
        and all of them."""
        begins = np.zeros(len(rows) + 1, dtype=np.uint64)
        np.cumsum(count, out=begins[1:])
        values = self._core.scores(
            rows.begins,
            rows.atoms,
            rows.features,
            _numbers(first),
            _numbers(count),
            lambda_,
            threads,
        )
        return begins, np.asarray(values)

    def score(self, atoms: Iterable[int], classifier: int, lambda_: float = 0.0) -> float:
        rows = BinaryRows.from_lists([list(atoms)], self.features)
        _, values = self.scores(
            rows, np.array([classifier]), np.array([1]), lambda_=lambda_, threads=1
        )
        return float(values[0])

    def along_path(
        self,
        rows: BinaryRows,
        first: NDArray[Any],
        count: NDArray[Any],
        lambdas: NDArray[np.float64],
        *,
        threads: int = 1,
    ) -> NDArray[np.uint32]:
        """For each row and each lambda (they fall) the best of the row's classifiers, counted from
        its first; of equals the first."""
        falling = np.ascontiguousarray(lambdas, dtype=np.float64)
        found = self._core.along_path(
            rows.begins,
            rows.atoms,
            rows.features,
            _numbers(first),
            _numbers(count),
            falling,
            threads,
        )
        return np.asarray(found)


def _numbers(values: NDArray[Any]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(values, dtype=np.uint32)
