"""The kinds of notes that folders tell: `decisions/` holds decisions, whatever each note says of itself."""

from __future__ import annotations

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
    """Return the kind that the nearest telling folder of a note gives it; None where none does."""
    folders = path.lower().split("/")[:-1]
    return next((KIND_BY_FOLDER[folder] for folder in reversed(folders) if folder in KIND_BY_FOLDER), None)
