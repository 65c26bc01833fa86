"""Traces, sent to a stand-in for a collector; nothing is traced or imported without the option."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.server.running import PROBLEM, running
from treequation.errors import TreequationError
from treequation.server.service import Service
from treequation.server.settings import Settings

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@contextmanager
def collector() -> Iterator[tuple[str, list[Any]]]:
    """The address of a collector, and the spans that it has received so far."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    spans: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"])))
            for resource in sent.resource_spans:
                name = next(
                    each.value.string_value for each in resource.resource.attributes if each.key == "service.name"
                )
                spans.extend((name, span) for scope in resource.scope_spans for span in scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", spans
    finally:
        server.shutdown()
        server.server_close()


def test_a_request_is_traced_from_its_client_to_its_batch(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    with collector() as (address, spans):
        environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_SERVICE_NAME": "sums"}
        with running(tmp_path, "--tracing", environment=environment) as service:
            body = {"problems": [PROBLEM.text, "What is 3 + 4?"]}
            headers = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
            assert service.client.post("/v1/solve/batch", json=body, headers=headers).status_code == 200
            assert service.client.get("/healthz").status_code == 200
            assert service.end() == 0  # what was not sent yet is sent now
        (line,) = [line for line in service.lines() if line.get("path") == "/v1/solve/batch"]
        assert line["trace_id"] == TRACE
        assert {name for name, _ in spans} == {"sums"}
        found = [span for _, span in spans]
        assert sorted(span.name for span in found) == ["POST /v1/solve/batch", *["solve"] * 2, *["wait"] * 2]
        (request,) = [span for span in found if span.name.startswith("POST")]
        assert (request.trace_id.hex(), request.parent_span_id.hex()) == (TRACE, PARENT)
        status = {each.key: each.value.int_value for each in request.attributes}["http.response.status_code"]
        assert status == 200
        for part in (span for span in found if span is not request):
            assert (part.trace_id, part.parent_span_id) == (request.trace_id, request.span_id)
            assert request.start_time_unix_nano <= part.start_time_unix_nano <= part.end_time_unix_nano
        assert PROBLEM.text.split(".")[0] not in str(found)


def test_an_unreachable_collector_has_no_effect(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    with running(tmp_path, "--tracing", environment=environment) as service:
        assert service.solve().status_code == 200
        started = time.monotonic()
        assert service.end() == 0
        assert time.monotonic() - started < 40  # it would be tried again and again for a minute
        assert "Traceback" not in service.log.read_text(encoding="utf-8")


def test_without_the_option_no_exporter_is_imported() -> None:
    """FastAPI itself may import OpenTelemetry's interface, but nothing that records or sends spans."""
    code = "import sys, treequation.server.running; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "treequation.server.tracing" in done.stdout.split()
    assert "opentelemetry.sdk" not in done.stdout
    assert "opentelemetry.exporter" not in done.stdout


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(TreequationError, match=r"pip install 'treequation\[tracing\]'"):
        Service(Settings(tracing=True))
