"""Checkpoints: written aside, sealed, renamed; the last complete one is found by itself."""

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
    """A state of training: tensors by name, and plain values."""

    tensors: dict[str, Tensor]
    progress: dict[str, Any]


def save_checkpoint(folder: Path, checkpoint: Checkpoint, epoch: int) -> None:
    """Writes a checkpoint beside the old one, which is removed once the new one is complete."""
    final = folder / f"epoch-{epoch:05d}"
    # A tensor that shares memory with another cannot be saved; one that is not on the host must come there.
    tensors = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in checkpoint.tensors.items()}
    with folder_written_whole(final) as aside:
        save_file(tensors, aside / TENSORS)
        (aside / PROGRESS).write_text(json.dumps(checkpoint.progress), encoding="utf-8")
        seal(aside, kind=KIND, version=VERSION)
    for old in folder.iterdir():  # also what a kill left half written
        if old != final:
            shutil.rmtree(old, ignore_errors=True)


def last_checkpoint(folder: Path) -> Checkpoint | None:
    """The newest checkpoint, or None where there is none; :class:`DamagedFolderError` if it is not whole.

    A kill never leaves a damaged one. To skip one would be to train again over what is there without being told to.
    """
    found = max(folder.glob("epoch-*"), default=None)
    if found is None:
        return None
    try:
        check_seal(found, kind=KIND, version=VERSION)
    except DamagedFolderError as error:
        raise DamagedFolderError(
            f"{error}; or remove {found}: the run then goes on from the checkpoint before it, or begins anew"
        ) from error
    progress = json.loads((found / PROGRESS).read_text(encoding="utf-8"))
    return Checkpoint(load_file(found / TENSORS), progress)
