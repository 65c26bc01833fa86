"""``treequation serve``: the service. Every option can also be given by an environment variable."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from treequation.cli.engine import MODEL_HELP, USUAL_PRECISION, Precision
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
    port: Annotated[int, _option("port", "0 takes any that is free.", min=0, max=65535)] = 8000,
    root_path: Annotated[str, _option("root-path", "The path that a proxy serves this under.")] = "",
    workers: Annotated[int, _option("workers", "Processes that solve.", min=1)] = Settings.workers,
    threads: Annotated[int, _option("threads", "Processors for each; 0: all.", min=0)] = Settings.threads,
    precision: Annotated[
        Precision, _option("precision", "How the encoder multiplies; auto: int16 where the processor does that right.")
    ] = USUAL_PRECISION,
    window_ms: Annotated[
        float, _option("window-ms", "How long a problem may wait for others to share its batch.", min=0, max=1000)
    ] = Settings.window_ms,
    batch_tokens: Annotated[
        int, _option("batch-tokens", "Tokens to solve at a time, about.", min=1)
    ] = Settings.batch_tokens,
    max_body: Annotated[int, _option("max-body", "Bytes of a request.", min=1)] = Settings.max_body,
    max_text: Annotated[int, _option("max-text", "Characters of a problem.", min=1)] = Settings.max_text,
    max_numbers: Annotated[int, _option("max-numbers", "Numbers in a problem.", min=1)] = Settings.max_numbers,
    max_problems: Annotated[int, _option("max-problems", "Problems of a request.", min=1)] = Settings.max_problems,
    max_beam: Annotated[
        int,
        _option(
            "max-beam",
            f"The widest beam; below {SECOND_LOOK}, unsure problems are not looked at again.",
            min=1,
            max=MAX_BEAM,
        ),
    ] = Settings.max_beam,
    max_connections: Annotated[
        int, _option("max-connections", "Connections at a time.", min=1)
    ] = Settings.max_connections,
    max_requests: Annotated[int, _option("max-requests", "Requests served at a time.", min=1)] = Settings.max_requests,
    max_queue: Annotated[int, _option("max-queue", "Problems that may wait.", min=1)] = Settings.max_queue,
    deadline: Annotated[float, _option("deadline", "Seconds for a request.", min=0.01)] = Settings.deadline,
    drain_delay: Annotated[
        float, _option("drain-delay", "Seconds to go on after SIGTERM, not ready, before the port closes.", min=0)
    ] = Settings.drain_delay,
    api_keys_file: Annotated[
        Path | None, _option("api-keys-file", f"Keys that may ask, one a line; or {_KEYS}, with commas between.")
    ] = None,
    cors_origin: Annotated[
        list[str] | None, _option("cors-origin", "A site whose pages may ask; may be given several times.")
    ] = None,
    log_problems: Annotated[bool, _option("log-problems", "Log the problems' texts.")] = Settings.log_problems,
    tracing: Annotated[
        bool, _option("tracing", "Send traces by OpenTelemetry, to where its OTEL_… variables say.")
    ] = Settings.tracing,
    warm_up_problem: Annotated[
        str, _option("warm-up-problem", "Solved before the service is ready.")
    ] = Settings.warm_up_problem,
    warm_up_answer: Annotated[
        str, _option("warm-up-answer", "What it must come to; empty: anything.")
    ] = Settings.warm_up_answer,
) -> None:
    """Answer problems over HTTP until SIGTERM; `/docs` describes how to ask."""
    given = dict(locals())  # the options, most of which are named as the settings are
    chosen = {field.name: given[field.name] for field in fields(Settings) if field.name in given}
    chosen["model"] = None if model is None else model_folder(model)  # once, and not by every process
    chosen |= {
        "root_path": root_path.rstrip("/"),
        "precision": precision.value,
        "cors_origins": tuple(cors_origin or ()),
    }
    # A key given as an option would be seen by everybody who may list processes.
    settings = Settings(**chosen, api_keys=read_keys(os.environ.get(_KEYS, ""), api_keys_file))
    from treequation.server.running import serve as run

    run(settings, host, port)
