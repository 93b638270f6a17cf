"""What the server did, in the text format of Prometheus.

metrics.seen("/translate", 200, 0.004)
metrics.text(loaded)
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from demotic.serve.loaded import Loaded

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counts requests; what models did is counted by their batchers."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, int], int] = {}
        self._times: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}
        self.running = 0
        self.timeouts = 0
        """Connections that were closed because their client was too slow."""

    def seen(self, endpoint: str, status: int, seconds: float) -> None:
        """A request was answered."""
        key = (endpoint, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        times = self._times.get(endpoint)
        if times is None:
            times = self._times[endpoint] = [0] * (len(_BOUNDS) + 1)
        times[bisect_left(_BOUNDS, seconds)] += 1
        self._seconds[endpoint] = self._seconds.get(endpoint, 0.0) + seconds

    def text(self, loaded: Loaded) -> str:
        """All figures."""
        return "\n".join([*self._lines(loaded), ""])

    def _lines(self, loaded: Loaded) -> Iterator[str]:
        yield from _head("demotic_requests_total", "counter", "Requests by status.")
        for (endpoint, status), count in sorted(self._requests.items()):
            yield f'demotic_requests_total{{endpoint="{endpoint}",status="{status}"}} {count}'
        yield from _head("demotic_request_seconds", "histogram", "Time to answer.")
        for endpoint, times in sorted(self._times.items()):
            label = f'endpoint="{endpoint}"'
            below = 0
            for bound, count in zip((*_BOUNDS, "+Inf"), times, strict=True):
                below += count
                yield f'demotic_request_seconds_bucket{{{label},le="{bound}"}} {below}'
            yield f"demotic_request_seconds_sum{{{label}}} {self._seconds[endpoint]:.6f}"
            yield f"demotic_request_seconds_count{{{label}}} {below}"
        yield from _head("demotic_requests_running", "gauge", "Requests being answered.")
        yield f"demotic_requests_running {self.running}"
        yield from _head("demotic_slow_clients_total", "counter", "Connections given up.")
        yield f"demotic_slow_clients_total {self.timeouts}"
        yield from self._of_models(loaded)
        if loaded.suggestions is not None:
            yield from _head("demotic_suggestions_total", "counter", "Suggestions kept.")
            yield f"demotic_suggestions_total {loaded.suggestions.count}"
        yield from _of_process()

    def _of_models(self, loaded: Loaded) -> Iterator[str]:
        batchers = [(f'model="{_quoted(each.name)}"', each.batcher) for each in loaded.all]
        yield from _head("demotic_sentences_total", "counter", "Sentences translated.")
        for label, batcher in batchers:
            yield f"demotic_sentences_total{{{label}}} {batcher.counters.sentences}"
        yield from _head("demotic_batches_total", "counter", "Calls of the decoder.")
        for label, batcher in batchers:
            yield f"demotic_batches_total{{{label}}} {batcher.counters.batches}"
        yield from _head("demotic_decoder_busy_seconds_total", "counter", "Time in these calls.")
        for label, batcher in batchers:
            yield f"demotic_decoder_busy_seconds_total{{{label}}} {batcher.counters.seconds:.6f}"
        yield from _head("demotic_queue_sentences", "gauge", "Sentences that wait.")
        for label, batcher in batchers:
            yield f"demotic_queue_sentences{{{label}}} {batcher.waiting}"
        yield from _head("demotic_memory_hits_total", "counter", "Sentences translated before.")
        for label, batcher in batchers:
            for kind, count in sorted(batcher.counters.memory.items()):
                yield f'demotic_memory_hits_total{{{label},kind="{kind}"}} {count}'


def _of_process() -> Iterator[str]:
    yield from _head("process_cpu_seconds_total", "counter", "CPU time.")
    yield f"process_cpu_seconds_total {time.process_time():.2f}"
    yield from _head("process_resident_memory_bytes", "gauge", "Memory.")
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    yield f"process_resident_memory_bytes {pages * os.sysconf('SC_PAGE_SIZE')}"


def _head(name: str, kind: str, help: str) -> Iterator[str]:
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"


def _quoted(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
