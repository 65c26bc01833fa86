"""The graphs of a light model: the decoding loop, traced from PyTorch to ONNX without its weights.

Each part of the loop is a graph:

- ``start``: from token ids to the decoder's first state; it contains the encoder. A variant multiplies integers,
  and a probe shows whether a processor does that correctly;
- ``read``: the queries read the problem. The steps of a Standard model share this graph, with different weights;
- ``propose``: the queries' distributions over operators and operands;
- ``advance``: adds the chosen expressions to the state.

If all steps share their weights, a fifth graph, ``search``, runs the whole loop for one problem.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto
from torch import Tensor, nn
from torch.export import Dim
from torch.func import functional_call

from treequation.data.batches import Batch
from treequation.export.graph_rewriting import (
    OPSET,
    declare_weight,
    encoder_in_whole_numbers,
    join_splits,
    probe_of_8_bits,
    remove_head_transposes,
)
from treequation.export.search_graph import search_graph
from treequation.model.chained import ChainedDecoder
from treequation.model.decoder import DecoderState, Expressions, Proposal
from treequation.model.model import TreequationModel
from treequation.runtime.folder import INT16, PROBE

STATE = DecoderState._fields
PROPOSED = ("operator", "left", "right")
STATES = ("operator_state", "left_state", "right_state")
_MAX_IN_GRAPH = 1 << 16  # bytes of a constant that is not a weight, such as the positions of 512 tokens


class _Part(nn.Module):
    """One part of the model as a function of its inputs."""

    weights: tuple[str, ...]  # prefixes of the names of the weights that it may use

    @property
    def heads(self) -> int:
        """The number of attention heads in this part."""
        return int(self.model.config.heads(self.model.width))

    def __init__(self, model: TreequationModel) -> None:
        super().__init__()
        self.model = model


class _Start(_Part):
    weights = (
        "encoder.",
        "problem_projection.",
        "problem_norm.",
        "decoder.queries",
        "decoder.constants",
        "decoder.layers.",  # of a model with a key/value cache
    )

    @property
    def heads(self) -> int:
        return int(self.model.encoder.config.num_attention_heads)

    def forward(self, ids: Tensor, lengths: Tensor, positions: Tensor, numbers: Tensor) -> tuple[Tensor, ...]:
        return _tensors(self.model.start(Batch(ids, lengths, positions, numbers)))


class _Read(_Part):
    weights = ("decoder.layers.",)

    def forward(self, queries: Tensor, problem: Tensor, problem_mask: Tensor) -> Tensor:
        """``problem`` is what the queries attend to: the problem's states, or their key/value cache."""
        memory = problem if keeps_memory(self.model) else None
        state = DecoderState(queries, problem, problem_mask, problem, problem_mask, memory)
        return self.model.decoder.read(0, state)


class _Propose(_Part):
    weights = (
        "decoder.query_norm.",
        "decoder.operator",
        "decoder.left_head.",
        "decoder.right_head.",
        "decoder.none_operand",
        "decoder.after_",  # of a chained decoder
    )

    def forward(self, queries: Tensor, numbers: Tensor, number_mask: Tensor) -> tuple[Tensor, ...]:
        state = DecoderState(queries, numbers, number_mask, numbers, number_mask)
        proposal = self.model.decoder.propose(state)
        return proposal.operator, proposal.left, proposal.right, *proposal.states


class _Advance(_Part):
    weights = ("decoder.operators", "decoder.queries", "decoder.result_", "decoder.update", "decoder.layers.")

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        parts = len(inputs) - 9  # of the state; then come the queries' three states and six inputs of the search
        state, states = DecoderState(*inputs[:parts]), inputs[parts : parts + 3]
        rows, operator, left, right, valid, joining = inputs[parts + 3 :]
        # Only the states of the proposal are used.
        proposal = Proposal(operator, left, right, operator, (states[0], states[1], states[2]))
        chosen = Expressions(operator, left, right)
        return _tensors(self.model.decoder.advance(state, proposal, rows, chosen, valid, joining))


def _tensors(state: DecoderState) -> tuple[Tensor, ...]:
    """The tensors of a state."""
    return tuple(part for part in state if part is not None)


