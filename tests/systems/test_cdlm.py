"""The language model of confusions: what it learns from, its rounds, and models that use it."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import demotic
from demotic.decode.confusion import START, Confuser
from demotic.errors import ArgumentError, CorruptFileError, EncodingError, FileAccessError
from demotic.experiments.cdlm.bench import Arm
from demotic.grammar import ConfusionGrammar, ConfusionOptions, RuleTable, Symbols
from demotic.systems import configured
from demotic.systems.cdlm import Cdlm, CdlmConfig, CdlmLearning, Example, Rounds
from demotic.systems.cdlm import rounds as rounds_module
from demotic.systems.cdlm.examples import Judged, held_out, judge, of_groups, of_lines, streams_of
from demotic.systems.cdlm.stage import confusions, learn
from demotic.systems.model import Model
from tests.decode.grammars import language_model, rule_table
from tests.decode.test_confuser import RULES, tables
from tests.grammar.test_confusion import Heard
from tests.systems import toys

LINE = "The adj1 noun2 verb3 %d noun4."


def examples(count: int = 40) -> list[Example]:
    """Pieces ``the a`` and ``b`` with ``of`` between them, and nothing else."""
    pieces = ["the a", "b"]
    lines = [" of ".join(pieces[(i >> k) & 1] for k in range(2 + i % 3)) for i in range(3 * count)]
    return [Example(line, (line,), i) for i, line in enumerate(dict.fromkeys(lines))][:count]


def options(**given: Any) -> CdlmLearning:
    return CdlmLearning(**{"rounds": 2, "held_out": 4, **given})


def confuser() -> Confuser:
    rules, unchanged = tables()
    return Confuser(rules, language_model(3), unchanged=unchanged)


# -- sentences ----------------------------------------------------------------------------------


def test_lines_are_different_sentences_spread_over_a_text() -> None:
    heard = Heard()
    lines = ["a  b", "", "a b", *(f"w{i}" for i in range(9)), "x " * 50]
    found = of_lines(lines, most=5, max_words=40, progress=heard)
    assert [e.sentence for e in found] == ["a b", "w1", "w3", "w5", "w7"]
    assert all(e.references == (e.sentence,) for e in found)
    assert heard.said == ["left out: 1 empty lines, 1 of more than 40 words"]


def test_paraphrases_are_sentences_with_each_other_as_references() -> None:
    found = of_groups([["a", "c"], ["b", "c"], ["a", ""]])
    assert [(e.sentence, e.references, e.group) for e in found] == [
        ("a", ("a", "b"), 0),
        ("b", ("b", "a"), 0),
        ("c", ("c",), 1),
    ]
    assert streams_of(found) == [["a", "b", "c"], ["b", "a", "c"]]
    with pytest.raises(ArgumentError, match="different length: 1, 2 lines"):
        of_groups([["a"], ["b", "c"]])


def test_sentences_without_references_are_refused() -> None:
    for references in ((), ("a", " ")):
        with pytest.raises(ArgumentError, match="without references"):
            Example("a", references, 0)


def test_whole_groups_are_held_out() -> None:
    given = of_groups([[f"a{i}" for i in range(30)], [f"b{i}" for i in range(30)]])
    learned, judges = held_out(given, 10)
    assert {e.group for e in judges} == {9, 19, 29}
    assert not {e.group for e in judges} & {e.group for e in learned}
    assert len(judges) == 6
    with pytest.raises(ArgumentError, match="too few"):
        held_out(given[:6], 10)


def test_sentences_are_judged_with_all_their_references() -> None:
    given = of_groups([["a b c d e"], ["v w x y z"]])
    assert judge(["v w x y z", "a b c d e"], given).bleu == pytest.approx(100)
    assert judge(["a b c d e f", "a b c d e f"], given).ratio == pytest.approx(1.2)


# -- rounds -------------------------------------------------------------------------------------


def test_learning_makes_confusions_better_than_the_language_model_alone() -> None:
    found = Rounds(confuser(), examples(), options=options(rounds=3)).run()
    assert found.start.bleu < found.rounds[0].bleu
    accepted = [r for r in found.rounds if r.accepted]
    assert accepted[-1].bleu == max(r.bleu for r in accepted)
    for good in ("bigram|X_of", "bigram|of_X", "bigram|the_a"):
        assert found.weights[good] > 0
    for bad in ("bigram|O_O", "bigram|X_X", "bigram|the_X"):
        assert found.weights[bad] < 0
    assert "PassThrough" not in found.weights


def test_bigrams_are_left_alone_where_nobody_asks_for_them() -> None:
    found = Rounds(confuser(), examples(), options=options(rounds=1), bigrams=False).run()
    assert set(found.weights) == {"LanguageModel", "WordPenalty"}


def test_further_scores_can_be_learned() -> None:
    given = Rounds(confuser(), examples(), options=options(rounds=1),
                   further=["ConfusionProbability"])  # fmt: skip
    assert "ConfusionProbability" in given.run().weights
    with pytest.raises(ArgumentError, match="no score 'Nonsense'"):
        Rounds(confuser(), examples(), options=options(), further=["Nonsense"]).run()


def test_numbers_of_rules_are_learned_and_left_out_of_the_column() -> None:
    given = Rounds(confuser(), examples(), options=options(rounds=1, count_rules=True))
    found = given.run()
    assert {"RulePenalty", "Glue"} <= found.weights.keys()
    kept = Cdlm(Symbols({"<other>": "O", "<gap>": "X"}), found.weights).bigrams
    assert kept
    assert not {"RulePenalty", "Glue"} & kept.keys()


@pytest.mark.parametrize(
    "how",
    [
        {"objective": "likelihood"},
        {"accumulate": False},
        {"optimiser": "adam", "batch": 7},
        {"optimiser": "adagrad", "batch": 7, "rate": 0.3},
        {"optimiser": "adam", "objective": "likelihood", "batch": 10},
    ],
)
def test_other_ways_to_learn_gain_as_well(how: dict[str, Any]) -> None:
    found = Rounds(confuser(), examples(), options=options(rounds=2, **how)).run()
    assert found.rounds[0].accepted
    assert found.rounds[0].bleu > found.start.bleu


def test_likelihood_learns_from_every_sentence() -> None:
    given = Rounds(confuser(), examples(), options=options(objective="likelihood"))
    given._confuse(START)
    for example, forest in zip(given.learned, given._forests, strict=True):
        assert forest.restrict(example.sentence.split()) is not None


def test_a_round_that_goes_too_far_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """No length will do: the weights stay what they were, and the prior is tried ever narrower."""
    monkeypatch.setattr(rounds_module, "_strays", lambda *_: True)
    heard = Heard()
    found = Rounds(confuser(), examples(), options=options(), progress=heard).run()
    assert found.weights == START
    assert [r.accepted for r in found.rounds] == [False] * 4
    assert [r.variance for r in found.rounds] == [1.0, 0.5, 0.25, 0.125]
    assert sum("rejected" in line for line in heard.said) == 4


def test_merged_rounds_stay_within_bounds() -> None:
    given = Rounds(confuser(), examples(), options=options())
    given._confuse(START)
    first = [forest.edges for forest in given._forests]
    for penalty in (1.0, -1.0, 2.0):
        given._confuse({"LanguageModel": 1.0, "WordPenalty": penalty})
    assert sum(f.edges for f in given._forests) > sum(first)
    given._confuse(START)
    assert [f.edges for f in given._forests] == [f.merge(f).edges for f in given._forests], (
        "the same confusions again add nothing"
    )


def test_going_on_gives_the_same_weights(tmp_path: Path) -> None:
    place = tmp_path / "rounds.json"
    whole = Rounds(confuser(), examples(), options=options(rounds=3)).run()
    Rounds(confuser(), examples(), options=options(rounds=1), checkpoint=place).run()
    assert len(json.loads(place.read_bytes())["confused"]) == 1
    rest = Rounds(
        confuser(), examples(), options=options(rounds=3), checkpoint=place, resume=True
    ).run()
    assert rest.weights == whole.weights
    assert rest.rounds == whole.rounds
    other = Rounds(
        confuser(), examples(20), options=options(rounds=1), checkpoint=place, resume=True
    )
    assert other._known() is None


def test_rounds_with_other_confusions_are_not_gone_on_with(tmp_path: Path) -> None:
    """The same sentences and options, but fewer sides to confuse: a training of its own."""
    rules = rule_table(RULES)
    symbols = Symbols({"<other>": "O", "<gap>": "X", **{w: w for w in ("a", "the", "of", "b")}})

    def learned(most: int, folder: Path, origin: str = "") -> Cdlm:
        config = CdlmConfig(
            confusion=ConfusionOptions(group="source", max_options=most), learn=options(rounds=1)
        )
        folder.mkdir(exist_ok=True)
        grammar = ConfusionGrammar.from_table(rules, config.confusion)
        return learn(
            grammar, language_model(3), examples(16), symbols, config,
            folder=folder, origin=origin, resume=True,
        )  # fmt: skip

    few = learned(2, tmp_path / "one")
    known = (tmp_path / "one" / "rounds.json").read_bytes()
    assert learned(2, tmp_path / "one") == few
    many = learned(9, tmp_path / "one")
    assert many == learned(9, tmp_path / "another") != few
    (tmp_path / "one" / "rounds.json").write_bytes(known)
    learned(2, tmp_path / "one", "another language model")
    assert (tmp_path / "one" / "rounds.json").read_bytes() != known


@pytest.mark.parametrize("optimiser", ["lbfgs", "adam"])
def test_threads_do_not_show(optimiser: str) -> None:
    given = options(optimiser=optimiser, batch=9)
    one, two = (Rounds(confuser(), examples(), options=given, threads=n).run() for n in (1, 2))
    assert one == two


def test_passes_keep_no_confusions_and_go_on_where_they_stopped(tmp_path: Path) -> None:
    place = tmp_path / "rounds.json"
    ways: dict[str, Any] = {"optimiser": "adam", "batch": 8}
    given = Rounds(confuser(), examples(), options=options(rounds=3, **ways))
    whole = given.run()
    assert not given._forests
    steps = -(-len(given.learned) // 8)
    assert [r.evaluations for r in whole.rounds] == [steps] * len(whole.rounds)
    Rounds(confuser(), examples(), options=options(rounds=1, **ways), checkpoint=place).run()
    rest = Rounds(
        confuser(), examples(), options=options(rounds=3, **ways), checkpoint=place, resume=True
    ).run()
    assert (rest.weights, rest.rounds) == (whole.weights, whole.rounds)


def test_a_pass_that_goes_too_far_goes_more_slowly_then(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[float] = []

    def judged(rounds: Rounds, weights: dict[str, float]) -> Judged:
        tried.append(abs(weights["WordPenalty"]))
        return Judged(50.0 - len(tried), 1.0)

    monkeypatch.setattr(Rounds, "judged", judged)
    given = options(optimiser="adagrad", batch=100, rate=0.5)
    found = Rounds(confuser(), examples(), options=given).run()
    assert not any(r.accepted for r in found.rounds)
    assert found.weights == START
    assert tried[1] > tried[2] > tried[3] > tried[4] > tried[0] == 0


@pytest.mark.parametrize(
    "given",
    [
        {"rounds": 0},
        {"variance": 0.0},
        {"objective": "fun"},
        {"held_out": 1},
        {"batch": 0},
        {"rate": 0.0},
        {"optimiser": "rprop"},
        {"optimiser": "adam", "anneal": True},
    ],
)
def test_options_that_cannot_work_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        CdlmLearning(**given)


@pytest.mark.parametrize(
    ("now", "before", "strays"),
    [(1.0, 1.0, False), (1.4, 1.0, True), (0.6, 0.8, True), (0.6, 0.5, False), (0.6, 0.6, True)],
)
def test_lengths_that_leave_their_bounds(now: float, before: float, strays: bool) -> None:
    assert rounds_module._strays(now, before) == strays


# -- what was learned ---------------------------------------------------------------------------


def test_what_was_learned_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "cdlm.json"
    symbols = Symbols({"<other>": "O", "<gap>": "X", "a": "DT"})
    given = Cdlm(symbols, {"LanguageModel": 1.0, "bigram|DT_X": 0.5}, {"rules": 3})
    given.write(path)
    assert Cdlm.read(path) == given
    assert given.bigrams == {"bigram|DT_X": 0.5}
    for text in ("", "{}", "[]", '{"version": 2}', path.read_text().replace("<gap>", "gap")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CorruptFileError, match=r"cdlm\.json"):
            Cdlm.read(path)


def mono(folder: Path) -> Path:
    path = folder / "mono"
    path.write_text("\n".join(toys.text(160, 5).target_lines()) + "\n", encoding="utf-8")
    return path


def settings(text: Path) -> dict[str, Any]:
    return {
        **toys.QUICK,
        "lm": {"order": 3},
        "cdlm": {
            "text": str(text),
            "sentences": 120,
            "sources": 30,
            "learn": {"rounds": 1, "held_out": 4},
        },
    }


@pytest.fixture(scope="module", params=["hiero", "phrase", "umt", "hiero by node"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("cdlm")
    system, _, group = request.param.partition(" by ")
    given = settings(mono(folder))
    given["cdlm"]["confusion"] = {"group": group or "source"}
    return demotic.train(
        toys.memory(150), system=system, dev=toys.text(30), config=given, out=folder / "model"
    )


def test_what_is_confused_is_decided_for_translators_alone() -> None:
    """The paper's experiment keeps the paper's words: a node."""
    assert CdlmConfig().confusion == ConfusionOptions(group="source")
    assert ConfusionOptions(group="source").most == 10
    assert Arm().confusion == ConfusionOptions(group="node")


def test_a_model_keeps_it_and_weighs_its_column(model: Model) -> None:
    again = demotic.load(model.bundle.folder, verify=True)
    assert "cdlm.json" in again.bundle.parts
    assert "ConfusionModel" in again.weights
    cdlm = Cdlm.read(again.part("cdlm.json"))
    assert cdlm.bigrams
    assert cdlm.training["rounds"]
    rules = RuleTable.load(again.part("rules.bin"))
    assert "ConfusionModel" in rules.feature_names
    assert any(rule.scores["ConfusionModel"] for rule in rules)


def test_the_column_is_the_sum_of_what_was_learned(model: Model) -> None:
    cdlm = Cdlm.read(model.part("cdlm.json"))
    rules = RuleTable.load(model.part("rules.bin"))
    of = cdlm.symbols.of

    def symbol(token: str) -> str:
        return of["<gap>"] if token.startswith("[X,") else of.get(token, of["<other>"])

    for rule in list(rules)[:200]:
        symbols = [symbol(token) for token in rule.target]
        names = [f"bigram|{a}_{b}" for a, b in pairwise(symbols)]
        by_hand = sum(cdlm.bigrams.get(name, 0.0) for name in names)
        assert rule.scores["ConfusionModel"] == pytest.approx(by_hand, abs=1e-5)


def test_explanations_show_its_share(model: Model) -> None:
    found = model.explain(LINE)
    scores = sum(step.scores.get("ConfusionModel", 0.0) for step in found.steps)
    assert found.features["ConfusionModel"] == pytest.approx(scores, abs=1e-4)
    assert found.weights["ConfusionModel"] == model.weights["ConfusionModel"]


def test_round_trips_say_what_is_confused(tmp_path: Path) -> None:
    """Nearly no source but those that a model of the opposite direction makes."""
    text, memory, dev = mono(tmp_path), toys.memory(150), toys.text(12)
    demotic.train(
        toys.turned(memory),
        config={**toys.UNTUNED, "memory": {"use": False}},
        out=tmp_path / "back",
    )
    given = settings(text)
    given["cdlm"] |= {"sources": 1, "sentences": 40, "confusion": {"group": "node"}}
    alone = demotic.train(memory, dev=dev, config=given, out=tmp_path / "alone")
    given["cdlm"] |= {"reverse": str(tmp_path / "back")}
    both = demotic.train(memory, dev=dev, config=given, out=tmp_path / "both")
    classes = [Cdlm.read(model.part("cdlm.json")).training["classes"] for model in (alone, both)]
    assert classes[1] > 5 * classes[0]
    by_source = CdlmConfig()
    trips = replace(by_source, reverse=tmp_path / "back")
    few, all_of_them = (
        confusions(config, both.rules, [], ["the noun1 ."], folder=tmp_path).sides
        for config in (trips, by_source)
    )
    assert few < all_of_them / 5, "only rules for the sources of round trips"
    given["cdlm"] |= {"reverse": str(tmp_path / "both")}
    with pytest.raises(ArgumentError, match="a model from en to fr"):
        demotic.train(memory, dev=dev, config=given, out=tmp_path / "wrong")
    with pytest.raises(FileAccessError, match="nowhere"):
        configured("hiero", {"cdlm": {"reverse": str(tmp_path / "nowhere")}}).check_files()


def test_a_text_that_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    text = mono(tmp_path)
    lines = text.read_bytes().split(b"\n")
    lines[3] = b"caf\xe9"
    text.write_bytes(b"\n".join(lines))
    with pytest.raises(EncodingError, match=r"mono:4: invalid UTF-8"):
        demotic.train(
            toys.memory(80), dev=toys.text(10), config=settings(text), out=tmp_path / "model"
        )
    assert not (tmp_path / "model").exists()


def test_systems_without_it_and_files_that_are_missing_are_named(tmp_path: Path) -> None:
    for system in ("blocks", "amasis"):
        with pytest.raises(ArgumentError, match="cdlm"):
            configured(system, {"cdlm": {"text": "mono"}})
    config = configured("hiero", {"cdlm": {"text": str(tmp_path / "none")}})
    with pytest.raises(FileAccessError, match="none"):
        config.check_files()
    assert CdlmConfig().files() == ()


def test_a_text_with_next_to_nothing_in_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mono"
    for lines, different in (("", 0), ("a b\n a  b\n\nc\n", 2)):
        path.write_text(lines)
        config = configured("hiero", {"cdlm": {"text": str(path)}})
        with pytest.raises(ArgumentError, match=f"mono: {different} different sentences"):
            config.check_files()
    path.write_text("\n".join(map(str, range(10))))
    config.check_files()


def test_a_text_of_another_language_or_of_few_sentences_is_told(tmp_path: Path) -> None:
    memory, dev = toys.memory(80), toys.text(12)
    path = tmp_path / "mono"
    path.write_text("\n".join(dict.fromkeys(memory.source_lines())))
    heard = Heard()
    demotic.train(memory, dev=dev, config=settings(path), out=tmp_path / "model", progress=heard)
    told = "\n".join(heard.said)
    assert "are few to learn a model from" in told
    assert "is it in the target language, fr?" in told
