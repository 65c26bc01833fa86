"""What becomes of a traced graph so that it runs fast: attention without turning, and products in whole numbers.

Only the export needs this, as it needs PyTorch; solving runs the graphs as they are written here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from treequation.runtime.folder import PROBED
from treequation.runtime.weight_file import LARGEST, SCALE, WHOLE

OPSET = 23  # the first that has attention as one node
_OURS = "com.microsoft"  # the domain of ONNX Runtime's own operators
_TURNED = [0, 2, 1, 3]  # [B, T, H, D/H] to [B, H, T, D/H], and back
_MIDDLE = 128  # what zero becomes among whole numbers from 0 to 255
_LEAST = np.finfo(np.float32).tiny  # a row of zeros is divided by this


def unturned_attention(graph: onnx.GraphProto, heads: int) -> None:
    """Attention takes [B, T, D] and splits heads itself, where PyTorch turns every operand to [B, H, T, D/H] first.

    Where an operand does not come that way, the node stays as it is. A mask is widened to a row for each query, which
    ONNX Runtime requires.
    """
    made_by = {name: node for node in graph.node for name in node.output}
    users: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    widened: dict[str, str] = {}
    for node in [node for node in graph.node if node.op_type == "Attention"]:
        before = [_turned_from(made_by, name) for name in node.input[:3]]
        turned = users[node.output[0]]
        after = users[turned[0].output[0]] if len(turned) == 1 and _turns(turned[0]) else []
        unturned = len(after) == 1 and after[0].op_type == "Reshape" and all(before)
        if unturned:
            node.input[:3] = before
            node.output[0] = after[0].output[0]
            node.attribute.append(helper.make_attribute("q_num_heads", heads))
            node.attribute.append(helper.make_attribute("kv_num_heads", heads))
            graph.node.remove(turned[0])
            graph.node.remove(after[0])
        if len(node.input) > 3:
            mask = node.input[3]
            if mask not in widened:
                widened[mask] = _widen(graph, node, axis=1 if unturned else 2)
            node.input[3] = widened[mask]
    _drop_unused(graph)


def _turns(node: onnx.NodeProto | None) -> bool:
    return node is not None and node.op_type == "Transpose" and list(node.attribute[0].ints) == _TURNED


def _turned_from(made_by: dict[str, onnx.NodeProto], name: str) -> str:
    """What was split into heads and turned to give this, or nothing."""
    turn = made_by.get(name)
    split = made_by.get(turn.input[0]) if turn is not None and _turns(turn) else None
    return str(split.input[0]) if split is not None and split.op_type == "Reshape" else ""


def _widen(graph: onnx.GraphProto, attention: onnx.NodeProto, axis: int) -> str:
    """A mask [B, 1, 1 or Q, T] as [B, 1, Q, T], where Q is the length of the queries along their ``axis``."""
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
    """The encoder's products take whole numbers of 8 bits on both sides, and give floats as before.

    Every row of what is multiplied is divided by its largest entry and rounded to 255 steps: one row alone decides how
    it is rounded, so that a problem's answer does not depend on those that it shares a batch with. With 16 ``bits``,
    what was lost by rounding is multiplied as well, with steps of 1/254: two products in 8 bits take less time than one
    of floats, and differ from it hardly more than two orders of adding up do. The weights come as they lie on disk.
    """
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer if tensor.name.startswith("encoder.")}
    rounded: set[str] = set()  # what is rounded already, since several products take it
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
        bring(graph, name + WHOLE, (inputs, outputs), TensorProto.INT8)
        bring(graph, name + SCALE, (outputs,), TensorProto.FLOAT)
    _drop_unused(graph)
    model.opset_import.append(helper.make_opsetid(_OURS, 1))


def _look_up_whole_numbers(graph: onnx.GraphProto, embedding: str) -> None:
    """Only the rows of an embedding that a text needs become floats: the others need not be made on loading."""
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
        bring(graph, embedding + WHOLE, (rows, width), TensorProto.INT8)
        bring(graph, embedding + SCALE, (rows,), TensorProto.FLOAT)


def bring(graph: onnx.GraphProto, name: str, shape: Sequence[int], kind: int) -> None:
    """An initializer without content, which a reader has to bring."""
    tensor = graph.initializer.add(name=name, data_type=kind)
    tensor.dims.extend(shape)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights")  # not a file name, but ONNX requires one


def probe_of_8_bits() -> onnx.ModelProto:
    """A product of the largest whole numbers that there are: where a kernel saturates, it comes out wrong."""
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
    """Nodes and initializers whose output nobody takes any more."""
    while True:
        used = {name for node in graph.node for name in node.input} | {value.name for value in graph.output}
        unused = [node for node in graph.node if not used.intersection(node.output)]
        if not unused:
            break
        for node in unused:
            graph.node.remove(node)
    for tensor in [tensor for tensor in graph.initializer if tensor.name not in used]:
        graph.initializer.remove(tensor)
