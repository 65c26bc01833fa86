"""The finding of an analysis: one JSON file under ``results/``, from which its tables, figures and pages are made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from treequation.errors import TreequationError
from treequation.storage import write_json

_ABOUT = ("kind", "data", "command", "date", "device")


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of some kind; ``content`` has plain JSON values. ``data`` is empty if it covers several data sets."""

    kind: str
    data: str
    command: str
    device: str
    content: Mapping[str, Any]
    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())
    versions: Mapping[str, str] = field(default_factory=dict)  # of the software

    @property
    def name(self) -> str:
        """The name of its file and its figures.

        >>> Finding("structure", "mathqa", "treequation analyze structure …", "a machine", {}).name
        'structure-mathqa'
        """
        return f"{self.kind}-{self.data}" if self.data else self.kind

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON: where it comes from, then its content."""
        return {**{key: getattr(self, key) for key in _ABOUT}, "versions": dict(self.versions), **self.content}


def write_finding(finding: Finding, folder: Path) -> Path:
    """Writes it into a folder of results; replaces an older one of the same name."""
    path = folder / f"{finding.name}.json"
    write_json(path, finding.to_dict())
    return path


def read_findings(folder: Path) -> list[Finding]:
    """The findings in a folder of results, sorted by name. Other files are skipped."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise TreequationError(f"{path} is not JSON: {error}") from error
        if isinstance(content, dict) and all(isinstance(content.get(key), str) for key in _ABOUT):
            about = {key: content.pop(key) for key in _ABOUT}
            found.append(Finding(**about, versions=content.pop("versions", {}), content=content))
    return found
