"""No kernel holds the interpreter's lock while it works: other Python threads run meanwhile."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from demotic import _core
from demotic.forest import ForestBuilder

BIND = Path(__file__).parents[1] / "core" / "bind"

# Calls that keep the lock: they look something up, hand out what is there, or work on one sentence.
SHORT = """
    amasis_feature_names itg_items CostExamples.__init__ ItgOptions.__init__ LabelCorpora.gold
    LabelCorpusBuilder.__init__ LabelModel.scores LabelTask.__init__
    block_feature_names block_pair_events boost_gain hiero_feature_names phrase_feature_names
    spelling_likeness undirected_feature_names AlignerModel.null_weights AlignerModel.weights
    AlignerOptions.__init__ ArpaReader.__init__ ArpaWriter.__init__ BigramCounts.__init__
    BigramCounts.next_file BleuOptions.__init__ BlockEventCounter.__init__
    BlockEventOptions.__init__ BlockExtraction.__init__ BlockPairs.check_table BlockPairs.find
    BlockTable.__init__ BlockTable.count BlockTable.find BlockTable.find_source_word
    BlockTable.left BlockTable.lexical BlockTable.origins BlockTable.right BlockTable.source_ids
    BlockTable.source_word BlockTable.target_ids BlockTable.target_word Container.section
    ConfusionClasses.__init__ TargetBigrams.__init__ TargetBigrams.meet TargetBigrams.name
    TargetBigrams.score ContainerWriter.__init__ ContainerWriter.begin DevSet.__init__
    FeatureSpace.find FeatureSpace.name FurtherModel.find HieroOptions.__init__
    LexicalCounts.__init__ LexicalReader.__init__ LexicalTable.source_given_target
    LexicalTable.source_id LexicalTable.target_given_source
    LexicalTable.target_id LineSearch.derivation LineSearch.intercept LineSearch.slope
    LineSearch.start Links.__init__ Links.append LmBuilder.__init__ LmModel.__init__
    LmModel.begin_sentence LmModel.empty_context LmModel.find LmModel.make_fragment
    LmModel.score LmModel.word LmModel.word_after LmModel.word_in LmModel.word_scores
    LmText.__init__ LmText.next_file LocalLearner.scale_eta PhraseDecoder.future_cost
    RiskSet.__init__ RuleScorer.begin RuleScorer.end RuleTable.counts RuleTable.find
    RuleTable.find_source_word
    RuleTable.lhs RuleTable.links RuleTable.origins RuleTable.scores RuleTable.source_symbols
    RuleTable.source_word RuleTable.target_symbols RuleTable.target_word RuleTextReader.__init__
    RuleTable.find_sparse RuleTable.sparse RuleTable.sparse_name
    Memory.alike Memory.count Memory.file Memory.find Memory.links Memory.source Memory.target
    Memory.tokens Memory.translations Memory.unit Memory.words MemoryBuilder.__init__
    SentenceBleu.__init__ SentenceBleu.score SentenceBleu.statistics TokenLines.__init__
    Vocab.__init__ Vocab.add Vocab.find Vocab.word
    TaggerLearner.__init__ TaggerLearner.add HeadGrammarCounter.__init__ HeadGrammarCounter.add
    TreeCells.__init__ PermutationModel.__init__
    AlignedText.find_source_word LazyRules.__init__ RuleSums.__init__
    SourceAtoms.__init__ SourceAtoms.what TreeEnsembles.lambdas TreeEnsembles.tree Vocab.__init__
    Vocab.add Vocab.find Vocab.word WordChoices.candidates WordChoices.find_source
    WordChoices.tag_of WordChoices.target_word
