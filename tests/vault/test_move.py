"""A note moves, and every link leads where it led before."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest
from examples import examples
from growth import assert_linear
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.errors import BrainError
from brain_cli.vault.change_journal import Change, ChangeSet, Journal, apply_change_set
from brain_cli.vault.decode import as_read
from brain_cli.vault.move import LinkedNote, file_links, plan_moves
from brain_cli.vault.note import parse_note
from brain_cli.vault.resolve import NameTable
from brain_cli.vault.trash import Trash


def put(folder: Path, notes: Mapping[str, str]) -> None:
    for path, text in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


def texts(folder: Path) -> dict[str, str]:
    """Every file below a folder, by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode(
            "utf-8", "surrogateescape"
        )
        for path in folder.rglob("*.*")
    }


def known(folder: Path) -> list[LinkedNote]:
    notes = (
        parse_note(path, as_read(text.encode("utf-8", "surrogateescape")), 0.0)
        for path, text in texts(folder).items()
        if path.endswith(".md")
    )
    return [(note.metadata, list(note.links)) for note in notes]


def move(folder: Path, old: str, new: str) -> list[Change]:
    changes = plan_moves(str(folder), {old: new}, known(folder))
    with TemporaryDirectory() as state:
        journal = Journal(Path(state), Trash(state))
        change_set = ChangeSet("archive", tuple(changes), moves=((old, new),))
        apply_change_set(str(folder), change_set, journal)
        journal.drop()
    return changes


