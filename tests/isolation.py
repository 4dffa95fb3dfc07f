"""Isolate the tests from their caller's environment, and spare them work that no test is about."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from pathlib import Path

TERMINAL = (
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "TZ",
)
MEMORY_FILES = Path("/dev/shm")
ROOM_BYTES = 2 << 30


def forget_the_caller() -> None:
    """Forget the caller's terminal, locale and settings, so that no test depends on them."""
    for name in [*os.environ]:
        if name.startswith(("BRAIN_", "LC_")) and not name.startswith("BRAIN_TEST_"):
            del os.environ[name]
    for name in TERMINAL:
        os.environ.pop(name, None)
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["TZ"] = "UTC"
    # Else every process that a test starts compiles all modules again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def keep_temporary_files_in_memory() -> None:
    """Let all temporary files be in memory, where fsync costs nothing. A TMPDIR that is set stays."""
    if "TMPDIR" in os.environ or not os.access(MEMORY_FILES, os.W_OK | os.X_OK):
        return
    if shutil.disk_usage(MEMORY_FILES).free >= ROOM_BYTES:
        os.environ["TMPDIR"] = str(MEMORY_FILES)
        tempfile.tempdir = None  # computed anew at its next use


def forget_the_options_of_pytest() -> None:
    """Forget them when each worker has read them: the tests start pytest, too."""
    os.environ.pop("PYTEST_ADDOPTS", None)


def spare_collected_tests() -> None:
    """Let the garbage collector pass over everything that exists now: thousands of tests that stay
    until the end.
    """
    gc.collect()
    gc.freeze()
