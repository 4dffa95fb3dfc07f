"""Write all generated text anew: README, docs, manual page, picture, transcripts, screens and
completion scripts.

python tests/docs/regenerate.py            everything
python tests/docs/regenerate.py docs       the README, docs, manual page and picture alone
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md")),
)
COG = [sys.executable, "-m", "cogapp", "-I", "tests/docs"]
# These tests write what they compare with when UPDATE is set.
SNAPSHOTS = [
    "tests/cli/test_transcripts.py",
    "tests/cli/test_completions.py",
    "tests/render/test_screens.py",
]


# Some of them run in CI alone.
EVERY = "exhaustive or not exhaustive"


def main(only_docs: bool) -> None:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "tests/docs/option_table.py"], cwd=ROOT, env=environ, check=True
    )
    subprocess.run([*COG, "-r", *PAGES], cwd=ROOT, env=environ, check=True)
    subprocess.run(
        [sys.executable, "tests/docs/man_page.py"], cwd=ROOT, env=environ, check=True
    )
    subprocess.run([sys.executable, "tests/docs/picture.py"], cwd=ROOT, env=environ, check=True)
    if not only_docs:
        update = {**environ, "UPDATE": "1"}
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-m", EVERY, *SNAPSHOTS],
            cwd=ROOT,
            env=update,
            check=False,
        )


if __name__ == "__main__":
    main(only_docs=sys.argv[1:] == ["docs"])
