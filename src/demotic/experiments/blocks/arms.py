"""What is trained and measured: rows, baselines, perceptrons, ablations, the global model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from demotic.corpus import OrthographyConfig
from demotic.decode import BlockDecoder, PhraseSearch
from demotic.experiments.blocks.bench import BLOCKS, LITERAL, OURS, Bench, Reading, clock
from demotic.grammar import BlockExtraction, EventOptions
from demotic.learn import SgdOptions, sgd
from demotic.learn.crf import CrfOptions
from demotic.systems.blocks.config import LearnConfig
from demotic.systems.blocks.global_model import learn_global
from demotic.systems.blocks.row_training import RowResult
from demotic.systems.config import LmConfig, TuneConfig

GRAPH_BEAM = 30
"""Of the translation graphs that the global model learns from."""
ONE_EVENT = SgdOptions(passes=1, sample=0.1, unit="event")
SINGLETONS = {
    "all blocks": BlockExtraction(),
    "blocks seen twice": BlockExtraction(min_count=2),
    "blocks seen twice or without rivals": BlockExtraction(min_count=2, keep_lone=True),
}
LETTER = {"floats": ONE_EVENT, "oracle_steps": "fixed", "only": "dev"}
_OWN = {"only": "dev", "min_count": LearnConfig().min_count}
"""How the system learns."""
READINGS = {
    "literal": Reading(events=LITERAL, learn=LETTER),
    "literal, tied": Reading(events=LITERAL, learn={**LETTER, "neutral": "tied"}),
    "seen twice": Reading(extract=SINGLETONS["blocks seen twice"], learn={"only": "dev"}),
    "ours": Reading(extract=BLOCKS, learn=_OWN),
}
"""To the letter, with neutral weights of their own or those of the others; with a table that has
about as many events as the paper's; and as the system reads it.  Events are of blocks alone that
the development set can use, for the paper's choice of training text."""


def rows(bench: Bench, name: str, seed: int) -> dict[str, Any]:
    """Rows 1 to 9 under a reading."""
    material = bench.material(_quick(bench, READINGS[name]), seed)
    counts = dict(bench.counts or {})
    found: dict[str, Any] = {}
    done: dict[str, RowResult] = {}
    for row in (f"row{number}" for number in range(1, 10)):
        begin, _ = clock()
        done[row] = trained = bench.train(
            material,
            row,
            joint=done.get("row5"),
            floats=done.get({"row7": "row6", "row9": "row8"}.get(row, "")),
        )
        seconds = clock()[0] - begin
        found[row] = bench.measure(material.decoder(row, trained))
        found[row] |= {"seconds": seconds, "weights": trained.learned.weights}
        if trained.oracle is not None:
            found[row] |= {
                "oracle": trained.oracle.bleu,
                "first": trained.oracle.first_bleu,
                "events": trained.oracle.count,
                "alone": trained.oracle.alone,
                "tried": trained.tried,
            }
    events = material.events(pairs=True)
    return {
        "rows": found,
        "counts": counts,
        "learned": {
            "sides": len(events.successors),
            "neutral": len(events.neutral),
            "candidates": events.successors.candidates / max(1, events.successors.groups),
        },
        "pairs": len(material.pairs),
        "memory": clock()[1],
    }


def baseline(bench: Bench, limit: int, seed: int) -> dict[str, Any]:
    """The phrase-based baseline, under a distortion limit: MERT, and one language model."""
    return _phrase(
        bench,
        f"phrase-d{limit}",
        seed=seed,
        lm=LmConfig(),
        tune=TuneConfig(method="mert"),
        search=PhraseSearch(distortion_limit=limit),
    )


def phrase_defaults(bench: Bench, seed: int) -> dict[str, Any]:
    """What the system phrase does by default, with the same words."""
    return _phrase(bench, "phrase-defaults", seed=seed)


