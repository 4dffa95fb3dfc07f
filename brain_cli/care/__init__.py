"""Looking after memories: how strong each one is now, and what a night's sleep would change.

vitals → tiers → proposals; nothing here changes a note.
"""
