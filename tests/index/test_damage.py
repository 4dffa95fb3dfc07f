"""Only what an engine says of its files counts as damage; an error of our own code is a bug and
surfaces.
"""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from brain_cli.index.damage import BrokenIndexError, MissingFileError, noticing_damage

if TYPE_CHECKING:
    from conftest import Vault


def test_an_error_of_a_library_on_a_damaged_file_is_damage() -> None:
    with pytest.raises(BrokenIndexError, match="damaged") as found, noticing_damage():
        json.loads("{")
    assert isinstance(found.value.__cause__, ValueError)


def test_a_missing_file_is_distinguished_from_a_damaged_one() -> None:
    with pytest.raises(MissingFileError), noticing_damage():
        open("/nowhere/at/all", encoding="ascii").close()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EMFILE])
def test_a_full_disk_a_forbidden_file_and_a_limit_are_not_damage(number: int) -> None:
    with pytest.raises(OSError) as found, noticing_damage():
        raise OSError(number, "from the system")
    assert found.value.errno == number


def test_a_bug_in_the_reader_of_the_index_is_reported_and_rebuilds_nothing(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_cli.index.engines import _whoosh_reader

    vault.note("tea.md", "# Tea\n\nGreen tea.\n")
    vault.brain("index", "--vault", vault.folder)
    monkeypatch.setattr(_whoosh_reader, "Fragment", None)
    answer = vault.brain("remember", "green tea", "--vault", vault.folder)
    assert answer.code == 70
    assert "TypeError" in answer.err
    assert "rebuilt" not in answer.err


def test_a_file_that_an_answer_misses_elsewhere_rebuilds_nothing(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    from brain_cli.answer import recall

    def missing(*_: Any) -> NoReturn:
        raise FileNotFoundError(errno.ENOENT, "not of the index", "/nowhere")

    vault.note("tea.md", "# Tea\n\nGreen tea.\n")
    vault.brain("index", "--vault", vault.folder)
    monkeypatch.setattr(recall, "choose_shown", missing)
    answer = vault.brain("remember", "green tea", "--vault", vault.folder)
    assert answer.code == 70
    assert "FileNotFoundError" in answer.err
    assert "rebuilt" not in answer.err
