"""Fixtures for most tests: `brain` with its own home, and a vault to write notes into."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import isolation
import pytest
import workers
from examples import IN_CI
from hypothesis import settings
from warm_program import WarmProgram

if TYPE_CHECKING:
    from postgres_server import Server

SAMPLE_VAULT = Path(__file__).parents[1] / "sample_vault"
NOW = "2026-11-21T10:00:00Z"
LONG_AGO = 1_700_000_000  # a modification time well before any test, so that no note is fresh by accident
# All that a test takes over from the environment of whoever runs it: no terminal, no locale, no
# settings.
INHERITED = ("PATH", "PYTHONPATH", "TMPDIR", "USER", "LOGNAME")


settings.load_profile("ci" if IN_CI else "everyday")


def pytest_configure() -> None:
    isolation.forget_the_caller()
    isolation.keep_temporary_files_in_memory()


def pytest_collection_finish() -> None:
    isolation.forget_the_options_of_pytest()
    isolation.spare_collected_tests()


def pytest_xdist_auto_num_workers() -> int:
    return workers.number_of_workers()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if isinstance(collector, pytest.Directory) and report.result:
        report.result = workers.begin_elsewhere(report.result)
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    workers.run_long_tests_first(items)


class Answer(NamedTuple):
    """The result of a command: exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The JSON lines on stdout."""
        return [json.loads(line) for line in self.out.splitlines()]


class Brain:
    """`brain` with its own home. Calling it runs a command inside this process; `process` starts a
    new process.
    """

    def __init__(self, home: Path, cache: Path) -> None:
        self.home = home
        self.cache = cache
        self.config = home / "config" / "brain" / "config.toml"
        self.state = home / "state" / "brain"

    def environ(self, **changes: str) -> dict[str, str]:
        """Return the environment of a command: its own home, a fixed clock, UTF-8, and `changes`."""
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        fixed = {
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_DATA_HOME": str(self.home / "data"),
            "BRAIN_NOW": NOW,
            "LANG": "C.UTF-8",
            # A pager waits for keys, which most tests do not type.
            "PAGER": "cat",
        }
        return {**inherited, **fixed, **changes}

    def __call__(
        self,
        *arguments: object,
        stdin: str | bytes = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run a command inside this process."""
        from brain_cli.__main__ import run

        out, err = (
            io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
            for _ in range(2)
        )
        with self.surroundings(cwd, env) as patch:
            patch.setattr(
                sys, "stdin", io.TextIOWrapper(io.BytesIO(_bytes(stdin)), encoding="utf-8")
            )
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = run([os.fsdecode(_text(argument)) for argument in arguments])
        out_bytes, err_bytes = (stream.buffer.getvalue() for stream in (out, err))
        return Answer(code, out_bytes.decode("utf-8", "surrogateescape"), err_bytes.decode())

    @contextlib.contextmanager
    def surroundings(
        self, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Iterator[pytest.MonkeyPatch]:
        """Give this process the environment and the folder of a command, and a single core.

        On several cores a command forks, which is slow in a process as large as this one.
        """
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
            for name in list(os.environ):
                patch.delenv(name)
            for name, value in self.environ(**(env or {})).items():
                patch.setenv(name, value)
            patch.chdir(cwd or self.home)
            yield patch

    def process(
        self,
        *arguments: object,
        stdin: str | bytes = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run a command in a new process."""
        done = subprocess.run(
            [sys.executable, "-m", "brain_cli", *map(_text, arguments)],
            input=_bytes(stdin),
            capture_output=True,
            cwd=cwd or self.home,
            env=self.environ(**(env or {})),
            timeout=60,
            check=False,
        )
        return Answer(
            done.returncode,
            done.stdout.decode("utf-8", "surrogateescape"),
            done.stderr.decode(),
        )


def one_sentence(error: str) -> bool:
    """Return whether an error is one sentence of brain with at most one hint."""
    lines = error.splitlines()
    return len(lines) <= 2 and lines[0].startswith("brain: ") and "Traceback" not in error


def _text(argument: object) -> str | bytes:
    return argument if isinstance(argument, bytes) else str(argument)


def _bytes(stdin: str | bytes) -> bytes:
    return stdin.encode() if isinstance(stdin, str) else stdin


class Vault:
    """A folder of notes, with a `brain` to ask about it."""

    def __init__(self, folder: Path, brain: Brain) -> None:
        self.folder = folder
        self.brain = brain

    def note(self, path: str, text: str = "", **head: object) -> Path:
        """Write a note with `head` as its frontmatter. All notes have the same modification time."""
        lines = [
            f"{key}: {json.dumps(value) if isinstance(value, list) else value}"
            for key, value in head.items()
        ]
        front = "\n".join(["---", *lines, "---", ""]) if lines else ""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(front + text, encoding="utf-8")
        os.utime(file, (LONG_AGO, LONG_AGO))
        return file

    def remember(self, query: str, *options: object, cwd: Path | None = None) -> dict[str, Any]:
        """Return the JSON document of one recall."""
        fixed = ("--json", "--explain", "--no-touch")
        answer = self.brain(
            "remember", query, *options, *fixed, "--vault", self.folder, cwd=cwd
        )
        assert answer.code in (0, 1), answer.err
        return answer.json

    def order(self, query: str, *options: object, cwd: Path | None = None) -> list[str]:
        """Return the paths that a query recalls, best first, without suffix."""
        results = self.remember(query, *options, cwd=cwd)["results"]
        return [result["path"].removesuffix(".md") for result in results]

    def relevances(self, query: str, *options: object) -> dict[str, float]:
        """Return the relevance of every candidate, by path without suffix."""
        results = self.remember(query, "-n", 1000, *options)["results"]
        return {
            result["path"].removesuffix(".md"): result["signals"]["relevance"]
            for result in results
        }


@pytest.fixture
def brain(tmp_path: Path) -> Brain:
    """`brain` with an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return Brain(home, home / "cache")


@pytest.fixture
def vault(tmp_path: Path, brain: Brain) -> Vault:
    """An empty folder of notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    return Vault(folder, brain)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """A copy of the sample vault with an up-to-date index, for tests that change neither."""
    root = tmp_path_factory.mktemp("sample")
    shutil.copytree(SAMPLE_VAULT, root / "sample_vault")
    (root / "home").mkdir()
    brain = Brain(root / "home", root / "home" / "cache")
    assert brain("index", "--vault", root / "sample_vault").code == 0
    return Vault(root / "sample_vault", brain)


def copy_with_index(vault: Vault, folder: Path, brain: Brain) -> Vault:
    """Copy a vault and its index, so that the copy's index is up to date without being built."""
    from brain_cli.index.directory import index_directory_of

    shutil.copytree(vault.folder, folder, dirs_exist_ok=True)
    old, new = (
        index_directory_of(str(place), str(cache)).folder
        for place, cache in ((vault.folder, vault.brain.cache), (folder, brain.cache))
    )
    shutil.copytree(old, new)
    return Vault(folder, brain)


@pytest.fixture(scope="session")
def new_vault(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Vault]:
    """Return a function that makes an empty vault with its own home, for the tests of a whole
    module.
    """

    def make() -> Vault:
        root = tmp_path_factory.mktemp("vault")
        for name in ("home", "notes"):
            (root / name).mkdir()
        return Vault(root / "notes", Brain(root / "home", root / "home" / "cache"))

    return make


@pytest.fixture(scope="session")
def warm_program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the program `brain`, for the PATH of a shell."""
    program = WarmProgram(tmp_path_factory.mktemp("program"))
    yield program.folder
    program.stop()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running PostgreSQL server, one for each process that runs tests. Where there is none, CI
    fails, others skip.
    """
    import postgres_server

    if why := postgres_server.missing():
        (pytest.fail if os.environ.get("BRAIN_TEST_POSTGRESQL") else pytest.skip)(why)
    running = postgres_server.Server()
    yield running
    running.remove()


@pytest.fixture
def memory(server: Server) -> str:
    """The address of an empty shared memory."""
    return server.database()
