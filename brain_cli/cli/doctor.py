"""`brain doctor`: check that everything is in order; `brain doctor why FILE`: report why a file is
excluded.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Annotated

from brain_cli.answer.abbreviations import abbreviations_in
from brain_cli.answer.links import broken_links
from brain_cli.cli.common import CommonOptions
from brain_cli.cli.options import argument, flag
from brain_cli.errors import (
    FAILED,
    NOTHING_FOUND,
    OK,
    BrainError,
    IndexUnusableError,
    UsageError,
)
from brain_cli.extension import FINE, LOOK, WRONG, Finding, hooks
from brain_cli.files import read_beginning
from brain_cli.history.log_reader import read_lines
from brain_cli.index.damage import BrokenIndexError
from brain_cli.index.directory import safe_note_table
from brain_cli.index.note_table import NoteTable
from brain_cli.index.snapshot import open_snapshot
from brain_cli.index.sync_plan import MAX_BYTES, TOO_LONG
from brain_cli.library.note import opened
from brain_cli.library.vault import Vault
from brain_cli.printable import counted, one_line, some_of
from brain_cli.process import command_context
from brain_cli.render.formats import Row
from brain_cli.streams import Progress, folded
from brain_cli.types import INDEX_PAGES, stem
from brain_cli.vault.analyzer import same_name
from brain_cli.vault.decode import decode
from brain_cli.vault.note import warning_of
from brain_cli.vault.walk import FOLDER, NOT_THERE, File, exclusion_of, walk

MAX_EXAMPLES = 3
MARKS = {FINE: "✓", LOOK: "!", WRONG: "✗"}


def command(
    options: CommonOptions,
    why: Annotated[
        list[str] | None,
        argument("[why FILE]", "Say which rule leaves a file out; exit 1 if one does."),
    ] = None,
    every: Annotated[
        bool, flag("--all", "List every problem, not only three of each kind.")
    ] = False,
) -> int:
    """Check the vault, its index, its history and its notes; exit 3 when something is wrong.

    “!” marks a warning: a broken link, for example, may name a note that is still to be written.

    Examples:
      brain doctor
      brain doctor why decisions/grpc.md
    """
    if why and (why[0] != "why" or len(why) != 2):
        raise UsageError(
            f"`brain doctor {' '.join(why)}` is not a command.", "Type `brain doctor why FILE`."
        )
    if why:
        return explain_file(options, options.open_vault(), why[1])
    try:
        vault = options.open_vault()
    except BrainError as error:
        # Without a vault, or with wrong settings, nothing else can be checked.
        checked = [Finding("vault", WRONG, f"{error.message} {error.hint}".rstrip())]
    else:
        checked = [Finding("vault", FINE, vault.folder), *run_checks(vault)]
    most = None if every else MAX_EXAMPLES
    found = [each._replace(examples=each.examples[:most]) for each in checked]
    is_fine = all(finding.state != WRONG for finding in found)
    rows = [Row("\n".join(_lines(finding)), finding._asdict()) for finding in found]
    options.list_rows("checks", rows, {"fine": is_fine})
    return OK if is_fine else FAILED


def _lines(finding: Finding) -> Iterator[str]:
    """Yield the result of one check, and below it a few of the problems found."""
    context = command_context()
    columns = context.width if context.is_terminal else 0
    yield folded(one_line(f"{MARKS[finding.state]} {finding.name:<12} {finding.text}"), columns)
    yield from (folded(one_line(f"    {example}"), columns) for example in finding.examples)
    more = finding.found - len(finding.examples)
    if finding.examples and more > 0:
        yield f"    and {more} more; --all lists them"


def explain_file(options: CommonOptions, vault: Vault, name: str) -> int:
    """Print the reason; return 1 if the file is excluded."""
    path = _path_in_vault(vault, name)
    found = None if path == "." else exclusion_of(vault.folder, path)
    if found and found.rule == NOT_THERE:
        raise UsageError(
            f"There is no file {name}.", "Name it relative to this folder, or to the vault."
        )
    document: dict[str, object] = {"path": path, "is_note": not found, "rule": None}
    notes = 1
    if path == "." or (found and found.rule == FOLDER):
        name, above = ("The vault", "") if path == "." else (path, f"{path}/")
        files = walk(vault.folder, lambda *_: None)
        notes = sum(file.path.startswith(above) for file in files)
        text = f"{name} is a folder with {counted(notes, 'note')}."
        document |= {"is_note": False, "rule": FOLDER, "notes": notes}
    elif found:
        notes = 0
        text = f"{path} is left out: {found.text}."
        document |= found._asdict()
    else:
        text = f"{path} is a note{_limit(vault, path)}."
    options.answer({**document, "text": text}, [one_line(text)])
    return OK if notes else NOTHING_FOUND


def _path_in_vault(vault: Vault, name: str) -> str:
    """Return a file's path relative to the vault; `name` is relative to the working folder or to
    the vault.
    """
    for base in (vault.working_folder, vault.folder):
        path = os.path.join(os.path.realpath(base), name)
        if os.path.lexists(path):
            break
    below = os.path.relpath(os.path.normpath(path), os.path.realpath(vault.folder))
    if below == ".." or below.startswith("../"):
        raise UsageError(
            f"{name} is outside the vault {vault.folder}.",
            "Name the vault it is in with --vault DIR.",
        )
    return below


def _limit(vault: Vault, path: str) -> str:
    """Return why a note may not be found completely, in words."""
    if os.stat(os.path.join(vault.folder, path)).st_size > MAX_BYTES:
        return f"; {TOO_LONG}"
    if opened(vault, path).metadata.archived:
        return "; it is archived, so `brain remember` shows it with --archived only"
    return ""


def run_checks(vault: Vault) -> Iterator[Finding]:
    """Run all checks in turn; they change nothing."""
    unread: list[str] = []
    files = walk(vault.folder, lambda path, why: unread.append(f"{path}: {why}"))
    fine = counted(len(files), "note")
    yield _finding("folders", WRONG, unread, fine, "cannot be read", "cannot be read")
    yield _index(vault, files)
    yield _history(vault)
    note_table = safe_note_table(vault.index_directory)
    explained: Counter[tuple[str, str]] = Counter()
    yield _finding(
        "frontmatter",
        WRONG,
        list(_warnings(vault, files, note_table, explained)),
        "all readable",
        "note is not read in full",
        "notes are not read in full",
    )
    yield from _synonyms(vault, explained)
    if note_table:
        yield _dates(note_table)
        yield _finding(
            "names",
            LOOK,
            _ambiguous_names(note_table),
            "no ambiguous names",
            "name leads to several notes",
            "names lead to several notes",
        )
        invalid = note_table.invalid(vault.clock.local)
        ended = sorted(
            f"{note_table.value('path', note_id)}: {why}"
            for note_id, why in invalid.items()
            if why.startswith("ended") and note_id not in note_table.archived
        )
        if ended:
            which = ("note ended; archive it?", "notes ended; archive them?")
            yield _finding("validity", LOOK, ended, "", *which)
        yield _finding(
            "links",
            LOOK,
            [f"{link.path} → {link.target}" for link in broken_links(note_table)],
            "no broken links",
            "link leads to no note",
            "links lead to no note",
        )
    for checks in hooks("checks", vault.config):
        yield from checks(vault, note_table)


def _finding(
    name: str, state: str, found: list[str], fine: str, one: str, many: str
) -> Finding:
    """Return the finding for a list of problems; `one` or `many` follows their count."""
    if not found:
        return Finding(name, FINE, fine)
    return Finding(name, state, counted(len(found), one, many), len(found), tuple(found))


def _index(vault: Vault, files: list[File]) -> Finding:
    """Open the index like a recall, with the same checks."""
    directory = vault.index_directory
    try:
        if os.path.exists(directory.folder):
            directory.check_owner()
        if directory.build() is None:
            return Finding("index", FINE, "not built yet; the first recall builds it")
        snapshot = open_snapshot(directory)
    except IndexUnusableError as error:
        return Finding("index", WRONG, f"{error.message} {error.hint}")
    except (BrokenIndexError, OSError) as error:
        return Finding(
            "index",
            WRONG,
            f"{error}; the next recall rebuilds it, as does `brain index --full`",
        )
    snapshot.index.close()
    states = snapshot.note_table.file_states
    found = {file.path: (file.size, file.mtime_ns) for file in files}
    changed = sum(found.get(path) != states.get(path) for path in states.keys() | found.keys())
    behind = (
        f"{counted(changed, 'note')} changed since it was built" if changed else "up to date"
    )
    return Finding("index", FINE, f"{behind}, {directory.folder}")


def _history(vault: Vault) -> Finding:
    """Read every event of the history."""
    history = vault.history
    if not os.path.isdir(history.folder):
        return Finding("history", FINE, "nothing recorded yet")
    try:
        read = read_lines(history, {})
    except OSError as error:
        return Finding("history", WRONG, f"{error.filename} cannot be read: {error.strerror}")
    wrong = [f"{name}: {counted(torn, 'torn line')}" for name, torn in read.torn.items()]
    wrong += [f"{name}: it is not a file of lines, or too long" for name in history.left_out()]
    fine = f"{counted(len(read.lines), 'event')}, {history.folder}"
    several = ("file is not read in full", "files are not read in full")
    return _finding("history", LOOK, wrong, fine, *several)


def _synonyms(vault: Vault, explained: Counter[tuple[str, str]]) -> Iterator[Finding]:
    """Offer the abbreviations that notes explain, each with what it most often means, as
    synonyms.
    """
    known = {short.casefold() for pair in vault.config.synonym_pairs for short in pair}
    meant = dict(pair for pair, _ in reversed(explained.most_common()) if pair[0] not in known)
    lines = [f'{short} = ["{words}"]' for short, words in sorted(meant.items())]
    if lines:
        what = counted(len(lines), "abbreviation is explained", "abbreviations are explained")
        text = f"{what} in notes; below [synonyms] in .brain/config.toml each finds both forms"
        yield Finding("synonyms", FINE, text, len(lines), tuple(lines))


def _warnings(
    vault: Vault,
    files: list[File],
    note_table: NoteTable | None,
    explained: Counter[tuple[str, str]],
) -> Iterator[str]:
    """Yield the warnings of a refresh: unreadable frontmatter, dates and encodings, and files that
    are too long, as the index has them if a file is unchanged; count the abbreviations that are
    `explained`.
    """
    progress = Progress("checking notes")
    for done, file in enumerate(files):
        progress(done, len(files))
        path = os.path.join(vault.folder, file.path)
        try:
            decoded = decode(read_beginning(path, MAX_BYTES, os.O_NOFOLLOW))
        except OSError as error:
            yield f"{file.path}: {(error.strerror or str(error)).lower()}"
            continue
        explained.update(set(abbreviations_in(decoded.text)))
        if note_table and (known := note_table.warnings_of(file)) is not None:
            yield from (f"{file.path}: {warning}" for warning in known)
            continue
        if file.size > MAX_BYTES:
            yield f"{file.path}: {TOO_LONG}"
        if warning := warning_of(decoded.text) or decoded.warning:
            yield f"{file.path}: {warning}"


def _dates(note_table: NoteTable) -> Finding:
    """Count the notes dated by each source; files that all have the time of a clone give
    no dates.
    """
    counts = Counter(note_table.values("dated_by")).most_common()
    by_source = ", ".join(f"{source}: {count}" for source, count in counts) or "no notes"
    undated = note_table.undated
    if not undated:
        return Finding("dates", FINE, by_source)
    which = (
        f"{counted(undated, 'note has', 'notes have')} only the time of a file that was copied or "
        "cloned with many others, which says nothing of their age"
    )
    return Finding("dates", LOOK, f"{by_source}; {which}", undated)


def _ambiguous_names(note_table: NoteTable) -> list[str]:
    paths_of: defaultdict[str, list[str]] = defaultdict(list)
    for metadata in note_table.with_shared_names():
        for name in {same_name(stem(metadata.path)), same_name(metadata.title)} - INDEX_PAGES:
            paths_of[name] += [] if metadata.archived else [metadata.path]
    several = ((name, paths) for name, paths in sorted(paths_of.items()) if len(paths) > 1)
    return [f"{name}: {some_of(paths)}" for name, paths in several]
