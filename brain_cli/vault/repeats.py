"""Recognize repeated texts: nearly the same words, within an hour."""

from __future__ import annotations

from brain_cli.vault.analyzer import words_of

REPEAT_SECONDS = 3600.0
# Texts that share more than this part of their words mean the same (publication "Smarter Memory Retrieval", 2c).
SAME_WORDS = 0.8


def says_the_same(one: str, other: str) -> bool:
    """Return whether two texts share most of their words (Jaccard index); without words, whether they are equal."""
    words, others = set(words_of(one)), set(words_of(other))
    return len(words & others) > SAME_WORDS * len(words | others) if words | others else one == other
