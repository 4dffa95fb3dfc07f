"""Paths in a question: `/var` is found where it is written so, not in every `/var/log/…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.search.names import paths_in

if TYPE_CHECKING:
    from conftest import Vault


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("what is /var for", ["/var"]),
        ("wofür ist /var/log/syslog da?", ["/var/log/syslog"]),
        ("установить скачанный файл .deb", [".deb"]),
        ("edit ~/.ssh/config, then ./run.sh.", ["~/.ssh/config", "./run.sh"]),
        ("is “.gitignore” read", [".gitignore"]),
        ("and/or v1.2 of e.g. this... / . ~ 3.5 http://host/x", []),
    ],
)
def test_a_path_begins_with_a_slash_a_dot_or_a_tilde(query: str, paths: list[str]) -> None:
    assert [*paths_in(query)] == paths


@given(st.text(alphabet="/.~ ab-_'\n", max_size=60))
def test_every_path_stands_in_the_query(query: str) -> None:
    assert all(path in query for path in paths_in(query))


class TestInAVault:
    @pytest.fixture
    def host(self, vault: Vault) -> Vault:
        for name in ("mail", "web", "print"):
            log = f"/var/log/{name}.log"
            vault.note(
                f"{name}.md",
                f"# {name.title()}\n\nSee {log} and /var/spool/{name}, {log}.1 or /var/lib.\n",
            )
        vault.note(
            "folders.md",
            "# Folders\n\nPrograms are in /usr, settings in /etc. What changes is kept below /var: queues, logs."
            " Homes are in /home, and what is mounted for a while in /mnt or /media.\n",
        )
        return vault

    @pytest.mark.parametrize("query", ["what is /var for", "tell me about /var.", "“/var/”"])
    def test_a_note_with_the_path_itself_is_found_first(self, host: Vault, query: str) -> None:
        assert host.order(query)[0] == "folders"

    def test_a_longer_path_is_found_where_it_stands(self, host: Vault) -> None:
        assert host.order("what writes /var/log/print.log")[0] == "print"

    def test_the_same_word_without_a_slash_is_a_word(self, host: Vault) -> None:
        relevances = host.relevances("var")
        assert relevances["folders"] < relevances["mail"]

    def test_an_ending_is_found_behind_a_name(self, host: Vault) -> None:
        host.note(
            "install.md", "# Install\n\nTake the archive tools_1.2.deb that came by mail.\n"
        )
        host.note("deb.md", "# Words\n\nA deb is short for Debian, in deb lines of lists.\n")
        assert host.order("install a .deb from the mail")[0] == "install"
