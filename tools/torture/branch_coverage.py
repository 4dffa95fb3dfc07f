"""Measure the branches that the tests run, also in the processes that they start.

`python tools/torture/branch_coverage.py [PYTEST ARGUMENT …]`

It takes three times as long as the tests alone, and needs coverage.py (`pip install coverage`). A
module for the start-up of Python measures each process, because the tests give the processes they
start an environment of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Python imports this module in every process that starts with its folder on PYTHONPATH.
STARTUP = """
import atexit
import os
import signal
import sys
os.environ["COVERAGE_PROCESS_START"] = {config!r}
import coverage
coverage.process_startup()

def save(*_):
    current = coverage.Coverage.current()
    if current:
        current.save()

# Every second, because a daemon that a test kills has no other chance.
if "--watch" in sys.orig_argv:
    signal.signal(signal.SIGALRM, save)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
"""
CONFIG = """
[run]
branch = true
parallel = true
sigterm = true
patch = _exit
concurrency = thread
source_pkgs = brain_cli
data_file = {data}
[paths]
source =
    {root}/brain_cli
    */brain_cli
[report]
show_missing = true
skip_covered = true
# Loops over names that never end, and what another kind of machine does.
partial_also =
    for \\w+ in (file_names|_names|_paths)\\(
    if sys\\.byteorder == "little":
    if not hasattr\\(_socket, "SO_PEERCRED"\\):
exclude_also =
    if TYPE_CHECKING:
    raise AssertionError
    ^\\s*\\.\\.\\.$
    :\\s*\\.\\.\\.$
    class \\w+\\(Protocol\\):
"""


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="brain-coverage-") as name:
        config, folder = Path(name) / "coveragerc", Path(name) / "startup"
        config.write_text(CONFIG.format(data=Path(name) / "data", root=ROOT))
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(STARTUP.format(config=str(config)))
        environ = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
        pytest = [sys.executable, "-m", "pytest", *arguments]
        failed = subprocess.run(pytest, cwd=ROOT, env=environ, check=False).returncode
        result = Path(name) / "result.json"
        for step in (
            ["combine", "--quiet", name],
            ["report"],
            ["json", "--quiet", "-o", str(result)],
        ):
            command = [
                sys.executable,
                "-m",
                "coverage",
                step[0],
                f"--rcfile={config}",
                *step[1:],
            ]
            subprocess.run(command, cwd=ROOT, check=True)
        totals = json.loads(result.read_text())["totals"]
        print(
            f"branches alone: {totals['covered_branches']} of {totals['num_branches']}",
            end=" = ",
        )
        print(f"{100 * totals['covered_branches'] / totals['num_branches']:.1f} %")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
