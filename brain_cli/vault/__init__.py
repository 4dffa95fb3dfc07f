"""Files → notes: list, decode and parse them, find and resolve their links; and every edit of a note."""
