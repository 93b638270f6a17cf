"""What each action did for BLEU adds up to BLEU, whenever its words were written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import demotic
from demotic.learn import LinearPolicy
from demotic.metrics import SentenceBleu
from demotic.systems.tuning import encoded_dev
from demotic.systems.umt import UmtModel
from demotic.systems.umt.config import Reward
from demotic.systems.umt.learning import UmtTask
from demotic.systems.umt.rewards import limits_of, matches_by_action
from tests.systems import toys

words = st.lists(st.sampled_from("abc"), min_size=1, max_size=9)


@given(tokens=words, references=st.lists(words, min_size=1, max_size=2), data=st.data())
def test_matches_grow_to_those_of_the_text(
    tokens: list[str], references: list[list[str]], data: st.DataObject
) -> None:
    steps = data.draw(st.integers(1, 5))
    turns = [data.draw(st.integers(0, steps - 1)) for _ in tokens]
    lines = [" ".join(line) for line in references]
    found = matches_by_action(tokens, np.array(turns, np.uint32), steps, limits_of(lines))
    whole = SentenceBleu(lines, tokenise="none").statistics(" ".join(tokens))[:4]
    assert found.shape == (steps, 4)
    assert found[-1].tolist() == whole.tolist()
    assert (np.diff(found, axis=0) >= 0).all()
    for step in range(steps):
        there = [word for word, turn in zip(tokens, turns, strict=True) if turn <= step]
        assert found[step, 0] <= len(there), "words that are not written do not match"


def test_an_n_gram_counts_from_its_last_word_on() -> None:
    limits = limits_of(["a b c"])
    found = matches_by_action(["a", "b", "c"], np.array([2, 0, 1], np.uint32), 3, limits)
    assert found.tolist() == [[1, 0, 0, 0], [2, 1, 0, 0], [3, 2, 1, 0]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> UmtModel:
    config = {"lm": {"order": 3}, "preset": "full", "learn": {"rates": [0.1], "drl": {"epochs": 1}}}
    made = demotic.train(
        toys.memory(200), system="umt", dev=toys.text(20), config=config,
        out=tmp_path_factory.mktemp("models") / "umt",
    )  # fmt: skip
    assert isinstance(made, UmtModel)
    return made


@pytest.mark.parametrize("reward", ["sentence", "corpus"])
def test_rewards_of_steps_add_up_to_the_reward(model: UmtModel, reward: Reward) -> None:
    dev = encoded_dev(model.source, model.target, toys.text(12, 5))
    weights = np.array(list(model.weights.values()))
    policy = LinearPolicy(weights)
    early = 0
    for rewards in ("end", "steps"):
        task = UmtTask(model.decoder, dev, memory=1 << 20, reward=reward, rewards=rewards)
        task.prepare(policy)
        for example in range(len(task)):
            for sample in task.samples(example, policy, [(0.1, 0.2), (0.7, 0.5)]):
                for rollout in (sample.taken, sample.alternative):
                    each = task.rewards(example, rollout)
                    assert len(each) == rollout.steps
                    assert sum(each) == pytest.approx(task.reward(example, rollout))
                    early += any(each[:-1])
        assert bool(early) == (rewards == "steps")
