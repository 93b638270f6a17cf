"""Block models from the command line: trained, used, explained, refused."""

from __future__ import annotations

from pathlib import Path

from tests.cli.test_train import run
from tests.systems.test_blocks import bitext


def test_a_block_model_is_trained_used_and_explained(tmp_path: Path) -> None:
    for name, count, seed in (("train", 150, 1), ("dev", 20, 7)):
        bitext(count, seed).write(tmp_path / f"{name}.en", tmp_path / f"{name}.fr")
    done = run(
        "train", "--system", "blocks", "--source", "train.en", "--target", "train.fr",
        "--dev-source", "dev.en", "--dev-target", "dev.fr", "--out", "model", "--tokenised",
        "--set", "preset=row6", "--set", "learn.joint.passes=2", folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = run("translate", "model", "dev.en", folder=tmp_path)
    assert found.returncode == 0, found.stderr
    assert len(found.stdout.splitlines()) == 20
    why = run("explain", "model", "adj1 noun2 verb3 noun4 .", folder=tmp_path)
    assert why.returncode == 0, why.stderr
    assert "noun2" in why.stdout


def test_presets_that_cheat_are_refused_without_a_traceback(tmp_path: Path) -> None:
    bitext(30).write(tmp_path / "train.en", tmp_path / "train.fr")
    done = run(
        "train", "--system", "blocks", "--source", "train.en", "--target", "train.fr", "--out",
        "model", "--set", "preset=row9", folder=tmp_path,
    )  # fmt: skip
    assert done.returncode != 0
    assert "row9" in done.stderr
    assert "Traceback" not in done.stderr
