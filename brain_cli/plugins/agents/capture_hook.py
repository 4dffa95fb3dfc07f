"""`brain capture` alone, as a hook runs it: see brain_cli/__main__.py."""

from brain_cli.plugins.agents.intake import hook as run

__all__ = ["run"]
