"""Relevant notes in, ranked notes with their signals and scores out."""