def moved_text(folder: Path, path: str, before: str) -> str:
    """The text of a note after tea.md, in decisions/, was archived."""
    put(folder, {"decisions/tea.md": "# Green tea\n", "decisions/cup.md": "", path: before})
    move(folder, "decisions/tea.md", "archive/decisions/tea.md")
    return texts(folder)[path]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[decisions/tea]]", "[[archive/decisions/tea]]"),
        ("[[decisions/tea.md#Why|why]]", "[[archive/decisions/tea.md#Why|why]]"),
        ("![[decisions/tea]] [[/decisions/tea]]", "![[archive/decisions/tea]] [[/archive/decisions/tea]]"),
        ("| [[decisions/tea\\|Tea]] |", "| [[archive/decisions/tea\\|Tea]] |"),
        ("[[tea]] [[Green tea]] [[tea#Why]]", "[[tea]] [[Green tea]] [[tea#Why]]"),
        ("[tea](../decisions/tea.md)", "[tea](../archive/decisions/tea.md)"),
        ("[tea](<../decisions/tea.md>)", "[tea](<../archive/decisions/tea.md>)"),
        ('[tea](../decisions/tea.md#why "Why")', '[tea](../archive/decisions/tea.md#why "Why")'),
        ("[tea](/decisions/tea.md)", "[tea](/archive/decisions/tea.md)"),
        ("[tea](decisions/tea.md)", "[tea](archive/decisions/tea.md)"),
        ("[tea][1]\n\n[1]: ../decisions/tea.md 'Tea'\n", "[tea][1]\n\n[1]: ../archive/decisions/tea.md 'Tea'\n"),
        ("---\nrelated: decisions/tea.md\n---\n", "---\nrelated: archive/decisions/tea.md\n---\n"),
        ("---\nsuperseded_by: 'decisions/tea'  # c\n---\n", "---\nsuperseded_by: 'archive/decisions/tea'  # c\n---\n"),
        ("---\r\nrelated: ['[[decisions/tea]]']\r\n---", "---\r\nrelated: ['[[archive/decisions/tea]]']\r\n---"),
        ("`[[decisions/tea]]` and `x`", "`[[decisions/tea]]` and `x`"),
        ("```\n[[decisions/tea]]\n```\n[[/decisions/tea]]", "```\n[[decisions/tea]]\n```\n[[/archive/decisions/tea]]"),
        ("[[decisions/cup]] [c](../decisions/cup.md) [x](https://decisions/tea.md)",) * 2,
        ("[`tea`](../decisions/tea.md)\r\n", "[`tea`](../archive/decisions/tea.md)\r\n"),
        ("``[[decisions/tea]]`` `` ` [[decisions/tea]] ``",) * 2,
        ("[words over\ntwo lines](../decisions/tea.md)", "[words over\ntwo lines](../archive/decisions/tea.md)"),
        ("[![a](b.png)](../decisions/tea.md)", "[![a](b.png)](../archive/decisions/tea.md)"),
        ("<a href='../decisions/tea.md#x'>t</a>", "<a href='../archive/decisions/tea.md#x'>t</a>"),
        ('<a\n class="x" HREF="../decisions/tea">', '<a\n class="x" HREF="../archive/decisions/tea">'),
        ('<a href="https://decisions/tea.md"> <p href="../decisions/tea.md">',) * 2,
        ("---\ntitle: decisions/tea.md\n---\n",) * 2,
        (
            "---\ntitle: decisions/tea.md\nrelated:\n- decisions/tea.md\nfiles: [decisions/tea.md]\n---\n",
            "---\ntitle: decisions/tea.md\nrelated:\n- archive/decisions/tea.md\nfiles: [decisions/tea.md]\n---\n",
        ),
        ('+++\nrelated = [\n"decisions/tea.md",\n]\n+++\n', '+++\nrelated = [\n"archive/decisions/tea.md",\n]\n+++\n'),
    ],
)  # fmt: skip
def test_links_to_a_note_follow_it_in_the_form_they_have(
    tmp_path: Path, before: str, after: str
) -> None:
    assert moved_text(tmp_path, "journal/today.md", before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[cup](cup.md)", "[cup](../../decisions/cup.md)"),
        ("[cup](./cup.md#x)", "[cup](../../decisions/cup.md#x)"),
        ("[milk](../my%20milk.md)", "[milk](../../my%20milk.md)"),
        ("[milk](<../my milk.md>)", "[milk](<../../my milk.md>)"),
        ("![leaf](img/leaf.png)", "![leaf](../../decisions/img/leaf.png)"),
        ("[no](img/none.png) [[cup]] [[decisions/cup]] [me](#why)",) * 2,
        ("[me](tea.md) [milk](</my milk.md>)",) * 2,
        ("[[../my milk]]", "[[../../my milk]]"),
        ("![[img/leaf.png]]",) * 2,
        (
            '<img alt="a" src="img/leaf.png">',
            '<img alt="a" src="../../decisions/img/leaf.png">',
        ),
        ("<img src=img/leaf.png width=9>", "<img src=../../decisions/img/leaf.png width=9>"),
        ('<a href="../my milk.md">', '<a href="../../my milk.md">'),
        ('`<img src="img/leaf.png">`',) * 2,
    ],
)
def test_links_of_a_note_still_lead_where_they_led(
    tmp_path: Path, before: str, after: str
) -> None:
    put(
        tmp_path,
        {
            "decisions/tea.md": before,
            "decisions/cup.md": "",
            "my milk.md": "",
            "decisions/img/leaf.png": "",
        },
    )
    move(tmp_path, "decisions/tea.md", "archive/decisions/tea.md")
    assert texts(tmp_path)["archive/decisions/tea.md"] == after


def test_a_name_that_would_lead_elsewhere_becomes_a_path(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "a/tea.md": "",
            "b/tea.md": "",
            "a/cup.md": "[[tea]]",
            "cups.md": "[[a/tea]] [[b/tea]]",
        },
    )
    move(tmp_path, "a/tea.md", "archive/a/tea.md")
    assert texts(tmp_path)["a/cup.md"] == "[[archive/a/tea]]"
    assert texts(tmp_path)["cups.md"] == "[[archive/a/tea]] [[b/tea]]"


