"""Asks a running service for the answer to a problem, with the standard library alone.

    treequation serve &                              # in another terminal; needs the extra `serve`
    python examples/call_service.py "Tom has 3 boxes with 12 pencils each. How many pencils does he have?"

The address is http://127.0.0.1:8000, or what TREEQUATION_URL says. TREEQUATION_KEY is sent if the service has keys.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from typing import Any

URL = os.environ.get("TREEQUATION_URL", "http://127.0.0.1:8000")
PROBLEM = "Tom has 3 boxes with 12 pencils each. He gives 8 away. How many are left?"


def solve(problem: str) -> dict[str, Any]:
    """The JSON of the answer; an error of the service has the key ``error``."""
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("TREEQUATION_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    body = json.dumps({"problem": problem}).encode()
    request = urllib.request.Request(f"{URL}/v1/solve", data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            found: dict[str, Any] = json.load(response)
    except urllib.error.HTTPError as error:  # 4xx and 5xx also have a JSON body, which says what to do
        found = json.load(error)
    return found


def main(problem: str) -> int:
    try:
        found = solve(problem)
    except urllib.error.URLError as error:
        print(f"no service answers at {URL} ({error.reason}); start one with `treequation serve`", file=sys.stderr)
        return 1
    if "error" in found:
        print(f"{found['error']['message']}; {found['error']['hint']}", file=sys.stderr)
        return 1
    print(f"{found['equation']} = {found['answer']}  ({found['confidence']:.0%} sure)")
    for step in found["steps"]:
        print(step)
    return 0


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]) or PROBLEM))