def _phrase(bench: Bench, name: str, *, seed: int, **settings: Any) -> dict[str, Any]:
    from demotic.systems import phrase

    config = phrase.Config(  # the same words as for the block models
        tokenised=bench.setup.tokenised, source=OrthographyConfig(), seed=seed, **settings
    )
    training = bench.training(config, f"{name}-seed-{seed}", work="phrase.work")
    return bench.measure_model(phrase.fit(training, config))


def tuned(bench: Bench, seed: int) -> dict[str, Any]:
    """Blocks with MERT: the features of row 7, and what the baseline learns by."""
    from demotic.systems import blocks

    config = replace(bench.config, preset="tuned", seed=seed)
    training = bench.training(config, f"blocks-tuned-seed-{seed}", work="blocks-tuned.work")
    return bench.measure_model(blocks.fit(training, config))


def perceptrons(bench: Bench, seed: int) -> dict[str, Any]:
    """Rows 4 and 5 learned by perceptrons instead."""
    found = {}
    for learner in ("perceptron", "averaged-perceptron"):
        reading = replace(READINGS["ours"], learn={**_OWN, "learner": learner})
        material = bench.material(_quick(bench, reading), seed)
        for row in ("row4", "row5"):
            trained = bench.train(material, row)
            found[f"{learner} {row}"] = bench.measure(material.decoder(row, trained))
    return found


def ablations() -> dict[str, Reading]:
    """One decision changed at a time, from ``ours``."""
    base = READINGS["ours"]

    def events(**changed: Any) -> Reading:
        return replace(base, events=replace(OURS, **changed))

    def search(**changed: Any) -> Reading:
        return replace(base, search=changed)

    def learn(**changed: Any) -> Reading:
        return replace(base, learn={**(base.learn or {}), **changed})

    return {
        "ours": base,
        # those that share the events of "ours" come first
        "D10 Z over alternatives": search(partition="alternatives"),
        "D16 small steps on oracles": learn(oracle_steps="fixed"),
        "D16 AdaGrad on training events": learn(
            floats=SgdOptions(passes=1, sample=0.1, adagrad=True, eta_float=0.1)
        ),
        "learn.neutral=tied": learn(neutral="tied"),
        "one pass over a tenth": learn(floats=SgdOptions(passes=1, sample=0.1)),
        "events of all blocks": replace(base, learn={}),
        "events of blocks seen once": learn(min_count=1),
        "D1 projection": replace(base, extract=replace(BLOCKS, method="projection")),
        **{
            f"D2 {name}": replace(base, extract=extract)
            for name, extract in SINGLETONS.items()
            if extract != BLOCKS
        },
        "D4 string matching": events(matching="string"),
        "D5 boundary neutral": replace(events(boundary="neutral"), search={"boundary": "neutral"}),
        "D11 raw in training": events(unigram="raw"),
        "D11 raw in both": replace(events(unigram="raw"), search={"unigram": "raw"}),
        "D11 equal length in both": replace(
            events(unigram="equal-length"), search={"unigram": "equal-length"}
        ),
        "D12 language model of the same text": learn(lm_folds=0),
        "D13 koehn": replace(base, extract=replace(BLOCKS, lexical="koehn")),
        "min_left 1": search(min_left=1),
        "min_left 30": search(min_left=30),
    }


def ablation(bench: Bench, reading: Reading, seed: int) -> dict[str, Any]:
    """Rows 4 and 6 under a reading; the lists of row 6 are those of row 4."""
    material = bench.material(_quick(bench, reading), seed)
    row4 = bench.train(material, "row4")
    row6 = bench.train(material, "row6", joint=row4)
    return {
        "row4": bench.measure(material.decoder("row4", row4)),
        "row6": bench.measure(material.decoder("row6", row6)),
        "blocks": len(material.blocks),
    }