def test_a_link_by_name_gets_the_new_name_of_a_renamed_note(tmp_path: Path) -> None:
    names = "[[Riepl temperament]] [[riepl temperament.md|why]] [[notes/Riepl temperament]]"
    put(
        tmp_path,
        {
            "notes/Riepl temperament.md": "It is mild.",
            "log.md": f"---\nrelated: Riepl temperament\n---\n{names}",
        },
    )
    move(tmp_path, "notes/Riepl temperament.md", "notes/Riepl tuning.md")
    text = "---\nrelated: Riepl tuning\n---\n[[Riepl tuning]] [[Riepl tuning.md|why]] [[notes/Riepl tuning]]"
    assert texts(tmp_path)["log.md"] == text


def test_a_link_by_the_old_file_name_is_rewritten_even_if_it_is_also_the_title(
    tmp_path: Path,
) -> None:
    linking = "[[Gas locker]] [[Boat gas]] [a](Gas%20locker.md)"
    put(
        tmp_path,
        {"Gas locker.md": "---\naliases: [Boat gas]\n---\n# Gas locker\n", "log.md": linking},
    )
    move(tmp_path, "Gas locker.md", "boat/Gas and cooking.md")
    text = "[[Gas and cooking]] [[Boat gas]] [a](boat/Gas%20and%20cooking.md)"
    assert texts(tmp_path)["log.md"] == text


@pytest.mark.parametrize(
    ("link", "rewritten"),
    [("[tea](<tea.md>)", "[tea](<./re: tea.md>)"), ("[tea](tea.md)", "[tea](./re:%20tea.md)")],
)
def test_a_name_with_a_colon_is_not_taken_for_an_address_of_the_web(
    tmp_path: Path, link: str, rewritten: str
) -> None:
    put(tmp_path, {"tea.md": "", "cup.md": link})
    move(tmp_path, "tea.md", "re: tea.md")
    assert texts(tmp_path)["cup.md"] == rewritten


def test_a_name_in_the_frontmatter_is_not_taken_for_one_in_the_folder_of_the_note(
    tmp_path: Path,
) -> None:
    put(tmp_path, {"d/tea.md": "", "a/d/tea.md": "", "cup.md": "---\nrelated: d/tea\n---\n"})
    move(tmp_path, "cup.md", "a/cup.md")
    assert "related: /d/tea\n" in texts(tmp_path)["a/cup.md"]


def test_names_in_the_frontmatter_are_found_in_time_by_its_length() -> None:
    assert_linear(
        lambda text: [*file_links(text)],
        lambda n: (
            f"---\nrelated:\n{''.join(f'- decisions/note-{each}.md{chr(10)}' for each in range(n))}---\n"
        ),
        1_000,
    )


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("[a steak, 'tea']  # tea", ["a steak", "tea", "tea"]),
        ('He said "no", "it\'s"', ['He said "no"', '"it\'s"']),
        ("\"a, 'b' , c\"", ["a", "'b'", "c"]),
        ("\n- - tea\n-   x: y", ["tea"]),
    ],
)
def test_a_name_in_the_frontmatter_is_found_between_its_separators(
    written: str, names: list[str]
) -> None:
    assert [span.written for span in file_links(f"---\nrelated: {written}\n---\n")] == names


def test_a_note_keeps_its_bytes_its_time_and_its_mode(tmp_path: Path) -> None:
    put(tmp_path, {"tea.md": "\ufeff# Tea\r\n\r\n[[cup]]", "cup.md": "[[tea]]"})
    os.chmod(tmp_path / "tea.md", 0o640)
    before = (tmp_path / "tea.md").stat()
    changes = move(tmp_path, "tea.md", "archive/tea.md")
    after = (tmp_path / "archive/tea.md").stat()
    assert texts(tmp_path) == {
        "archive/tea.md": "\ufeff# Tea\r\n\r\n[[cup]]",
        "cup.md": "[[tea]]",
    }
    assert (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns)
    assert [change.path for change in changes] == ["archive/tea.md", "tea.md"]


