"""The manifests: valid by Kubernetes' own schemas, and in agreement with the service and with each other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import typer
import yaml
from fastapi.testclient import TestClient

from treequation import __version__
from treequation.cli import build
from treequation.server.app import build as build_app
from treequation.server.service import Service
from treequation.server.settings import Settings

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
VERSIONS = ["1.29", kubernetes_validate.latest_version()]


def manifest(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    return content


RESOURCES: list[str] = manifest("kustomization.yaml")["resources"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", RESOURCES)
def test_valid_by_the_schema(name: str, version: str) -> None:
    checked_by = kubernetes_validate.validate(manifest(name), version, strict=True)  # raises if it is not valid
    assert version.startswith(checked_by)


def test_the_schema_can_say_no() -> None:
    wrong = manifest("deployment.yaml")
    wrong["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_all_manifests_are_applied_and_select_the_same_copies() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.yaml")) == sorted([*RESOURCES, "kustomization.yaml"])
    deployment, service, autoscaler, disruption = (manifest(name) for name in RESOURCES)
    labels = deployment["spec"]["template"]["metadata"]["labels"].items()
    for selector in (
        deployment["spec"]["selector"]["matchLabels"],
        service["spec"]["selector"],
        disruption["spec"]["selector"]["matchLabels"],
    ):
        assert selector.items() <= labels
    target = autoscaler["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == (deployment["kind"], deployment["metadata"]["name"])
    assert autoscaler["spec"]["minReplicas"] > disruption["spec"]["maxUnavailable"]


def test_the_service_has_what_the_manifests_name(monkeypatch: pytest.MonkeyPatch) -> None:
    pod = manifest("deployment.yaml")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["image"] == f"treequation:{__version__}"
    command: Any = typer.main.get_command(build()).commands["serve"]  # type: ignore[attr-defined]
    options = {parameter.envvar: parameter for parameter in command.params}
    chosen = {each["name"]: each["value"] for each in container["env"]}
    assert chosen.keys() <= options.keys()
    for name in [name for name in os.environ if name.startswith("TREEQUATION_")]:
        monkeypatch.delenv(name)
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)
    asked = command.make_context("serve", []).params
    assert pod["terminationGracePeriodSeconds"] > asked["drain_delay"] + asked["deadline"]
    readiness = container["readinessProbe"]
    assert asked["drain_delay"] > readiness["periodSeconds"] * readiness["failureThreshold"]
    assert asked["port"] == container["ports"][0]["containerPort"]

    client = TestClient(build_app(Service(Settings())), raise_server_exceptions=False)
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert client.get(container[probe]["httpGet"]["path"]).status_code in (200, 503)
    (metric,) = manifest("autoscaler.yaml")["spec"]["metrics"]
    assert f"\n{metric['pods']['metric']['name']} 0.0\n" in client.get("/metrics").text


def test_it_runs_with_as_few_rights_as_possible() -> None:
    pod = manifest("deployment.yaml")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "memory" in container["resources"]["limits"]
