"""Models from a stand-in for the Hugging Face hub: names, revisions, checksums, the cache, and the model card."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.hub import Hub, serving
from tests.runtime.light import changed_copy, known_problems, taught_folder
from treequation.export.model_card import CARD, Score, write_card
from treequation.runtime.folder import FORMAT, KIND, TOKENIZER, WEIGHTS
from treequation.runtime.hub import model_folder
from treequation.runtime.weight_file import SCALE, WeightFile
from treequation.storage import MANIFEST, read_manifest, seal, sha256_of

PROBLEM = known_problems()[0]


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """Two revisions of the taught model, one that was changed, and a folder that is not a model."""
    room = tmp_path_factory.mktemp("hub")
    first, second, changed, other = (room / name for name in ("first", "second", "changed", "other"))
    shutil.copytree(taught_folder(), first)
    write_card(first)
    changed_copy(second, name="second edition")
    seal(second, kind=KIND, version=FORMAT)
    shutil.copytree(taught_folder(), changed)
    (changed / TOKENIZER).write_text("{}")
    other.mkdir()
    (other / CARD).write_text("# Some other model\n")
    models = {"class/taught": {"v1": first, "main": second}, "class/changed": {"main": changed}}
    with serving(Hub(models | {"class/other": {"main": other}})) as hub:
        yield hub


def solve(home: Path, address: str, model: str, *, offline: bool = False) -> subprocess.CompletedProcess[str]:
    """``treequation solve`` as a user runs it, with a home of its own."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    environment = inherited | {"HOME": str(home), "HF_HOME": str(home / "hf"), "HF_ENDPOINT": address}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[2])} | ({"HF_HUB_OFFLINE": "1"} if offline else {})
    environment |= {"HF_HUB_ETAG_TIMEOUT": "120", "HF_HUB_DOWNLOAD_TIMEOUT": "120"}  # the stand-in is on a busy machine
    command = [sys.executable, "-m", "treequation", "solve", "--json", "--model", model, PROBLEM.text]
    return subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, timeout=600)


def test_a_model_on_the_hub_is_downloaded_once_and_then_read_from_the_cache(tmp_path: Path, hub: Hub) -> None:
    checksum = sha256_of(taught_folder() / MANIFEST)
    first = solve(tmp_path, hub.address, f"class/taught@v1#sha256={checksum}")
    assert first.returncode == 0, first.stderr
    assert f'"answer": "{PROBLEM.answer}"' in first.stdout
    fetched = {line.rpartition(hub.commit("class/taught", "v1") + "/")[2] for line in hub.requests if "GET" in line}
    needed = read_manifest(taught_folder() / MANIFEST, kind=KIND, version=FORMAT)
    assert fetched - {name for name in fetched if name.endswith(MANIFEST)} == set(needed)  # and no card
    hub.requests.clear()
    again = solve(tmp_path, hub.address, "class/taught@v1")
    assert again.stdout == first.stdout
    assert not any("GET" in line for line in hub.requests)
    # Without the hub, by its own offline switch and without a network.
    assert solve(tmp_path, hub.address, "class/taught@v1", offline=True).stdout == first.stdout
    assert solve(tmp_path, "http://127.0.0.1:9", "class/taught@v1").stdout == first.stdout
    commit = hub.commit("class/taught", "v1")
    assert solve(tmp_path, "http://127.0.0.1:9", f"class/taught@{commit}").stdout == first.stdout
    assert '"model": "second edition"' in solve(tmp_path, hub.address, "class/taught").stdout


@pytest.mark.parametrize(
    ("model", "offline", "message"),
    [
        ("class/nothing", False, "there is no folder class/nothing, and no such public model on the hub"),
        ("class/taught@v9", False, "class/taught has no revision v9"),
        ("class/other", False, "class/other on the hub has no manifest.json; it is not a treequation light model"),
        ("class/changed", False, "tokenizer.json has changed since it was saved"),
        (f"class/taught#sha256={'0' * 64}", False, "not the one asked for"),
        ("class/taught", True, "manifest.json of class/taught is not in the cache"),
        ("class/taught#sha256=short", False, "there is no folder class/taught#sha256=short"),
    ],
)
def test_a_failed_download_is_reported_in_one_line(
    tmp_path: Path, hub: Hub, model: str, offline: bool, message: str
) -> None:
    done = solve(tmp_path, hub.address, model, offline=offline)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("treequation: ")
    assert message in line


def test_a_folder_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "class" / "taught").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert model_folder("class/taught") == Path("class/taught")
    assert model_folder("class/tought") == Path("class/tought")  # misspelt, and not sent to the hub
    assert model_folder("runs/missing") == Path("runs/missing")  # trainings write to runs, also on other machines
    assert model_folder(Path("no/folder")) == Path("no/folder")  # a path is never a name


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(Exception, match=r"pip install 'treequation\[hub\]'"):
        model_folder("class/taught")


def test_the_card_has_the_folder_s_own_figures(tmp_path: Path) -> None:
    from huggingface_hub import ModelCard

    folder = tmp_path / "taught"
    shutil.copytree(taught_folder(), folder)
    before = sha256_of(folder / MANIFEST)
    write_card(folder, [Score("synthetic", "dev", 32, "answer_accuracy", 0.875)], licence="apache-2.0")
    assert sha256_of(folder / MANIFEST) == before  # whoever edits the card damages nothing
    card = ModelCard.load(folder / CARD)
    about = card.data.to_dict()
    assert (about["language"], about["license"], about["library_name"]) == (["en", "zh"], "apache-2.0", "treequation")
    (result,) = card.data.eval_results
    assert (result.dataset_name, result.dataset_split, result.metric_value) == ("synthetic", "dev", 87.5)
    with WeightFile(folder / WEIGHTS) as weights:
        names = [name.removesuffix(".npy") for name in weights._sizes if SCALE not in name]
        count = sum(weights[name].size for name in names)
    size = sum(file.stat().st_size for file in taught_folder().rglob("*") if file.is_file())
    assert f"| weights | {count:,}, stored in 8 bits" in card.text
    assert f"| size | {size / 1e6:.1f} MB" in card.text
    assert f"#sha256={before}" in card.text
    assert "| synthetic, dev | 32 | answer accuracy | 87.5% |" in card.text
    write_card(folder)
    plain = ModelCard.load(folder / CARD)
    assert plain.data.eval_results is None
    assert "accuracy" not in plain.text
