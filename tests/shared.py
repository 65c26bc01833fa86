"""What takes long to make is made once in a test run, for all of its processes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from treequation.export import graphs, light_folder
from treequation.model import TreequationModel
from treequation.storage import folder_written_whole, held

FOLDER = "TREEQUATION_TEST_FOLDER"  # the variable that names the folder; tests/conftest.py sets it
_TAKEN = "taken.json"
_NOT_TRACED = ("trained_on", "amounts", "constants", "number_format", "_name_or_path")


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that ``make`` has written; nobody may change it."""
    shared = Path(os.environ[FOLDER])
    folder = shared / name
    while not folder.exists():
        with held(shared / f"{name}.lock") as ours:
            if not ours:
                time.sleep(0.1)
            elif not folder.exists():
                with folder_written_whole(folder) as aside:
                    make(aside)
    return folder


def share_graphs() -> None:
    """Makes exports trace a model only if none of the same sizes was traced before: graphs hold no weights."""

    def write_once(model: TreequationModel, target: Path, precision: str) -> dict[str, tuple[str, ...]]:
        def write(folder: Path) -> None:
            taken = graphs.write_graphs(model, folder, precision)
            (folder / _TAKEN).write_text(json.dumps(taken), encoding="utf-8")

        shapes = {name: list(weight.shape) for name, weight in graphs.floats_of(model).items()}
        settings = {name: value for name, value in model.config.to_dict().items() if name not in _NOT_TRACED}
        whole = json.dumps([settings, shapes, precision], sort_keys=True, default=str)
        folder = made_once(f"graphs-{hashlib.sha256(whole.encode()).hexdigest()}", write)
        shutil.copytree(folder, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(_TAKEN))
        taken = json.loads((folder / _TAKEN).read_text(encoding="utf-8"))
        return {name: tuple(weights) for name, weights in taken.items()}

    light_folder.write_graphs = write_once
