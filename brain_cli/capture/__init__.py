"""Make notes of observations: from the hooks of coding agents, from a pipe, or from git.

Agents and pipes: payload → observation → noise filter and removal of secrets → spool → batches → notes. The agent waits
for its hook, so the hook only appends one line to the spool. A background process makes the notes.
Git: a hook starts `brain capture git`, which makes notes of commits at once (commits, commit_notes).
"""
