"""Index engines: each stores postings and fragments, and finds them again."""
