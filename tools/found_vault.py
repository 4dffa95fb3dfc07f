"""A vault as they are found: deep folders with blanks in their names, an ignore file of 40 lines,
frontmatter with aliases, pages of links, tables, callouts, code, pictures, and folders that are not
notes.

Its proportions are those of a large community vault: most notes are short, a few list hundreds of
others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from bench import SEED, MadeWords

FOLDERS = (
    "00 - Start",
    "01 - Community/People",
    "01 - Community/Events/2024/Spring meeting",
    "02 - Catalogue/02.01 By topic",
    "02 - Catalogue/02.05 All entries/Tools",
    "02 - Catalogue/02.05 All entries/Themes & Styles",
    "03 - Showcases/Templates/Daily notes",
    "04 - Guides, Courses/for beginners/first week",
    "05 - Concepts",
    "06 - Inbox",
)
# Most notes are in two folders, as in a catalogue.
WEIGHTS = (1, 4, 1, 2, 45, 25, 4, 8, 6, 4)
IGNORE_LINES = """
# Editor
.obsidian/
.trash/
*.swp
*~
# System
.DS_Store
.AppleDouble
._*
.Trashes
Network Trash Folder
Temporary Items
.apdisk
Thumbs.db
*.stackdump
[Dd]esktop.ini
$RECYCLE.BIN/
*.cab
*.msi
*.lnk
# Builds
node_modules/
/dist/
build/**/*.html
venv/
__pycache__/
*.py[cod]
.env
.env.*
!.env.example
# Notes that are nobody else's
/private/
drafts/
**/tmp-*.md
06 - Inbox/*.local.md
!06 - Inbox/keep.local.md
"""
KINDS = ("plugin", "theme", "guide", "person", "concept")
LINKS_PER_INDEX = 300
INDEXES_PER_NOTES = 200


def write_found_vault(folder: Path, notes: int) -> None:
    """Write so many notes, and beside them the files that a vault has and that are not notes."""
    chance = random.Random(SEED)
    words = MadeWords(chance)
    names = [
        f"{' '.join(words.draw(chance.randint(1, 3))).title()} {number}"
        for number in range(notes)
    ]
    for number, name in enumerate(names):
        place = folder / chance.choices(FOLDERS, WEIGHTS)[0]
        is_index = number % INDEXES_PER_NOTES == 0
        lines = _index(chance, words, names) if is_index else _note(chance, words, names)
        _write(place / f"{name}.md", [*_frontmatter(chance, words, name), *lines])
    _write_others(folder, words)


def _write_others(folder: Path, words: MadeWords) -> None:
    _write(folder / ".gitignore", [IGNORE_LINES])
    _write(folder / "04 - Guides, Courses" / ".brainignore", ["*.wip.md"])
    for number in range(50):
        _write(folder / "private" / f"{number}.md", [words.sentence()])
        _write(folder / "05 - Concepts/drafts" / f"{number}.md", [words.sentence()])
        _write(folder / "06 - Inbox" / f"tmp-{number}.md", [words.sentence()])
        _write(folder / "attachments/2024" / f"picture {number}.svg", ["<svg/>"])
        _write(folder / ".obsidian/plugins" / f"{number}.json", ["{}"])


def _write(file: Path, lines: list[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _frontmatter(chance: random.Random, words: MadeWords, name: str) -> Iterator[str]:
    yield "---"
    yield f"aliases:\n- {name.lower()}"
    yield f"tags:\n- {chance.choice(KINDS)}\n- {words.draw(1)[0]}/{words.draw(1)[0]}"
    yield f"publish: {chance.choice(('true', 'false'))}"
    if chance.random() < 0.2:
        yield f"created: 202{chance.randint(1, 5)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    yield "---\n"
    yield f"# {name}\n"


def _note(chance: random.Random, words: MadeWords, names: list[str]) -> Iterator[str]:
    yield f"{words.sentence()} ![](attachments/2024/picture%20{chance.randint(0, 49)}.svg)\n"
    for _ in range(chance.randint(1, 5)):
        yield f"## {' '.join(words.draw(2)).capitalize()}\n"
        yield from _section(chance, words, names)
    yield f"%% Hub footer: please do not edit anything below this line %%\n\nThis note in [[{chance.choice(names)}]]."


def _section(chance: random.Random, words: MadeWords, names: list[str]) -> Iterator[str]:
    shape = chance.random()
    if shape < 0.2:
        yield from (
            f"- [[{chance.choice(names)}|{words.draw(1)[0]}]]: {words.sentence()}"
            for _ in range(4)
        )
    elif shape < 0.3:
        yield "| Name | About |\n|---|---|"
        yield from (f"| [[{chance.choice(names)}]] | {words.sentence()} |" for _ in range(4))
    elif shape < 0.4:
        yield f"```sh\n{' '.join(words.draw(4))} --{words.draw(1)[0]}\n```"
    elif shape < 0.5:
        yield f"> [!tip] {words.sentence()}\n> {words.sentence()}"
    else:
        yield " ".join(words.sentence() for _ in range(chance.randint(1, 4)))
        yield f"\nSee [{words.draw(1)[0]}](https://example.org/{words.draw(1)[0]}) and [[{chance.choice(names)}]]."
    yield ""


def _index(chance: random.Random, words: MadeWords, names: list[str]) -> Iterator[str]:
    for _ in range(10):
        yield f"## {' '.join(words.draw(2)).capitalize()}\n"
        for name in chance.sample(names, min(len(names), LINKS_PER_INDEX // 10)):
            yield f"- [[{name}]]: {words.sentence()}"
        yield ""