"""
LOOKS = {"__len__", "__eq__", "__hash__", "__getitem__", "__contains__"}


def definitions() -> Iterator[tuple[str, str]]:
    """Each function and method that is bound, and the text that binds it."""
    for path in sorted(BIND.glob("*.cc")):
        code = binding(path)
        bodies = functions(code)
        for match in re.finditer(r"\bdef(_static)?\(", code):
            text = enclosed(code, match.end())
            literal = re.match(r'\s*"(\w+)"', text)
            name = literal[1] if literal else "__init__"
            for other in re.findall(r"\b[a-z]\w+\b", text):
                text += bodies.get(other, "")
            owner = re.findall(r'nb::class_<[^"]*"(\w+)"', code[: match.start()])
            is_free = code[: match.start()].endswith("m.")
            yield name if is_free else f"{owner[-1] if owner else path.stem}.{name}", text


def binding(path: Path) -> str:
    """The code of a binding file, without comments, and without brackets in strings."""
    code = re.sub(r"//.*", "", path.read_text())
    return re.sub(r'"(\\.|[^"\\])*"', lambda m: re.sub(r"[^\w\"]", "_", m[0]), code)


def functions(code: str) -> dict[str, str]:
    """The bodies of the functions of a binding file, by name."""
    found = {}
    for match in re.finditer(r"^\w[\w:<>&*, ]*?\b(\w+)\([^;{}]*\) {$", code, re.MULTILINE):
        end = code.index("\n}", match.end())
        if not re.search(r"\bdef(_static)?\(", code[match.end() : end]):
            found[match[1]] = code[match.end() : end]
    return found


def enclosed(code: str, begin: int) -> str:
    """The text from a place up to the bracket that closes what was open there."""
    depth = 1
    for end in range(begin, len(code)):
        depth += {"(": 1, ")": -1}.get(code[end], 0)
        if depth == 0:
            return code[begin:end]
    raise AssertionError("brackets do not match")


RELEASES = re.compile(r"Unlocked\(\)|gil_scoped_release|unlocked\(\s*\[")


def test_every_call_that_can_be_long_releases_the_lock() -> None:
    locked = {name for name, text in definitions() if not RELEASES.search(text)}
    unexpected = {name for name in locked if name.split(".")[-1] not in LOOKS} - {*SHORT.split()}
    assert not unexpected, "release the lock (bind.h: Unlocked, unlocked), or list them as short"


def test_arrays_are_copied_without_the_lock() -> None:
    for path in sorted(BIND.glob("*.cc")):
        code = binding(path)
        for match in re.finditer(r"\bdef_prop_ro\(", code):
            text = enclosed(code, match.end())
            assert "numpy(" not in text or RELEASES.search(text), f"{path.name}: {text[:60]}"


@pytest.fixture
def patient() -> Iterator[None]:
    """Nobody is made to give the lock up: another thread runs only where a call releases it."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    yield
    sys.setswitchinterval(interval)


def lets_others_run(call: Callable[[], object]) -> bool:
    """Is another thread, which waits for the lock, served while the call is repeated?"""
    gate, ran = threading.Lock(), []
    gate.acquire()

    def other() -> None:
        with gate:
            ran.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    gate.release()  # from here on it wants the lock
    for _ in range(20_000):
        call()
        if ran:
            break
    served = bool(ran)
    thread.join()
    return served


def wide_forest(edges: int = 50_000) -> _core.Forest:
    builder = ForestBuilder()
    node = builder.add_node("X", 0, 1)
    rule = builder.add_rule("X", ["a"], ["b"])
    for k in range(edges):
        builder.add_edge(node, [], rule, score=-float(k % 97))
    return builder.finalize(node).core


FOREST = wide_forest()
KERNELS: dict[str, Callable[[], object]] = {
    "keep": lambda: FOREST.keep(np.ones(FOREST.edges, bool)),
    "deficits": FOREST.deficits,
    "best": lambda: FOREST.best(np.asarray(FOREST.score)),
    "ngram_gain": lambda: FOREST.ngram_gain([[1]], [1.0, 1.0]),
    "expected_features": FOREST.expected_features,
    "posteriors": FOREST.posteriors,
    "entropy": FOREST.entropy,
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_another_thread_runs_during_a_kernel(patient: None, kernel: str) -> None:
    assert lets_others_run(KERNELS[kernel])


def test_a_call_that_keeps_the_lock_is_noticed(patient: None) -> None:
    assert not lets_others_run(lambda: sum(range(1000)))
