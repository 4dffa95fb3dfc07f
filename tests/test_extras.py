"""The hint for a missing extra names the command that installs it here."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from brain_cli.extras import install_hint

PIP = f"{shlex.quote(sys.executable)} -m pip install"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the metadata of an installed package, found before any other."""
    folder = tmp_path / "site-packages" / "brain_cli-0.1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: brain-cli\nVersion: 0.1.0\n")
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    return folder


def _installed_from(package: Path, url: str, **about: object) -> None:
    (package / "direct_url.json").write_text(json.dumps({"url": url, **about}))


def test_a_folder_is_installed_again_with_the_extra(package: Path, tmp_path: Path) -> None:
    copy = tmp_path / "my copy"
    copy.mkdir()
    _installed_from(package, f"file://{quote(str(copy))}", dir_info={})
    assert install_hint("lsp") == f"Install it: {PIP} '{copy}[lsp]'"


def test_an_editable_installation_stays_editable(package: Path, tmp_path: Path) -> None:
    _installed_from(package, f"file://{tmp_path}", dir_info={"editable": True})
    assert install_hint("lsp") == f"Install it: {PIP} -e '{tmp_path}[lsp]'"


def test_a_repository_is_named_by_its_address(package: Path) -> None:
    _installed_from(package, "https://example.org/brain.git", vcs_info={"vcs": "git", "commit_id": "0"})
    assert install_hint("lsp") == f"Install it: {PIP} 'brain-cli[lsp] @ git+https://example.org/brain.git'"


def test_the_revision_that_was_asked_for_is_kept(package: Path) -> None:
    revision = {"vcs": "git", "commit_id": "0", "requested_revision": "v0.1"}
    _installed_from(package, "https://example.org/brain.git", vcs_info=revision)
    assert install_hint("lsp") == f"Install it: {PIP} 'brain-cli[lsp] @ git+https://example.org/brain.git@v0.1'"


def test_a_package_of_an_index_is_named_by_its_name(package: Path) -> None:
    assert install_hint("lsp") == f"Install it: {PIP} 'brain-cli[lsp]'"


def test_the_installer_that_was_used_is_used_again(package: Path, tmp_path: Path) -> None:
    _installed_from(package, f"file://{tmp_path}", dir_info={})
    (package / "INSTALLER").write_text("uv\n")
    assert install_hint("lsp").startswith("Install it: uv pip install --python ")
    (tmp_path / "uv-receipt.toml").touch()
    assert install_hint("lsp") == f"Install it: uv tool install '{tmp_path}[lsp]'"
    (tmp_path / "pipx_metadata.json").touch()
    assert install_hint("lsp") == f"Install it: pipx install --force '{tmp_path}[lsp]'"


def test_a_copy_that_is_gone_is_not_named(package: Path, tmp_path: Path) -> None:
    _installed_from(package, f"file://{tmp_path}/gone", dir_info={})
    assert install_hint("lsp") == "Install it in a copy of the repository: pip install '.[lsp]'"
