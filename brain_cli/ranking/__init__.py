"""Relevant notes in, ranked notes with their signals and scores out."""

import brain_cli._dataclasses  # noqa: F401 - before the formulas import dataclasses
