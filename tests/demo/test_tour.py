"""The tour on generated messages: every stop leaves something to look at."""

from __future__ import annotations

import random
from pathlib import Path

import polib
import pytest
from typer.testing import CliRunner

import demotic
from demotic.cli import app
from demotic.demo import catalogues, messages, report, tour
from demotic.demo.messages import gather
from demotic.errors import ArgumentError, FormatError
from demotic.systems import SYSTEMS

NOUNS = {f"thing{i}": f"chose{i}" for i in range(60)}
VERBS = {f"make{i}": f"faire{i}" for i in range(20)}


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    root = tmp_path / "locale"
    monkeypatch.setattr(catalogues, "SYSTEM_FOLDERS", (root,))
    return root


def install(root: Path, language: str, messages: int) -> None:
    rng = random.Random(7)
    file = polib.POFile()
    file.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    for _ in range(messages):
        verb, (one, two) = rng.choice(list(VERBS)), rng.sample(list(NOUNS), 2)
        source = f"{verb} the {one} and %(count)d {two} <b>now</b>."
        target = f"{VERBS[verb]} {language} {NOUNS[one]} et %(count)d {NOUNS[two]} <b>ici</b>."
        file.append(polib.POEntry(msgid=source, msgstr=target))
    folder = root / language / "LC_MESSAGES"
    folder.mkdir(parents=True)
    file.save_as_mofile(str(folder / "tool.mo"))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tour") / "out"


