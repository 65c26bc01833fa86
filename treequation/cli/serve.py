"""``treequation serve``: the service. Every option can also be given by an environment variable."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from treequation.cli.options import MODEL_HELP, USUAL_PRECISION, Precision
from treequation.runtime import MAX_BEAM, SECOND_LOOK
from treequation.runtime.hub import model_folder
from treequation.server.settings import Settings, read_keys

_KEYS = "TREEQUATION_API_KEYS"


def _option(name: str, help: str, **bounds: Any) -> Any:
    """``--some-name``, which is ``TREEQUATION_SOME_NAME`` in the environment."""
    return typer.Option(f"--{name}", envvar=f"TREEQUATION_{name.upper().replace('-', '_')}", help=help, **bounds)


def serve(
    model: Annotated[str | None, _option("model", MODEL_HELP)] = None,
    host: Annotated[str, _option("host", "The address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, _option("port", "The port; 0 takes any free one.", min=0, max=65535)] = 8000,
    root_path: Annotated[str, _option("root-path", "The path under which a proxy serves this.")] = "",
    workers: Annotated[int, _option("workers", "Worker processes that solve.", min=1)] = Settings.workers,
    threads: Annotated[int, _option("threads", "Processors per worker; 0 means all.", min=0)] = Settings.threads,
    precision: Annotated[
        Precision,
        _option("precision", "The encoder's precision; auto is int16 if this processor computes it correctly."),
    ] = USUAL_PRECISION,
    window_ms: Annotated[
        float,
        _option("window-ms", "Milliseconds that a problem may wait for others to share its batch.", min=0, max=1000),
    ] = Settings.window_ms,
    batch_tokens: Annotated[
        int, _option("batch-tokens", "About how many tokens a batch may have.", min=1)
    ] = Settings.batch_tokens,
    max_body: Annotated[int, _option("max-body", "The largest request body, in bytes.", min=1)] = Settings.max_body,
    max_text: Annotated[int, _option("max-text", "The most characters in a problem.", min=1)] = Settings.max_text,
    max_numbers: Annotated[int, _option("max-numbers", "The most numbers in a problem.", min=1)] = Settings.max_numbers,
    max_problems: Annotated[
        int, _option("max-problems", "The most problems in a request.", min=1)
    ] = Settings.max_problems,
    max_beam: Annotated[
        int,
        _option(
            "max-beam",
            f"The widest beam; below {SECOND_LOOK}, unsure problems are not searched again.",
            min=1,
            max=MAX_BEAM,
        ),
    ] = Settings.max_beam,
    max_connections: Annotated[
        int, _option("max-connections", "The most open connections.", min=1)
    ] = Settings.max_connections,
    max_requests: Annotated[
        int, _option("max-requests", "The most requests served at a time.", min=1)
    ] = Settings.max_requests,
    max_queue: Annotated[int, _option("max-queue", "The most problems that may wait.", min=1)] = Settings.max_queue,
    deadline: Annotated[
        float, _option("deadline", "The most seconds a request may take.", min=0.01)
    ] = Settings.deadline,
    drain_delay: Annotated[
        float,
        _option("drain-delay", "Seconds after SIGTERM during which it still serves, but reports not ready.", min=0),
    ] = Settings.drain_delay,
    api_keys_file: Annotated[
        Path | None,
        _option("api-keys-file", f"A file of valid API keys, one per line; or set {_KEYS}, separated by commas."),
    ] = None,
    cors_origin: Annotated[
        list[str] | None, _option("cors-origin", "An origin whose pages may call the service; may be repeated.")
    ] = None,
    log_problems: Annotated[bool, _option("log-problems", "Also log the texts of problems.")] = Settings.log_problems,
    tracing: Annotated[
        bool, _option("tracing", "Send OpenTelemetry traces, as set by the OTEL_… variables.")
    ] = Settings.tracing,
    warm_up_problem: Annotated[
        str, _option("warm-up-problem", "A problem to solve before the service is ready, instead of an easy one.")
    ] = Settings.warm_up_problem,
    warm_up_answer: Annotated[
        str | None, _option("warm-up-answer", "The expected answer; if empty, any will do.")
    ] = Settings.warm_up_answer,
) -> None:
    """Solve problems over HTTP until SIGTERM; `/docs` describes the interface."""
    given = dict(locals())  # the options; most have the same names as the settings
    chosen = {field.name: given[field.name] for field in fields(Settings) if field.name in given}
    chosen["model"] = None if model is None else model_folder(model)  # once, and not by every process
    chosen |= {
        "root_path": root_path.rstrip("/"),
        "precision": precision.value,
        "cors_origins": tuple(cors_origin or ()),
    }
    # A key given as an option would be visible to anyone who can list processes.
    settings = Settings(**chosen, api_keys=read_keys(os.environ.get(_KEYS, ""), api_keys_file))
    from treequation.server.running import serve as run

    run(settings, host, port)
