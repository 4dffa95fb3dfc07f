"""The shared memory of a team: many vaults on one PostgreSQL server, and one recall over all of
them.

The server finds candidates, brain ranks them: a recall asks for the document frequencies of its
words, then for about 300 whole notes, and the ordinary code ranks these as if they were a vault.
"""

from __future__ import annotations

from brain_cli.plugins import OF_ROWS, SET_UP, Plugin, Verb

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
        "elsewhere": f"{__name__}.workspace:elsewhere",
        "note": f"{__name__}.notes:TeamNote",
        "refreshed": f"{__name__}.index:refreshed",
        "background": f"{__name__}.index:background",
        "status": f"{__name__}.workspace:status",
        "checks": f"{__name__}.workspace:checks",
    },
    switch="memory",
    settings=f"{__name__}.address:SETTINGS",
    options={
        f"{__name__}.team:asking": (
            *("remember", "recent", "related", "show", "open", "explain", "context", "mcp", "team"),
            *("feedback", "pin", "unpin", "add", "archive", "restore"),
        ),
        f"{__name__}.team:sending": ("index",),
    },
)
