"""OpenTelemetry traces: a span for each request, with spans for the time its problems waited and were being solved.

OpenTelemetry is imported only if traces are turned on. No span has the text of a problem.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

from starlette.types import Scope

from treequation import __version__
from treequation.errors import TreequationError

if TYPE_CHECKING:
    from opentelemetry.trace import Span

_UNTRACED = ("/healthz", "/readyz", "/metrics")  # polled by machines every few seconds
_MISTAKE = 500
_LAST = 3.0  # seconds to send the last spans
Attribute = str | int | bool


class RequestSpan:
    """The span of a request; this base class records nothing."""

    trace_id: str | None = None

    def end(self, route: str, status: int) -> None:
        """Records the request's route and status."""


class Traces:
    """Where spans go; this base class drops them."""

    @contextmanager
    def request(self, scope: Scope) -> Iterator[RequestSpan]:
        """Opens the span of a request for the block; it joins the client's trace if there is one."""
        yield RequestSpan()

    def part(self, name: str, start: float, end: float, **attributes: Attribute) -> None:
        """Adds a child span to the current request; times are those of ``time.monotonic``."""

    def close(self) -> None:
        """Sends the remaining spans."""


class OpenTelemetry(Traces):
    """Sends spans to the collector set by OpenTelemetry's environment variables (``OTEL_EXPORTER_OTLP_ENDPOINT``…)."""

    def __init__(self) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import OTELResourceDetector, Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
        except ImportError as error:
            raise TreequationError(
                "--tracing needs OpenTelemetry; install it: pip install 'treequation[tracing]'"
            ) from error
        ours = Resource.create({"service.name": "treequation", "service.version": __version__})
        self._provider = TracerProvider(resource=ours.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("treequation", __version__)
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def request(self, scope: Scope) -> Iterator[RequestSpan]:
        from opentelemetry.trace import SpanKind

        if scope["path"].endswith(_UNTRACED):
            yield RequestSpan()
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        parent = self._propagator.extract(headers)
        method: str = scope["method"]
        with self._tracer.start_as_current_span(method, parent, SpanKind.SERVER) as span:
            yield _Recorded(span, method)

    def part(self, name: str, start: float, end: float, **attributes: Attribute) -> None:
        since = time.time_ns() - time.monotonic_ns()  # from the monotonic clock to wall-clock time
        span = self._tracer.start_span(name, attributes=attributes, start_time=since + round(1e9 * start))
        span.end(since + round(1e9 * end))

    def close(self) -> None:
        # An unreachable collector would be retried again and again, and the process must end.
        closing = Thread(target=self._provider.shutdown, daemon=True)
        closing.start()
        closing.join(_LAST)


class _Recorded(RequestSpan):
    def __init__(self, span: Span, method: str) -> None:
        self._span = span
        self._method = method
        self.trace_id = f"{span.get_span_context().trace_id:032x}"

    def end(self, route: str, status: int) -> None:
        from opentelemetry.trace import StatusCode

        self._span.update_name(f"{self._method} {route}")
        self._span.set_attributes(
            {"http.request.method": self._method, "http.route": route, "http.response.status_code": status}
        )
        if status >= _MISTAKE:
            self._span.set_status(StatusCode.ERROR)
