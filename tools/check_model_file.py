"""Check a model file that brain has written with the ordinary `onnx` package, which brain itself
does without.

python tools/check_model_file.py ~/.local/share/brain/models/minilm, after `pip install onnx`
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import onnx


def main(folder: str) -> None:
    """Print the operators of a model; end with 1 if the package reads the file otherwise than it
    was written.
    """
    file = Path(folder, "model.onnx")
    model = onnx.load(file, load_external_data=False)
    # By its path, so that the file with the large tensors is checked too.
    onnx.checker.check_model(str(file))
    if model.SerializeToString() != file.read_bytes():
        sys.exit(f"{file}: the onnx package writes it otherwise.")
    for (domain, operator), count in Counter(
        (each.domain, each.op_type) for each in model.graph.node
    ).most_common():
        print(f"{count:4} {operator} {domain}".rstrip())


if __name__ == "__main__":
    main(sys.argv[1])
