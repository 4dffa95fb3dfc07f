"""The files of a vault's `.brain` folder may be anything: a command answers, or says in one
sentence what is wrong.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deadline import deadline

if TYPE_CHECKING:
    from conftest import Vault


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def huge(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(8 << 30)


def loop(path: Path) -> None:
    path.symlink_to(path)


HOSTILE = [pipe, endless, folder, huge, loop]
PLACES = [
    ".brain/config.toml",
    ".brain/history/other.jsonl",
    ".brain/history",
    ".gitignore",
    ".git",
    "note.md",
]


# Every day one in three, with each of both. Reading the beginning of a note of eight gigabytes takes
# seconds.
PAIRS = [
    pytest.param(
        make,
        place,
        marks=[pytest.mark.exhaustive] * (number % 3 > 0),
        id=f"{place}-{make.__name__}",
    )
    for number, (place, make) in enumerate(product(PLACES, HOSTILE))
]


@pytest.mark.parametrize(("make", "place"), PAIRS)
def test_no_command_waits_for_a_pipe_or_reads_without_end(
    vault: Vault, place: str, make: Callable[[Path], None]
) -> None:
    vault.note("tea.md", "Green tea.\n")
    path = vault.folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    for command in ("remember tea", "status", "doctor"):
        with deadline():
            answer = vault.brain(*command.split(), "--vault", vault.folder, cwd=vault.folder)
        assert answer.code in (0, 2, 3), answer.err
        assert len(answer.err.splitlines()) <= 2, answer.err
    if place != ".brain/config.toml":
        assert vault.order("tea") == ["tea"]


def test_a_link_in_the_history_leads_nowhere(vault: Vault, tmp_path: Path) -> None:
    vault.note("tea.md", "Green tea.\n")
    history, outside = vault.folder / ".brain/history", tmp_path / "outside"
    history.mkdir(parents=True)
    assert vault.brain("remember", "tea", "--vault", vault.folder).code == 0
    [own] = history.iterdir()
    before = own.read_bytes()
    own.rename(outside)
    own.symlink_to(outside)
    answer = vault.brain("remember", "tea", "--vault", vault.folder)
    assert (
        f"{own.name} of the history in {history} cannot be read and is left out." in answer.err
    )
    assert f"This could not be added to the history in {history}" in answer.err
    assert outside.read_bytes() == before


CONFIGS = {
    "decimal": f"limit = {'9' * 5_000}\n",
    "hexadecimal": f"limit = 0x{'F' * 5_000}\n",
    "text": f"limit = '{'9' * 5_000}'\n",
    "share": f"minimum_relevance = {'9' * 400}\n",
    "constant": f"[scorers.blend]\nlexical = 0x{'F' * 5_000}\n",
    "kind": f"[kinds.note]\nstrength = 0x{'F' * 5_000}\n",
    "deep arrays": f"x = {'[' * 20_000}{']' * 20_000}\n",
    "deep tables": f"x = {'{a=' * 5_000}1{'}' * 5_000}\n",
    "deep keys": f"{'.'.join(['a'] * 50_000)} = 1\n",
    "infinite": "minimum_relevance = inf\n",
    "not a number": "min_score = nan\n",
    "negative": "limit = -1\n",
    "other type": "limit = [1]\nmmr = {}\n",
    "controls": 'scorer = "\\u001b[31m\\u202e"\n',
    "records": "record_queries = true\n",
    "vault": 'vault = "/"\n',
    "hidden folders": 'archive_folders = ["/", "..", ""]\n',
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_hostile_configuration_is_one_sentence(vault: Vault, name: str) -> None:
    vault.note("tea.md", "Green tea.\n")
    (vault.folder / ".brain").mkdir()
    (vault.folder / ".brain/config.toml").write_text(CONFIGS[name])
    for command in ("remember tea", "config", "doctor", "index"):
        with deadline():
            answer = vault.brain(*command.split(), "--vault", vault.folder)
        assert answer.code in (0, 2, 3), answer.err[:300]
        assert len(answer.err.splitlines()) <= 2, answer.err[:300]
        assert len(answer.err) < 1_000
        assert not set(answer.out + answer.err) & set("\x1b\u202e")


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ("record_queries = true\n", []),
        ("[profile.x]\nrecord_queries = true\n", ["--profile", "x"]),
    ],
    ids=["by itself", "by a profile"],
)
def test_a_vault_does_not_switch_on_the_recording_of_queries(
    vault: Vault, settings: str, options: list[str]
) -> None:
    vault.note("tea.md", "Green tea.\n")
    (vault.folder / ".brain").mkdir()
    (vault.folder / ".brain/config.toml").write_text(settings)
    answer = vault.brain("remember", "secret tea", *options, "--vault", vault.folder)
    assert (answer.code, answer.out) == (2, "")
    assert "A vault cannot set “record_queries”" in answer.err
    written = b"".join(
        path.read_bytes() for path in vault.brain.home.rglob("*") if path.is_file()
    )
    assert b"secret" not in written
