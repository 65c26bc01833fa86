"""Machine-readable logs: one JSON object per line on standard error, with the request's id."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

REQUEST_ID: ContextVar[str | None] = ContextVar("request id", default=None)


class JsonLines(logging.Formatter):
    """Formats a record, with its ``extra={"fields": …}``, as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if (request_id := REQUEST_ID.get()) is not None:
            line["request_id"] = request_id
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True, default=str)


def log_as_json() -> None:
    """Sends all logging of this process to standard error in this form."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # Below a warning, Uvicorn only repeats what we log ourselves.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
