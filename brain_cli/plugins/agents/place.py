"""The place where work begins: what a folder and its repository say about it, as clues that replace
a query.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter

from brain_cli.files import read_beginning
from brain_cli.paths import is_inside
from brain_cli.record import Record
from brain_cli.types import Session
from brain_cli.vault.analyzer import Word, query_words
from brain_cli.vault.git import git_folder, repository_root

LATELY = 3 * 86_400.0
MAX_PATHS = 200
# A repository may be huge; this many entries suffice to see what was worked on.
MAX_ENTRIES = 3_000
READMES = ("README.md", "readme.md", "README")
BEGINNING_BYTES = 2_000
_NO_WORK = frozenset(
    ("node_modules", "vendor", "target", "build", "dist", "__pycache__", "venv")
)
MAX_FILES = 6
MAX_FOLDERS = 2
# Names that say nothing about the work in them.
_ROUTINE_NAMES = """
main master develop dev trunk head feature feat fix bugfix hotfix chore release src lib libs app
apps cmd pkg internal
test tests docs doc index init mod build dist bin scripts tmp add remove delete update change use
make new improve
cleanup wip the a of and to for in on with readme license package setup config makefile dockerfile
requirements
changelog contributing lock
"""
_ROUTINE = frozenset(_ROUTINE_NAMES.split())
_WORD = re.compile(r"[^\W\d_]{2,}|\d{3,}")


class Place(Record):
    """Where work begins: `names` of the branch, the folder and its README, and the `paths` of the
    files that were changed lately, else of all files, from the repository's root, newest first.

    `is_neutral`: the folder is in the vault or the user's home, so it belongs to no project.
    """

    names: tuple[str, ...] = ()
    paths: Sequence[str] = ()
    is_neutral: bool = False


def read_place(folder: str, vault: str, now: float) -> Place:
    """Return what a folder and its repository say about the work in it."""
    if vault and is_inside(folder, vault):
        return Place(is_neutral=True)
    root = repository_root(folder)
    if root is None:
        readme = (line for name in READMES for line in _first_lines(os.path.join(folder, name)))
        title = next((line for line in readme if line.startswith("# ")), "")
        # At home everything may be of use, as when a shell starts; elsewhere only what belongs to
        # the folder.
        is_home = os.path.realpath(folder) == os.path.realpath(os.path.expanduser("~"))
        return Place((os.path.basename(folder), title), is_neutral=is_home)
    below = os.path.relpath(folder, root).split(os.sep)[-MAX_FOLDERS:]
    # A detached HEAD names no branch.
    head = next(_first_lines(os.path.join(git_folder(folder) or root, "HEAD")), "")
    branch = head.partition("refs/heads/")[2]
    paths = _changed_lately(root, now)
    if not paths:
        # The names of the files in the folder say what the work is.
        others = sorted(_files_below(folder), key=itemgetter(1), reverse=True)
        paths = [os.path.relpath(path, root) for path, _ in others[:MAX_PATHS]]
    return Place((branch, " ".join(below)), paths)


def clues(place: Place, session: Session, languages: Sequence[str]) -> Iterator[list[Word]]:
    """Yield the words of each clue of a place, but the project's name."""
    project = (session.project or "").casefold()
    paths = (os.path.splitext(path)[0] for path in place.paths)
    names = map(_meaningful_words, (*place.names, " ".join(session.topics)))
    for text in (*names, *islice(filter(None, map(_meaningful_words, paths)), MAX_FILES)):
        yield [
            word
            for word in query_words(text, languages)
            if project not in map(str.casefold, word.variants)
        ]


def _meaningful_words(text: str) -> str:
    """Return the meaningful words of a name: `feature/refund-timeouts` → `refund timeouts`."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(word for word in _WORD.findall(apart) if word.casefold() not in _ROUTINE)


def _first_lines(path: str) -> Iterator[str]:
    """Yield the lines at the beginning of a file; none if it cannot be read."""
    with contextlib.suppress(OSError):
        yield from read_beginning(path, BEGINNING_BYTES).decode("utf-8", "replace").splitlines()


def _changed_lately(root: str, now: float) -> list[str]:
    """Return the files changed in the last days, newest first; none if a checkout has touched all
    of them.
    """
    found = [(mtime, path) for path, mtime in _files_below(root) if 0 <= now - mtime <= LATELY]
    if len({int(mtime) for mtime, _ in found}) <= 1 < len(found):
        return []
    return [os.path.relpath(path, root) for _, path in sorted(found, reverse=True)[:MAX_FILES]]


def _files_below(root: str) -> Iterator[tuple[str, float]]:
    folders = [root]
    left = MAX_ENTRIES
    while folders and left > 0:
        try:
            entries = list(os.scandir(folders.pop(0)))
        except OSError:
            continue
        for entry in entries[:left]:
            left -= 1
            if entry.name.startswith(".") or entry.name in _NO_WORK:
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False).st_mtime
