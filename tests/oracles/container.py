"""The binary layout of model parts, byte by byte, to craft files that the writer would not."""

from __future__ import annotations

import struct

MASK = (1 << 64) - 1
PRIME = 0x9E3779B185EBCA87
BLOCK = 1 << 20


def mix64(x: int) -> int:
    x ^= x >> 32
    x = x * 0xD6E8FEB86659FD93 & MASK
    x ^= x >> 29
    x = x * 0xD6E8FEB86659FD93 & MASK
    return x ^ (x >> 32)


def checksum64(data: bytes) -> int:
    lanes = [PRIME * (2 * i + 1) & MASK for i in range(8)]
    whole = len(data) // 64 * 64
    for begin in range(0, whole, 64):
        for i, word in enumerate(struct.unpack_from("<8Q", data, begin)):
            product = (lanes[i] ^ word) * PRIME & MASK
            lanes[i] = (product << 31 | product >> 33) & MASK
    h = mix64(len(data) + 1)
    for lane in lanes:
        h = (mix64(h ^ lane) + PRIME) & MASK
    rest = data[whole:]
    while len(rest) >= 8:
        h = (mix64(h ^ int.from_bytes(rest[:8], "little")) + PRIME) & MASK
        rest = rest[8:]
    return mix64(h ^ int.from_bytes(rest, "little"))


def section_check(content: bytes) -> int:
    """Checksums chain over blocks of a megabyte; the last block is shorter, or empty."""
    hash_ = 0
    for begin in range(0, len(content) // BLOCK * BLOCK + 1, BLOCK):
        hash_ = (mix64(hash_ ^ checksum64(content[begin : begin + BLOCK])) + 1) & MASK
    return hash_


def entry(name: bytes, offset: int, size: int, check: int = 0) -> bytes:
    return struct.pack("<24sQQQ", name, offset, size, check)


def header(
    kind: bytes, version: int, sections: int, file_size: int, table: bytes, unused: int = 0
) -> bytes:
    checked = struct.pack(
        "<8s16sIIQQ", b"DEMOTIC\0", kind, version, sections, file_size, checksum64(table)
    )
    return checked + struct.pack("<QQ", checksum64(checked), unused)


def container(kind: bytes, version: int, sections: dict[bytes, bytes]) -> bytes:
    """The file that the writer makes of these sections."""
    position = 64 + 80 * 48
    table, body = b"", b""
    for name, content in sections.items():
        padding = -position % 64
        table += entry(name, position + padding, len(content), section_check(content))
        body += bytes(padding) + content
        position += padding + len(content)
    head = header(kind, version, len(sections), position, table) + table
    return head.ljust(64 + 80 * 48, b"\0") + body


def sections(file: bytes) -> dict[bytes, bytes]:
    """What the sections of a well-made file hold."""
    (count,) = struct.unpack_from("<I", file, 28)
    found = {}
    for number in range(count):
        name, offset, size, _ = struct.unpack_from("<24sQQQ", file, 64 + 48 * number)
        found[name.rstrip(b"\0")] = file[offset : offset + size]
    return found
