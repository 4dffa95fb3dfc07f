"""A PostgreSQL server of its own for tests: in a temporary folder, on loopback, run by an ordinary
user.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

ADMIN = "tester"
# The server refuses to run as root.
ORDINARY_USERS = ("postgres", "nobody")
SETTINGS = ("fsync=off", "shared_buffers=64MB", "max_connections=40", "lc_messages=C")


def binaries() -> Path | None:
    """Return the folder with `initdb` and `pg_ctl`: that on the PATH, else the newest version of
    Debian; None where PostgreSQL is not installed.
    """
    debian = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(debian, key=lambda path: float(path.parts[-3]), default=None)
    found = shutil.which("initdb") or newest
    return Path(found).resolve().parent if found else None


def missing() -> str:
    """Say why no server can be started; empty where one can."""
    try:
        import psycopg  # noqa: F401 - only whether it is there
    except ImportError:
        return "psycopg is not installed: pip install -e '.[postgresql]'"
    return "" if binaries() else "PostgreSQL is not installed: apt-get install postgresql"


class Server:
    """A running server, or a standby of one; each test takes a database of its own."""

    def __init__(self, primary: Server | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="brain-pg-"))
        self._user = (
            next((name for name in ORDINARY_USERS if _exists(name)), None)
            if not os.geteuid()
            else None
        )
        self._numbers = count()
        found = binaries()
        assert found
        self._binaries = found
        if self._user:
            os.chmod(self.folder, 0o755)
            shutil.chown(self.folder, self._user)
        self.port = _free_port()
        if primary:
            self._run(
                "pg_basebackup",
                "-d",
                primary.url("postgres"),
                "-D",
                self.data,
                "-R",
                "--no-sync",
                "-c",
                "fast",
            )
        else:
            self._run(
                "initdb",
                "-D",
                self.data,
                "-U",
                ADMIN,
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            )
        self.start()

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        options += "".join(f" -c {setting}" for setting in SETTINGS)
        self._run(
            "pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o", options, "start"
        )

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def database(self) -> str:
        """Return the address of a new, empty database."""
        name = f"memory{next(self._numbers)}"
        self.sql("postgres", f"create database {name}")
        return self.url(name)

    def url(self, database: str, user: str = ADMIN) -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def sql(self, database: str, *statements: str) -> list[tuple[object, ...]]:
        """Run statements as the administrator; return the rows of the last one."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def _run(self, name: str, *arguments: object) -> None:
        command = [str(self._binaries / name), *map(str, arguments)]
        user = pwd.getpwnam(self._user) if self._user else None
        become: Callable[[], None] | None = None
        if user:

            def become() -> None:
                os.setgroups([])
                os.setgid(user.pw_gid)
                os.setuid(user.pw_uid)

        # The server inherits no pipe, or this would wait for the server's end.
        with open(self.folder / f"{name}.txt", "w") as log:
            subprocess.run(
                command,
                check=True,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                preexec_fn=become,
                timeout=60,
            )


@contextmanager
def passing_roles(server: Server, *databases: str) -> Iterator[None]:
    """Remove these databases and all roles that were made inside the block."""
    names = "select rolname from pg_roles"
    before = server.sql("postgres", names)
    try:
        yield
    finally:
        made = {str(name) for (name,) in set(server.sql("postgres", names)) - set(before)}
        server.sql(
            "postgres", *(f"drop database if exists {name} with (force)" for name in databases)
        )
        # In one statement, because one role may have given another its rights.
        if made:
            server.sql("postgres", f"drop role {', '.join(made)}")


def invited(server: Server, memory: str, person: str, attributes: str = "") -> str:
    """Let a new login use a memory as `brain team invite` does; return the address for it."""
    from brain_cli.cli.common import CommonOptions
    from brain_cli.plugins.team.store import Store
    from brain_cli.plugins.team.team import Team

    database = memory.rpartition("/")[2]
    server.sql(database, f"create role {person} login {attributes}")
    team = Team(Store(server.url(database)), CommonOptions((), None, json=False))
    team.init()
    team.invite([person], ())
    return server.url(database, person)


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port
