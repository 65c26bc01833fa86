"""Rewrites traced graphs to run faster: attention without transposes, and matrix products of integers."""

from __future__ import annotations

import math
from collections.abc import Sequence

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


def encoder_in_whole_numbers(model: onnx.ModelProto, bits: int) -> None:
    """Rewrites the encoder's matrix products to multiply 8-bit integers; their results remain floats.

    Each row of activations is divided by its largest entry and rounded to 255 steps. The scale depends on that row
    alone, so a problem's answer does not depend on the rest of its batch. With 16 ``bits``, the rounding error is
    multiplied as well, in steps of 1/254: two 8-bit products take less time than one of floats, and the result differs
    hardly more than by another order of summation. The weights are used as stored.
    """
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer if tensor.name.startswith("encoder.")}
    rounded: set[str] = set()  # already rounded: several products may share an input
    least = _constant(graph, "least", np.array(_LEAST, np.float32))
    middle = _constant(graph, "middle", np.array(_MIDDLE, np.uint8))
    last = _constant(graph, "last_axis", np.array([-1], np.int64))
    steps = [_constant(graph, "step", np.array(1 / LARGEST, np.float32))]
    if bits == 16:
        steps.append(_constant(graph, "small_step", np.array(1 / LARGEST / (2 * LARGEST), np.float32)))
    chosen = [node for node in graph.node if node.op_type == "MatMul" and node.input[1] in weights]
    for node in chosen:
        left, weight = node.input
        product, largest = node.output[0], f"{left}|largest"
        new = []
        if left not in rounded:
            rounded.add(left)
            new += [
                helper.make_node("Abs", [left], [f"{left}|size"]),
                helper.make_node("ReduceMax", [f"{left}|size", last], [f"{left}|most"], keepdims=1),
                helper.make_node("Max", [f"{left}|most", least], [largest]),
                helper.make_node("Div", [left, largest], [f"{left}|rest0"]),
            ]
            for place, step in enumerate(steps):
                if place:
                    scale = [f"{left}|whole0", steps[0], middle]
                    new += [
                        helper.make_node("DequantizeLinear", scale, [f"{left}|rounded"], domain=_OURS),
                        helper.make_node("Sub", [f"{left}|rest0", f"{left}|rounded"], [f"{left}|rest1"]),
                    ]
                taken, whole = [f"{left}|rest{place}", step, middle], f"{left}|whole{place}"
                new.append(helper.make_node("QuantizeLinear", taken, [whole], domain=_OURS))
        for place, step in enumerate(steps):
            taken = [f"{left}|whole{place}", weight + WHOLE, step, weight + SCALE, middle]
            new.append(helper.make_node("MatMulIntegerToFloat", taken, [f"{product}|part{place}"], domain=_OURS))
        if bits == 16:
            new.append(helper.make_node("Add", [f"{product}|part0", f"{product}|part1"], [f"{product}|share"]))
        share = f"{product}|share" if bits == 16 else f"{product}|part0"
        new.append(helper.make_node("Mul", [share, largest], [product]))
        _insert(graph, node, *new)
        graph.node.remove(node)
    _look_up_whole_numbers(graph, max(weights, key=lambda name: math.prod(weights[name].dims)))
    for name in dict.fromkeys(node.input[1] for node in chosen):
        inputs, outputs = weights[name].dims
        declare_weight(graph, name + WHOLE, (inputs, outputs), TensorProto.INT8)
        declare_weight(graph, name + SCALE, (outputs,), TensorProto.FLOAT)
    _drop_unused(graph)
    model.opset_import.append(helper.make_opsetid(_OURS, 1))


def _look_up_whole_numbers(graph: onnx.GraphProto, embedding: str) -> None:
    """Converts only the rows of an embedding that a text uses to floats, instead of the whole table on loading."""
    for node in [node for node in graph.node if node.op_type == "Gather" and node.input[0] == embedding]:
        ids, found = node.input[1], node.output[0]
        _insert(
            graph,
            node,
            helper.make_node("Gather", [embedding + WHOLE, ids], [f"{found}|whole"]),
            helper.make_node("Cast", [f"{found}|whole"], [f"{found}|float"], to=TensorProto.FLOAT),
            helper.make_node("Gather", [embedding + SCALE, ids], [f"{found}|scale"]),
            helper.make_node("Unsqueeze", [f"{found}|scale", "last_axis"], [f"{found}|scales"]),
            helper.make_node("Mul", [f"{found}|float", f"{found}|scales"], [found]),
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


def _constant(graph: onnx.GraphProto, name: str, value: npt.NDArray[np.generic]) -> str:
    if name not in {tensor.name for tensor in graph.initializer}:
        graph.initializer.append(numpy_helper.from_array(value, name))
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
