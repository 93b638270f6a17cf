"""Moses' text formats of features and BLEU statistics of n-best lists."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from demotic.learn import KBestCandidates


def read_blocks(path: Path) -> tuple[list[str], list[np.ndarray]]:
    """The words of the first header after its counts, and a matrix per sentence."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    names: list[str] = []
    blocks: list[list[list[float]]] = []
    for line in text.splitlines():
        fields = line.split()
        if "_BEGIN_" in fields[0]:
            names = fields[4:]
            blocks.append([])
        elif "_END_" not in fields[0]:
            blocks[-1].append([float(field) for field in fields])
    return names, [np.array(block) for block in blocks]


def read_lists(features: Path, scores: Path) -> tuple[list[str], list[KBestCandidates]]:
    """Feature names and lists; Moses writes match, total for n = 1-4, then the reference length."""
    names, rows = read_blocks(features)
    _, statistics = read_blocks(scores)
    lists = []
    for f, s in zip(rows, statistics, strict=True):
        ours = np.column_stack([s[:, 0:8:2], s[:, 1:8:2], s[:, 1], s[:, 8]])
        lists.append(KBestCandidates(f, ours))
    return names, lists
