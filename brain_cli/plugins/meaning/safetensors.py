"""Read the file format “safetensors”: a JSON header that describes each tensor, then their bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEADER_BYTES = 8


def read_tensors(content: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the float32 tensors of a file by their names."""
    size = int.from_bytes(content[:HEADER_BYTES], "little")
    begin = HEADER_BYTES + size
    header = json.loads(content[HEADER_BYTES:begin])
    found = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            found[name] = np.frombuffer(content[begin + first : begin + last], np.float32).reshape(entry["shape"])
    return found
