"""A folder or a kind can be made to count less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Vault


@pytest.fixture
def two_notes(vault: Vault) -> Vault:
    vault.note("old/choice.md", "# Why gRPC\n\nWe chose gRPC, and gRPC it is.\n")
    vault.note("meetings/rpc.md", "# Monday\n\nOne of us mentioned gRPC.\n", type="meeting")
    return vault


def test_a_weighted_folder_keeps_that_share_of_its_relevance(two_notes: Vault) -> None:
    before = two_notes.relevances("gRPC")
    two_notes.brain.config.parent.mkdir(parents=True, exist_ok=True)
    two_notes.brain.config.write_text('[weights]\n"old/**" = 0.5\n')
    after = two_notes.relevances("gRPC")
    assert after["old/choice"] == pytest.approx(before["old/choice"] / 2)
    assert after["meetings/rpc"] == before["meetings/rpc"]


def test_a_weighted_kind_falls_behind(two_notes: Vault) -> None:
    before = two_notes.relevances("gRPC")
    two_notes.brain.config.parent.mkdir(parents=True, exist_ok=True)
    two_notes.brain.config.write_text('[weights]\n"type:meeting" = 0.5\n')
    assert two_notes.relevances("gRPC")["meetings/rpc"] == pytest.approx(
        before["meetings/rpc"] / 2
    )


def test_a_weight_never_hides_a_note_that_is_asked_for_by_name(two_notes: Vault) -> None:
    two_notes.brain.config.parent.mkdir(parents=True, exist_ok=True)
    two_notes.brain.config.write_text('[weights]\n"old/**" = 0.1\n')
    assert two_notes.relevances("why grpc")["old/choice"] == 1.0


def test_a_weight_above_1_is_an_error(two_notes: Vault) -> None:
    two_notes.brain.config.parent.mkdir(parents=True, exist_ok=True)
    two_notes.brain.config.write_text('[weights]\n"old/**" = 2\n')
    assert two_notes.brain("remember", "gRPC", "--vault", two_notes.folder).code == 2
