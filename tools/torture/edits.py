"""Edit vaults of odd names and links at random, and kill some edits: `python tools/torture/edits.py
[ROUNDS] [SEED]`.

After every command, all words of the user are still there, links lead to the notes that they led
to, and `brain undo` restores every byte.
"""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from conftest import Answer, Brain, Vault
from crash import contents, kill_before

from brain_cli.types import Link
from brain_cli.vault.decode import as_read
from brain_cli.vault.move import file_links
from brain_cli.vault.note import parse_note
from brain_cli.vault.resolve import NameTable

NOTES = 12
EDITS = 8
WORD = re.compile(rb"zq\d+x")
NAMES = (
    *(
        "tea",
        "Tea",
        "TEA",
        "green tea",
        "ä",
        "a\u0308",
        "e.v.1",
        "2024-01-01",
        "C#",
        "it's",
        "(draft)",
        "100%",
        "a%20b",
    ),
    *(
        "[x]",
        "a|b",
        "a]]b",
        "-n",
        " led",
        "trailed ",
        "🍵",
        "a^b",
        "#tag",
        "x" * 200,
        "index",
        "README",
        "a\\b",
        '"q"',
    ),
    *(
        "con",
        "a&b",
        "<b>",
        "`c`",
        "$x$",
        "%%",
        "a:b",
        "*",
        "?",
        "~",
        "archive",
        "null",
        "tea.md",
        "12",
        "a\tb",
    ),
)
FOLDERS = (
    "",
    "",
    "d",
    "d/e",
    "d e",
    "D",
    "ä",
    "archive",
    "archive/d",
    "C#",
    "(x)",
    "[y]",
    "100%",
    "a'b",
)
BAD = (
    "",
    "../out",
    "/tmp/out",
    ".hidden",
    "d/.hidden/x",
    "a\nb",
    "a\0b",
    "x" * 300,
    "node_modules/x",
    "ignored/",
    "l/",
)


def main(rounds: int = 60, seed: int = 0) -> int:
    failures = edits = kills = 0
    for number in range(seed, seed + rounds):
        with tempfile.TemporaryDirectory() as folder:
            attack = Attack(Path(folder), random.Random(number))
            for problem in attack.problems():
                failures += 1
                print(f"round {number}: {problem}", flush=True)
            edits, kills = edits + attack.edits, kills + attack.kills
    print(f"{edits} edits, {kills} of them killed, {failures} failures")
    return 1 if failures else 0


