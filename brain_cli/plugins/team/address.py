"""Check the address of a shared memory: no password, and TLS to another host.

A password in an address would end up in configurations, shell histories and process lists.
"""

import os
import re
from collections.abc import Mapping
from zlib import adler32, crc32

from brain_cli.config.schema import TEXT, Setting, ValueType
from brain_cli.errors import UsageError
from brain_cli.extension import OFF

# The values of libpq's `sslmode` that encrypt, or fail.
ENCRYPTED = ("require", "verify-ca", "verify-full")
# No message may repeat an address with a password.
HAS_PASSWORD = (
    "The address of the shared memory has a password in it.",
    "Put the password into ~/.pgpass, or name a PGPASSFILE.",
)


def _address(value: object) -> str:
    """Read the setting `memory`."""
    address = str(TEXT.read(value))
    if address != OFF and not address.startswith(("postgresql://", "postgres://")):
        raise UsageError(
            "The address of a shared memory is wrong.",
            "Write postgresql://USER@HOST/DATABASE, or off.",
        )
    user, at, _ = address.partition("://")[2].partition("/")[0].rpartition("@")
    if (at and ":" in user) or "password=" in address.lower():
        raise UsageError(*HAS_PASSWORD)
    return address


# A host that is gone is noticed, also while nothing is sent. The last one is in milliseconds.
DEFAULTS = {
    "application_name": "brain",
    "connect_timeout": "5",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
ADDRESS = ValueType("postgresql://USER@HOST/DATABASE, or off", _address)
SETTINGS = {
    "memory": Setting(
        ADDRESS,
        "The shared memory on a server, or off: only the vault.",
        user_only=True,
        default=OFF,
    ),
}


def memory_name(address: str) -> str:
    """Return the folder name of a shared memory: readable by its host and database, and unique by
    its address.
    """
    raw = address.encode("utf-8", "surrogateescape")
    host_and_database = address.rpartition("@")[2].partition("?")[0]
    name = re.sub("[^A-Za-z0-9]", "-", host_and_database)[:40].strip("-")
    return f"shared-{name or 'memory'}-{crc32(raw):08x}{adler32(raw):08x}"


def connection_parameters(url: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the connection parameters of an address; UsageError if it is invalid or not safe."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parameters = {
            name: str(value)
            for name, value in conninfo_to_dict(url).items()
            if value is not None
        }
    except ProgrammingError:
        # The driver's message may quote the address.
        raise UsageError(
            "The address of the shared memory cannot be read.",
            "Name it as postgresql://USER@HOST/DATABASE.",
        ) from None
    if "password" in parameters:
        raise UsageError(*HAS_PASSWORD)
    if not _is_local(parameters, environ):
        mode = parameters.setdefault("sslmode", environ.get("PGSSLMODE", "require"))
        if mode not in ENCRYPTED:
            raise UsageError(
                f"The shared memory is on another host, and sslmode={mode} does not demand TLS.",
                "Leave sslmode out, or write sslmode=verify-full.",
            )
    return DEFAULTS | parameters


def place_of(parameters: Mapping[str, str]) -> str:
    """Return the name of a server in messages: its host and database, never its user or options."""
    names = ("host", "hostaddr", "service")
    host = next(filter(None, map(parameters.get, names)), "localhost")
    port = "" if host.startswith("/") else parameters.get("port", "")
    database = parameters.get("dbname", "")
    return host + (f":{port}" if port else "") + (f"/{database}" if database else "")


def _is_local(parameters: Mapping[str, str], environ: Mapping[str, str]) -> bool:
    """Return whether every host of an address is this machine; the host of a service is unknown, so
    it is not.
    """
    hosts = [
        host
        for name, variable in (("host", "PGHOST"), ("hostaddr", "PGHOSTADDR"))
        for host in (parameters.get(name, environ.get(variable)) or "").split(",")
        if host
    ]
    has_service = bool(parameters.get("service") or environ.get("PGSERVICE"))
    return all(map(_is_this_machine, hosts)) and not (has_service and not hosts)


def _is_this_machine(host: str) -> bool:
    from ipaddress import ip_address

    if host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
