"""What cannot be rebuilt: the history of recalls and feedback, and what it comes to for each note.

events → history (append-only JSON lines, one file per device) → fold (the events in time order, summed up)
→ usage of the notes as the vault has them now.
"""
