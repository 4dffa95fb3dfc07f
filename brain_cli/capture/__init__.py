"""Observations arrive by themselves: from hooks of coding agents, from git, from a pipe.

The journey: payload → observation → noise filter and secrets → spool → batches → notes. The first three steps run
while a hook waits, so they only append one line to the spool; a background process makes the notes.
"""
