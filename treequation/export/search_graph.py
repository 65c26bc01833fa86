"""The greedy search for one problem as one graph: a loop of reading, proposing, choosing and advancing.

A step calls ONNX Runtime three times from Python, which takes longer than the computation itself. The loop is built
from the existing graphs, with the choice of expressions between them. Rare cases are left to Python, which checks the
result (:meth:`treequation.runtime.light_engine.LightEngine.search`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from treequation.export.graph_rewriting import OPSET
from treequation.text.number_vocabulary import NONE

CHOSEN = ("operator", "left", "right")
FOUND = (*CHOSEN, "score", "valid", "gained")  # [L, 1, K] each
LEARNED = "decoder.queries"
_SLOTS = 1 << 21  # more than any model has


class _Body:
    """The nodes of a step, and the initializers that they use."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.taken: dict[str, onnx.TensorProto] = {}

    def add(self, kind: str, *inputs: str, gives: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [gives], **attributes))
        return gives

    def constant(self, name: str, value: Any, kind: type[np.generic] = np.int64) -> str:
        self.taken[name] = numpy_helper.from_array(np.array(value, kind), name)
        return name

    def include(self, name: str, graph: onnx.GraphProto, given: Mapping[str, str]) -> dict[str, str]:
        """Copies a graph in, with its inputs connected to these names; returns the names of its outputs."""
        names = {f"in.{part}": value for part, value in given.items()}
        for tensor in graph.initializer:
            kept = onnx.TensorProto()
            kept.CopyFrom(tensor)
            if tensor.data_location != TensorProto.EXTERNAL:  # two graphs may use one name for different constants
                kept.name = f"{name}/{tensor.name}"
            names[tensor.name] = kept.name
            self.taken[kept.name] = kept
        for node in graph.node:
            copied = onnx.NodeProto()
            copied.CopyFrom(node)
            copied.ClearField("name")
            for side in (copied.input, copied.output):
                side[:] = [names.get(value, f"{name}/{value}") if value else "" for value in side]
            self.nodes.append(copied)
        return {value.name.removeprefix("out."): f"{name}/{value.name}" for value in graph.output}

    def keep_only(self, wanted: set[str]) -> None:
        """Removes nodes whose outputs are not needed for ``wanted``."""
        kept = []
        for node in reversed(self.nodes):
            if wanted.intersection(node.output):
                wanted.update(node.input)
                kept.append(node)
        self.nodes = kept[::-1]
        self.taken = {name: tensor for name, tensor in self.taken.items() if name in wanted}


