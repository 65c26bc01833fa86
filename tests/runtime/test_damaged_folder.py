"""A light folder that was changed and sealed again: it is refused in one line, before any memory is allocated."""

from __future__ import annotations

import io
import json
import shutil
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.runtime.light import changed_copy, known_problems, taught_folder
from treequation import SolveError, Solver
from treequation.cli import main
from treequation.errors import TreequationError
from treequation.runtime.folder import FORMAT, GRAPHS, KIND, METADATA, TOKENIZER, WEIGHTS
from treequation.runtime.weight_file import SCALE
from treequation.storage import MANIFEST, DamagedFolderError, seal

MEGABYTE = 1 << 20


def weights_of(folder: Path) -> dict[str, Any]:
    with np.load(folder / WEIGHTS) as file:
        return dict(file)


def a_float(weights: dict[str, Any]) -> str:
    return next(name for name, array in weights.items() if array.dtype == np.float32 and SCALE not in name)


def with_weights(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        weights = weights_of(folder)
        change(weights)
        np.savez(folder / WEIGHTS, allow_pickle=True, **weights)

    return damage


def not_a_number(weights: dict[str, Any]) -> None:
    weights[a_float(weights)].flat[0] = np.nan


def pickled(weights: dict[str, Any]) -> None:
    weights[a_float(weights)] = np.array([{"a": 1}], dtype=object)


def one_less(weights: dict[str, Any]) -> None:
    del weights[a_float(weights)]


def scales_that_multiply_the_size(weights: dict[str, Any]) -> None:
    name = next(name for name in weights if name.endswith(SCALE)).removesuffix(SCALE)
    weights[name] = np.ones((20_000, 1), np.int8)
    weights[name + SCALE] = np.ones((1, 20_000), np.float32)


def a_header_of_terabytes(folder: Path) -> None:
    weights = weights_of(folder)
    name = a_float(weights)
    with zipfile.ZipFile(folder / WEIGHTS, "w") as file:
        for each, array in weights.items():
            written = io.BytesIO()
            np.lib.format.write_array(written, array)
            if each == name:
                written = io.BytesIO()
                shape = (1_000_000, 1_000_000)
                np.lib.format.write_array_header_1_0(written, {"descr": "<f4", "fortran_order": False, "shape": shape})
                written.write(bytes(400))
            file.writestr(f"{each}.npy", written.getvalue())


def a_small_file_that_unpacks_to_much(folder: Path) -> None:
    weights = weights_of(folder)
    weights[a_float(weights)] = np.zeros(128 * MEGABYTE // 4, np.float32)
    np.savez_compressed(folder / WEIGHTS, allow_pickle=False, **weights)
    assert (folder / WEIGHTS).stat().st_size < MEGABYTE


def entries_that_share_their_bytes(folder: Path) -> None:
    with zipfile.ZipFile(folder / WEIGHTS, "w") as file:
        file.writestr("a.npy", bytes(MEGABYTE))
        for number in range(40):
            again = zipfile.ZipInfo(f"b{number}.npy")
            for field in ("header_offset", "file_size", "compress_size", "CRC"):
                setattr(again, field, getattr(file.NameToInfo["a.npy"], field))
            file.filelist.append(again)
            file.NameToInfo[again.filename] = again


def another_graph(folder: Path) -> None:
    """A valid graph that computes something else."""
    values = [
        helper.make_tensor_value_info(f"{side}.ids", TensorProto.INT64, ["rows", "tokens"]) for side in ("in", "out")
    ]
    node = helper.make_node("Identity", ["in.ids"], ["out.ids"])
    model = helper.make_model(
        helper.make_graph([node], "other", values[:1], values[1:]),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=10,
    )
    starts = list((folder / GRAPHS).glob("start*.onnx"))  # which of them is used depends on the processor
    for start in starts:
        onnx.save(model, start)
    graphs = json.loads((folder / METADATA).read_text(encoding="utf-8"))["graphs"]
    with_metadata(graphs=graphs | {start.stem: [] for start in starts})(folder)


def no_encoder(folder: Path) -> None:
    for start in (folder / GRAPHS).glob("start*.onnx"):
        start.write_bytes(b"")


def with_metadata(**changes: Any) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        metadata = json.loads((folder / METADATA).read_text(encoding="utf-8"))
        (folder / METADATA).write_text(json.dumps(metadata | changes), encoding="utf-8")

    return damage


def holds(name: str, content: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_text(content, encoding="utf-8") and None


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "bad graph": (holds(f"{GRAPHS}/read.onnx", "no graph"), r"read\.onnx cannot be used"),
    "empty graph": (no_encoder, r"start.*\.onnx cannot be used"),
    "another graph": (another_graph, "graphs cannot be used"),
    "empty tokenizer": (holds(TOKENIZER, "{}"), r"tokenizer\.json cannot be used"),
    "tokenizer that is not JSON": (holds(TOKENIZER, "hello"), r"tokenizer\.json cannot be used"),
    "not a zip": (holds(WEIGHTS, "hello"), r"weights\.npz is damaged \(File is not a zip file\)"),
    "pickled array": (with_weights(pickled), "its values are object"),
    "weight that is not there": (with_weights(one_less), "it has no "),
    "NaN": (with_weights(not_a_number), "values that are not finite"),
    "terabytes": (a_header_of_terabytes, r"its shape is \(1000000, 1000000\), but it has 400 bytes"),
    "packed": (a_small_file_that_unpacks_to_much, "its entries are larger than the file"),
    "shared bytes": (entries_that_share_their_bytes, "its entries are larger than the file"),
    "scales": (with_weights(scales_that_multiply_the_size), "does not match"),
    "metadata that are no object": (holds(METADATA, "[1]"), r"model\.json is damaged"),
    "metadata nested deep": (holds(METADATA, "[" * 100_000), r"model\.json is damaged"),
    "steps": (with_metadata(steps=10**12), r"steps is 1000000000000; it must be from 1 to 1000"),
    "constant of a billion digits": (with_metadata(constants=["1e999999999"]), "'1e999999999' is not a number"),
    "constant without a value": (with_metadata(constants=["1/0"]), r"model\.json is damaged"),
    "calibration": (with_metadata(calibration=[[0.0, float("nan")]]), "calibration must have ascending pairs"),
    "threshold": (with_metadata(unsure_below=float("nan")), "unsure_below is nan"),
    "languages": (with_metadata(languages=["fr"]), "languages must be some of en, zh"),
    "number format": (with_metadata(number_format={"percent": "none"}), r"number_format\.percent is unknown"),
    "graphs": (with_metadata(graphs={}), "a graph is missing"),
    "operators of another model": (with_metadata(operators=["+"]), "made for other operators"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_folder_that_was_changed_and_sealed_again_is_refused_in_one_line(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damage, message = DAMAGES[name]
    folder = tmp_path / "changed"
    shutil.copytree(taught_folder(), folder)
    damage(folder)
    seal(folder, kind=KIND, version=FORMAT)
    tracemalloc.start()
    try:
        with pytest.raises(DamagedFolderError, match=message) as refused:
            Solver(folder, threads=1)
        assert tracemalloc.get_traced_memory()[1] < 32 * MEGABYTE
    finally:
        tracemalloc.stop()
    assert isinstance(refused.value, TreequationError)
    with pytest.raises(SystemExit) as ended:
        main(["solve", "--model", str(folder), known_problems()[0].text])
    assert ended.value.code == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"treequation: {refused.value}\n"
    assert len(printed.err) < 700


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "it lists no files"),
        ({METADATA: "0" * 64}, r"model\.json has changed"),
        ({"../outside": "0" * 64}, r"it lists '\.\./outside'"),
        ({"/etc/hostname": "0" * 64}, "it lists '/etc/hostname'"),
        ([], "it lists no files"),
        (3, "is damaged"),
    ],
)
def test_an_invalid_manifest_is_refused(tmp_path: Path, files: Any, message: str) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(taught_folder(), folder)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    (folder / MANIFEST).write_text(json.dumps(manifest | {"files": files}), encoding="utf-8")
    with pytest.raises(DamagedFolderError, match=message):
        Solver(folder)


@pytest.mark.parametrize("name", [WEIGHTS, TOKENIZER, METADATA, f"{GRAPHS}/read.onnx"])
def test_a_file_that_the_manifest_leaves_out_is_not_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(taught_folder(), folder)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    del manifest["files"][name]
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DamagedFolderError, match=f"does not list {name}"):
        Solver(folder)


def test_values_that_overflow_give_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finite weights can still compute NaN: if they do for one text, the others in its batch are answered."""
    solver = Solver(taught_folder(), threads=1)
    first, second = known_problems()[:2]
    start = solver.model.start

    def overflowing(arrays: Any) -> dict[str, Any]:
        state = start(arrays)
        lengths = arrays["lengths"]
        worst = solver.model.problem_encoder.encode([first])[0]
        state["queries"][lengths == len(worst.ids)] = np.inf
        return state

    monkeypatch.setattr(solver.model, "start", overflowing)
    assert len(solver.model.problem_encoder.encode([first])[0].ids) != len(
        solver.model.problem_encoder.encode([second])[0].ids
    )
    for beam in (None, 1, 4):
        lost, kept = solver.solve_many([first.text, second.text], beam=beam, with_trace=True)
        assert isinstance(lost, SolveError)
        assert (lost.code, "\n" in str(lost)) == ("undefined-value", False)
        assert not isinstance(kept, SolveError)
        assert kept.answer.number == second.answer
        json.loads(json.dumps([lost.to_dict(), kept.to_dict()]), parse_constant=pytest.fail)


def test_a_model_that_overflows_on_every_text_is_refused(tmp_path: Path) -> None:
    folder = changed_copy(tmp_path / "changed")
    weights = weights_of(folder)
    weights = {name: array * np.float32(1e30) if SCALE in name else array for name, array in weights.items()}
    np.savez(folder / WEIGHTS, allow_pickle=False, **weights)
    seal(folder, kind=KIND, version=FORMAT)
    with pytest.raises(DamagedFolderError, match=r"not numbers|not finite"):
        Solver(folder)
