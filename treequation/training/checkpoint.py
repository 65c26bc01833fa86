"""Checkpoints: written to a temporary folder, sealed with checksums, then renamed."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor

from treequation.storage import DamagedFolderError, check_seal, folder_written_whole, seal

KIND, VERSION = "treequation checkpoint", 1
TENSORS, PROGRESS = "state.safetensors", "progress.json"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a training run: tensors by name, and plain values."""

    tensors: dict[str, Tensor]
    progress: dict[str, Any]


def save_checkpoint(folder: Path, checkpoint: Checkpoint, epoch: int) -> None:
    """Writes a checkpoint, and removes the old one once the new one is complete."""
    final = folder / f"epoch-{epoch:05d}"
    # Cloned, since safetensors refuses tensors that share memory.
    tensors = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in checkpoint.tensors.items()}
    with folder_written_whole(final) as aside:
        save_file(tensors, aside / TENSORS)
        (aside / PROGRESS).write_text(json.dumps(checkpoint.progress), encoding="utf-8")
        seal(aside, kind=KIND, version=VERSION)
    for old in folder.iterdir():  # also what a killed process left half written
        if old != final:
            shutil.rmtree(old, ignore_errors=True)


def last_checkpoint(folder: Path) -> Checkpoint | None:
    """The newest checkpoint, or None if there is none; raises :class:`DamagedFolderError` if it is damaged.

    Killing the process never damages a checkpoint. We do not skip a damaged one: that would silently repeat epochs.
    """
    newest = max(folder.glob("epoch-*"), default=None)
    if newest is None:
        return None
    try:
        check_seal(newest, kind=KIND, version=VERSION)
    except DamagedFolderError as error:
        raise DamagedFolderError(
            f"{error}; or remove {newest}: the run then continues from the checkpoint before it, or starts again"
        ) from error
    progress = json.loads((newest / PROGRESS).read_text(encoding="utf-8"))
    return Checkpoint(load_file(newest / TENSORS), progress)