def test_another_note_is_never_overwritten(tmp_path: Path) -> None:
    notes = {"tea.md": "one", "archive/tea.md": "another", "cup.md": "[t](tea.md)"}
    put(tmp_path, notes)
    with pytest.raises(BrainError, match="another note"):
        move(tmp_path, "tea.md", "archive/tea.md")
    assert texts(tmp_path) == notes


def test_bytes_that_are_not_utf_8_pass_through_unchanged(tmp_path: Path) -> None:
    put(tmp_path, {"tea.md": ""})
    (tmp_path / "cup.md").write_bytes(b"caf\xe9 [t](tea.md) \xff\n")
    move(tmp_path, "tea.md", "archive/tea.md")
    assert (tmp_path / "cup.md").read_bytes() == b"caf\xe9 [t](archive/tea.md) \xff\n"


PATHS = [
    "a.md",
    "b.md",
    "x/a.md",
    "x/b.md",
    "x/y/c.md",
    "my notes/a b.md",
    "archive/a.md",
    "é/ü (1).md",
]


def link(source: str, target: str, form: int) -> str:
    """One of the ways in which a note may link to another."""
    bare = posixpath.splitext(target)[0]
    relative = posixpath.relpath(target, posixpath.dirname(source) or ".")
    return [
        f"[[{posixpath.basename(bare)}]]",
        f"[[{bare}|alias]]",
        f"[[{target}#Heading]]",
        f"[[Title of {target}]]",
        f"[text](<{relative}>)",
        f"[text]({quote(relative)}#heading)",
        f"[text](</{target}>)",
        f"[text](<{bare}>)",
        f"[[{posixpath.splitext(relative)[0]}]]",
    ][form]


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, str]:
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=2, unique=True))
    links = st.tuples(st.sampled_from(paths), st.integers(0, 8))
    return {
        path: f"# Title of {path}\n\n"
        + "".join(f"{link(path, *each)}\n" for each in draw(st.lists(links, max_size=5)))
        for path in paths
    }


def destinations(folder: Path) -> dict[str, list[str | None]]:
    """Where every link of every note leads, in order."""
    notes = known(folder)
    table = NameTable(metadata for metadata, _ in notes)
    return {
        metadata.path: [
            next(iter(table.find(each.target, metadata.path)), None) for each in links
        ]
        for metadata, links in notes
    }


@examples(150)
@given(vaults(), st.data())
def test_every_link_of_a_vault_leads_where_it_led_and_comes_back(
    notes: dict[str, str], data: st.DataObject
) -> None:
    old = data.draw(st.sampled_from(sorted(notes)))
    new = f"archive/deep/{old}"
    with TemporaryDirectory() as name:
        folder = Path(name)
        put(folder, notes)
        before = destinations(folder)
        move(folder, old, new)
        there = destinations(folder)
        renamed = {
            path: [new if each == old else each for each in links]
            for path, links in before.items()
        }
        renamed[new] = renamed.pop(old)
        assert there == renamed
        move(folder, new, old)
        assert destinations(folder) == before


def test_notes_that_move_together_keep_their_links_to_each_other(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "a/tea.md": "[cup](../b/cup.md) [pot](pot.md)",
            "b/cup.md": "[[a/tea]]",
            "a/pot.md": "[tea](tea.md) [cup](../b/cup.md)",
        },
    )
    moves = {"a/tea.md": "archive/a/tea.md", "b/cup.md": "archive/b/cup.md"}
    changes = plan_moves(str(tmp_path), moves, known(tmp_path))
    assert {each.path: each.after.decode() for each in changes if each.after} == {
        "a/pot.md": "[tea](../archive/a/tea.md) [cup](../archive/b/cup.md)",
        "archive/a/tea.md": "[cup](../b/cup.md) [pot](../../a/pot.md)",
        "archive/b/cup.md": "[[archive/a/tea]]",
    }
