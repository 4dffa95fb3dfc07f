"""A language server: links, backlinks and recall inside an editor."""

from __future__ import annotations

from brain_cli.extension import SET_UP, Plugin, Verb

PLUGIN = Plugin(
    verbs={
        "lsp": Verb(
            "Serve the vault to an editor over the Language Server Protocol.",
            SET_UP,
            f"{__name__}.lsp",
        )
    }
)
