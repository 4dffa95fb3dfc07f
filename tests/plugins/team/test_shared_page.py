"""Every command and statement of docs/shared-memory.md runs, in the order in which it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import SAMPLE_VAULT, Brain
from postgres_server import ADMIN, Server, binaries

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "shared-memory.md").read_text(encoding="utf-8")
HOST = "db.example.org"


def blocks(language: str) -> list[str]:
    """Return the code blocks of the page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def shell(server: Server, brain: Brain, warm_program: Path) -> Shell:
    return Shell(server, brain, warm_program)


class Shell:
    """A reader's terminal: in the folder `orders`, a vault, with PostgreSQL's programs and `brain` on the path."""

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
        )

    def here(self, text: str) -> str:
        """Return a text of the page with the address of the test's server."""
        port = self._server.port
        return text.replace(f"{HOST}:5432", f"127.0.0.1:{port}").replace(f"{HOST}/", f"127.0.0.1:{port}/")

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


def test_every_command_of_the_page_runs(shell: Shell, server: Server, brain: Brain) -> None:
    set_up, use, backup = blocks("sh")
    for command in commands(set_up):
        shell(command, stdin="PASSWORD\nPASSWORD\n")
    [configuration] = blocks("toml")
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text(shell.here(configuration))
    use = use.replace(" --watch ", " --watch --idle 0.001 ")
    out = {}
    # The name comes first, as it decides what the others name.
    for command in sorted(commands(use), key=lambda command: "--as" not in command):
        out[command.partition("#")[0].strip()] = shell(command)
    assert "grpc.md" in out['brain remember "why did we leave REST"']
    assert out["brain show orders:decisions/grpc.md"].startswith("# ")
    [rights] = blocks("sql")
    shell("psql --quiet --set ON_ERROR_STOP=1 memory", stdin=rights)
    roles_may_what_the_page_says(shell, server)
    for command in commands(backup):
        shell(command)
    assert shell("psql -Atc 'select count(*) > 0 from brain.events' restored") == "t\n"


def roles_may_what_the_page_says(shell: Shell, server: Server) -> None:
    for role in ("guest", "writer"):
        rights = "string_agg(table_name, ' ' order by table_name)"
        where = f"grantee = '{role}' and privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')"
        query = f"select distinct {rights} from information_schema.role_table_grants where {where}"
        assert "migrations" not in shell(f'psql -Atc "{query}" memory')
    guest, writer = (f"--memory postgresql://{name}@{HOST}/memory" for name in ("guest", "writer"))
    shell("brain index --as mine " + writer)
    assert "mine:decisions/grpc.md" in shell(f"brain remember grpc --format paths {writer}")
    assert "orders:" not in shell(f"brain remember grpc --format paths {writer}")
    shell("psql --quiet -c \"update brain.vaults set name = 'team' where name = 'orders'\" memory")
    seen = shell(f"brain remember grpc --format paths {guest}")
    assert {line.partition(":")[0] for line in seen.splitlines()} == {"team"}
    shell("psql --quiet -c \"update brain.vaults set name = 'orders' where name = 'team'\" memory")
