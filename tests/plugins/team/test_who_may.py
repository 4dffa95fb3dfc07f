"""Addresses, passwords, rights and failures of a shared memory: one sentence each, and nothing
lost.
"""

from __future__ import annotations

import re

import pytest
from conftest import Brain, Vault, one_sentence

from brain_cli.errors import UsageError

SECRET = "open sesame 7"
NOWHERE = "postgresql://127.0.0.1:9/nowhere"


@pytest.fixture
def parameters_of() -> object:
    pytest.importorskip("psycopg")
    from brain_cli.plugins.team.address import connection_parameters

    return connection_parameters


@pytest.mark.parametrize("place", ["", "localhost", "127.0.0.1:5433", "[::1]"])
def test_a_local_server_needs_no_tls(parameters_of, place: str) -> None:  # type: ignore[no-untyped-def]
    assert "sslmode" not in parameters_of(f"postgresql://{place}/memory", {})


@pytest.mark.parametrize("place", ["db.example.org", "10.0.0.7", "localhost,db.example.org"])
def test_another_host_is_reached_by_tls_or_not_at_all(parameters_of, place: str) -> None:  # type: ignore[no-untyped-def]
    assert parameters_of(f"postgresql://{place}/memory", {})["sslmode"] == "require"
    assert (
        parameters_of(f"postgresql://{place}/memory?sslmode=verify-full", {})["sslmode"]
        == "verify-full"
    )
    for weak in ("disable", "allow", "prefer"):
        with pytest.raises(UsageError, match="does not demand TLS"):
            parameters_of(f"postgresql://{place}/memory?sslmode={weak}", {})
        with pytest.raises(UsageError, match="does not demand TLS"):
            parameters_of(f"postgresql://{place}/memory", {"PGSSLMODE": weak})


def test_a_service_and_a_host_of_the_environment_are_not_taken_for_local(parameters_of) -> None:  # type: ignore[no-untyped-def]
    assert parameters_of("postgresql:///?service=team", {})["sslmode"] == "require"
    assert (
        parameters_of("postgresql:///memory", {"PGHOST": "db.example.org"})["sslmode"]
        == "require"
    )


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://me:{SECRET}@127.0.0.1/memory",
        f"postgresql://127.0.0.1/memory?password={SECRET}",
        f"postgres:/me:{SECRET}@127.0.0.1/memory",
    ],
)
def test_a_password_is_refused_and_repeated_nowhere(
    brain: Brain, vault: Vault, address: str
) -> None:
    vault.note("a.md", "# Otters")
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text(f'memory = "{address}"\n')
    answers = [
        brain("remember", "otters", "--vault", vault.folder),
        brain("config", "--vault", vault.folder),
        brain("doctor", "--vault", vault.folder),
    ]
    brain.config.unlink()
    answers += [
        brain("remember", "otters", "--vault", vault.folder, "--memory", address),
        brain("index", "--vault", vault.folder, "--memory", address),
        brain("remember", "otters", "--vault", vault.folder, env={"BRAIN_MEMORY": address}),
    ]
    for answer in answers:
        assert answer.code in (2, 3)
        assert SECRET not in answer.out + answer.err
    written = [path for path in brain.home.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in written)


@pytest.mark.parametrize("command", [("remember", "otters"), ("index",)])
def test_a_vault_can_never_name_a_server(vault: Vault, command: tuple[str, ...]) -> None:
    vault.note("a.md", "# Otters")
    (vault.folder / ".brain").mkdir()
    (vault.folder / ".brain" / "config.toml").write_text(f'memory = "{NOWHERE}"\n')
    answer = vault.brain(*command, "--vault", vault.folder)
    assert answer.code == 2
    assert "A vault cannot set “memory”" in answer.err


def test_a_server_that_is_down_costs_one_sentence_and_the_vault_answers(vault: Vault) -> None:
    pytest.importorskip("psycopg")
    vault.note("a.md", "# Otters\n\nThey swim.")
    told = {"BRAIN_MEMORY": NOWHERE}
    indexed = vault.brain("index", "--vault", vault.folder, env=told)
    assert indexed.code == 3
    assert one_sentence(indexed.err)
    assert "1 added" in indexed.out
    answer = vault.brain("remember", "otters", "--vault", vault.folder, env=told)
    assert answer.code == 0
    assert "a.md" in answer.out
    assert re.search(
        r"does not answer\. This answer is from the vault alone, and is kept in the vault's history\.",
        answer.err,
    )
    alone = vault.brain("remember", "otters", env=told)
    assert alone.code == 3
    assert one_sentence(alone.err)
    assert (
        vault.brain("remember", "otters", "--vault", vault.folder, "--memory", NOWHERE).code
        == 3
    )


def test_a_recall_of_the_vault_alone_imports_nothing_of_the_shared_memory(vault: Vault) -> None:
    vault.note("a.md", "# Otters")
    asked = (
        f"import sys; sys.argv[1:] = ['remember', 'otters', '--vault', {str(vault.folder)!r}]\n"
    )
    code = f"{asked}import atexit\natexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))\n"
    code += "from brain_cli.__main__ import main\nmain()\n"
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=vault.brain.environ(),
        check=False,
    )
    assert "brain_cli.cli.remember" in done.stderr
    for name in (
        "psycopg",
        "brain_cli.plugins.team.store",
        "brain_cli.plugins.team.snapshot",
    ):
        assert name not in done.stderr.split()
