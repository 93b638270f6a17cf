"""Documents: every file below a folder read, written back, filled and read again.

    python -m benchmarks.documents --files DIR [--most 500] [--model MODEL] [--schemas DIR]

Byte for byte, or it counts as a failure.  With a model, documents are also filled in by it, and
``msgfmt -c`` looks at the catalogues where gettext is installed.  ``--schemas`` is a folder with
``xliff-core-1.2-strict.xsd``, ``xliff-core-2.0.xsd`` and ``xml.xsd``, such as Symfony's: XLIFF
files without their targets, filled in, are checked against these.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import demotic
from demotic.documents import (
    Document,
    Fill,
    Inline,
    State,
    document_format,
    fill_in,
    open_document,
)
from demotic.errors import DemoticError
from demotic.systems.model import Model

_TARGETS = re.compile(rb"\s*<target.*?</target>|\s*<target[^>]*/>", re.DOTALL)
AWKWARD = "Über \"%s\" <&> \\ 'x' 100"


def opened(path: Path, format: str, data: bytes | None = None) -> Document:
    return open_document(path, source_language="en", target_language="de", format=format, data=data)


def text_of(document: Document, number: int) -> str:
    segment = document.segments[number]
    return segment.target if document.bilingual else segment.source.text


def survives(path: Path, format: str) -> bool:
    """Untouched, the same bytes; filled, the same texts but for what was filled."""
    data = path.read_bytes()
    document = opened(path, format)
    if document.filled({}) != data:
        return False
    rng = random.Random(1)
    fills = {
        number: Fill(Inline(AWKWARD))
        for number, segment in enumerate(document.segments)
        if (not document.bilingual or segment.state is State.empty) and rng.random() < 0.5
    }
    again = opened(path, format, document.filled(fills))
    wanted = [
        AWKWARD if number in fills else text_of(document, number)
        for number in range(len(document.segments))
    ]
    found = [text_of(again, number) for number in range(len(again.segments))]
    return [text.split() for text in found] == [text.split() for text in wanted]


def gettext_accepts(data: bytes) -> bool:
    with tempfile.NamedTemporaryFile(suffix=".po") as file:
        file.write(data)
        file.flush()
        command = ["msgfmt", "-c", "-o", "/dev/null", file.name]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


class Schemas:
    """Those of XLIFF, by version."""

    def __init__(self, folder: Path) -> None:
        from lxml import etree

        class Resolver(etree.Resolver):  # type: ignore[misc]
            def resolve(self, url: str, public_id: str, context: object) -> object:
                return self.resolve_filename(str(folder / Path(url).name), context)

        parser = etree.XMLParser()
        parser.resolvers.add(Resolver())
        self._parse = etree.fromstring
        self._of = {
            version: etree.XMLSchema(etree.parse(str(folder / f"xliff-core-{name}.xsd"), parser))
            for version, name in (("1.2", "1.2-strict"), ("2.0", "2.0"))
        }

    def accept(self, data: bytes) -> bool:
        """Is this valid?"""
        tree = self._parse(data)
        schema = self._of.get(tree.get("version"))
        return schema is not None and bool(schema.validate(tree))


def check_xliff(path: Path, model: Model, schemas: Schemas, counts: Counter[str]) -> None:
    """The file without its targets, filled in: valid, if it was."""
    empty = _TARGETS.sub(b"", path.read_bytes())
    if not schemas.accept(empty):
        counts["XLIFF not valid before"] += 1
        return
    data, _ = fill_in(opened(path, "xliff", empty), model)
    counts["XLIFF filled"] += 1
    counts["of them valid"] += schemas.accept(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=Path, required=True)
    parser.add_argument("--most", type=int, default=500)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--schemas", type=Path)
    options = parser.parse_args()
    paths = sorted(path for path in options.files.rglob("*") if path.is_file())
    random.Random(1).shuffle(paths)
    model = demotic.load(options.model) if options.model else None
    schemas = Schemas(options.schemas) if options.schemas else None
    counts: Counter[str] = Counter()
    segments = 0
    seconds = 0.0
    for path in paths:
        if counts["files"] == options.most:
            break
        try:
            format = document_format(path)
            if format is None:
                continue
            counts["files"] += 1
            counts[f"  {format}"] += 1
            if not survives(path, format):
                counts["FAILED"] += 1
                print(f"not as it was: {path}")
            if model is None:
                continue
            begin = time.process_time()
            document = opened(path, format)
            data, report = fill_in(document, model)
            seconds += time.process_time() - begin
            segments += len(report.filled)
            if format == "po" and shutil.which("msgfmt"):
                counts["catalogues filled"] += 1
                counts["of them accepted by msgfmt -c"] += gettext_accepts(data)
            if format == "xliff" and schemas is not None:
                check_xliff(path, model, schemas, counts)
        except DemoticError as error:
            counts["refused"] += 1
            print(f"refused: {error}")
    for name, count in counts.items():
        print(f"{name:32} {count:8,}")
    if segments:
        print(
            f"{segments:,} segments filled in, {1000 * seconds / segments:.2f} CPU ms per segment"
        )


if __name__ == "__main__":
    main()
