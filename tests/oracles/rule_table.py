"""Rule tables in the layout of version 1, where every number has four or eight bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterable

import numpy as np

from demotic.grammar import RuleTable
from tests.oracles import container

FREE = 0xFFFFFFFF


def version_1(whole: bytes, table: RuleTable) -> bytes:
    """The file of a table in today's layout, written as the first one."""
    today = container.sections(whole)
    sources = [tuple(table.source_symbols(rule)) for rule in range(len(table))]
    parents, symbols, ends = trie(sources)
    parts = {name: content for name, content in today.items() if b".vocab." in name}
    parts |= {name: today[name] for name in (b"features", b"categories")}
    parts[b"steps"] = steps(parents, symbols)
    parts[b"parents"] = np.array(parents, np.uint32).tobytes()
    parts[b"symbols"] = np.array(symbols, np.int32).tobytes()
    parts[b"rule.ends"] = np.array(ends, np.uint32).tobytes()
    rules = range(len(table))
    parts[b"lhs"] = np.array([table.lhs(rule) for rule in rules], np.uint32).tobytes()
    targets = [table.target_symbols(rule) for rule in rules]
    parts |= rows(b"targets", b"target.ends", (np.array(t, np.int32).tobytes() for t in targets), 4)
    parts[b"scores"] = np.array([table.scores(rule) for rule in rules], np.float32).tobytes()
    links = (bytes(place for link in table.links(rule) for place in link) for rule in rules)
    parts |= rows(b"links", b"link.ends", links, 2)
    origins = (np.array(table.origins(rule), np.uint32).tobytes() for rule in rules)
    parts |= rows(b"origins", b"origin.ends", origins, 4)
    parts[b"counts"] = np.array([table.counts(rule) for rule in rules], np.float32).tobytes()
    parts |= {name: content for name, content in today.items() if name.startswith(b"sparse")}
    return container.container(b"rules", 1, parts)


def trie(sources: list[tuple[int, ...]]) -> tuple[list[int], list[int], list[int]]:
    """Parents, symbols and ends of rules of the nodes, in the order of ascending sources."""
    nodes: dict[tuple[int, ...], int] = {(): 0}
    parents, symbols, ends = [FREE], [0], [0]
    for rule, source in enumerate(sources):
        for size in range(1, len(source) + 1):
            if source[:size] not in nodes:
                nodes[source[:size]] = len(parents)
                parents.append(nodes[source[: size - 1]])
                symbols.append(source[size - 1])
                ends.append(rule)
        ends[nodes[source]] = rule + 1
    return parents, symbols, ends


def steps(parents: list[int], symbols: list[int]) -> bytes:
    slots = 1 << (2 * len(parents) - 1).bit_length()
    table = [(0, 0, FREE)] * slots
    for node in range(1, len(parents)):
        at = container.mix64(parents[node] << 32 | symbols[node] & 0xFFFFFFFF) % slots
        while table[at][2] != FREE:
            at = (at + 1) % slots
        table[at] = (parents[node], symbols[node], node)
    return b"".join(struct.pack("<IiI", *step) for step in table)


def rows(name: bytes, ends: bytes, content: Iterable[bytes], width: int) -> dict[bytes, bytes]:
    all_rows = list(content)
    sizes = np.array([len(row) // width for row in all_rows], np.uint64)
    return {name: b"".join(all_rows), ends: np.cumsum(sizes, dtype=np.uint64).tobytes()}
