"""`brain mcp`: the memory as tools for agents that speak the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

from brain_cli.cli._workspace import CommonOptions, open_elsewhere
from brain_cli.errors import OK


def command(options: CommonOptions) -> int:
    """Serve this vault to an agent over the Model Context Protocol, until the agent closes the connection."""
    from brain_cli.plugins.agents.mcp_protocol import serve
    from brain_cli.plugins.agents.mcp_server import server

    workspace, _ = open_elsewhere(options)
    serve(server(workspace.vault, options.now, options.settings))
    return OK
