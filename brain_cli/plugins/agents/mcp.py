"""`brain mcp`: the memory as tools for agents that speak the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

from brain_cli.cli._workspace import CommonOptions, open_elsewhere
from brain_cli.errors import OK, BrainError
from brain_cli.extras import install_hint


def command(options: CommonOptions) -> int:
    """Serve this vault to an agent over the Model Context Protocol, until the agent closes the connection."""
    workspace, _ = open_elsewhere(options)
    try:
        import anyio

        from brain_cli.plugins.agents.mcp_server import server
        from brain_cli.plugins.agents.mcp_stdio import serve
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(("mcp", "anyio")):
            raise
        raise BrainError("The package mcp is not installed.", install_hint("mcp")) from None
    anyio.run(serve, server(workspace.vault, options.now, options.settings))
    return OK
