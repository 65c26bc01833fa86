"""How a service begins and ends."""

import signal
import socket
import subprocess
from pathlib import Path

import httpx

from tests.runtime.light import changed_copy, taught_folder
from tests.server.running import PATIENCE, command, running, until


def test_sigterm_answers_what_was_asked_and_exits_0(tmp_path: Path) -> None:
    # While it drains it still answers, and a busy machine may take a moment to ask.
    with running(tmp_path, "--drain-delay", "4", "--deadline", "60") as service:
        (worker,) = service.workers()
        with service.stopped_worker():
            asked = service.ask()
            until(lambda: service.metric("requests_in_flight") == 1)
            service.process.send_signal(signal.SIGTERM)

            def refusal() -> httpx.Response | None:
                ready = service.client.get("/readyz")
                return ready if ready.status_code == 503 else None

            assert "shutting down" in until(refusal).json()["reason"]
        assert asked.result().status_code == 200
        assert service.process.wait(PATIENCE) == 0
        assert not Path(f"/proc/{worker}").exists()
        assert [line["event"] for line in service.lines()][-1] == "ended"


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with running(tmp_path, "--deadline", "600") as service, service.stopped_worker():
        service.ask()
        until(lambda: service.metric("requests_in_flight") == 1)
        service.process.send_signal(signal.SIGTERM)
        until(lambda: any(line["event"] == "draining" for line in service.lines()))
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(60) == 0


def test_workers_do_not_outlive_a_service_that_is_killed(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2") as service:
        workers = [Path(f"/proc/{worker}/cmdline") for worker in service.workers()]
        assert len(workers) == 2
        service.process.kill()
        # One that has ended, but that nobody has asked about yet, has no command line any more.
        until(lambda: not any(each.exists() and each.read_bytes() for each in workers))


def test_a_wrong_warm_up_answer_keeps_it_from_being_ready(tmp_path: Path) -> None:
    with running(tmp_path, "--warm-up-answer", "1234", ready=False) as service:
        until(lambda: "expected: 1234" in service.client.get("/readyz").json()["reason"])
        assert service.client.get("/healthz").status_code == service.client.head("/healthz").status_code == 200
        assert service.client.head("/").status_code == 200
        assert service.client.head("/readyz").status_code == 503
        assert service.solve().status_code == 200


def failing(*options: str) -> str:
    done = subprocess.run(command(*options), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


def test_failures_to_start(tmp_path: Path) -> None:
    damaged = changed_copy(tmp_path / "damaged", name="another")
    assert str(damaged) in failing("--model", str(damaged))
    assert "no-such-folder" in failing("--model", "no-such-folder")
    assert "keys has no key" in failing("--api-keys-file", str(_written(tmp_path / "keys", "# none\n")))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "choose another --port" in failing("--model", str(taught_folder()), "--port", port)
    assert "choose another --host" in failing("--model", str(taught_folder()), "--host", "no-such-host.invalid")


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
