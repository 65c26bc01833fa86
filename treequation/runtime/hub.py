"""Models from the Hugging Face hub, by name: ``org/name``, optionally with a revision and a checksum.

Only the files listed in the manifest are downloaded, all of one commit, into the hub's own cache. Cached files are not
downloaded again, and without a network only the cache is used. A folder is checked when it is loaded.
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


def model_folder(name: str | PathLike[str]) -> Path:
    """The folder of a model: ``name`` itself, or the cached copy of a model on the hub.

    A text such as ``org/name``, ``org/name@v2`` or ``org/name@v2#sha256=…`` means the hub. The revision is a branch, a
    tag or a commit. The checksum is that of ``manifest.json``, which holds all others. An existing local folder comes
    first. If there is a local folder ``org``, or it is called ``runs``, plain ``org/name`` is taken for a misspelt
    folder in it: its name may be private and is not sent to the hub.
    """
    path = Path(name)
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None or path.exists():
        return path
    folder = path.parent
    if name == found["model"] and (folder.is_dir() or folder.name == "runs"):  # where trainings put their runs
        return path
    model, revision, checksum = found["model"], found["revision"], found["sha256"]
    manifest = _fetched(model, MANIFEST, revision)
    if checksum and sha256_of(manifest) != checksum:
        raise TreequationError(f"{MANIFEST} of {model} has the SHA-256 {sha256_of(manifest)}, not the one asked for")
    commit = manifest.parent.name  # so that all files are of one commit, even if the branch moves meanwhile
    for file in read_manifest(manifest, kind=KIND, version=FORMAT):
        _fetched(model, file, commit)
    return manifest.parent


def _fetched(model: str, file: str, revision: str | None) -> Path:
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        from huggingface_hub import errors, hf_hub_download
    except ModuleNotFoundError as error:
        raise TreequationError(
            f"there is no folder {model}; to load a model from the Hugging Face hub: pip install 'treequation[hub]'"
        ) from error
    full_name = model if revision is None else f"{model}@{revision}"
    offline = f"there is no folder {model}, the hub cannot be reached, and {file} of {full_name} is not in the cache"
    reasons = {  # the first match counts, from the most specific error to the least
        errors.GatedRepoError: f"{model} needs permission; ask for access on its page, then run `hf auth login`",
        errors.RepositoryNotFoundError: f"there is no folder {model}, and no such public model on the hub; "
        "check the name, or run `hf auth login` for a private model",
        errors.RevisionNotFoundError: f"{model} has no revision {revision}; name a branch, a tag or a commit",
        errors.LocalEntryNotFoundError: f"{offline}; connect, and try again",
        errors.EntryNotFoundError: f"{full_name} on the hub has no {file}; "
        f"it is not a {KIND} made by `treequation export`",
    }
    try:
        return Path(hf_hub_download(model, file, revision=revision))
    except (errors.HfHubHTTPError, errors.EntryNotFoundError, OSError, ValueError) as error:
        other = f"{file} of {full_name} cannot be downloaded ({str(error).partition(chr(10))[0]}); try again later"
        raise TreequationError(
            next((text for kind, text in reasons.items() if isinstance(error, kind)), other)
        ) from error
