"""Sentence BLEU and significance tests beside sacreBLEU's.

    python -m benchmarks.metrics

Scores Multi30k's test set, its words garbled, against itself; prints ratios of CPU time.
"""

from __future__ import annotations

import gzip
import random
import time
from collections.abc import Callable

import numpy as np
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from benchmarks.corpora import data_folder
from demotic import _core
from demotic.metrics import (
    Bleu,
    SentenceBleu,
    approximate_randomisation,
    paired_bootstrap,
    sentence_bleu_scores,
)
from demotic.metrics.tokenise import token_lines


def cpu(work: Callable[[], object], repeats: int = 3) -> float:
    """The least CPU time of a few runs."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def garbled(lines: list[str], rate: float, seed: int) -> list[str]:
    """Each word replaced by another of its line with the given probability."""
    rng = random.Random(seed)
    return [
        " ".join(rng.choice(line.split()) if rng.random() < rate else w for w in line.split())
        for line in lines
    ]


def main() -> None:
    path = data_folder() / "multi30k" / "tok" / "test2016.en"
    source = path if path.exists() else path.with_name(path.name + ".gz")
    opener = gzip.open if source.suffix == ".gz" else open
    with opener(source, "rt", encoding="utf-8") as lines:
        references = lines.read().splitlines()
    system, baseline = garbled(references, 0.2, 1), garbled(references, 0.22, 2)
    pairs = list(zip(system, references, strict=True))
    print(f"{source.name}: {len(references)} sentences, {len(' '.join(references).split())} tokens")

    for tokenise in ("none", "13a"):
        peer = BLEU(effective_order=True, tokenize=tokenise, force=True)
        ready = [SentenceBleu([line], tokenise=tokenise) for line in references]

        def theirs(peer: BLEU = peer) -> list[float]:
            return [peer.sentence_score(line, [reference]).score for line, reference in pairs]

        def ours(ready: list[SentenceBleu] = ready) -> list[float]:
            return [bleu.score(line) for bleu, line in zip(ready, system, strict=True)]

        def fresh(tokenise: str = tokenise) -> object:
            return sentence_bleu_scores(system, [references], tokenise=tokenise)

        gap = float(np.abs(np.array(ours()) - np.array(theirs())).max())
        slow = cpu(theirs)
        print(
            f"sentence BLEU, tokens {tokenise}: sacreBLEU / Demotic = "
            f"{slow / cpu(ours):.0f} (references ready), {slow / cpu(fresh):.0f} (whole corpus); "
            f"largest difference {gap:.1e}"
        )
        if tokenise == "none":
            vocab = _core.Vocab()
            ids = [token_lines(lines, str, vocab) for lines in (system, references)]
            quick = cpu(lambda ids=ids: _core.bleu_statistics(ids[0], [ids[1]], 1))
            print(f"  on token ids, references counted anew: {slow / quick:.0f}")

    reference = references[0]
    many = garbled([reference] * 1000, 0.3, 3)
    peer = BLEU(effective_order=True, tokenize="none", force=True, references=[[reference]])
    nbest = SentenceBleu([reference], tokenise="none")
    slow = cpu(lambda: [peer.corpus_score([line], None) for line in many])
    print(
        "sentence BLEU of 1,000 hypotheses for one sentence, references cached on both sides: "
        f"sacreBLEU / Demotic = {slow / cpu(lambda: nbest.scores(many)):.0f}"
    )

    metric = Bleu(tokenise="none")
    rows = [metric.statistics(lines, [references]) for lines in (system, baseline)]
    for name, code, test in (
        ("paired bootstrap", "bs", paired_bootstrap),
        ("approximate randomisation", "ar", approximate_randomisation),
    ):
        peer_test = PairedTest(
            [("baseline", baseline), ("system", system)],
            {"BLEU": BLEU(tokenize="none", force=True, references=[references])},
            references=None,
            test_type=code,
            n_samples=1000,
        )
        theirs_p = peer_test()[1]["BLEU"][1].p_value
        ours_p = test(metric, rows[0], rows[1], samples=1000).p_value
        slow = cpu(peer_test, 1)
        quick = cpu(lambda test=test: test(metric, rows[0], rows[1], samples=1000))
        print(
            f"{name}, 1,000 samples: sacreBLEU / Demotic = {slow / quick:.0f}; "
            f"p {theirs_p:.4f} / {ours_p:.4f}"
        )


if __name__ == "__main__":
    main()
