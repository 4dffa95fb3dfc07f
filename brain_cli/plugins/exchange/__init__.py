"""Import the memories of other programs as notes, and export all notes as JSON lines."""

from __future__ import annotations

from brain_cli.extension import OF_NOTES, WRITE, Plugin, Verb

PLUGIN = Plugin(
    verbs={
        "import": Verb(
            "Import the memories of another program as notes.",
            WRITE,
            f"{__name__}.import_notes",
            lists=OF_NOTES,
        ),
        "export": Verb(
            "Write all notes as JSON lines.", WRITE, f"{__name__}.jsonl", lists=("jsonl",)
        ),
    }
)
