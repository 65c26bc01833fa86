"""Whatever the OpenAPI allows or forbids: no request brings the service down, and every response is as documented."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from tests.server.running import Running

# Not among them: that what the schema allows is accepted. It allows any text, and not every text is a problem.
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SOLVING, READING = ["/v1/solve", "/v1/solve/batch", "/v1/check"], ["/v1/models", "/healthz", "/readyz", "/metrics"]


@pytest.fixture(scope="module")
def schema(service: Running) -> schemathesis.BaseSchema:
    found = schemathesis.openapi.from_url(f"http://127.0.0.1:{service.port}/openapi.json")
    assert sorted(found) == sorted(SOLVING + READING)
    return found


def test_a_service_without_keys_describes_none(schema: schemathesis.BaseSchema) -> None:
    assert "securitySchemes" not in schema.raw_schema["components"]


def fuzz(
    schema: schemathesis.BaseSchema, address: str, mode: GenerationMode, checks: list[Any], examples: int
) -> list[int]:
    """Sends requests that the schema allows or forbids, checks the responses, and returns their statuses."""
    (operation,) = schema[address].values()
    statuses: list[int] = []

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def holds(case: schemathesis.Case) -> None:
        statuses.append(case.call_and_validate(checks=checks).status_code)

    holds()
    return statuses


@pytest.mark.parametrize("address", SOLVING)
def test_right_requests(service: Running, schema: schemathesis.BaseSchema, address: str) -> None:
    before = service.metric("requests_total")
    statuses = fuzz(schema, address, GenerationMode.POSITIVE, CHECKS, examples=100)
    assert service.metric("requests_total") - before >= len(statuses) >= 100


@pytest.mark.parametrize("address", SOLVING)
def test_wrong_requests_are_refused(schema: schemathesis.BaseSchema, address: str) -> None:
    statuses = fuzz(schema, address, GenerationMode.NEGATIVE, [*CHECKS, negative_data_rejection], examples=100)
    assert len(statuses) >= 100
    assert all(400 <= status < 500 for status in statuses)


@pytest.mark.parametrize("address", READING)
def test_reading(schema: schemathesis.BaseSchema, address: str) -> None:
    assert fuzz(schema, address, GenerationMode.POSITIVE, CHECKS, examples=1) == [200]
