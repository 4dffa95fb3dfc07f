"""The plugins of brain: what is optional, each in a folder here that can be deleted.

A plugin's `__init__` states one `PLUGIN` (brain_cli/extension.py), and imports nothing else of the
plugin, because every command reads it. A plugin imports public names of the core (docs/plugins.md),
and never another plugin.
"""
