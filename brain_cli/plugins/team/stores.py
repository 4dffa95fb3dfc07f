"""The stores of a command or a daemon, and the name of a vault in a shared memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_cli.errors import UnreachableError
from brain_cli.extension import hooks
from brain_cli.extras import install_hint
from brain_cli.library.vault import Vault
from brain_cli.paths import vault_name
from brain_cli.plugins.team.address import memory_name
from brain_cli.plugins.team.patience import QUESTION, Patience
from brain_cli.process import command_context

if TYPE_CHECKING:
    from brain_cli.plugins.team.store import Store


def first_found(hook: str, vault: Vault, *about: object, **options: object) -> Any:
    """Return what the first plugin with a hook answers; None if none has an answer."""
    answers = (ask(vault, *about, **options) for ask in hooks(hook, vault.config))
    return next((answer for answer in answers if answer), None)


def address_of(vault: Vault) -> str:
    """Return the address of the shared memory that is configured; `off` if none is."""
    return str(vault.config.of_plugins["memory"])


def identity(vault: Vault) -> tuple[str, str]:
    """Return the name of a vault in a memory, and the random key that distinguishes it from others
    of that name.

    They are empty before it was sent. After a restore the memory has another address, and the vault
    is still the same.
    """
    own = identity_file(vault)
    others = sorted(
        own.parent.parent.glob(f"shared-*/{own.name}"), key=os.path.getmtime, reverse=True
    )
    for path in (own, *others):
        with suppress(OSError, ValueError, TypeError, KeyError):
            found = json.loads(path.read_text(encoding="utf-8"))
            return found["name"], found["origin"]
    return "", ""


def identity_file(vault: Vault) -> Path:
    folder = Path(vault.state_home, "brain", memory_name(address_of(vault)))
    return folder / f"{vault_name(vault.folder)}.json"


# The open stores of a daemon that wait for their next use, by address.
_idle: dict[str, Store] = {}


@contextmanager
def using_store(vault: Vault, patience: Patience = QUESTION) -> Iterator[Store]:
    """Open the store of the configured memory inside the block; a daemon keeps it open."""
    # Imported here, because the driver is slow to load, and may be missing.
    try:
        from brain_cli.plugins.team.store import Store
    except ImportError:
        raise UnreachableError(
            "The shared memory needs the package psycopg.", install_hint("postgresql")
        ) from None

    address = address_of(vault)
    store = _idle.pop(address, None) or Store(address)
    store.begin(patience)
    try:
        yield store
        if command_context().warm_index:
            _idle.setdefault(address, store)
    finally:
        if _idle.get(address) is not store:
            store.close()