def keeps_memory(model: TreequationModel) -> bool:
    """Whether the queries attend to a key/value cache of the problem."""
    return isinstance(model.decoder, ChainedDecoder) and model.decoder.keeps_memory


def floats_of(model: TreequationModel) -> dict[str, Tensor]:
    """The weights that solving needs: all but those of auxiliary losses."""
    return {
        key: value.detach()
        for key, value in model.state_dict().items()
        if value.is_floating_point() and not key.startswith("auxiliaries.")
    }


def weights_of(model: TreequationModel, kind: type[nn.Module]) -> set[str]:
    """The names of the weight matrices of all modules of this kind."""
    return {f"{name}.weight" for name, module in model.named_modules() if isinstance(module, kind)}


def write_graphs(model: TreequationModel, folder: Path, precision: str) -> dict[str, tuple[str, ...]]:
    """Writes the graphs; returns the names of the weights that each needs."""
    width = model.problem_norm.normalized_shape[0]
    queries, constants = model.config.queries, len(model.config.constants)
    # Sizes of the traced example. None that varies is 1, which the exporter would treat as fixed.
    rows, tokens, numbers, chosen, joined = 2, 11, 5, 3, min(2, queries)
    slots = constants + numbers
    state: tuple[Tensor, ...] = (
        torch.randn(rows, queries, width),
        torch.randn(rows, tokens, width),
        torch.ones(rows, tokens, dtype=torch.bool),
        torch.randn(rows, slots, width),
        torch.ones(rows, slots, dtype=torch.bool),
    )
    reads = "problem"  # what the queries read
    if keeps_memory(model):
        reads = "memory"
        state = (*state, torch.randn(rows, tokens, 2 * model.config.shared_layers * width))
    named = dict(zip(STATE, state, strict=False))
    per_row, along = {0: Dim.DYNAMIC}, {0: Dim.DYNAMIC, 1: Dim.DYNAMIC}
    state_shapes = (per_row, *[along] * (len(state) - 1))
    ids = torch.ones(chosen, queries, dtype=torch.int64)  # cloned for each use: a shared tensor becomes one input

    needed: dict[str, tuple[str, ...]] = {}

    def trace(part: type[_Part], inputs: Mapping[str, Tensor], shapes: Sequence[Any], outputs: Sequence[str]) -> None:
        traced = _traced(part(model), inputs, shapes, outputs)
        name = part.__name__.removeprefix("_").lower()
        needed[name] = _write(traced, folder / f"{name}.onnx")

    trace(
        _Start,
        {
            "ids": torch.ones(rows, tokens, dtype=torch.int64),
            "lengths": torch.tensor([tokens, tokens - 1]),
            "positions": torch.ones(rows, numbers, dtype=torch.int64),
            "numbers": torch.tensor([numbers, numbers - 1]),
        },
        (along, per_row, along, per_row),
        tuple(named),
    )
    trace(
        _Read,
        {name: named[name] for name in ("queries", reads, "problem_mask")},
        (per_row, along, along),
        ("queries",),
    )
    trace(
        _Propose,
        {"queries": state[0], "numbers": state[3], "number_mask": state[4]},
        (per_row, along, along),
        (*PROPOSED, *STATES),
    )
    trace(
        _Advance,
        named
        | {part: torch.randn(rows, queries, width) for part in STATES}
        | {"rows": torch.tensor([0, 1, 0])}
        | {part: ids.clone() for part in PROPOSED}
        | {"valid": ids.bool(), "joining": torch.zeros(chosen, joined, dtype=torch.int64)},
        (*state_shapes, *[per_row] * 8, along if joined > 1 else per_row),
        tuple(named),
    )
    if precision == "int8":
        floats = floats_of(model)
        needed |= write_whole_numbers(folder, lambda name: floats[name].numpy())
    if model.config.shared_layers:
        needed |= write_search(folder, model.max_steps)
    return needed


