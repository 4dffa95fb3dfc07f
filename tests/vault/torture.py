"""A folder of everything that may be lying about in a vault, and one word by which each file must
be found.
"""

from __future__ import annotations

import os
import socket
import unicodedata
from hashlib import blake2b
from pathlib import Path

from examples import sized

FILLER = "The quick brown fox jumps over the lazy dog and runs away.\n"
LINKS = sized(100_000, everyday=5_000)
LATIN = "Größe naïve café"
JAPANESE = "これは日本語のメモです。設計について書きました。"
BOMB = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))


def marker(name: str) -> str:
    """A word that stands in one file only, and that no other one is a typing error of."""
    digest = blake2b(os.fsencode(name), digest_size=6).hexdigest()
    return "m" + "".join("abcdefghijklmnop"[int(digit, 16)] for digit in digest)


def heads(m: str) -> dict[str, str]:
    """Frontmatter that people and templates leave behind; the body has the word."""
    body = f"\nbody {m}\n"
    return {
        "template": f"---\ntitle: {{{{title}}}}\ndate: {{{{date}}}}\n---{body}",
        "only-template": f"---\n{{{{title}}}}\n---{body}",
        "booleans": f"---\non: yes\n---{body}",
        "impossible-date": f"---\ndate: 2026-02-31\n---{body}",
        "nulls": f"---\ntags: [a, null, ~]\naliases: [null]\n---{body}",
        "nested-link": f"---\nrelated: [[Note]]\n---{body}",
        "sexagesimal": f"---\ndate: 12:30:45\n---{body}",
        "bomb": f"---\na0: &a0 [x]\n{BOMB}---{body}",
        "object": f"---\na: !!python/object/apply:os.system ['touch EXECUTED']\n---{body}",
        "deep": f"---\na: {'[' * 60_000}\n---{body}",
        "rules": f"---\n{m} between two rules\n---\n",
        "unterminated": f"---\ntitle: x\n{body}",
        "tabs": f"---\n\ttitle: x\n---{body}",
        "broken-word": f"---\ntitle: a: {m}\n---\nbody\n",
        "toml": f"+++\ntitle = {{\n+++{body}",
    }


def texts(m: str) -> dict[str, str]:
    """Bodies that keep a reader busy."""
    return {
        "long-line": "word and " * sized(330_000, 20_000) + m,
        "seven-megabytes": (FILLER * 9 + "\n") * sized(13_000, 1_500) + m,
        "equal-headings": "# Same\n\ntext\n\n" * sized(20_000, 1_500) + m,
        "nested-fences": "".join(
            "`" * (3 + n % 40) + "\n# x\n" for n in range(sized(10_000, 1_000))
        )
        + m,
        "open-links": "[" * LINKS + f" {m} " + "[[a|" * LINKS + "[](b" * LINKS,
        "quotations": ">" * 50_000 + f" {m}",
        "list-of-lists": "- " * 50_000 + m,
        "many-items": "- item\n" * sized(100_000, 7_000) + f"\n{m}\n",
        "accents": "a" + "\u0301\u0323" * sized(100_000, 7_000) + f" {m}",
        "table": "|a|b|\n|-|-|\n" + "|x|y|\n" * sized(20_000, 1_500) + f"\n{m}\n",
        "html": "<div>\n" * sized(20_000, 1_500) + f"\n{m}\n",
        "emphasis": "*a **b " * sized(50_000, 4_000) + m,
        "nothing-but-code": f"```\n{m}\n",
        "one-word": m,
    }


def encodings(m: str) -> dict[str, bytes]:
    """The same words in the bytes of many editors."""
    return {
        "bom": f"\ufeff# {m} {LATIN}\n".encode(),
        "crlf": f"---\r\ntitle: x\r\n---\r\n# A\r\n\r\n{m}\r\n".encode(),
        "utf16": f"{m} {LATIN}".encode("utf-16"),
        "utf16-unmarked": f"{m} {LATIN}".encode("utf-16-le"),
        "latin1": f"{m} {LATIN}".encode("latin-1"),
        "japanese": f"{m} {JAPANESE}".encode(),
        "shift-jis": f"{m} {JAPANESE}".encode("shift_jis"),
        "nul": f"before\x00{m}\x00after".encode(),
        "cut-utf8": f"{m} {LATIN * 9}".encode() + b"\xe6\xbc",
        "binary": bytes(range(256)) * 4 + f" {m} ".encode(),
    }


NAMES = [
    "with\nnewline.md",
    "-rf.md",
    "--help.md",
    "$(touch EXECUTED).md",
    "`id`;'\".md",
    " spaces .md",
    "UPPER.MD",
    "other.markdown",
    unicodedata.normalize("NFC", "twin-é.md"),
    unicodedata.normalize("NFD", "twin-é.md"),
    os.fsdecode(b"latin-\xe9.md"),
    "folder.md/inside.md",
    "many/" * 60 + "deep.md",
    "kept/again.md",
    "日本語.md",
    "x" * 250 + ".md",
]
TIMES = {"mtime-0": 0, "mtime-1960": -315_619_200, "mtime-2100": 4_102_444_800}


def make_torture(vault: Path) -> dict[str, str]:
    """Fill a folder; return the word of each note in it, by path. Other files there are not notes."""
    words: dict[str, str] = {}

    def put(path: str, content: str | bytes) -> None:
        target = vault / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        words[path] = marker(path)

    for folder, group in (("heads", heads), ("texts", texts), ("encodings", encodings)):
        for name in group(""):
            path = f"{folder}/{name}.md"
            put(path, group(marker(path))[name])
    for path in NAMES:
        put(path, f"# Heading\n\n{marker(path)}\n")
    for name, seconds in TIMES.items():
        put(f"{name}.md", marker(f"{name}.md"))
        os.utime(vault / f"{name}.md", (seconds, seconds))
    _put_what_is_no_note(vault)
    return words


def _put_what_is_no_note(vault: Path) -> None:
    outside = vault.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (vault / "link-out.md").symlink_to(outside / "secret.md")
    (vault / "folder-out").symlink_to(outside)
    (vault / "loop").symlink_to(vault)
    (vault / "loop.md").symlink_to(vault / "loop.md")
    (vault / "broken.md").symlink_to(vault / "nowhere.md")
    os.mkfifo(vault / "pipe.md")
    _put_socket(vault / "socket.md")
    for path in (
        ".hidden.md",
        ".git/note.md",
        "node_modules/note.md",
        "ignored/note.md",
        "kept/no.md",
        "picture.png",
    ):
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text("secret")
    (vault / ".gitignore").write_bytes(b"\xef\xbb\xbf/ignored/\n!\n[z-a]\nno.md\nagain.md\n")
    (vault / "kept/.brainignore").write_text("!again.md\n")
    (vault / "empty.md").touch()


def _put_socket(path: Path) -> None:
    # A socket's path may have some hundred characters only, so it is bound from its own folder.
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(before)
