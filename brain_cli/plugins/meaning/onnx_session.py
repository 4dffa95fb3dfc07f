"""Run ONNX graphs with the C library of onnxruntime.

The Python package has the same library, but importing its bindings also imports numpy, and each
takes longer than a whole recall. A function is found by its position in the table `OrtApi` of
onnxruntime_c_api.h, to which functions are only ever added at the end.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_int64, c_size_t, c_void_p
from functools import lru_cache
from importlib.util import find_spec
from math import prod
from pathlib import Path
from struct import calcsize
from typing import Any

from brain_cli.plugins.meaning.models import graph_path
from brain_cli.record import Record

# The first version of the table with all functions below.
API_VERSION = 8
FUNCTIONS = {
    "GetErrorMessage": 2,
    "CreateEnv": 3,
    "DisableTelemetryEvents": 6,
    "CreateSession": 7,
    "Run": 9,
    "CreateSessionOptions": 10,
    "SetSessionGraphOptimizationLevel": 23,
    "SetIntraOpNumThreads": 24,
    "CreateTensorWithDataAsOrtValue": 49,
    "GetTensorMutableData": 51,
    "CreateCpuMemoryInfo": 69,
    "ReleaseStatus": 93,
    "ReleaseSession": 95,
    "ReleaseValue": 96,
    "ReleaseSessionOptions": 100,
    "AddSessionConfigEntry": 130,
}
ERRORS = 3
FLOAT_BYTES = 4
# The number of a type in ONNX, by its format in `struct`.
ELEMENT_TYPES = {"f": 1, "b": 3}

# Rows are converted to floats in blocks that fit the processor's cache, which is several times
# faster.
ROWS_AT_ONCE = 1024


class SessionError(Exception):
    """The library cannot be loaded, or refuses a model or its inputs; the message says why."""


class Tensor(Record):
    """The numbers of an input, bytes or a buffer that can be written, and their shape; `kind` is as
    in `struct`.
    """

    content: Any
    shape: Sequence[int]
    kind: str = "f"


class OnnxSession:
    """A graph that is loaded from a file; `threads` 0 uses all cores.

    One for `few` runs loads in a third of the time, because its matrices are not packed, and each
    run takes half as long again.
    """

    def __init__(self, model: str, threads: int = 1, *, few: bool = False) -> None:
        self._library = library = _library()
        options = c_void_p()
        library.call("CreateSessionOptions", byref(options))
        library.call("SetIntraOpNumThreads", options, c_int(threads))
        # The graphs are written with fused operators; optimising them again would only take time.
        library.call("SetSessionGraphOptimizationLevel", options, c_int(0))
        # Waiting threads sleep, which leaves the processor to other programs.
        library.call("AddSessionConfigEntry", options, b"session.intra_op.allow_spinning", b"0")
        library.call(
            "AddSessionConfigEntry",
            options,
            b"session.disable_prepacking",
            b"1" if few else b"0",
        )
        self._session = c_void_p()
        path = os.fsencode(model)
        library.call("CreateSession", library.env, path, options, byref(self._session))
        library.release("SessionOptions", options)

    def __del__(self) -> None:
        if getattr(self, "_session", None):
            self._library.release("Session", self._session)

    def run(
        self, inputs: Mapping[str, Tensor], outputs: Mapping[str, int]
    ) -> list[memoryview[float]]:
        """Return the float32 numbers of each output, of which their count is known, without their
        shapes.
        """
        values = (c_void_p * len(inputs))()
        results = (c_void_p * len(outputs))()
        names = (c_char_p * len(inputs))(*map(str.encode, inputs))
        wanted = (c_char_p * len(outputs))(*map(str.encode, outputs))
        sizes = c_size_t(len(inputs)), c_size_t(len(outputs))
        try:
            for index, tensor in enumerate(inputs.values()):
                values[index] = self._library.value_of(tensor)
            self._library.call(
                "Run", self._session, None, names, values, sizes[0], wanted, sizes[1], results
            )
            return [
                self._library.numbers_of(*each)
                for each in zip(results, outputs.values(), strict=True)
            ]
        finally:
            for value in filter(None, (*values, *results)):
                self._library.release("Value", c_void_p(value))


class _Library:
    """The functions of the library, and its environment, of which a process has one."""

    def __init__(self, path: str) -> None:
        # The library would report its use to its maker. Only the variable also prevents the lookup
        # of the server, the identifier and the queue of events in the user's cache.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        base = ctypes.CDLL(path).OrtGetApiBase
        base.restype = POINTER(ctypes.CFUNCTYPE(c_void_p, ctypes.c_uint32))
        table = ctypes.cast(base()[0](API_VERSION), POINTER(c_void_p))
        self._functions = {
            name: ctypes.CFUNCTYPE(None if name.startswith("Release") else c_void_p)(
                table[index]
            )
            for name, index in FUNCTIONS.items()
        }
        self.env = c_void_p()
        self._memory = c_void_p()
        self.call("CreateEnv", c_int(ERRORS), b"brain", byref(self.env))
        self.call("DisableTelemetryEvents", self.env)
        self.call("CreateCpuMemoryInfo", c_int(0), c_int(0), byref(self._memory))

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; SessionError if it fails."""
        status = self._functions[name](*arguments)
        if status:
            message = ctypes.string_at(self._functions["GetErrorMessage"](c_void_p(status)))
            self.release("Status", c_void_p(status))
            raise SessionError(message.decode("utf-8", "replace"))

    def release(self, kind: str, value: c_void_p) -> None:
        """Free a value of the library."""
        self._functions[f"Release{kind}"](value)

    def value_of(self, tensor: Tensor) -> int | None:
        """Return a value of the library that refers to the numbers of a tensor, which must outlive
        it.
        """
        size = c_size_t(prod(tensor.shape) * calcsize(tensor.kind))
        is_bytes = isinstance(tensor.content, bytes)
        content = (
            tensor.content if is_bytes else (c_char * size.value).from_buffer(tensor.content)
        )
        shape = (c_int64 * len(tensor.shape))(*tensor.shape)
        dimensions = c_size_t(len(tensor.shape))
        kind = c_int(ELEMENT_TYPES[tensor.kind])
        value = c_void_p()
        numbers = self._memory, content, size, shape, dimensions, kind
        self.call("CreateTensorWithDataAsOrtValue", *numbers, byref(value))
        return value.value

    def numbers_of(self, value: int, count: int) -> memoryview[float]:
        """Return a copy of the float32 numbers of a value of the library."""
        first = c_void_p()
        self.call("GetTensorMutableData", c_void_p(value), byref(first))
        return memoryview(bytearray(ctypes.string_at(first, count * FLOAT_BYTES))).cast("f")


@lru_cache(maxsize=1)
def _library() -> _Library:
    package = find_spec("onnxruntime")
    if package and package.origin:
        for path in sorted(Path(package.origin).parent.glob("capi/libonnxruntime.*")):
            return _Library(str(path))
    raise SessionError("onnxruntime is too old or incomplete: it has no C library")


def products(rows: Any, columns: Sequence[float], size: int) -> list[float]:
    """Return the products of each row with every column, row by row; all are vectors of `size`
    numbers, and the rows are whole numbers of a byte.
    """
    found: list[float] = []
    content = memoryview(rows).cast("B")
    number_of_columns = len(columns) // size
    for first in range(0, len(content), ROWS_AT_ONCE * size):
        block = content[first : first + ROWS_AT_ONCE * size]
        number = len(block) // size
        inputs = {
            "rows": Tensor(block, (number, size), "b"),
            "columns": Tensor(columns, (number_of_columns, size)),
        }
        found += _multiply().run(inputs, {"products": number * number_of_columns})[0]
    return found


@lru_cache(maxsize=1)
def _multiply() -> OnnxSession:
    return OnnxSession(str(graph_path("products")))