def search_graph(
    read: onnx.GraphProto, propose: onnx.GraphProto, advance: onnx.GraphProto, steps: int
) -> onnx.ModelProto:
    """The graph from the state of one problem after ``start`` to the search output, :data:`FOUND`."""
    body = _Body()
    parts = {value.name.removeprefix("out."): value for value in advance.output}
    before = {part: f"before/{part}" for part in parts}
    if any(tensor.name == LEARNED for tensor in advance.initializer):
        # Each step starts from the learned queries. As a constant, their self-attention is computed once, on loading.
        before["queries"] = body.add("Unsqueeze", LEARNED, body.constant("first", [0]), gives="queries")
    current = before | body.include("read", read, before)
    proposed = body.include("propose", propose, current)
    queries = propose.output[0].type.tensor_type.shape.dim[1].dim_value
    _choose(body, proposed, queries)
    one = {"rows": body.constant("rows", [0]), "joining": "joining", "valid": "valid"}
    after = body.include("advance", _for_all_rows(advance), current | proposed | one | {part: part for part in CHOSEN})
    # Parts of the state that no step reads, such as the problem if there is a cache of it, are not carried along.
    taken = {value.name.removeprefix("in.") for graph in (read, propose) for value in graph.input}
    carried = sorted(part for part in taken & set(parts) if before[part].startswith("before/"))
    body.keep_only({"goes_on", *FOUND, *(after[part] for part in carried)})
    assert not any(before[part] in node.input for node in body.nodes for part in set(parts) - {"queries", *carried})

    kinds = {"score": TensorProto.FLOAT, "gained": TensorProto.FLOAT, "valid": TensorProto.BOOL}

    def value(name: str, part: str) -> onnx.ValueInfoProto:
        tensor = parts[part].type.tensor_type
        sizes = [1, *(size.dim_value or None for size in tensor.shape.dim[1:])]
        return helper.make_tensor_value_info(name, tensor.elem_type, sizes)

    def found(name: str, part: str, *first: None) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kinds.get(part, TensorProto.INT64), [*first, 1, queries])

    flag = TensorProto.BOOL
    step = helper.make_graph(
        body.nodes,
        "step",
        [
            helper.make_tensor_value_info("step", TensorProto.INT64, []),
            helper.make_tensor_value_info("went_on", flag, []),
            *(value(before[part], part) for part in carried),
        ],
        [
            helper.make_tensor_value_info("goes_on", flag, []),
            *(value(after[part], part) for part in carried),
            *(found(part, part) for part in FOUND),
        ],
    )
    limits = [body.constant("steps", steps), body.constant("yes", True, np.bool_)]
    loop = helper.make_node(
        "Loop",
        [*limits, *(f"in.{part}" for part in carried)],
        [*(f"last.{part}" for part in carried), *(f"out.{part}" for part in FOUND)],
        body=step,
    )
    graph = helper.make_graph(
        [loop],
        "search",
        [value(f"in.{part}", part) for part in carried],
        [found(f"out.{part}", part, None) for part in FOUND],
        list(body.taken.values()),
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def _choose(body: _Body, proposed: Mapping[str, str], queries: int) -> None:
    """The rules of :mod:`treequation.decoding.greedy_search` for one row, except the rare ones."""
    add, constant = body.add, body.constant
    last, none = constant("last", [-1]), constant("none", NONE)
    for part in CHOSEN:
        add("ArgMax", proposed[part], gives=part, axis=-1, keepdims=0)
        add("ReduceMax", proposed[part], last, gives=f"{part}/best", keepdims=0)
    add("Add", add("Add", "operator/best", "left/best", gives="score/two"), "right/best", gives="score")
    add("Cast", "operator", gives="says", to=TensorProto.BOOL)
    # Of queries with the same expression, the most certain says it, and of those the first. One integer stands for an
    # expression.
    add("Concat", *CHOSEN, gives="parts", axis=0)
    add("MatMul", constant("digits", [[_SLOTS * _SLOTS, _SLOTS, 1]]), "parts", gives="expression")
    add("Equal", "expression", add("Transpose", "expression", gives="turned", perm=[1, 0]), gives="same")
    add("Where", "same", "score", constant("never", -np.inf, np.float32), gives="alike")  # [K, K]
    add("ArgMax", "alike", gives="kept", axis=-1, keepdims=0)
    add("And", "says", add("Equal", "kept", constant("each", range(queries)), gives="own"), gives="valid")
    add("Where", "says", "score", add("Gather", proposed["operator"], none, gives="none/said", axis=2), gives="gained")
    add("Cast", "valid", gives="valid/number", to=TensorProto.INT32)
    add("Cast", add("ReduceMax", "valid/number", gives="most", keepdims=0), gives="goes_on", to=TensorProto.BOOL)
    if queries > 1:
        add("Gather", add("NonZero", "valid", gives="places"), constant("second", [1]), gives="joining", axis=0)
    else:
        constant("joining", [[0]])


def _for_all_rows(advance: onnx.GraphProto) -> onnx.GraphProto:
    """The same graph for a search that keeps every row in order, so that no rows are gathered."""
    graph = onnx.GraphProto()
    graph.CopyFrom(advance)
    rows = {node.output[0] for node in graph.node if node.op_type == "Unsqueeze" and node.input[0] == "in.rows"}
    for node in graph.node:
        if node.op_type == "GatherND" and node.input[1] in rows:
            node.CopyFrom(helper.make_node("Identity", node.input[:1], node.output))
    return graph
