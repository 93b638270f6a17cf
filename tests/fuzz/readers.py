"""Every reader of files that others write, with small invented files to begin from.

A reader may take its input or raise an error of ours; anything else is a fault, and so are many
seconds and a gigabyte.
"""

from __future__ import annotations

import atexit
import gzip
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from demotic.align import pharaoh
from demotic.bundle import ABOUT, About, Bundle, parse_about
from demotic.corpus import Orthography, OrthographyConfig, read_bitext
from demotic.documents import open_document
from demotic.documents.document import Fill
from demotic.errors import DemoticError
from demotic.forest import Forest
from demotic.forest.cdec import from_cdec, to_cdec
from demotic.glossary import read_glossary
from demotic.glossary.instructions import instructions
from demotic.grammar import RuleTable
from demotic.inspection import inspect
from demotic.lm import LanguageModel
from demotic.lm.classes import WordClasses
from demotic.systems import configured
from demotic.systems.cdlm.model import Cdlm
from demotic.systems.records import read_toml
from demotic.systems.weights import read_weights
from demotic.trees.reading import read_trees
from tests.corpus.test_damaged_files import GOOD
from tests.documents import made

Read = Callable[[Path], object]


@dataclass(frozen=True)
class Reader:
    """What is read, from a file of this name."""

    file: str
    seeds: Sequence[bytes]
    read: Read

    def __call__(self, content: bytes) -> None:
        """Read this input; errors of ours are what it may raise."""
        path = folder() / self.file
        path.write_bytes(content)
        try:
            self.read(path)
        except DemoticError as error:
            str(error).encode(errors="surrogatepass")


@cache
def folder() -> Path:
    """Of this process, in memory where there is a place for that."""
    if given := os.environ.get("DEMOTIC_FUZZ"):  # by who deletes it
        return Path(given)
    memory = Path("/dev/shm")
    made_here = tempfile.mkdtemp(prefix="demotic-fuzz-", dir=memory if memory.is_dir() else None)
    atexit.register(shutil.rmtree, made_here, ignore_errors=True)
    return Path(made_here)


# -- bitext and documents -----------------------------------------------------------------------


def _bitext(path: Path) -> None:
    for pair in read_bitext(path, source="en", target="fr"):
        (pair.source + pair.target + pair.unit).encode()


def _document(path: Path) -> None:
    data = path.read_bytes()
    document = open_document(path, data=data, source_language="en", target_language="de")
    assert document.filled({}) == data, "an unchanged document changed"
    segments = list(document.segments)[:20]
    document.filled({number: Fill(each.source) for number, each in enumerate(segments)})


# -- models and what trains them ----------------------------------------------------------------

ARPA = b"""\\data\\
ngram 1=4
ngram 2=3

\\1-grams:
-1.5\t<unk>\t0
-99\t<s>\t-0.3
-1.0\t</s>
-0.5\ta\t-0.2

\\2-grams:
-0.2\t<s> a
-0.4\ta a
-0.6\ta </s>

\\end\\
"""
RULES = {
    "cdec": b"[X] ||| a [X,1] ||| [1] b ||| s=0.5 t=-1 ||| 0-1\n[X] ||| c ||| d e ||| s=1\n",
    "joshua": b"[X] ||| a [X,1] ||| b [X,1] ||| a=0.5 b=1\n[X] ||| c ||| d ||| a=0.25 b=2\n",
    "moses": b"a b ||| x y ||| 0.5 1 ||| 0-0 1-1 ||| 3 2 1\nc ||| z ||| 1 1 |||  ||| 1 1\n",
    "moses-hiero": b"a [X][X] [X] ||| [X][X] b [X] ||| 0.5 1 ||| 1-0 ||| 2 2\n",
}
TREES = b"""(S (NP (D the) (N cat)) (VP (V sees) (N -LRB-)))
( (S (N a) (V b)) )
"""
CONLLU = b"""# text = a b
1\ta\ta\tDET\t_\t_\t2\tdet\t_\t_
2\tb\tb\tNOUN\t_\t_\t0\troot\t_\t_

"""
TBX = b"""<?xml version="1.0"?><tbx><text><body><termEntry><langSet xml:lang="en"><tig>
<term>file</term></tig></langSet><langSet xml:lang="fr"><tig><term>fichier</term></tig></langSet>
</termEntry></body></text></tbx>"""
FOREST = json.dumps(
    {
        "version": 1,
        "features": ["lm", "s"],
        "dense": ["lm"],
        "rules": [["X", ["a"], ["b"], {"s": 1.0}, None], ["S", [0], [0, "c"], {}, 1]],
        "nodes": [["X", 0, 1], ["S", 0, 1]],
        "edges": [[0, [], 0, -1.0, 0.0, {"lm": 1.0}], [1, [0], 1, -0.5, 0.25, {"lm": 0.5}]],
    }
).encode()
CDEC = to_cdec(Forest.from_json(FOREST)).encode()
TOML = b"""seed = 2
[lm]
order = 4
[extract]
max_phrase = 5
[tune.mert]
iterations = 3
"""
CDLM = b"""{"version": 1, "symbols": {"a": "A", "<other>": "O", "<gap>": "G"},
"weights": {"A A": 0.5}, "training": {}}"""


