"""Recalls, refreshes and edits at the same time, for a minute: `python tools/torture/concurrency.py
[SECONDS]`.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from conftest import Brain, Vault

AT_ONCE = 4
COMMANDS = (
    *(["remember", "leek", "--format", "paths"],) * 6,
    ["index"],
    ["index", "--full"],
    ["pin", "soup.md"],
    ["unpin", "soup.md"],
    ["status"],
)


def main(seconds: float) -> int:
    # A refresh in the background may still be at work.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name in ("home", "notes"):
            (Path(folder) / name).mkdir()
        vault = Vault(
            Path(folder) / "notes",
            Brain(Path(folder) / "home", Path(folder) / "home" / "cache"),
        )
        vault.note("soup.md", "# Soup\n\nWith leek.\n")
        assert vault.brain("index", "--vault", vault.folder).code == 0
        problems, commands = attack(vault, time.monotonic() + seconds)
    print(*problems, f"{commands} commands, {len(problems)} failures", sep="\n")
    return 1 if problems else 0


def attack(vault: Vault, until: float) -> tuple[list[str], int]:
    """Run some commands at once, again and again, while notes come and go; return what went wrong,
    and how many ran.
    """
    generator, problems, commands = random.Random(1), [], 0
    while time.monotonic() < until:
        vault.note(
            f"{generator.randrange(50)}.md", f"# Tea\n\nBlack tea {generator.random()}.\n"
        )
        (vault.folder / f"{generator.randrange(50)}.md").unlink(missing_ok=True)
        chosen = [generator.choice(COMMANDS) for _ in range(AT_ONCE)]
        for command, process in [(command, started(vault, command)) for command in chosen]:
            out, err = process.communicate(timeout=120)
            commands += 1
            wrong = process.returncode != 0 or "damaged" in err or "bug" in err
            if wrong or (command[0] == "remember" and "soup.md" not in out):
                problems.append(f"{' '.join(command)}: {process.returncode} {out} {err}")
    return problems, commands


def started(vault: Vault, command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "brain_cli", *command, "--vault", str(vault.folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=vault.brain.environ(),
        cwd=vault.folder,
    )


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
