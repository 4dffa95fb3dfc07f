"""Write a graph of operators as an ONNX file.

ONNX is a small set of protocol buffer messages, which are written here directly: the `onnx` package
would add 100 MB of dependencies to save these few lines. The numbers are the fields of onnx.proto.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

IR_VERSION = 8
OPSETS = (("", 17), ("com.microsoft", 1))
ELEMENT_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
FLOAT = ELEMENT_TYPES["float32"]
Value = int | float | str | Sequence[int]


class Graph:
    """A graph to which operators are added one by one; it names their results.

    `inputs` maps each name to its element type and the names of its dimensions.
    """

    def __init__(self, inputs: dict[str, tuple[str, Sequence[str]]]) -> None:
        self._inputs = inputs
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []

    def constant(self, array: NDArray[Any]) -> str:
        """Add a tensor; return its name."""
        return self._added(array, _bytes(9, array.tobytes()))

    def placed(self, array: NDArray[Any], file: str, offset: int) -> str:
        """Add a tensor of this shape that lies in a file at an offset; return its name."""
        place = {"location": file, "offset": offset, "length": array.nbytes}
        entries = (
            _message(13, _text(1, key) + _text(2, str(value))) for key, value in place.items()
        )
        return self._added(array, b"".join(entries) + _number(14, 1))

    def _added(self, array: NDArray[Any], stored: bytes) -> str:
        name = f"constant_{len(self._tensors)}"
        dims = b"".join(_number(1, size) for size in array.shape)
        kind = _number(2, ELEMENT_TYPES[array.dtype.name])
        self._tensors.append(_message(5, dims + kind + _text(8, name) + stored))
        return name

    def one(self, operator: str, *inputs: str, domain: str = "", **attributes: Value) -> str:
        """Add an operator with one result; return its name."""
        name = f"value_{len(self._nodes)}"
        self._node(operator, inputs, [name], domain, attributes)
        return name

    def split(self, value: str, parts: int) -> list[str]:
        """Split the last dimension of a result into equal parts; return their names."""
        names = [f"value_{len(self._nodes)}_{part}" for part in range(parts)]
        self._node("Split", [value], names, "", {"axis": -1})
        return names

    def finish(self, outputs: Mapping[str, tuple[str, Sequence[str]]]) -> bytes:
        """Return the ONNX file of the graph; `outputs` maps each name to a result and the names of
        its dimensions.
        """
        for name, (result, _) in outputs.items():
            self._node("Identity", [result], [name], "", {})
        inputs = b"".join(
            _message(11, _tensor_type(name, *of)) for name, of in self._inputs.items()
        )
        results = b"".join(
            _message(12, _tensor_type(name, "float32", shape))
            for name, (_, shape) in outputs.items()
        )
        graph = b"".join([*self._nodes, _text(2, "embedder"), *self._tensors, inputs, results])
        opsets = b"".join(
            _message(8, _text(1, domain) + _number(2, version)) for domain, version in OPSETS
        )
        return _number(1, IR_VERSION) + _text(2, "brain") + _message(7, graph) + opsets

    def _node(
        self,
        operator: str,
        inputs: Iterable[str],
        outputs: Iterable[str],
        domain: str,
        attributes: dict[str, Value],
    ) -> None:
        names = b"".join(_text(1, name) for name in inputs) + b"".join(
            _text(2, name) for name in outputs
        )
        values = b"".join(
            _message(5, _attribute(name, value)) for name, value in attributes.items()
        )
        self._nodes.append(_message(1, names + _text(4, operator) + values + _text(7, domain)))


def _attribute(name: str, value: Value) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _key(2, 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _number(20, 3)
    return _text(1, name) + b"".join(_number(8, each) for each in value) + _number(20, 7)


def _tensor_type(name: str, element: str, dims: Iterable[str]) -> bytes:
    shape = b"".join(
        _message(1, _number(1, int(dim)) if dim.isdigit() else _text(2, dim)) for dim in dims
    )
    return _text(1, name) + _message(
        2, _message(1, _number(1, ELEMENT_TYPES[element]) + _message(2, shape))
    )


def _number(field: int, value: int) -> bytes:
    return _key(field, 0) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _key(field, 2) + _varint(len(value)) + value


_message = _bytes


def _key(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])
