"""A stand-in for the Hugging Face hub: the part of its HTTP interface that serves the files of models."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


@dataclass
class Hub:
    """Models by name, each with its revisions, which are folders; ``requests`` has the paths of all requests."""

    models: dict[str, dict[str, Path]]
    requests: list[str] = field(default_factory=list)
    address: str = ""

    def commit(self, model: str, revision: str) -> str:
        """The commit that a revision stands for."""
        return hashlib.sha1(str(self.models[model][revision]).encode()).hexdigest()

    def find(self, path: str) -> tuple[Path, str] | str:
        """The file at ``/org/name/resolve/revision/file`` and its commit, or what the hub calls the error."""
        owner, name, resolve, revision, *file = unquote(path).strip("/").split("/")
        assert resolve == "resolve"
        model = f"{owner}/{name}"
        if model not in self.models:
            return "RepoNotFound"
        revisions = self.models[model]
        known = revisions | {self.commit(model, each): folder for each, folder in revisions.items()}
        if revision not in known:
            return "RevisionNotFound"
        found = known[revision].joinpath(*file)
        commit = self.commit(model, next(each for each in revisions if revisions[each] == known[revision]))
        return (found, commit) if found.is_file() else "EntryNotFound"


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serves ``hub`` on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer()

        def do_GET(self) -> None:
            content = self.answer()
            if content is not None:
                self.wfile.write(content)

        def answer(self) -> bytes | None:
            hub.requests.append(f"{self.command} {self.path}")
            found = hub.find(self.path)
            if isinstance(found, str):
                self.send_response(404)
                self.send_header("X-Error-Code", found)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return None
            file, commit = found
            content = file.read_bytes()
            self.send_response(200)
            self.send_header("X-Repo-Commit", commit)
            self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            return content

        def log_message(self, *_: object) -> None:
            """Logs nothing; the requests are in ``requests``."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    hub.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