@pytest.fixture(scope="module")
def taken(out: Path) -> tour.Tour:
    """A whole tour; look, but do not touch."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        root = out.with_name("locale")
        monkeypatch.setattr(catalogues, "SYSTEM_FOLDERS", (root,))
        install(root, "fr", 2600)
        return tour.run(out, offline=True)


def test_every_stop_has_a_result(taken: tour.Tour, out: Path) -> None:
    assert taken.files == 1
    assert taken.parts.report.test > 0
    assert taken.lexicon["thing3"][0] == "chose3"
    perplexities = [fluency.perplexity for fluency in taken.fluency]
    assert perplexities[1] < perplexities[0]
    natural, reversed_ = taken.orders[0][1], taken.orders[1][1]
    assert natural > reversed_
    scores = {r.system: r.score.value for r in taken.results if r.score.name == "BLEU"}
    assert scores["word by word"] > scores["left as it is"]
    assert scores["hiero"] > 90
    assert taken.speeds["hiero"].training_seconds > 0
    for sample in taken.samples:
        for system in ("word by word", "hiero"):
            assert sample[system].count("%(count)d") == 1
            assert sample[system].count("<b>") == 1
    assert demotic.load(out / "en-fr.demotic").about.system == "hiero"

    page = report.html(taken)
    assert "<svg" in page
    assert "chose3" in page
    assert "<b>now</b>" not in page, "messages are shown, not interpreted"
    assert "word by word" in report.summary(taken)
    assert "seen in" in report.summary(taken), "the tree names the messages behind its rules"


def test_figures_are_shown_in_the_row_and_column_they_belong_to(taken: tour.Tour) -> None:
    found = {(r.system, r.score.name): r.score for r in taken.results}
    assert len({score.value for score in found.values()}) > 6, "few could stand for another"
    shown = {row[0]: row for row in report.scores(taken)}
    assert shown.keys() == taken.speeds.keys()
    for name, (_, *scores, speed, training) in shown.items():
        for text, metric in zip(scores, ("BLEU", "chrF2", "TER"), strict=True):
            score = found[name, metric]
            assert score.interval is not None
            low, high = score.interval.low, score.interval.high
            assert text == f"{score.value:.1f} [{low:.1f}, {high:.1f}]"
        cost = taken.speeds[name]
        if name == "left as it is":
            assert (speed, training) == ("-", "-")
        else:
            assert speed == f"{cost.sentences_per_second:,.0f}"
            assert training == f"{cost.training_seconds:.1f} s"
    page = report.html(taken)
    for row in shown.values():
        assert "".join(f"<td>{cell}</td>" for cell in row) in page
    for result in taken.results:
        if result.comparison is not None:
            cells = (
                result.system, result.score.name, f"{result.comparison.difference:+.1f}",
                *(f"{test.p_value:.3f}" for test in result.comparison.tests),
            )  # fmt: skip
            assert "".join(f"<td>{cell}</td>" for cell in cells) in page


def test_the_summary_counts_what_the_tour_found(taken: tour.Tour) -> None:
    text = report.summary(taken)
    parts = taken.parts.report
    assert f"{parts.train + parts.dev + parts.test:,} messages of 1 catalogues" in text
    assert f"{parts.train:,} to learn from, {parts.test:,} unseen ones" in text
    assert f"words linked: {taken.alignments.links.count:,}, {len(taken.lexicon):,} words" in text
    best = min(taken.fluency, key=lambda fluency: fluency.perplexity)
    assert f"order {best.order}: {best.ngrams:,} n-grams, perplexity {best.perplexity:.0f}" in text
    for words, score in taken.orders[:2]:
        assert f"{score:8.2f}  {words}" in text
    for name, seconds in taken.seconds.items():
        assert [*name.split(), f"{seconds:.1f}", "s"] in [line.split() for line in text.split("\n")]
    for sample in taken.samples[:5]:
        assert f"  {sample['message']}\n  → {sample['hiero']}\n" in text


def test_a_catalogue_is_filled_in_and_the_page_begins_with_it(taken: tour.Tour, out: Path) -> None:
    filled = polib.pofile(str(taken.desk.filled))
    assert len(filled) == len(taken.desk.report.filled) > 0
    own = {pair.source: pair.target for pair in taken.parts.test}
    right = sum(own[entry.msgid].split() == entry.msgstr.split() for entry in filled)
    assert taken.desk.right == right > len(filled) / 2
    assert all(entry.msgstr == "" for entry in polib.pofile(str(taken.desk.empty)))
    page = report.html(taken)
    first = page.index(taken.desk.shown[0][1].split()[0])
    assert first < page.index("What the metrics say") < page.index("What cleaning dropped")
    assert f"{right:,} are what" in page
    assert str(out) not in page, "paths of the machine say nothing to a reader"
    assert f"{len(filled):,} messages without translation" in report.summary(taken)


def test_a_program_is_kept_out_of_training_for_the_desk(tmp_path: Path) -> None:
    of = {}
    for name in ("wagtail-1", "django_oscar-3"):
        file = polib.POFile()
        file.extend(polib.POEntry(msgid=f"{name} {i}", msgstr=f"fr {name} {i}") for i in range(5))
        of[name] = tmp_path / name / "locale" / "fr" / "LC_MESSAGES" / "django.po"
        of[name].parent.mkdir(parents=True)
        file.save(str(of[name]))
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(messages, "find_catalogues", lambda *_, **__: list(of.values()))
        gathered = gather("en", "fr", offline=True, progress=tour.SILENT)
        assert gathered.desk == of["django_oscar-3"]
        assert gathered.files == 1
        assert not any("oscar" in pair.source for pair in gathered.bitext)
        del of["wagtail-1"]
        assert gather("en", "fr", offline=True, progress=tour.SILENT).desk is None


def test_several_systems_stand_side_by_side(system: Path, tmp_path: Path) -> None:
    install(system, "fr", 2600)
    chosen = SYSTEMS
    taken = tour.run(tmp_path / "out", offline=True, systems=[*chosen, chosen[0]])
    assert tuple(taken.models) == chosen
    for name, path in taken.models.items():
        assert demotic.load(path, verify=True).about.system == name
        assert all(name in sample for sample in taken.samples)
    assert set(chosen) < {row[0] for row in report.scores(taken)}
    assert not (tmp_path / "out" / "work").exists()


def test_an_unknown_system_is_named_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="unknown system 'magic'"):
        tour.run(tmp_path / "out", systems=["hiero", "magic"])
    assert not (tmp_path / "out").exists()


def test_two_foreign_languages_meet_over_english(system: Path) -> None:
    install(system, "fr", 50)
    install(system, "de", 50)
    gathered = gather("de", "fr", offline=True, progress=tour.SILENT)
    assert gathered.files == 2
    pairs = list(gathered.bitext)
    assert pairs
    assert all(p.source.replace(" de ", " fr ") == p.target for p in pairs)


def test_too_few_messages_is_an_error(system: Path, tmp_path: Path) -> None:
    install(system, "fr", 60)
    with pytest.raises(FormatError, match=r"only .* messages from en to fr"):
        tour.run(tmp_path / "out", offline=True)


@pytest.mark.parametrize(
    "options", [["--from", "de", "--to", "de"], ["--out", "file"], ["--system", "magic"]]
)
def test_wrong_usage_ends_with_2_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    assert CliRunner().invoke(app, ["demo", "--offline", *options]).exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
