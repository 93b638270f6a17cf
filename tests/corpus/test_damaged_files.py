"""Damaged files of every format give an error of ours or are read; nothing else may come out."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.corpus import read_bitext
from demotic.errors import DemoticError
from tests.corpus import test_po, test_tmx, test_xliff

GOOD = {
    "a.po": (test_po.HEADER.format(charset="UTF-8") + test_po.BODY).encode(),
    "a.mo": test_po.compiled(),
    "a.tmx": test_tmx.tmx(
        test_tmx.unit(("en", "a <ph x='1'/> é"), ("fr", "b <bpt i='1'>x</bpt>")) * 2
    ).encode(),
    "b.xlf": test_xliff.xliff1(
        """<trans-unit id="u"><source>a</source><seg-source><mrk mtype="seg" mid="1">a</mrk>
</seg-source><target><mrk mtype="seg" mid="1">b</mrk></target></trans-unit>"""
    ).encode(),
    "c.xlf": test_xliff.xliff2(
        """<unit id="1"><originalData><data id="d">x</data></originalData><segment><source>
a <pc id="1">b</pc></source><target>c<cp hex="41"/></target></segment></unit>"""
    ).encode(),
    "a.tsv": "a\tb\né\tc\n".encode(),
    "unnamed": b"a\tb\n",
}
PIECES = [
    b"<",
    b">",
    b"&",
    b"\0",
    b'"',
    b"\n",
    b"msgstr[",
    b"\xff\xfe",
    b"]]>",
    b"</seg>",
    b"<seg>",
]
CHANGES = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),  # where
        st.integers(0, 40),  # bytes removed there
        st.sampled_from(PIECES) | st.binary(max_size=2),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("name", GOOD)
def test_undamaged_files_are_read(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    path = tmp_path_factory.mktemp("good") / name
    path.write_bytes(GOOD[name])
    assert len(read_bitext(path)) > 0


@pytest.mark.parametrize("name", GOOD)
@given(changes=CHANGES, asked=st.booleans())
def test_damaged_files_raise_only_our_errors(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    changes: list[tuple[float, int, bytes]],
    asked: bool,
) -> None:
    data = GOOD[name]
    for where, removed, added in changes:
        position = int(where * len(data))
        data = data[:position] + added + data[position + removed :]
    path = tmp_path_factory.mktemp("damaged") / name
    path.write_bytes(data)
    languages = {"source": "en", "target": "fr"} if asked else {}
    with contextlib.suppress(DemoticError):
        read_bitext(path, **languages)
