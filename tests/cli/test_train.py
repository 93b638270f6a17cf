"""``demotic train`` and ``tune``: from files to a model, settings from anywhere, clear refusals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import demotic
from demotic.systems import SYSTEMS
from tests.systems import toys

COMMAND = [sys.executable, "-c", "from demotic.cli import main; main()"]
QUICK = ["--set", "tune.mert.iterations=1", "--set", "tune.mert.restarts=0"]


def run(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=folder
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("train", toys.memory(150)), ("dev", toys.text(30))):
        text.write(tmp_path / f"{name}.en", tmp_path / f"{name}.fr")
    toys.memory(150).write(tmp_path / "memory.tsv")
    return tmp_path


def test_two_files_make_a_translator(folder: Path) -> None:
    done = run(
        "train", "--source", "train.en", "--target", "train.fr", "--dev-source", "dev.en",
        "--dev-target", "dev.fr", "--out", "model.demotic", *QUICK, folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "BLEU" in done.stderr
    about = demotic.load(folder / "model.demotic").about
    assert (about.source_language, about.target_language) == ("en", "fr")
    assert not (folder / "model.demotic.work").exists()


def test_several_references_are_given_one_by_one(folder: Path) -> None:
    (folder / "other.fr").write_text("\n" * 30)
    (folder / "short.fr").write_text("un\n")
    texts = ["--dev-source", "dev.en", "--dev-target", "dev.fr", "--dev-target"]
    train = ["train", "--source", "train.en", "--target", "train.fr", "--out", "m", *QUICK]
    done = run(*train, *texts, "short.fr", folder=folder)
    assert done.returncode == 1
    assert "short.fr: 1 lines for 30 sentences" in done.stderr
    done = run(*train, *texts, "other.fr", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "nrefs:2" in demotic.load(folder / "m").about.dev["signature"]
    done = run("tune", "m", "--out", "t", *texts, "other.fr", "--iterations", "1", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "nrefs:2" in demotic.load(folder / "t").about.dev["signature"]
    (folder / "s.toml").write_text(
        "out = 'm'\n[corpus]\nsource = ['train.en']\ntarget = 'train.fr'\n"
    )
    done = run("train", "s.toml", folder=folder)
    assert done.returncode == 2
    assert "corpus.source is one file" in done.stderr


def test_a_phrase_model_is_trained_translates_and_explains(folder: Path) -> None:
    done = run(
        "train", "--system", "phrase", "--source", "train.en", "--target", "train.fr",
        "--dev-source", "dev.en", "--dev-target", "dev.fr", "--out", "model", *QUICK,
        "--set", "search.distortion_limit=4", folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = run("translate", "model", "dev.en", "--output", "out", folder=folder)
    assert done.returncode == 0, done.stderr
    assert len((folder / "out").read_text().splitlines()) == 30
    done = run("explain", "model", "The adj1 noun2 verb3 a noun4.", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "SwapPrevious" in done.stdout
    assert "Distortion" in done.stdout


def test_further_texts_become_language_models_that_inspect_shows(folder: Path) -> None:
    (folder / "mono").write_text("\n".join(toys.text(100, 3).target_lines()), encoding="utf-8")
    texts = ["--lm-text", "mono", "--lm-text", "train.fr", "--set", "lm.classes=5"]
    done = run(
        "train", "--source", "train.en", "--target", "train.fr", "--dev-source", "dev.en",
        "--dev-target", "dev.fr", "--out", "model", *texts, *QUICK, folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [shown] = json.loads(run("inspect", "model", "--format", "json", folder=folder).stdout)
    facts = shown["facts"]
    assert {"ClassModel", "LanguageModel2", "LanguageModel3"} <= facts["weights"].keys()
    assert facts["class-lm.bin"]["order"] == 7
    missing = run(
        "train", "--source", "train.en", "--target", "train.fr", "--lm-text", "nowhere",
        "--out", "other", folder=folder,
    )  # fmt: skip
    assert missing.returncode == 1
    assert "nowhere: no such file" in missing.stderr


def test_a_text_to_learn_from_confusions_becomes_a_column(folder: Path) -> None:
    (folder / "mono").write_text("\n".join(toys.text(100, 3).target_lines()), encoding="utf-8")
    settings = ["cdlm.sources=20", "cdlm.sentences=60", "cdlm.learn.rounds=1", "lm.order=3"]
    done = run(
        "train", "--source", "train.en", "--target", "train.fr", "--dev-source", "dev.en",
        "--dev-target", "dev.fr", "--out", "model", "--cdlm", "mono", *QUICK,
        *(part for each in settings for part in ("--set", each)), folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "round 1: BLEU" in done.stderr
    shown = run("explain", "model", "The adj1 noun2 verb3 %d noun4.", folder=folder)
    assert "  ConfusionModel " in shown.stdout
    missing = run(
        "train", "--source", "train.en", "--target", "train.fr", "--cdlm", "nowhere",
        "--out", "other", folder=folder,
    )  # fmt: skip
    assert missing.returncode == 1
    assert "nowhere: no such file" in missing.stderr


def test_memory_and_temporary_folder_do_not_show_in_the_model(folder: Path) -> None:
    texts = ["--bitext", "memory.tsv", "--from", "en", "--to", "fr", *QUICK]
    (folder / "temp").mkdir()
    small = ["--engine", "local", "--memory", "256M", "--temp", "temp", "--threads", "1"]
    for name, options in (("one", []), ("other", small)):
        done = run("train", *texts, "--out", name, *options, folder=folder)
        assert done.returncode == 0, done.stderr
    assert not list((folder / "temp").iterdir())
    for part in ("rules.bin", "lm.bin", "weights.json", "model.json"):
        assert (folder / "one" / part).read_bytes() == (folder / "other" / part).read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "cloud"], "unknown engine 'cloud' (choose local, or a master of Spark's"),
        (["--memory", "1M"], "1 MiB of memory are too few"),
        (["--memory", "much"], "'much' is no size"),
        (["--temp", "nowhere"], "nowhere: no such folder"),
        (["--system", "x"], f"unknown system 'x' (choose from {', '.join(SYSTEMS)})"),
        (["--set", "lm.order"], "NAME=VALUE"),
        (["--set", "lm.ordre=3"], "unknown setting 'lm.ordre'"),
        (["--set", "lm.prune=[-1]"], "lm: pruning thresholds"),
        (["--set", "decode.pops=3"], "unknown setting 'decode' (it is called 'search' now)"),
        (["--set", "align.method=magic"], "align.method is 'magic'"),
        (["--set", "align.symmetrise=magic"], "align: unknown symmetrisation 'magic'"),
        (["--alignment", "links"], "tokenised"),
        (["--out", "none/model"], "none/model: no such folder: none"),
        (["--out", "/proc/model"], "/proc/model: No such file or directory"),
        (["--out", "memory.tsv"], "memory.tsv is a file"),
        (["--out", "."], ". is a folder with other files in it"),
        (["--work", "memory.tsv"], "memory.tsv: not a folder"),
        (["--work", "."], ".: a folder with other files in it"),
        (["--system", "hiero", "--set", "search.span_limit=0"], "span_limit must be at least 1"),
        (["--system", "phrase", "--set", "search.pops=0"], "pops must be at least 1"),
        (["--system", "phrase", "--set", "search.stack=-1"], "stack must be at least 1"),
        (["--system", "phrase", "--set", "search.threshold=2"], "threshold must be from 0 to 1"),
        (["--system", "phrase", "--set", "search.threshold=nan"], "threshold must be from 0 to 1"),
        (["--system", "phrase", "--set", "search.distortion_limit=-2"], "must be 0 or more"),
        (["--system", "blocks", "--set", "search.beam=-1"], "search: beam is -1"),
        (["--system", "blocks", "--set", "search.delta=nan"], "delta must be a number"),
        (["--system", "blocks", "--set", "search.delta=-1"], "delta must be a number"),
        (["--system", "blocks", "--set", "extract.max_words=0"], "max_words is 0"),
        (["--system", "blocks", "--set", "extract.max_words=70000"], "max_words is 70000"),
        (["--system", "blocks", "--set", "learn.pass_through=nan"], "must be a number"),
        (["--system", "blocks", "--set", "learn.joint.stall=nan"], "stall must be a number"),
        (
            ["--system", "blocks", "--set", "learn.joint={hogwild=true,minibatch=9}"],
            "learn.joint: hogwild goes with plain steps",
        ),
        (["--system", "hiero", "--set", "search.goal=X"], "must have different names"),
        (["--system", "umt", "--set", "learn.memory=-1"], "memory is -1"),
        (["--system", "umt", "--set", "choice.min_gain=nan"], "min_gain must be a number"),
        (["--system", "umt", "--set", "choice.sparse_rates=[-1]"], "must be numbers above 0"),
        (["--system", "blocks", "--set", "preset=row9"], "there is no preset 'row9'"),
        (["--system", "umt", "--set", "search.beam=0"], "beam must be at least 1"),
        (["--system", "blocks", "--cdlm", "mono"], "--system hiero or umt or phrase"),
        (["--treebank", "train.en"], "--system transducer"),
        (["--system", "umt", "--classifiers", "boosted"], "--system hiero or phrase or amasis"),
        (["--cdlm", "mono", "--set", "cdlm.confusion.group=word"], "group"),
        (["--cdlm", "mono", "--set", "cdlm.learn.variance=0"], "a variance of 0"),
        (["--effort", "some"], "there is no effort 'some' (choose from quick, normal, thorough)"),
        (["--system", "umt", "--set", "preset=papr"], "there is no preset 'papr' (choose one of"),
    ],
)
def test_wrong_usage_ends_with_2_before_a_line_of_text_is_read(
    folder: Path, options: list[str], message: str
) -> None:
    before = sorted(folder.iterdir())
    texts = ["--bitext", "none.tsv", "--from", "en", "--to", "fr"]  # there is no such file
    done = run("train", *texts, "--out", "model", *options, folder=folder)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert message in " ".join(done.stderr.split())
    assert sorted(folder.iterdir()) == before


def test_settings_come_from_a_file_and_options_go_first(folder: Path) -> None:
    (folder / "settings.toml").write_text(
        'out = "other"\nseed = 5\n[corpus]\nbitext = "memory.tsv"\nfrom = "en"\nto = "fr"\n'
        '[lm]\norder = 2\n[search]\npops = 7\n[tune]\ncandidates = "kbest"\n'
    )
    done = run(
        "train", "settings.toml", "--out", "model", "--set", "lm.order=3", "--work", "work",
        "--seed", "6", *QUICK, folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    config = demotic.load(folder / "model").about.config
    assert (config["lm"]["order"], config["search"]["pops"], config["seed"]) == (3, 7, 6)
    assert config["tune"]["candidates"] == "kbest"
    assert (folder / "work" / "train.align").is_file(), "a named work folder stays"
    assert not (folder / "other").exists()


def test_tune_writes_another_model_and_tells_both_scores(folder: Path) -> None:
    plain = demotic.train(toys.memory(150), dev=toys.text(30, 8), config=toys.UNTUNED)
    plain.save(folder / "plain")
    done = run(
        "tune", "plain", "--dev-source", "dev.en", "--dev-target", "dev.fr", "--out", "tuned",
        "--iterations", "1", folder=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tuned = demotic.load(folder / "tuned")
    assert tuned.about.dev["sentences"] == 30
    before, after = (model.score(toys.text(30)).value for model in (plain, tuned))
    assert before < after == tuned.about.dev["value"]
    assert f"BLEU {before:.2f} before, {after:.2f} after tuning" in done.stderr


def test_tune_goes_by_the_settings_that_the_model_has(folder: Path) -> None:
    texts = ["--bitext", "memory.tsv", "--from", "en", "--to", "fr", *QUICK]
    lists = ["--set", "tune.list_size=7", "--set", "tune.mert.random_directions=2"]
    command = ["train", *texts, "--out", "model", *lists, "--tuner", "mert"]
    assert run(*command, folder=folder).returncode == 0
    dev = ["--dev-source", "dev.en", "--dev-target", "dev.fr"]
    for out, more in (("same", []), ("more", ["--iterations", "2"])):
        done = run("tune", "model", *dev, "--out", out, *more, folder=folder)
        assert done.returncode == 0, done.stderr
    own, same, more = (
        demotic.load(folder / name).about.config["tune"] for name in ("model", "same", "more")
    )
    assert own == same
    assert (own["list_size"], own["mert"]["iterations"], own["mert"]["restarts"]) == (7, 1, 0)
    assert more == {**own, "mert": {**own["mert"], "iterations": 2}}


def test_an_effort_is_taken_from_the_file_or_the_option_and_spares_what_is_set(
    folder: Path,
) -> None:
    toys.text(100).write(folder / "dev.en", folder / "dev.fr")
    (folder / "settings.toml").write_text('effort = "normal"\nextract.tight_holes = false\n')
    # With these the toy corpus speaks for tight phrases clearly enough.
    steps = ["--set", "lm.classes=0", "--set", "tune.mira.c=0.01", "--set", "search.inner=1"]
    texts = ["--bitext", "memory.tsv", "--from", "en", "--to", "fr", *QUICK, *steps]
    dev = ["--dev-source", "dev.en", "--dev-target", "dev.fr"]
    done = run("train", "settings.toml", *texts, *dev, "--out", "model", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "* phrases: tight" in done.stderr
    shown = run("inspect", "model", folder=folder).stdout
    assert "choices:" in shown
    assert "loose" in shown
    assert "loose-around-tight" not in shown
    quick = ["--effort", "quick"]
    done = run("train", "settings.toml", *texts, *dev, *quick, "--out", "other", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "choices:" not in run("inspect", "other", folder=folder).stdout
    chosen, plain = (
        demotic.load(folder / name).about.config["extract"] for name in ("model", "other")
    )
    assert (chosen["tight"], plain["tight"]) == (True, False)
    assert (chosen["tight_holes"], plain["tight_holes"]) == (False, False)


def test_a_tuner_is_chosen_by_its_name(folder: Path) -> None:
    texts = ["--bitext", "memory.tsv", "--from", "en", "--to", "fr", *QUICK]
    rounds = ["--set", "tune.mira.iterations=1"]
    done = run("train", *texts, "--out", "model", "--tuner", "mira", *rounds, folder=folder)
    assert done.returncode == 0, done.stderr
    dev = ["--dev-source", "dev.en", "--dev-target", "dev.fr"]
    again = ["--tuner", "pro", "--iterations", "2"]
    done = run("tune", "model", *dev, "--out", "again", *again, folder=folder)
    assert done.returncode == 0, done.stderr
    first, then = (demotic.load(folder / name).about.config["tune"] for name in ("model", "again"))
    assert (first["method"], first["mira"]["iterations"]) == ("mira", 1)
    assert then == {**first, "method": "pro", "pro": {**first["pro"], "iterations": 2}}
    for command in (["train", *texts], ["tune", "model", *dev]):
        done = run(*command, "--out", "other", "--tuner", "best", folder=folder)
        assert done.returncode == 2
        assert "one of mert, mira, pro, minrisk, auto" in " ".join(done.stderr.split()), done.stderr


def test_sources_are_imputed_where_a_text_has_none(folder: Path) -> None:
    texts = ["--bitext", "memory.tsv", "--from", "en", "--to", "fr", *QUICK]
    back = ["--bitext", "turned.tsv", "--from", "fr", "--to", "en", *QUICK]
    turned = toys.turned(toys.memory(100))
    lines = (f"{pair.source}\t{pair.target}" for pair in turned)
    (folder / "turned.tsv").write_text("\n".join(lines), encoding="utf-8")
    for command in ([*texts, "--out", "model"], [*back, "--out", "back"]):
        done = run("train", *command, folder=folder)
        assert done.returncode == 0, done.stderr
    dev = ["--dev-source", "dev.en", "--dev-target", "dev.fr", "--out", "tuned"]
    imputed = ["--imputed", "dev.fr", "--reverse", "back"]
    minrisk = ["--tuner", "minrisk", "--iterations", "1"]
    done = run("tune", "model", *dev, *minrisk, *imputed, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "sources imputed to" in done.stderr
    done = run("tune", "model", *dev, *minrisk, "--imputed", "dev.fr", folder=folder)
    assert done.returncode == 2
    assert "go together" in done.stderr
    done = run("tune", "model", *dev, *imputed, "--tuner", "pro", folder=folder)
    assert done.returncode == 1
    assert "pro cannot weigh imputed sources (tune by minrisk)" in done.stderr


def test_a_tuned_model_that_has_no_place_to_go_is_wrong_usage(
    toy_model: Path, folder: Path
) -> None:
    dev = ["--dev-source", "none.en", "--dev-target", "none.fr"]
    done = run("tune", toy_model, *dev, "--out", "none/model", folder=folder)
    assert done.returncode == 2
    assert "no such folder" in done.stderr


def test_a_negative_seed_of_tuning_is_wrong_usage(toy_model: Path, folder: Path) -> None:
    dev = ["--dev-source", "dev.en", "--dev-target", "dev.fr"]
    done = run("tune", toy_model, *dev, "--out", "model", "--seed", "-1", folder=folder)
    assert done.returncode == 2
    assert "--seed" in done.stderr


def test_a_killed_training_leaves_no_model_and_can_go_on(folder: Path) -> None:
    arguments = ["train", "--bitext", "memory.tsv", "--from", "en", "--to", "fr", "--out", "model"]
    arguments += QUICK
    with subprocess.Popen([*COMMAND, *arguments], cwd=folder, stderr=subprocess.DEVNULL) as process:
        while not (folder / "model.work" / "align.done").exists():
            assert process.poll() is None, "training ended before it could be killed"
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    assert not (folder / "model").exists()
    done = run(*arguments, "--resume", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "align: done before" in done.stderr
    assert demotic.load(folder / "model").translate("noun1").text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--out", "m"], 2, "give --source and --target, or --bitext"),
        (["--source", "train.en", "--out", "m"], 2, "belong together"),
        (["--bitext", "memory.tsv"], 2, "--out"),
        (["--bitext", "none.tsv", "--out", "m", "--tokenised", "--alignment", "a"], 1, "a: no"),
        (["--bitext", "none.tsv", "--out", "m"], 1, "none.tsv"),
        (["--bitext", "memory.tsv", "--dev", "none", "--out", "m"], 1, "demotic: error: none: No"),
        (["none.toml", "--out", "m"], 1, "none.toml"),
    ],
)
def test_wrong_calls_are_explained(
    folder: Path, arguments: list[str], code: int, message: str
) -> None:
    before = sorted(folder.iterdir())
    done = run("train", *arguments, folder=folder)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert message in done.stderr
    assert "reading" not in done.stderr, "no text is read in vain"
    assert sorted(folder.iterdir()) == before


def test_a_dev_set_of_one_line_is_refused(folder: Path) -> None:
    (folder / "one.en").write_text("noun1\n")
    (folder / "one.fr").write_text("nom1\n")
    done = run(
        "train", "--source", "train.en", "--target", "train.fr", "--dev-source", "one.en",
        "--dev-target", "one.fr", "--out", "m", folder=folder,
    )  # fmt: skip
    assert done.returncode == 1
    assert "a development set of 1 sentence is too small" in done.stderr


def test_a_transducer_without_a_way_to_trees_is_wrong_usage(folder: Path) -> None:
    texts = ["--source", "train.en", "--target", "train.fr", "--from", "en", "--to", "fr"]
    done = run("train", *texts, "--system", "transducer", "--out", "none", folder=folder)
    assert done.returncode == 2
    assert "--trees induced" in " ".join(done.stderr.split())
    assert not (folder / "none").exists()