def write_whole_numbers(folder: Path, weight: Callable[[str], npt.NDArray[np.float32]]) -> dict[str, tuple[str, ...]]:
    """Writes the variant of ``start`` with integer products, and its probe; returns the weights that it needs."""
    _write(probe_of_8_bits(), folder / f"{PROBE}.onnx")
    start = onnx.load_model(folder / "start.onnx", load_external_data=False)
    encoder_in_whole_numbers(start, weight)
    return {INT16: _write(start, folder / f"{INT16}.onnx")}


def write_search(folder: Path, steps: int) -> dict[str, tuple[str, ...]]:
    """Writes the graph of the whole search, built from those in the same folder; returns the weights that it needs.

    A Standard model has no such graph, since its weights differ from step to step.
    """
    read, propose, advance = (
        onnx.load_model(folder / f"{part}.onnx", load_external_data=False).graph
        for part in ("read", "propose", "advance")
    )
    return {"search": _write(search_graph(read, propose, advance, steps), folder / "search.onnx")}


def _traced(
    part: _Part, inputs: Mapping[str, Tensor], shapes: Sequence[Any], outputs: Sequence[str]
) -> onnx.ModelProto:
    """The graph of a part, with its weights as empty initializers, which the runtime fills on loading.

    The weights are inputs while tracing. Otherwise the exporter would merge equal ones and rename others, and the graph
    of one decoder layer could not be used for another.
    """
    weights = {name: weight for name, weight in floats_of(part.model).items() if name.startswith(part.weights)}

    class Functional(nn.Module):
        def forward(self, weights: dict[str, Tensor], inputs: list[Tensor]) -> Any:
            named = {f"model.{name}": weight for name, weight in weights.items()}
            return functional_call(part, named, tuple(inputs))

    with _silent_exporter():
        program = torch.onnx.export(
            Functional(),
            (weights, list(inputs.values())),
            dynamo=True,
            dynamic_shapes=({name: {} for name in weights}, list(shapes)),
            input_names=[*weights, *(f"in.{name}" for name in inputs)],
            output_names=[f"out.{name}" for name in outputs],
            opset_version=OPSET,
            verbose=False,
        )
    assert program is not None
    written: onnx.ModelProto = program.model_proto  # built anew at each access
    graph = written.graph
    used = {name for node in graph.node for name in node.input}
    needed = [value for value in graph.input if value.name in weights and value.name in used]
    kept = [value for value in graph.input if value.name not in weights and value.name in used]
    del graph.input[:]
    graph.input.extend(kept)
    linear = weights_of(part.model, nn.Linear)
    _remove_weight_transposes(graph, linear)
    for value in needed:
        shape = weights[value.name].shape
        declare_weight(graph, value.name, shape[::-1] if value.name in linear else shape, TensorProto.FLOAT)
    if any(len(tensor.raw_data) > _MAX_IN_GRAPH for tensor in graph.initializer):
        raise ValueError(f"{type(part).__name__} uses weights other than {part.weights}; add their names there")
    del graph.value_info[:]
    for node in graph.node:  # stack traces, which make up most of the file
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    remove_head_transposes(graph, part.heads)
    join_splits(graph)
    return written


def _write(model: onnx.ModelProto, path: Path) -> tuple[str, ...]:
    """Writes a graph; returns the names of the weights that it needs."""
    path.write_bytes(model.SerializeToString())
    return tuple(tensor.name for tensor in model.graph.initializer if tensor.data_location == TensorProto.EXTERNAL)


def _remove_weight_transposes(graph: onnx.GraphProto, linear: set[str]) -> None:
    """Removes the transposes of linear weights: PyTorch stores [outputs, inputs], the light folder the transpose."""
    transposes = [node for node in graph.node if node.op_type == "Transpose" and node.input[0] in linear]
    renamed = {node.output[0]: node.input[0] for node in transposes}
    for node in transposes:
        graph.node.remove(node)
    for node in graph.node:
        if linear.intersection(node.input):
            raise ValueError(
                f"{node.name} uses a linear weight without transposing it; this encoder cannot be exported"
            )
        for place, name in enumerate(node.input):
            node.input[place] = renamed.get(name, name)


@contextmanager
def _silent_exporter() -> Iterator[None]:
    """Silences the exporter's messages."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), open(os.devnull, "w") as devnull, redirect_stdout(devnull):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)