class Attack:
    """One vault and the edits of it; `edits` and `kills` count them."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        for name in ("home", "notes"):
            (folder / name).mkdir()
        self.vault = Vault(folder / "notes", Brain(folder / "home", folder / "home" / "cache"))
        self.chance, self.edits, self.kills = chance, 0, 0
        (self.vault.folder / ".brainignore").write_text("ignored/\n")
        (self.vault.folder / "l").symlink_to(folder)
        paths = {
            os.path.join(chance.choice(FOLDERS), f"{chance.choice(NAMES)}.md")
            for _ in range(NOTES)
        }
        for number, path in enumerate(sorted(paths)):
            ending = chance.choice(("\n", "\n", "\r\n"))
            text = ending.join(
                [f"# Note zq{number}x", "", *self._links(path, sorted(paths)), f"zq{number}x"]
            )
            head = (
                f"---{ending}related: [{chance.choice(['tea', 'd/tea.md'])}]{ending}---{ending}"
            )
            file = self.vault.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes((chance.choice(("", head, "\ufeff")) + text).encode())
            os.utime(file, (1_700_000_000, 1_700_000_000))
        self.words = set(WORD.findall(b"".join(contents(self.vault.folder).values())))

    def _links(self, path: str, paths: list[str]) -> Iterator[str]:
        for _ in range(self.chance.randint(0, 5)):
            target = self.chance.choice(paths)
            relative = os.path.relpath(target, os.path.dirname(path) or ".")
            stem = os.path.basename(target).removesuffix(".md")
            yield self.chance.choice(
                (
                    f"See [[{stem}]] and ![[{stem}#Note]].",
                    f"See [[{target.removesuffix('.md')}|it]].",
                    f"See [it]({quote(relative)}) or [it](<{relative}>).",
                    f"See [it](/{quote(target)}#note).",
                    f"[it]: {quote(relative)}",
                    f"`[[{stem}]]`",
                )
            )

    def problems(self) -> Iterator[str]:
        """Edit the vault; yield what went wrong."""
        for _ in range(EDITS):
            command = self._command()
            if not command:
                return
            before, links = self.files(), self.links()
            killed = self.chance.random() < 0.4 and self._is_killed(command)
            answer = self.run(["unpin", "no such note"]) if killed else self.run(command)
            self.edits, self.kills = self.edits + 1, self.kills + killed
            # An undo restores bytes: a link may have led elsewhere before.
            for problem in self._wrong(answer, links if command != ["undo"] else set()):
                yield f"{command}{' (killed)' * killed}: {problem}: {answer.out} {answer.err}"
            after = self.files()
            if self.chance.random() < 0.5 and before != after and "undo" not in command:
                undone = self.run(["undo"])
                if self.files() != before and not killed:
                    yield f"{command}: not undone: {undone.out} {undone.err} {answer.out}"
                # After a kill, the last change that can be undone may be an earlier one.
                links = links if not killed else set()
                yield from (
                    f"undo of {command}: {each}: {undone.err}"
                    for each in self._wrong(undone, links)
                )

    def _command(self) -> list[str]:
        chance, paths = self.chance, [path for path in self.files() if path.endswith(".md")]
        if not paths:
            return []
        several = chance.sample(paths, min(len(paths), chance.randint(1, 3)))
        if chance.random() < 0.15:
            several.append(
                chance.choice(("no such note", "l/x.md", "../x.md", ".brainignore", "d"))
            )
        new = (
            os.path.join(chance.choice(FOLDERS), chance.choice(NAMES))
            if chance.random() < 0.8
            else chance.choice(BAD)
        )
        return chance.choice(
            (
                ["mv", several[0], new],
                ["mv", several[0], f"{chance.choice(FOLDERS) or '.'}/"],
                ["archive", *several],
                ["archive", several[0], "--to", chance.choice((*FOLDERS[2:], *BAD))],
                ["restore", *several],
                ["restore", several[0], "--to", chance.choice((*FOLDERS[2:], *BAD))],
                ["pin", *several],
                ["snooze", *several, "2w"],
                ["forget", "--yes", *several],
                ["feedback", several[0], "useful"],
                ["undo"],
            )
        )

    def arguments(self, command: list[str]) -> list[str]:
        [verb, *rest] = command
        options = [each for each in rest if each.startswith("--")]
        for option in options:
            rest.remove(option)
        if "--to" in options:
            options.append(rest.pop())
        return [verb, "--vault", str(self.vault.folder), *options, "--", *rest]

    def run(self, command: list[str]) -> Answer:
        return self.vault.brain(*self.arguments(command))

    def _is_killed(self, command: list[str]) -> bool:
        return kill_before(self.vault, self.chance.randint(1, 12), self.arguments(command))

    def _wrong(self, answer: Answer, links: set[tuple[bytes, bytes]]) -> Iterator[str]:
        if (
            answer.code not in (0, 2, 3)
            or "bug in brain" in answer.err
            or "Traceback" in answer.err
        ):
            yield f"exit {answer.code}"
        trash = self.vault.brain.home / "data" / "Trash" / "files"
        kept = contents(self.vault.folder) | (contents(trash) if trash.exists() else {})
        lost = self.words - set(WORD.findall(b"".join(kept.values())))
        if lost:
            yield f"{lost} are lost"
        here = {
            word
            for path, raw in self.files().items()
            if path.endswith(".md")
            for word in WORD.findall(raw)
        }
        wanted = {
            (source, target) for source, target in links if source in here and target in here
        }
        if wanted - self.links():
            yield f"the links {wanted - self.links()} lead elsewhere"
        if any(path.endswith("-tmp") for path in self.files()):
            yield "a temporary file is left"

    def files(self) -> dict[str, bytes]:
        return contents(self.vault.folder)

    def links(self) -> set[tuple[bytes, bytes]]:
        """Return the pairs of linked notes, each by its own word."""
        notes = {
            path: raw
            for path, raw in self.files().items()
            if path.endswith(".md") and not path.startswith("l/")
        }
        words = {path: each[-1] for path, raw in notes.items() if (each := WORD.findall(raw))}
        names = NameTable(
            parse_note(path, as_read(raw), 0.0).metadata for path, raw in sorted(notes.items())
        )
        found = set()
        for path, raw in notes.items():
            for span in file_links(raw.decode("utf-8", "surrogateescape")):
                target = (
                    names.best_link(Link(span.target, span.heading, span.text), path)
                    if span.target
                    else None
                )
                if target and path in words and target in words:
                    found.add((words[path], words[target]))
        return found


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
