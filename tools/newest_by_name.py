"""How often the newest note is among the first three, where file names date the notes.

    python tools/newest_by_name.py VAULT [NOW]

VAULT is the Obsidian Hub (public notes, not part of this repository); `newest_by_name.jsonl` has
the questions, each with the path of the note that should be shown.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

QUESTIONS = Path(__file__).with_suffix(".jsonl")
SHOWN = 3


def main(vault: str, now: str) -> None:
    questions = [
        json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()
    ]
    asked = "".join(
        json.dumps({"query": each["query"], "now": now}) + "\n" for each in questions
    )
    command = [
        sys.executable,
        "-m",
        "brain_cli",
        "remember",
        "--batch",
        "-",
        "--no-touch",
        "-n",
        "10",
        "--vault",
        vault,
    ]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    found = 0
    for question, line in zip(questions, done.stdout.splitlines(), strict=True):
        shown = [each["path"] for each in json.loads(line)["results"]]
        found += question["path"] in shown[:SHOWN]
        if question["path"] not in shown[:SHOWN]:
            print(f"missed: {question['query']}: {shown[:SHOWN]}")
    print(f"{found} of {len(questions)}: {found / len(questions):.3f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "2026-11-22")
