"""The history of recalls and feedback, which cannot be rebuilt, and the numbers it gives for each
note.

events → history (append-only JSON lines, one file per device) → fold (the events in time order,
summed up) → usage of the notes as the vault has them now.
"""