def pair_ablations(bench: Bench, seed: int) -> dict[str, Any]:
    """D14 and D16: which pairs there are and how far their weights move, on top of row 6."""
    found = {}
    known: dict[EventOptions, RowResult] = {}
    for name, events, steps in _pair_settings(bench):
        material = bench.material(
            _quick(
                bench,
                replace(READINGS["ours"], events=events, learn={**_OWN, "joint": steps}),
            ),
            seed,
        )
        if events not in known:
            row4 = bench.train(material, "row4")
            known[events] = bench.train(material, "row6", joint=row4)
        trained = bench.train(material, "row7", floats=known[events])
        found[name] = bench.measure(material.decoder("row7", trained))
        weights = abs(trained.pairs.weights)
        found[name] |= {"pairs": len(weights), "largest": float(max(weights, default=0.0))}
    return found


def _pair_settings(bench: Bench) -> Iterator[tuple[str, EventOptions, SgdOptions]]:
    few = SgdOptions(passes=4, eta_binary=1e-4)
    yield "observed, 40 x 1e-5", OURS, SgdOptions(passes=3 if bench.setup.quick else 40)
    yield "observed, 4 x 1e-4", OURS, few
    yield "observed, 4 x 1e-2", OURS, SgdOptions(passes=4, eta_binary=1e-2)
    yield "observed, AdaGrad", OURS, SgdOptions(passes=4, adagrad=True, eta_binary=0.05)
    yield "candidates, 4 x 1e-4", replace(OURS, pairs="candidates"), few


def beyond(bench: Bench, seed: int) -> dict[str, Any]:
    """The global model, from row 6's weights, without pairs and with those of row 7."""
    material = bench.material(_quick(bench, READINGS["ours"]), seed)
    row4 = bench.train(material, "row4")
    found = {}
    text = bench.dev
    options = CrfOptions(passes=1 if bench.setup.quick else 3)
    floats: RowResult | None = None
    for name, row in (("CRF a-e", "row6"), ("CRF a-f", "row7")):
        floats = bench.train(material, row, joint=row4, floats=floats)
        begin, _ = clock()
        decoder = material.decoder(row, floats)
        narrow = BlockDecoder(
            decoder.rules, decoder.lm, decoder.weights, pairs=decoder.pairs,
            options=replace(decoder.options, beam=GRAPH_BEAM),
        )  # fmt: skip
        result = learn_global(
            narrow, text.source, [[line] for line in text.reference],
            rounds=1 if bench.setup.quick else 3, options=options, seed=seed,
            threads=bench.setup.threads, progress=bench.setup.progress,
        )  # fmt: skip
        seconds = clock()[0] - begin
        found[name] = bench.measure(decoder.with_weights(result.weights))
        found[name] |= {
            "seconds": seconds,
            "weights": result.weights,
            "losses": [each.losses for each in result.rounds],
            "reached": list(result.reached),
            "sentences": result.sentences,
        }
    return found


def speed(bench: Bench) -> dict[str, Any]:
    """Events of all blocks: how many a second, and memory; one core."""
    material = bench.material(_quick(bench, Reading(events=OURS)))
    events = material.events(pairs=True).successors
    found: dict[str, Any] = {
        "events": len(events),
        "groups": events.groups,
        "candidates": events.candidates,
        "bytes": sum(
            array.nbytes
            for array in (
                events.features, events.binary, events.group, events.label, events.group_ptr,
            )
        ),
    }  # fmt: skip
    passes = 2 if bench.setup.quick else 40
    for options in (SgdOptions(passes=passes, unit="group"), SgdOptions(passes=1, unit="event")):
        begin, _ = clock()
        sgd(events, options=options)
        seconds = clock()[0] - begin
        found[options.unit] = {
            "passes": options.passes,
            "seconds": seconds,
            "per_second": options.passes * len(events) / seconds,
        }
    found["memory"] = clock()[1]
    return found


def _quick(bench: Bench, reading: Reading) -> Reading:
    if not bench.setup.quick:
        return reading
    learn = {"joint": SgdOptions(passes=2), "list_size": 50, "perceptron_passes": 1}
    return replace(reading, learn={**learn, **(reading.learn or {})})
