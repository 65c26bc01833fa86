"""The files for containers agree with the service; no container engine is needed to check this."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from tests.server.running import Running
from treequation.cli import build

ROOT = Path(__file__).parents[2]
OPTIONS = {option.envvar for option in get_command(build()).commands["serve"].params if option.envvar}  # type: ignore[attr-defined]


def loaded(file: str) -> dict[str, Any]:
    found = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's, with continued lines joined."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_copies_existing_files_and_runs_unprivileged() -> None:
    copied = [shlex.split(rest)[:-1] for name, rest in instructions() if name == "COPY" and "--from" not in rest]
    sources = [source for each in copied for source in each]
    assert sources
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for source in sources:
        assert (ROOT / source).exists()
        assert f"!{source}" in kept
    last = max(place for place, (name, _) in enumerate(instructions()) if name == "FROM")
    final = dict(instructions()[last:])
    assert int(final["USER"].split(":")[0]) > 0
    assert set(re.findall(r"TREEQUATION_\w+(?==)", final["ENV"])) <= OPTIONS


def test_the_composition() -> None:
    services = loaded("compose.yaml")["services"]
    for service in services.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (ROOT / source).exists() or source in loaded("compose.yaml")["volumes"]
    ours = services["treequation"]
    settings = {name: float(value) for name, value in ours["environment"].items()}
    assert set(settings) <= OPTIONS
    assert sum(settings.values()) < float(ours["stop_grace_period"].removesuffix("s"))


def test_prometheus_finds_the_service_and_alerts_use_existing_metrics(service: Running) -> None:
    prometheus = loaded("deploy/prometheus/prometheus.yml")
    (target,) = prometheus["scrape_configs"][0]["static_configs"][0]["targets"]
    host, port = target.split(":")
    assert host in loaded("compose.yaml")["services"]
    assert ("EXPOSE", port) in instructions()
    shown = service.client.get("/metrics").text
    (rules,) = prometheus["rule_files"]
    expressions = [rule["expr"] for rule in loaded(f"deploy/prometheus/{rules}")["groups"][0]["rules"]]
    named = {name for expression in expressions for name in re.findall(r"treequation_\w+", expression)}
    assert len(named) >= 4
    service.solve()
    for name in named:
        assert re.search(rf"^# TYPE {re.sub('_bucket$', '', name)} ", shown, re.MULTILINE), name


@pytest.mark.parametrize("file", ["Dockerfile", "compose.yaml", "deploy/prometheus/alerts.yml"])
def test_it_is_named_where_an_operator_reads(file: str) -> None:
    assert file in (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
