"""The long form of the attacks: `python tests/torture/run.py`. It takes some minutes, and the crashes need strace.

The short form runs with the other tests; this one runs every attack, with thousands of mutations.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
ROUNDS = "2000"
INDEX = ("test_lost_pages.py", "test_damaged_index.py", "test_unwritable_cache.py", "test_stale_answers.py")
COMMANDS = ("test_crashes.py", "test_killed_edits.py", "test_hostile_vault.py")
AGENTS = ("test_killed_commits.py",)
TESTS = [
    FOLDER,
    *(FOLDER.parent / "index" / name for name in INDEX),
    *(FOLDER.parent / "cli" / name for name in COMMANDS),
    *(FOLDER.parent / "plugins" / "agents" / name for name in AGENTS),
]
ALL = ["-q", "-m", "exhaustive or not exhaustive"]
ATTACKS = {
    "mutations, growth and damage": [sys.executable, "-m", "pytest", *ALL, *map(str, TESTS)],
    "concurrency": [sys.executable, str(FOLDER / "concurrency.py")],
    "edits": [sys.executable, str(FOLDER / "edits.py")],
    "crashes": [sys.executable, str(FOLDER / "crashes.py")],
}


def main() -> int:
    root = str(FOLDER.parents[1])
    environ = {**os.environ, "BRAIN_TEST_ROUNDS": ROUNDS, "PYTHONPATH": root}
    failed = []
    for name, command in ATTACKS.items():
        print(f"+ {name}", flush=True)
        if subprocess.run(command, cwd=root, env=environ, check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "every attack was survived")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
