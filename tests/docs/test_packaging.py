"""The wheel and the source distribution work on their own, outside the repository."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from shell import block

from brain_cli.version import VERSION

ROOT = Path(__file__).parents[2]
INSTALLS = pytest.mark.skipif(
    not os.environ.get("BRAIN_TEST_INSTALL"),
    reason="downloads what brain needs; BRAIN_TEST_INSTALL=1 runs it",
)


class Built:
    """A source distribution, and the wheel that was built from it."""

    def __init__(self, folder: Path) -> None:
        build = [
            sys.executable,
            "-m",
            "build",
            "--no-isolation",
            "--outdir",
            str(folder),
            str(ROOT),
        ]
        at_this_time = {**os.environ, "SOURCE_DATE_EPOCH": "1763856000"}
        done = subprocess.run(
            build, capture_output=True, text=True, env=at_this_time, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (self.sdist,) = folder.glob("*.tar.gz")
        (self.wheel,) = folder.glob("*.whl")

    def packed(self) -> set[str]:
        """The files of the source distribution, relative to its folder."""
        with tarfile.open(self.sdist) as archive:
            return {member.name.partition("/")[2] for member in archive.getmembers()}

    def installed(self) -> set[str]:
        """The files that the wheel installs."""
        return set(zipfile.ZipFile(self.wheel).namelist())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("dist"))


@pytest.mark.exhaustive
def test_the_wheel_holds_the_package_with_its_types_and_nothing_else(built: Built) -> None:
    files = {name for name in built.installed() if ".dist-info/" not in name}
    code = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "brain_cli").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in files if ".data/" not in name} == code
    assert [name.partition(".data/")[2] for name in files - code] == [
        "data/share/man/man1/brain.1"
    ]
    assert "brain_cli/py.typed" in files


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION


@pytest.mark.exhaustive
def test_the_source_distribution_has_everything_a_packager_needs(built: Built) -> None:
    wanted = [
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "pyproject.toml",
        "tests/conftest.py",
        "docs/reference.md",
        "docs/man/brain.1",
        "tools/absolute_links.py",
        ".ci/run",
    ]
    assert built.packed().issuperset(
        [*wanted, "completions/brain.bash", "completions/_brain", "completions/brain.fish"]
    )


@pytest.mark.exhaustive
def test_the_readme_of_a_package_index_has_no_relative_link_and_no_generating_comment(
    built: Built,
) -> None:
    [name] = [name for name in built.installed() if name.endswith("/METADATA")]
    text = zipfile.ZipFile(built.wheel).read(name).decode()
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(targets) > 10
    assert not [target for target in targets if not target.startswith(("https://", "#"))]
    assert "[[[" not in text


@pytest.mark.exhaustive
def test_two_builds_of_one_commit_are_byte_identical(built: Built, tmp_path: Path) -> None:
    again = Built(tmp_path / "again")
    assert built.wheel.read_bytes() == again.wheel.read_bytes()
    assert built.sdist.read_bytes() == again.sdist.read_bytes()


def environ(home: Path) -> dict[str, str]:
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("BRAIN_", "XDG_", "PYTHON"))
    }
    # Compiling all that brain needs takes longer than installing it.
    return {**kept, "HOME": str(home), "PIP_NO_COMPILE": "1"}


def works(program: list[str], home: Path, **changes: str) -> None:
    """Ask an installed `brain` the first question of the README, from a folder outside the
    repository.
    """

    def said(*arguments: str) -> str:
        done = subprocess.run(
            [*program, *arguments],
            env={**environ(home), **changes},
            cwd=home,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert said("--version").startswith(f"brain {VERSION}\nPython {platform.python_version()}")
    vault = str(ROOT / "sample_vault")
    assert "grpc.md" in said(
        "--vault", vault, "remember", "why did we leave REST", "--no-touch"
    )
    assert said("completions", "fish") == (ROOT / "completions" / "brain.fish").read_text()


@pytest.mark.exhaustive
def test_the_wheel_works_outside_the_repository(built: Built, tmp_path: Path) -> None:
    zipfile.ZipFile(built.wheel).extractall(tmp_path / "site")
    works([sys.executable, "-m", "brain_cli"], tmp_path, PYTHONPATH=str(tmp_path / "site"))


def run(*command: object, home: Path) -> None:
    done = subprocess.run(
        [*map(str, command)], env=environ(home), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def left(folder: Path) -> list[str]:
    """Return the files and folders of brain, apart from the cache, and what an installer keeps:
    logs and locks.
    """
    found = (
        path.relative_to(folder)
        for path in folder.rglob("*brain*")
        if path.suffix not in (".log", ".lock")
    )
    return [str(path) for path in found if not {".cache", "state"}.intersection(path.parts)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with pip, and with nothing that brain needs."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder / "env", home=folder)
    return folder / "env"


@INSTALLS
def test_pip_installs_the_wheel_into_an_empty_environment_and_removes_it(
    built: Built, environment: Path, tmp_path: Path
) -> None:
    program = environment / "bin"
    run(program / "pip", "install", "-q", built.wheel, home=tmp_path)
    works([str(program / "brain")], tmp_path)
    run(program / "pip", "uninstall", "-q", "-y", "brain-notes", home=tmp_path)
    assert left(environment) + left(tmp_path) == []


@INSTALLS
def test_uv_and_pipx_install_it_as_a_tool_and_remove_it(
    built: Built, environment: Path, tmp_path: Path
) -> None:
    home, tools = tmp_path / "home", environment / "bin"
    run(tools / "pip", "install", "-q", "uv", "pipx", home=home)
    for tool in ([tools / "uv", "tool"], [tools / "pipx"]):
        run(*tool, "install", built.wheel, home=home)
        works([str(home / ".local" / "bin" / "brain")], home)
        run(*tool, "uninstall", "brain-notes", home=home)
        assert left(home) == []


@INSTALLS
def test_the_first_command_of_the_readme_installs_the_source_distribution_and_recalls(
    built: Built, tmp_path: Path
) -> None:
    with tarfile.open(built.sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    [folder] = tmp_path.glob("brain_notes-*")
    done = subprocess.run(
        [
            "sh",
            "-ec",
            block((ROOT / "README.md").read_text(encoding="utf-8"), "<!-- first -->"),
        ],
        cwd=folder,
        env=environ(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "decisions/grpc.md" in done.stdout
    program = folder / ".venv" / "bin"
    works([str(program / "brain")], tmp_path)
    run(program / "pip", "uninstall", "-q", "-y", "brain-notes", home=tmp_path)
    assert left(folder / ".venv") == []
