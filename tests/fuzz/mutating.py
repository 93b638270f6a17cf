"""Inputs made of others by small changes, the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

NUMBERS = [
    b"0", b"-1", b"1e999", b"NaN", b"Infinity", b"-Infinity", b"9" * 20, b"4294967296",
]  # fmt: skip
PIECES = [
    *NUMBERS,
    *(b'< > & " \' { } [ ] ( ) , : ; = | / \\ - _ # % $ * ` @ ! ? ~ ^ +'.split()),
    b"\0", b"\n", b"\r\n", b"\t", b" ", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3",
    b"\xe2\x80\xae", b"\xcc\x81", b"\xf0\x9f\x91\xa9", b"\x1b[2J", b"\x1f\x8b", b"\\ud800",
    b"\\u0000", b"null", b"true", b"[]", b"{}", b'""', b"|||", b" ||| ", b"[X]", b"[X,1]",
    b"msgid", b"msgstr[", b"]]>", b"<!--", b"-->", b"<![CDATA[", b"<!DOCTYPE a [", b"&#0;",
    b"&#x110000;", b"</seg>", b"<seg>", b"{0,plural,", b"%(a)s", b"${", b"\\data\\", b"ngram 1=",
    b"#,", b"#~", b'"""', b"```", b"---\n",
]  # fmt: skip


def mutant(seeds: Sequence[bytes], rng: random.Random) -> bytes:
    """One of the seeds after one to eight changes."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 3, 5, 8))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(9):
            case 0 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                data[at:at] = rng.choice(PIECES)
            case 2:
                piece = rng.choice(PIECES)
                data[at : at + len(piece)] = piece
            case 3:
                del data[at : at + rng.choice((1, 1, 2, 5, 20, 100))]
            case 4:  # a stretch again, somewhere
                begin = rng.randrange(len(data) + 1)
                data[at:at] = data[begin : begin + rng.randrange(60)]
            case 5:
                data[at:at] = rng.choice(PIECES) * rng.choice((2, 10, 100, 1000))
            case 6:
                data[at:at] = rng.randbytes(rng.randrange(1, 5))
            case 7:  # of another seed
                other = rng.choice(seeds)
                begin = rng.randrange(len(other) + 1)
                data[at:at] = other[begin : begin + rng.randrange(200)]
            case _:  # a number by another one
                digits = [i for i, byte in enumerate(data) if 48 <= byte < 58]
                if digits:
                    place = rng.choice(digits)
                    data[place : place + 1] = rng.choice(NUMBERS)
        if len(data) > 20_000:
            del data[20_000:]
    return bytes(data)
