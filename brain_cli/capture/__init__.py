"""Make notes of observations: from the hooks of coding agents, from git, or from a pipe.

Payload → observation → noise filter and removal of secrets → spool → batches → notes. The agent waits for its hook, so
the hook only appends one line to the spool. A background process makes the notes.
"""
