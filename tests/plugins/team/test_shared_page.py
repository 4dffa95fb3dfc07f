"""Every command and statement of docs/shared-memory.md runs, in the order in which it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from conftest import SAMPLE_VAULT, Brain
from postgres_server import ADMIN, Server, binaries, passing_roles

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "shared-memory.md").read_text(encoding="utf-8")
HOST = "db.example.org"


def blocks(language: str) -> list[str]:
    """Return the code blocks of the page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def shell(server: Server, brain: Brain, warm_program: Path) -> Iterator[Shell]:
    with passing_roles(server, "memory", "restored"):
        yield Shell(server, brain, warm_program)


class Shell:
    """A reader's terminal: in the folder `orders`, a vault, with PostgreSQL's programs and `brain`
    on the path.
    """

    def __init__(self, server: Server, brain: Brain, program: Path) -> None:
        self._server = server
        self.folder = brain.home / "orders"
        shutil.copytree(SAMPLE_VAULT, self.folder)
        self.bin = brain.home / "bin"
        self.bin.mkdir()
        (self.bin / "brain").symlink_to(program / "brain")
        (self.bin / "pip").symlink_to(shutil.which("true") or "/bin/true")
        found = binaries()
        assert found
        self.environ = brain.environ(
            PATH=f"{self.bin}:{found}:{os.environ['PATH']}",
            PYTHONPATH=str(ROOT),
            PGHOST="127.0.0.1",
            PGPORT=str(server.port),
            PGUSER=ADMIN,
            BRAIN_VAULT=str(self.folder),
            VISUAL="true",
        )

    def here(self, text: str) -> str:
        """Return a text of the page with the address of the test's server."""
        port = self._server.port
        return text.replace(f"{HOST}:5432", f"127.0.0.1:{port}").replace(
            f"{HOST}/", f"127.0.0.1:{port}/"
        )

    def __call__(self, command: str, stdin: str = "") -> str:
        done = subprocess.run(
            ["sh", "-euc", self.here(command)],
            input=stdin,
            capture_output=True,
            text=True,
            env=self.environ,
            cwd=self.folder,
            check=False,
            timeout=60,
            start_new_session=True,  # without a terminal, a password is read from stdin
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout


def commands(block: str) -> list[str]:
    return [line for line in block.splitlines() if line.strip()]


@pytest.mark.exhaustive
def test_every_command_of_the_page_runs(shell: Shell, brain: Brain) -> None:
    server_side, set_up, use, writing, team, backup = blocks("sh")
    for command in commands(server_side):
        shell(command, stdin="PASSWORD\nPASSWORD\n")
    *prepared, init, invite = commands(set_up)
    for command in prepared:
        shell(command)
    [configuration] = blocks("toml")
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text(shell.here(configuration))
    assert "ready" in shell(init)
    assert "memory:berta:" in shell(invite)
    assert "added" in shell(f"brain index --as mine --memory postgresql://berta@{HOST}/memory")
    use = use.replace(" --watch ", " --watch --idle 0.001 ")
    out = {}
    # The name comes first, as it decides what the others name.
    for command in sorted(commands(use), key=lambda command: "--as" not in command):
        out[command.partition("#")[0].strip()] = shell(command)
    assert "grpc.md" in out['brain remember "why did we leave REST"']
    assert "\n# " in out["brain show orders:decisions/grpc.md"]
    for command in commands(writing):
        shell(f"echo They are limited. > note.txt; {command}")
    assert (shell.folder / "retries-need-a-budget.md").exists()
    for command in commands(team):
        line = command.partition("#")[0].strip()
        out[line] = shell(f"{line} --yes" if " remove " in line else line)
    assert "orders (ada, sent" in out["brain team vaults"]
    for command in commands(backup):
        shell(command)
    assert shell("psql -Atc 'select count(*) > 0 from brain.events' restored") == "t\n"


@pytest.mark.exhaustive
def test_the_unit_of_systemd_sends_a_vault(shell: Shell, server: Server) -> None:
    [unit] = blocks("ini")
    command = re.search("^ExecStart=(.*)$", unit, re.MULTILINE)
    assert command
    started = command[1].replace("%h/.local/bin/", "").replace("%h/notes", ".")
    memory = server.database()
    shell(f"BRAIN_MEMORY={memory} {started} --idle 0.001; BRAIN_MEMORY={memory} brain index")
    assert server.sql(memory.rpartition("/")[2], "select name from brain.vaults") == [
        ("orders",)
    ]


def test_the_compose_file_is_read() -> None:
    [compose] = blocks("yaml")
    document = yaml.safe_load(compose)
    [service] = document["services"].values()
    assert service["volumes"][0].partition(":")[0] in document["volumes"]
    assert set(service["secrets"]) == set(document["secrets"])
