"""Ranked notes → answers: one file per use case, such as recall, related and context."""
