"""Rewrites traced graphs to run faster: attention without transposes, and matrix products of integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from treequation.runtime.folder import PROBED
from treequation.runtime.weight_file import LARGEST, SCALE, WHOLE

OPSET = 23  # the first with an Attention operator
_OURS = "com.microsoft"  # the domain of ONNX Runtime's own operators
_SWAP_HEADS = [0, 2, 1, 3]  # [B, T, H, D/H] to [B, H, T, D/H], and back
_MIDDLE = 128  # the zero point of unsigned 8-bit integers
_LEAST = np.finfo(np.float32).tiny  # avoids division by zero for a row of zeros


def remove_head_transposes(graph: onnx.GraphProto, heads: int) -> None:
    """Lets Attention take [B, T, D] and split the heads itself; PyTorch first transposes to [B, H, T, D/H].

    A node whose operands have another form stays as it is. A mask is expanded to one row per query, as ONNX Runtime
    requires.
    """
    made_by = {name: node for node in graph.node for name in node.output}
    users: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    widened: dict[str, str] = {}
    for node in [node for node in graph.node if node.op_type == "Attention"]:
        before = [_before_transpose(made_by, name) for name in node.input[:3]]
        transposed = users[node.output[0]]
        one_transpose = len(transposed) == 1 and _swaps_heads(transposed[0])
        after = users[transposed[0].output[0]] if one_transpose else []
        removable = len(after) == 1 and after[0].op_type == "Reshape" and all(before)
        if removable:
            node.input[:3] = before
            node.output[0] = after[0].output[0]
            node.attribute.append(helper.make_attribute("q_num_heads", heads))
            node.attribute.append(helper.make_attribute("kv_num_heads", heads))
            graph.node.remove(transposed[0])
            graph.node.remove(after[0])
        if len(node.input) > 3:
            mask = node.input[3]
            if mask not in widened:
                widened[mask] = _widen(graph, node, axis=1 if removable else 2)
            node.input[3] = widened[mask]
    _drop_unused(graph)


def join_splits(graph: onnx.GraphProto) -> None:
    """Splits a tensor into its smallest parts at once: each split copies it."""
    splits = {node.input[0]: node for node in graph.node if node.op_type == "Split"}
    for node in list(splits.values()):
        parts = [splits[name] for name in node.output if name in splits]
        if len({len(part.output) for part in parts}) == 1 and len(parts) == len(node.output):
            joined = [name for part in parts for name in part.output]
            axis = next(each.i for each in node.attribute if each.name == "axis")
            for part in parts:
                graph.node.remove(part)
            node.CopyFrom(helper.make_node("Split", node.input[:1], joined, axis=axis, num_outputs=len(joined)))


def _swaps_heads(node: onnx.NodeProto | None) -> bool:
    return node is not None and node.op_type == "Transpose" and list(node.attribute[0].ints) == _SWAP_HEADS


def _before_transpose(made_by: dict[str, onnx.NodeProto], name: str) -> str:
    """The name of the tensor that was split into heads and transposed to give this one; empty if there is none."""
    transpose = made_by.get(name)
    split = made_by.get(transpose.input[0]) if transpose is not None and _swaps_heads(transpose) else None
    return str(split.input[0]) if split is not None and split.op_type == "Reshape" else ""


def _widen(graph: onnx.GraphProto, attention: onnx.NodeProto, axis: int) -> str:
    """Expands a mask [B, 1, 1 or Q, T] to [B, 1, Q, T], where Q is the size of the queries along ``axis``."""
    query, mask = attention.input[0], attention.input[3]
    one = _constant(graph, "one_of_shape", np.array([1], np.int64))
    _insert(
        graph,
        attention,
        helper.make_node("Shape", [query], [f"{mask}|queries"], start=axis, end=axis + 1),
        helper.make_node("Concat", [one, one, f"{mask}|queries", one], [f"{mask}|shape"], axis=0),
        helper.make_node("Expand", [mask, f"{mask}|shape"], [f"{mask}|wide"]),
    )
    return f"{mask}|wide"


def encoder_in_whole_numbers(model: onnx.ModelProto, weight: Callable[[str], npt.NDArray[np.float32]]) -> None:
    """Rewrites the encoder's matrix products to multiply 8-bit integers; their results remain floats.

    An activation becomes two integers: it is rounded to 255 steps of its scale, and the rounding error to 255 smaller
    steps. Two 8-bit products take less time than one of floats, and the result differs hardly more than by another
    order of summation. The weights are used as stored; ``weight`` gives those of the layer norms.

    The scale never depends on the rest of the batch, and so neither does an answer. For the output of a layer norm, it
    is the largest value that the norm's weights allow; otherwise it is the largest entry of the row.
    """
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer if tensor.name.startswith("encoder.")}
    made_by = {name: node for node in graph.node for name in node.output}
    products: dict[str, list[onnx.NodeProto]] = {}  # by their input
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            products.setdefault(node.input[0], []).append(node)
    for given, nodes in products.items():
        norm = made_by.get(given)
        largest = _largest(norm, weight) if norm is not None and norm.op_type == "LayerNormalization" else None
        _multiply_whole_numbers(graph, given, nodes, largest)
    _look_up_whole_numbers(graph, max(weights, key=lambda name: math.prod(weights[name].dims)))
    for name in dict.fromkeys(node.input[1] for nodes in products.values() for node in nodes):
        inputs, outputs = weights[name].dims
        declare_weight(graph, name + WHOLE, (inputs, outputs), TensorProto.INT8)
        declare_weight(graph, name + SCALE, (outputs,), TensorProto.FLOAT)
    _drop_unused(graph)
    model.opset_import.append(helper.make_opsetid(_OURS, 1))


def _largest(norm: onnx.NodeProto, weight: Callable[[str], npt.NDArray[np.float32]]) -> float:
    """The largest size of a layer norm's outputs: D entries whose squares sum to D, times a weight, plus a bias."""
    scale, *bias = (np.abs(weight(name)) for name in norm.input[1:])
    return float((math.sqrt(len(scale)) * scale + (bias[0] if bias else 0)).max())


