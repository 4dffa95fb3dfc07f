"""Run every attack: `python tools/torture/run.py [--short] [ATTACK …]`. The crashes need strace.

The attacks are mutations, growing notes and damage, concurrent commands, random edits, and kills of
every writing command. All of it takes an hour or two, the short form a quarter of one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
CHECKOUT = FOLDER.parents[1]
ROUNDS = "2000"
INDEX = (
    "test_damaged_index.py",
    "test_unwritable_cache.py",
    "test_stale_answers.py",
)
COMMANDS = ("test_crashes.py", "test_killed_edits.py", "test_hostile_vault.py")
AGENTS = ("test_killed_commits.py",)
TESTS = [
    CHECKOUT / "tests" / "torture",
    *(CHECKOUT / "tests" / "index" / name for name in INDEX),
    *(CHECKOUT / "tests" / "cli" / name for name in COMMANDS),
    *(CHECKOUT / "tests" / "plugins" / "agents" / name for name in AGENTS),
]
ALL = ["-m", "exhaustive or not exhaustive"]
FAULTS = "--faults=KILL,EIO,ENOSPC"
PYTEST = [sys.executable, "-m", "pytest", "-q", *map(str, TESTS)]


def program(name: str, *arguments: str) -> list[str]:
    return [sys.executable, str(FOLDER / f"{name}.py"), *arguments]


# Each attack in its long form and in its short one.
ATTACKS = {
    "tests": ([*PYTEST, *ALL], PYTEST),
    "concurrency": (program("concurrency"), program("concurrency", "10")),
    "edits": (program("edits"), program("edits", "6")),
    "crashes": (program("crashes"), program("crashes", "--every", "6")),
    "faults": (program("crashes", FAULTS), program("crashes", FAULTS, "--every", "12")),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--short", action="store_true", help="fewer mutations, edits and kills of each command"
    )
    parser.add_argument(
        "attacks", nargs="*", metavar="ATTACK", choices=[[], *ATTACKS], help=", ".join(ATTACKS)
    )
    arguments = parser.parse_args()
    root = str(CHECKOUT)
    environ = {
        **os.environ,
        "PYTHONPATH": root,
        **({} if arguments.short else {"BRAIN_TEST_ROUNDS": ROUNDS}),
    }
    failed = []
    for name in arguments.attacks or ATTACKS:
        print(f"+ {name}", flush=True)
        if subprocess.run(
            ATTACKS[name][arguments.short], cwd=root, env=environ, check=False
        ).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "every attack was survived")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
