"""Models by name from the Hugging Face hub: ``org/name``, of a revision and with a checksum where one is given.

Only the files that the manifest lists are fetched, all of one commit, into the hub's own cache. What is there is not
fetched again, and without a network the cache is all there is. Whether a folder is whole is checked when it is loaded.
"""

from __future__ import annotations

import os
import re
from os import PathLike
from pathlib import Path

from treequation.errors import TreequationError
from treequation.runtime.folder import FORMAT, KIND
from treequation.storage import MANIFEST, read_manifest, sha256_of

_NAME = re.compile(
    r"(?P<model>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@(?P<revision>[\w.-][\w./-]*))?(?:#sha256=(?P<sha256>[0-9a-f]{64}))?"
)


class HubError(TreequationError):
    """A model cannot be had from the hub; the message says why."""


def model_folder(name: str | PathLike[str]) -> Path:
    """The folder of a model: ``name`` itself, or the cached copy of a model on the hub.

    A text such as ``org/name``, ``org/name@v2`` or ``org/name@v2#sha256=…`` means the hub. The revision is a branch, a
    tag or a commit. The checksum is that of ``manifest.json``, which has all others in it. A folder that is here comes
    first; and where there is a folder ``org``, ``org/name`` alone is taken for a folder in it, misspelt perhaps, whose
    name is nobody's business.
    """
    path = Path(name)
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None or path.exists() or (name == found["model"] and path.parent.is_dir()):
        return path
    model, revision, checksum = found["model"], found["revision"], found["sha256"]
    manifest = _fetched(model, MANIFEST, revision)
    if checksum and sha256_of(manifest) != checksum:
        raise HubError(f"{MANIFEST} of {model} has the SHA-256 {sha256_of(manifest)}, which is not the one asked for")
    commit = manifest.parent.name  # so that all files are of one commit, whatever happens to the branch meanwhile
    for file in read_manifest(manifest, kind=KIND, version=FORMAT):
        _fetched(model, file, commit)
    return manifest.parent


def _fetched(model: str, file: str, revision: str | None) -> Path:
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        from huggingface_hub import errors, hf_hub_download
    except ModuleNotFoundError as error:
        raise HubError(
            f"there is no folder {model}, and a model of the Hugging Face hub needs: pip install 'treequation[hub]'"
        ) from error
    asked = model if revision is None else f"{model}@{revision}"
    away = f"there is no folder {model}, the hub cannot be reached, and {file} of {asked} is not in the cache"
    reasons = {  # the first that fits, from the narrow to the wide
        errors.GatedRepoError: f"{model} is only for those who asked for it; ask on its page, then `hf auth login`",
        errors.RepositoryNotFoundError: f"there is no folder {model}, and no such model on the hub that you may see; "
        "check the name, or `hf auth login` for a private one",
        errors.RevisionNotFoundError: f"{model} has no revision {revision}; name a branch, a tag or a commit",
        errors.LocalEntryNotFoundError: f"{away}; connect, and try again",
        errors.EntryNotFoundError: f"{asked} on the hub has no {file}; it is not a {KIND} made by `treequation export`",
    }
    try:
        return Path(hf_hub_download(model, file, revision=revision))
    except (errors.HfHubHTTPError, errors.EntryNotFoundError, OSError, ValueError) as error:
        said = f"{file} of {asked} cannot be fetched ({str(error).partition(chr(10))[0]}); try again later"
        raise HubError(next((text for kind, text in reasons.items() if isinstance(error, kind)), said)) from error
