"""Derive from a note's folder its kind (`decisions/` holds decisions), and whether it is archived."""

from __future__ import annotations

from collections.abc import Iterable

KIND_BY_FOLDER = {
    "adr": "decision",
    "adrs": "decision",
    "decision": "decision",
    "decisions": "decision",
    "project": "project",
    "projects": "project",
    "research": "research",
    "journal": "journal",
    "journals": "journal",
    "daily": "journal",
    "handoff": "handoff",
    "handoffs": "handoff",
    "insights": "insight",
    "goals": "goal",
    "preferences": "preference",
    "learnings": "learning",
    "til": "learning",
    "observations": "observation",
    "experiences": "experience",
    "people": "relationship",
    "relationships": "relationship",
    "conversations": "conversation",
    "meetings": "conversation",
    "problems": "problem",
    "incidents": "problem",
    "postmortems": "problem",
    "milestones": "milestone",
    "progress": "progress",
    "antipatterns": "antipattern",
    "hubs": "hub",
    "moc": "hub",
}


def kind_by_folder(path: str) -> str | None:
    """Return the kind given by the nearest folder that stands for one; None if there is none."""
    folders = path.lower().split("/")[:-1]
    return next((KIND_BY_FOLDER[folder] for folder in reversed(folders) if folder in KIND_BY_FOLDER), None)


def archive_folder(path: str, archive_folders: Iterable[str]) -> str | None:
    """Return the archive folder that a note is in; None if it is in none."""
    return next((folder for folder in archive_folders if path.startswith(f"{folder}/")), None)
