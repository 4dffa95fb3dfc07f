"""Read notes from files: list, decode and parse them, find and resolve their links. Also, edit
notes.
"""
