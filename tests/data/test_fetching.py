"""Downloads against a server that stalls, breaks off, damages, and knows no ranges."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from treequation.data.catalogue import DataFile, DataSet
from treequation.data.fetching import Fetched, fetch
from treequation.data.reading import DataError
from treequation.text.problem import NumberFormat

CONTENT = bytes(range(256)) * 1000
CHECKSUM = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves ``CONTENT``; ``misbehave`` may answer a request (from 0) in its own way and return True."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ranges: list[str | None] = []
        self.misbehave: Callable[[int, BaseHTTPRequestHandler], bool] = lambda request, handler: False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/file.json"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.server.ranges.append(asked)
        if self.server.misbehave(len(self.server.ranges) - 1, self):
            self.close_connection = True
            return
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        if start >= len(CONTENT):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(CONTENT)}")
            self.end_headers()
            return
        self.send_response(206 if asked else 200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(CONTENT) - start))
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.end_headers()
        self.wfile.write(CONTENT[start:])

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def download(url: str, root: Path, sha256: str | None = CHECKSUM, timeout: float = 60.0) -> Fetched:
    files = (DataFile("set/file.json", url, sha256),)
    data_set = DataSet("set", "A set", ("en",), "MIT", "", NumberFormat(), files, {})
    (fetched,) = fetch(data_set, root, timeout=timeout, pause=0.01)
    return fetched


def files_in(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob("*") if path.is_file())


def break_off_after(count: int) -> Callable[[int, BaseHTTPRequestHandler], bool]:
    def misbehave(request: int, handler: BaseHTTPRequestHandler) -> bool:
        if request > 0:
            return False
        handler.send_response(200)
        handler.send_header("ETag", '"1"')
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        handler.wfile.write(CONTENT[:count])
        return True

    return misbehave


def test_a_whole_file_is_put_in_place_and_not_downloaded_again(server: Server, tmp_path: Path) -> None:
    assert download(server.url, tmp_path).downloaded
    assert (tmp_path / "set/file.json").read_bytes() == CONTENT
    assert not download(server.url, tmp_path).downloaded
    assert len(server.ranges) == 1
    assert files_in(tmp_path) == ["file.json"]


def test_a_broken_off_download_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    server.misbehave = break_off_after(100_000)
    fetched = download(server.url, tmp_path)
    assert fetched.path.read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=100000-"]


def test_a_later_run_goes_on_from_the_part_of_an_earlier_one(server: Server, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set/file.json.part").write_bytes(CONTENT[:777])
    assert download(server.url, tmp_path).path.read_bytes() == CONTENT
    assert server.ranges == ["bytes=777-"]


def test_a_complete_part_is_only_checked(server: Server, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set/file.json.part").write_bytes(CONTENT)
    assert download(server.url, tmp_path).path.read_bytes() == CONTENT


def test_a_server_without_ranges_is_read_from_the_start(server: Server, tmp_path: Path) -> None:
    def whole_each_time(request: int, handler: BaseHTTPRequestHandler) -> bool:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        handler.wfile.write(CONTENT if request else CONTENT[:5000])
        return True

    server.misbehave = whole_each_time
    assert download(server.url, tmp_path).path.read_bytes() == CONTENT


def test_a_server_that_stalls_is_left_after_the_time_out(server: Server, tmp_path: Path) -> None:
    given_up = threading.Event()

    def stall(request: int, handler: BaseHTTPRequestHandler) -> bool:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        handler.wfile.flush()
        given_up.wait(60)
        return True

    server.misbehave = stall
    with pytest.raises(DataError, match="the server does not answer"):
        download(server.url, tmp_path, timeout=0.05)
    given_up.set()  # the server would have gone on waiting
    assert not (tmp_path / "set/file.json").exists()


def test_a_damaged_file_is_refused_and_removed(server: Server, tmp_path: Path) -> None:
    def damage(request: int, handler: BaseHTTPRequestHandler) -> bool:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        handler.wfile.write(CONTENT[:-1] + b"!")
        return True

    server.misbehave = damage
    with pytest.raises(DataError, match="checksum"):
        download(server.url, tmp_path)
    assert files_in(tmp_path) == []
    server.misbehave = lambda request, handler: False
    assert download(server.url, tmp_path).path.read_bytes() == CONTENT


def test_a_passing_server_error_is_tried_again(server: Server, tmp_path: Path) -> None:
    def busy(request: int, handler: BaseHTTPRequestHandler) -> bool:
        if request < 2:
            handler.send_error(503)
        return request < 2

    server.misbehave = busy
    assert download(server.url, tmp_path).downloaded


def test_a_missing_file_is_not_tried_again(server: Server, tmp_path: Path) -> None:
    def missing(request: int, handler: BaseHTTPRequestHandler) -> bool:
        handler.send_error(404)
        return True

    server.misbehave = missing
    with pytest.raises(DataError, match="404"):
        download(server.url, tmp_path)
    assert len(server.ranges) == 1


def test_no_network_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Check the network"):
        download("http://127.0.0.1:9/file.json", tmp_path, timeout=0.5)


def test_an_unpublished_checksum_is_recorded_at_first_and_holds_from_then_on(server: Server, tmp_path: Path) -> None:
    assert download(server.url, tmp_path, sha256=None).checked == "first"
    assert (tmp_path / "set/file.json.sha256").read_text() == f"{CHECKSUM}  file.json\n"
    assert download(server.url, tmp_path, sha256=None).checked == "recorded"
    (tmp_path / "set/file.json").write_bytes(b"changed")
    with pytest.raises(DataError, match="checksum"):
        download(server.url, tmp_path, sha256=None)


def test_the_rest_of_another_version_is_not_joined_to_an_unchecked_part(server: Server, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set/file.json.part").write_bytes(b"an older version")
    assert download(server.url, tmp_path, sha256=None).path.read_bytes() == CONTENT


def test_nothing_is_written_beside_a_file_that_was_there_before(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set/file.json").write_bytes(b"of unknown origin")
    fetched = download("http://127.0.0.1:9/file.json", tmp_path, sha256=None)
    assert (fetched.downloaded, fetched.checked) == (False, "unknown")
    assert files_in(tmp_path) == ["file.json"]
