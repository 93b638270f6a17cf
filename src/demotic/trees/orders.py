"""Classifiers that keep or swap orders, in a file: what ``trees/permutations.py`` describes, by
numbers.

    model = OrderModel.load("orders.bin")
    encoded = model.encode(attachments(tree, cells))          # as the search takes them

Each label of a head block's parent has two classifiers, one for keeping the order and one for
swapping it; labels that training has seen too seldom share those of "".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic import _core, files
from demotic.errors import CorruptFileError, DemoticError
from demotic.trees.permutations import Attachment

KIND = "orders"
VERSION = 1
NO_WORD = 0xFFFFFFFF
POOLED = ""
"""The label of all others."""
_RECORD = "record"
_ARRAYS: dict[str, Any] = {
    "classifier_ends": np.uint32, "tree_ends": np.uint32, "atom": np.uint32, "other": np.uint32,
    "value": np.float64, "dynamic_name": np.uint32, "dynamic_first": np.uint32,
    "dynamic_second": np.uint32,
}  # fmt: skip
Ids = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class EncodedAttachments:
    """The attachments of a tree as the search takes them."""

    classifier: Ids
    atom_begins: Ids
    atoms: Ids
    name_begins: Ids
    names: Ids


class OrderModel:
    """Labels, atoms and trees."""

    def __init__(
        self,
        labels: Sequence[str],
        atoms: Sequence[str],
        names: Sequence[str],
        arrays: Mapping[str, NDArray[Any]],
        lambda_: float = 0.0,
    ) -> None:
        self.labels, self.atoms, self.names = tuple(labels), tuple(atoms), tuple(names)
        self.arrays = dict(arrays)
        self.lambda_ = lambda_
        dynamic = len(self.arrays["dynamic_name"])
        if len(self.arrays["classifier_ends"]) != 2 * len(self.labels):
            raise CorruptFileError("classifiers of orders that do not fit their labels")
        if np.any(self.arrays["dynamic_name"] >= len(self.names)):
            raise CorruptFileError("a feature of orders without a name")
        trees, waiting = [*_ARRAYS][:5], [*_ARRAYS][5:]
        classifier_ends, tree_ends, atom, other, value = (self.arrays[n].tolist() for n in trees)
        name, first, second = (np.ascontiguousarray(self.arrays[n]) for n in waiting)
        features = len(self.atoms) + dynamic
        self.core = _core.PermutationModel(
            classifier_ends, tree_ends, atom, other, value, features, name, first, second,
            np.arange(len(self.atoms), features, dtype=np.uint32),
        )  # fmt: skip
        self._label = {label: 2 * k for k, label in enumerate(self.labels)}
        self._atom = {atom: k for k, atom in enumerate(self.atoms)}
        self._name = {name: k for k, name in enumerate(self.names)}

    def classifier(self, label: str) -> int:
        """The classifier that keeps orders below a node of this label; the next one swaps them."""
        return self._label.get(label, self._label.get(POOLED, 0))

    def encode(self, found: Sequence[Attachment]) -> EncodedAttachments:
        """Attachments by numbers; what training has not seen is left out."""
        atom_begins, atoms, name_begins, names = [0], [], [0], []
        known, waiting = self._atom, self._name
        for each in found:
            atoms += [known[atom] for atom in each.atoms if atom in known]
            atom_begins.append(len(atoms))
            for slot in each.slots:
                names += [waiting[name] for name in slot if name in waiting]
                name_begins.append(len(names))
        return EncodedAttachments(
            np.array([self.classifier(each.label) for each in found], np.uint32),
            np.array(atom_begins, np.uint32),
            np.array(atoms, np.uint32),
            np.array(name_begins, np.uint32),
            np.array(names, np.uint32),
        )

    def active(self, atoms: set[str], classifier: int, names: Any) -> list[tuple[list[str], float]]:
        """The paths through a classifier's trees where these atoms hold, with their values;
        ``names[t]`` are translations."""
        arrays = self.arrays
        spelled = [*self.atoms, *self._dynamic(names)]
        first = int(arrays["classifier_ends"][classifier - 1]) if classifier else 0
        found = []
        for tree in range(first, int(arrays["classifier_ends"][classifier])):
            begin = at = int(arrays["tree_ends"][tree - 1]) if tree else 0
            path = []
            while (atom := int(arrays["atom"][at])) != NO_WORD:
                holds = spelled[atom] in atoms
                name, *words = spelled[atom].split("\t")
                name = "=".join(
                    [name, "/".join(word or "-" for word in words)] if words else [name]
                )
                path.append(name if holds else f"not {name}")
                at = at + 1 if holds else begin + int(arrays["other"][at])
            found.append((path, float(arrays["value"][at])))
        return found

    def _dynamic(self, names: Any) -> list[str]:
        """Atoms that wait for translations, in words."""
        columns = (self.arrays[f"dynamic_{part}"].tolist() for part in ("name", "first", "second"))

        def word(target: int) -> str:
            return names[target] if target else ""

        return [
            "\t".join([self.names[name], *(word(t) for t in targets if t != NO_WORD)])
            for name, *targets in zip(*columns, strict=True)
        ]

    def size(self) -> int:
        """Leaves with a value, over all classifiers."""
        return int(np.count_nonzero(self.arrays["value"]))

    def save(self, path: str | Path) -> None:
        """Write the file."""
        record = {
            "labels": self.labels, "atoms": self.atoms, "names": self.names,
            "lambda": self.lambda_,
        }  # fmt: skip
        with files.atomic_path(path) as temporary:
            out = _core.ContainerWriter(str(temporary), KIND, VERSION)
            out.begin(_RECORD)
            out.write(json.dumps(record, ensure_ascii=False).encode("utf-8"))
            for name, kind in _ARRAYS.items():
                out.begin(name)
                out.write(np.ascontiguousarray(self.arrays[name], kind).tobytes())
            out.finish()

    @classmethod
    def load(cls, path: str | Path, *, verify: bool | None = None) -> OrderModel:
        """The model in a file; checksums are compared unless ``verify`` is False."""
        with files.naming(path):
            found = _core.Container(str(path), KIND, VERSION)
            if verify is not False:
                found.verify()
            try:
                record = json.loads(found.section(_RECORD).decode("utf-8"))
                labels, atoms, names = (
                    [str(name) for name in record[field]] for field in ("labels", "atoms", "names")
                )
                arrays = {
                    name: np.frombuffer(found.section(name), kind) for name, kind in _ARRAYS.items()
                }
                return cls(labels, atoms, names, arrays, float(record["lambda"]))
            except DemoticError:
                raise
            except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
                raise CorruptFileError(
                    f"damaged classifiers of orders: {error}",
                    remedy="copy the file again, or train it again",
                ) from error