def _multiply_whole_numbers(
    graph: onnx.GraphProto, given: str, nodes: Sequence[onnx.NodeProto], largest: float | None
) -> None:
    """Replaces the products of one input by one product of integers with all their weights side by side."""
    new: list[onnx.NodeProto] = []

    def add(kind: str, *inputs: str, gives: str, ours: bool = False, **attributes: Any) -> str:
        new.append(helper.make_node(kind, inputs, [gives], domain=_OURS if ours else "", **attributes))
        return gives

    middle, last = _constant(graph, "middle", np.uint8(_MIDDLE)), _constant(graph, "last_axis", np.array([-1]))
    scaled, row_scale = given, ""
    if largest is None:
        most = add("ReduceMax", add("Abs", given, gives=f"{given}|size"), last, gives=f"{given}|most", keepdims=1)
        row_scale = add("Max", most, _constant(graph, "least", np.float32(_LEAST)), gives=f"{given}|largest")
        scaled = add("Div", given, row_scale, gives=f"{given}|scaled")
    step = np.float32((largest or 1.0) / LARGEST)
    name = f"{given}|" if largest else ""
    steps = [_constant(graph, f"{name}step", step), _constant(graph, f"{name}small_step", step / (2 * LARGEST))]
    whole = [add("QuantizeLinear", scaled, steps[0], middle, gives=f"{given}|whole0", ours=True)]
    rounded = add("DequantizeLinear", whole[0], steps[0], middle, gives=f"{given}|rounded", ours=True)
    rest = add("Sub", scaled, rounded, gives=f"{given}|rest")
    whole.append(add("QuantizeLinear", rest, steps[1], middle, gives=f"{given}|whole1", ours=True))

    weights, results = [node.input[1] for node in nodes], [node.output[0] for node in nodes]
    matrix, scales, result = weights[0] + WHOLE, weights[0] + SCALE, results[0]
    if len(nodes) > 1:  # computed once, on loading
        matrix = add("Concat", *(each + WHOLE for each in weights), gives=f"{given}|weights", axis=1)
        scales = add("Concat", *(each + SCALE for each in weights), gives=f"{given}|scales", axis=0)
        result = f"{given}|products"
    parts = [
        add("MatMulIntegerToFloat", each, matrix, size, scales, middle, gives=f"{result}|{place}", ours=True)
        for place, (each, size) in enumerate(zip(whole, steps, strict=True))
    ]
    if row_scale:
        add("Mul", add("Add", *parts, gives=f"{result}|share"), row_scale, gives=result)
    else:
        add("Add", *parts, gives=result)
    if len(nodes) > 1:
        dims = {tensor.name: tensor.dims for tensor in graph.initializer}
        widths = _constant(graph, f"{given}|widths", np.array([dims[each][1] for each in weights]))
        new.append(helper.make_node("Split", [result, widths], results, axis=-1))
    _insert(graph, nodes[0], *new)
    for node in nodes:
        graph.node.remove(node)


