"""Metrics for Prometheus. Every label has few values, whatever clients send."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Metrics:
    """The counters of one service."""

    content_type = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self, *, queue_length: Callable[[], int], ready: Callable[[], bool]) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"treequation_{name}", text, labels, registry=self.registry)

        def gauge(name: str, text: str) -> Gauge:
            return Gauge(f"treequation_{name}", text, registry=self.registry)

        self.requests = counter("requests", "Requests answered.", "route", "method", "status")
        self.errors = counter("errors", "Requests and problems without an answer, by code.", "code")
        self.solved = counter("problems_solved", "Problems answered with a solution.")
        self.restarts = counter("worker_restarts", "Workers replaced because they died or hung.")
        self.in_flight = gauge("requests_in_flight", "Requests for solving that are being served.")
        gauge("queue_length", "Problems that wait for a worker.").set_function(queue_length)
        gauge("ready", "1 if the service is ready, else 0.").set_function(ready)
        self.batch_size = Histogram(
            "treequation_batch_size", "Problems solved together.", buckets=_SIZES, registry=self.registry
        )
        self.batch_seconds = Histogram(
            "treequation_batch_seconds", "Time to solve a batch.", buckets=_SECONDS, registry=self.registry
        )
        self.latency = Histogram(
            "treequation_request_seconds",
            "Time from a request's head to the end of its response.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )

    def observe_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Counts a request; ``route`` is the documented path, not the path in the request."""
        self.requests.labels(route, method if method in _METHODS else "other", str(status)).inc()
        self.latency.labels(route).observe(seconds)

    def observe_batch(self, size: int, seconds: float) -> None:
        """Counts a batch."""
        self.batch_size.observe(size)
        self.batch_seconds.observe(seconds)

    def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        return generate_latest(self.registry)
