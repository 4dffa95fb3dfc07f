"""Index notes and templates are known by their form."""

from __future__ import annotations

import pytest

from brain_cli.types import INDEX, TEMPLATE
from brain_cli.vault.form import form_of

LINKS = "".join(f"- [[Note {number}]] and more\n" for number in range(6))


@pytest.mark.parametrize(
    ("head", "heading", "text", "form"),
    [
        ("", "Plugins", LINKS, INDEX),
        ("", "Plugins", LINKS.replace("[[", "[x](").replace("]]", ".md)"), INDEX),
        ("", "Plugins", LINKS.replace("[[", "![["), ""),
        ("", "Plugins", LINKS.replace("and more", "is one of the plugins we use for this"), ""),
        ("", "Plugins", LINKS + "We keep these notes for later reading.\n" * 6, ""),
        ("", "Plugins", "[[A]] [[B]] [[C]] [[D]] [[E]] [[F]] " * 40, ""),
        ("title: {{title}}", "", "", TEMPLATE),
        ("", "<% tp.file.title %>", "", TEMPLATE),
        ("", "{{< figure >}}", "", ""),
        ("", "About `{{title}}`", "", ""),
    ],
)
def test_a_note_has_the_form_that_its_lines_show(
    head: str, heading: str, text: str, form: str
) -> None:
    assert form_of(head, [heading], text) == form