def _look_up_whole_numbers(graph: onnx.GraphProto, embedding: str) -> None:
    """Converts only the rows of an embedding that a text uses to floats, instead of the whole table on loading."""
    for node in [node for node in graph.node if node.op_type == "Gather" and node.input[0] == embedding]:
        ids, embedded = node.input[1], node.output[0]
        _insert(
            graph,
            node,
            helper.make_node("Gather", [embedding + WHOLE, ids], [f"{embedded}|whole"]),
            helper.make_node("Cast", [f"{embedded}|whole"], [f"{embedded}|float"], to=TensorProto.FLOAT),
            helper.make_node("Gather", [embedding + SCALE, ids], [f"{embedded}|scale"]),
            helper.make_node("Unsqueeze", [f"{embedded}|scale", "last_axis"], [f"{embedded}|scales"]),
            helper.make_node("Mul", [f"{embedded}|float", f"{embedded}|scales"], [embedded]),
        )
        graph.node.remove(node)
        ((rows, width),) = (tensor.dims for tensor in graph.initializer if tensor.name == embedding)
        declare_weight(graph, embedding + WHOLE, (rows, width), TensorProto.INT8)
        declare_weight(graph, embedding + SCALE, (rows,), TensorProto.FLOAT)


def declare_weight(graph: onnx.GraphProto, name: str, shape: Sequence[int], kind: int) -> None:
    """Adds an empty initializer, which the runtime fills on loading."""
    tensor = graph.initializer.add(name=name, data_type=kind)
    tensor.dims.extend(shape)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights")  # no such file exists, but ONNX requires a name


def probe_of_8_bits() -> onnx.ModelProto:
    """A product of the largest 8-bit integers, whose result is wrong if a kernel saturates."""
    inputs, outputs = PROBED
    given = helper.make_tensor_value_info("given", TensorProto.UINT8, [None, inputs])
    found = helper.make_tensor_value_info("found", TensorProto.FLOAT, [None, outputs])
    graph = helper.make_graph([], "probe", [given], [found])
    weight = _constant(graph, "weight", np.full(PROBED, LARGEST, np.int8))
    one, nothing = _constant(graph, "one", np.array(1, np.float32)), _constant(graph, "zero", np.array(0, np.uint8))
    taken = ["given", weight, one, one, nothing]
    graph.node.append(helper.make_node("MatMulIntegerToFloat", taken, ["found"], domain=_OURS))
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_OURS, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def _constant(graph: onnx.GraphProto, name: str, value: npt.NDArray[np.generic] | np.generic) -> str:
    if name not in {tensor.name for tensor in graph.initializer}:
        graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return name


def _insert(graph: onnx.GraphProto, before: onnx.NodeProto, *new: onnx.NodeProto) -> None:
    place = list(graph.node).index(before)
    for offset, node in enumerate(new):
        graph.node.insert(place + offset, node)


def _drop_unused(graph: onnx.GraphProto) -> None:
    """Removes nodes and initializers whose output is no longer used."""
    while True:
        used = {name for node in graph.node for name in node.input} | {value.name for value in graph.output}
        unused = [node for node in graph.node if not used.intersection(node.output)]
        if not unused:
            break
        for node in unused:
            graph.node.remove(node)
    for tensor in [tensor for tensor in graph.initializer if tensor.name not in used]:
        graph.initializer.remove(tensor)