def _lm(path: Path) -> None:
    model = LanguageModel.load(path)
    model.full_scores("a b a")


def _rules(path: Path) -> None:
    table = RuleTable.from_text(path, out=folder() / "rules.bin")
    for rule in range(min(len(table), 20)):
        table[rule].scores  # noqa: B018


def _trees(path: Path) -> None:
    for tree in read_trees(path):
        (" ".join(tree.words)).encode()


def _forest(forest: Forest) -> None:
    forest.viterbi().tokens  # noqa: B018
    [each.features for each in forest.kbest(3)]
    forest.to_json()


def _json_forest(path: Path) -> None:
    _forest(Forest.from_json(path.read_bytes()))


def _cdec_forest(path: Path) -> None:
    _forest(from_cdec(path.read_bytes()))


def _saved_orthography(path: Path) -> None:
    Orthography.from_json(path.read_bytes().decode(errors="replace"))


def _about(path: Path) -> None:
    about, parts = parse_about(path.read_bytes(), compare=False)
    json.dumps([about.config, about.dev, about.provenance])
    assert all(part.bytes >= 0 for part in parts.values())


def _text(path: Path) -> None:
    text = path.read_bytes().decode(errors="replace").replace("\n", " ")
    plain = _orthography()
    encoded = plain.encode(text)
    plain.decode(encoded.tokens, encoded, alignment=[(n, n) for n in range(len(encoded.tokens))])
    instructions(text)


@cache
def _orthography() -> Orthography:
    return Orthography("fr", OrthographyConfig())


def _config(path: Path) -> None:
    configured("hiero", read_toml(path))


def _archive(name: str) -> bytes:
    about = About(system="hiero", source_language="de", target_language="en", config={"a": 1})
    path = folder() / f"seed-{name}"
    with Bundle.create(path, about) as made_in:
        (made_in / "weights.json").write_text('{"a": 1.0}')
    return path.read_bytes() if path.is_file() else (path / ABOUT).read_bytes()


def _model(path: Path) -> None:
    bundle = Bundle.open(path)
    for name in bundle.parts:
        bundle.path(name).read_bytes()


@cache
def readers() -> Mapping[str, Reader]:
    """All of them, by name."""
    found = {f"bitext {name}": Reader(name, [seed], _bitext) for name, seed in GOOD.items()}
    for name, seed in made.documents().items():
        found[f"document {name}"] = Reader(name, [seed], _document)
    languages = {"source": "en", "target": "fr"}
    orthography = _orthography().to_json().encode()
    lines = [b"<b>Don't</b> &amp; %s {0,plural,one{a}other{#}} 1,000.5 a@b.c '\xe2\x80\x9cx'"]
    lines.append('<x translation="y">a</x> <zone>b c</zone><wall/> 漢字 カナ ⟦num1⟧'.encode())
    found |= {
        "glossary tsv": Reader("a.tsv", [b"source\ttarget\nfile\tfichier\nx\t\n"],
                               lambda path: read_glossary([path], **languages)),
        "glossary csv": Reader("a.csv", [b'file,fichier\n"a ""b""",c\n'],
                               lambda path: read_glossary([path], **languages)),
        "glossary tbx": Reader("a.tbx", [TBX], lambda path: read_glossary([path], **languages)),
        "links": Reader("a", [b"0-0 1-2\n\n2-1\n"], lambda path: pharaoh.read(path)),
        "gold links": Reader("a", [b"0-0 1?2\n\n2p1\n"], lambda path: pharaoh.read_gold(path)),
        "arpa": Reader("a.arpa", [ARPA], _lm),
        "rules": Reader("a.txt", list(RULES.values()), _rules),
        "trees": Reader("a.trees", [TREES, CONLLU], _trees),
        "forest json": Reader("a", [FOREST], _json_forest),
        "forest cdec": Reader("a", [CDEC], _cdec_forest),
        "classes": Reader("a.txt", [b"a\t0\nb\t1\nc\t0\n"], WordClasses.load),
        "confusions": Reader("a.json", [CDLM], Cdlm.read),
        "settings": Reader("a.toml", [TOML], _config),
        "weights": Reader("weights.json", [b'{"a": 1.0, "b": -2}'], read_weights),
        "orthography": Reader("source.json", [orthography],
                              _saved_orthography),
        "model.json": Reader(ABOUT, [_archive("folder")], _about),
        "archive": Reader("a.demotic", [_archive("a.demotic")], _model),
        "text": Reader("a", lines, _text),
        "inspect": Reader("a", [*GOOD.values(), ARPA, *RULES.values(), b"0-0 1-1\n",
                                gzip.compress(ARPA)], inspect),
    }  # fmt: skip
    return found
