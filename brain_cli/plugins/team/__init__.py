"""The shared memory of a team: many vaults on one PostgreSQL server, and one recall over all of
them.

The server finds candidates, brain ranks them: a recall asks for the document frequencies of its
words, then for about 300 whole notes, and the ordinary code ranks these as if they were a vault.
"""

from __future__ import annotations

from brain_cli.extension import OF_ROWS, SET_UP, AddedOption, Plugin, Verb

READING = (
    "remember",
    "recent",
    "related",
    "show",
    "open",
    "explain",
    "context",
    "mcp",
    "team",
)
WRITING = ("feedback", "pin", "unpin", "add", "archive", "restore")
PLUGIN = Plugin(
    verbs={
        "team": Verb(
            "See and manage who shares a memory on a server.",
            SET_UP,
            f"{__name__}.team",
            lists=OF_ROWS,
        )
    },
    hooks={
        "vault": f"{__name__}.vault:team_vault",
        "refreshed": f"{__name__}.sending:refreshed",
        "background": f"{__name__}.sending:background",
        "status": f"{__name__}.vault:status",
        "checks": f"{__name__}.vault:checks",
    },
    switch="memory",
    settings=f"{__name__}.address:SETTINGS",
    options=(
        AddedOption(
            parameter="memory",
            names="--memory URL",
            about="The shared memory; off: the vault alone.",
            verbs=(*READING, *WRITING, "index"),
        ),
        AddedOption(
            parameter="as_name",
            names="--as NAME",
            about="The vault's name in the shared memory.",
            verbs=("index",),
        ),
        AddedOption(
            parameter="yes",
            names="-y --yes",
            about="Do not ask before notes are removed from the shared memory.",
            verbs=("index",),
        ),
    ),
)
