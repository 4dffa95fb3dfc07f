"""Vaults of other tools are read as they are, by the conventions that each tool documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from brain_cli.vault.note import parse_note

if TYPE_CHECKING:
    from conftest import Vault

MILLISECONDS = 1_762_300_000_000  # 2025-11-04


def is_linked(vault: Vault, note: str, other: str) -> bool:
    answer = vault.brain("related", note, "--json", "--vault", vault.folder)
    return other in answer.out


def broken_links(vault: Vault) -> int:
    vault.brain("index", "--vault", vault.folder)
    checks = vault.brain("doctor", "--json", "--vault", vault.folder).json["checks"]
    return next(int(check["found"]) for check in checks if check["name"] == "links")


def test_obsidian_finds_aliases_embeds_blocks_callouts_and_daily_notes(vault: Vault) -> None:
    vault.note(".obsidian/note.md", "grinder\n")
    vault.note(
        "Grinder.md",
        "---\naliases: [Burr mill]\n---\n> [!warning]- Retention\n> Two grams stay.\n\n![[Espresso#Recipe]]\n",
    )
    vault.note(
        "Espresso.md",
        "# Espresso\n\n## Recipe\n\nEighteen in. ^ratio\n\n[[Burr mill]] [[Grinder#^a1|it]]\n",
    )
    vault.note("2026-11-03.md", "Bought beans.\n")
    assert vault.order("burr mill")[0] == "Grinder"
    assert vault.order("retention grams") == ["Grinder"]
    assert is_linked(vault, "Grinder", "Espresso.md")
    assert broken_links(vault) == 0
    assert parse_note("2026-11-03.md", "Beans.\n", 0).metadata.dated_by == "name"


@pytest.mark.parametrize(
    ("filters", "left_out"),
    [
        (["Templates/"], {"Templates/daily"}),
        (["Templates/", "Draft"], {"Templates/daily", "Draft 2", "Drafts/x"}),
        (["Sub/Templates"], {"Sub/Templates/x"}),
        (["/Drafts/"], set()),
        (["*", "[D]raft", "  ", "/", 7], set()),
    ],
)
def test_obsidian_leaves_out_excluded_files(
    vault: Vault, filters: list[object], left_out: set[str]
) -> None:
    every = {"Templates/daily", "Draft 2", "Drafts/x", "Sub/Templates/x", "kept"}
    for name in every:
        vault.note(f"{name}.md", f"# {name}\n\nThe grinder.\n")
    settings = vault.folder / ".obsidian" / "app.json"
    settings.parent.mkdir()
    assert set(vault.order("grinder", "-n", 20)) == every
    settings.write_text(json.dumps({"userIgnoreFilters": filters, "vimMode": True}))
    assert set(vault.order("grinder", "-n", 20)) == every - left_out
    for name in left_out:
        why = vault.brain("doctor", "why", f"{name}.md", "--vault", vault.folder)
        assert ".obsidian/app.json" in why.out


@pytest.mark.parametrize("text", ["", "{", "[]", '{"userIgnoreFilters": {}}', "[" * 50_000])
def test_settings_of_obsidian_that_cannot_be_read_leave_nothing_out(
    vault: Vault, text: str
) -> None:
    vault.note(".obsidian/app.json", text)
    vault.note("a.md", "The grinder.\n")
    assert vault.order("grinder") == ["a"]


def test_a_comment_of_obsidian_is_found_but_not_shown_on_the_screen(vault: Vault) -> None:
    vault.note("a.md", "# Grinder\n\nThe grinder is steel. %%ask Priya about the burrs%%\n")
    assert vault.order("burrs") == ["a"]
    answer = vault.brain(
        "remember", "grinder burrs", "--format", "rich", "--vault", vault.folder
    )
    assert "steel" in answer.out
    assert "Priya" not in answer.out


def test_logseq_namespaces_are_pages_with_slashes(vault: Vault) -> None:
    vault.note("pages/coffee___water.md", "- Hard water scales the boiler\n")
    vault.note("pages/coffee%2Fbeans.md", "- Kenya, see [[coffee/water]]\n")
    assert parse_note("pages/coffee___water.md", "- x\n", 0).metadata.title == "coffee/water"
    assert broken_links(vault) == 0
    assert is_linked(vault, "coffee/beans", "pages/coffee___water.md")


def test_logseq_properties_are_read_from_pages_and_blocks(vault: Vault) -> None:
    text = "- title:: Water chemistry\n  tags:: [[coffee]], #minerals\n  type:: decision\n- Magnesium extracts more\n"
    metadata = parse_note("pages/water.md", text, 0).metadata
    assert (metadata.title, metadata.tags[:2], metadata.kind) == (
        "Water chemistry",
        ("coffee", "minerals"),
        "decision",
    )
    vault.note(
        "pages/Espresso machine.md", "alias:: brewer, machine\n\n- The boiler is steel\n"
    )
    vault.note("journals/2026_11_05.md", "- DONE descale\n\t- Visited [[brewer]]\n")
    assert is_linked(vault, "Espresso machine", "journals/2026_11_05.md")
    assert parse_note("journals/2026_11_05.md", "- x\n", 0).metadata.dated_by == "name"


def test_a_double_colon_later_in_a_note_is_text() -> None:
    metadata = parse_note("a.md", "# Code\n\ntitle:: not this\nstd:: vector\n", 0).metadata
    assert metadata.title == "Code"
    assert not metadata.properties
    assert parse_note("a.md", "std::vector grows\n", 0).metadata.properties == {}


def test_frontmatter_overrules_page_properties() -> None:
    assert (
        parse_note("a.md", "---\ntitle: Head\n---\ntitle:: Page\n", 0).metadata.title == "Head"
    )


def test_dendron_dates_in_milliseconds_and_links_with_the_words_first(vault: Vault) -> None:
    head = {"created": MILLISECONDS, "updated": MILLISECONDS}
    vault.note(
        "project.coffee.beans.md",
        "Kenya. [[Our water|project.coffee.water]]\n",
        title="Beans",
        **head,
    )
    vault.note("project.coffee.water.md", "Hardness.\n", title="Soft", **head)
    assert broken_links(vault) == 0
    assert is_linked(vault, "Beans", "project.coffee.water.md")
    found = parse_note("a.md", f"---\nupdated: {MILLISECONDS}\n---\n", 0)
    assert (found.metadata.timestamp, found.warning) == (MILLISECONDS / 1000, None)


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ('[x]({{< ref "posts/espresso.md" >}})', "posts/espresso.md"),
        ('[x]({{% relref "espresso.md#dose" %}})', "espresso.md"),
        ("[x]({% link _posts/espresso.md %})", "_posts/espresso.md"),
        ("[x]({% post_url 2026-09-01-espresso %})", "2026-09-01-espresso"),
        ('{{< figure src="a.png" >}}', None),
        ("{% include x.html %}", None),
    ],
)
def test_links_of_hugo_and_jekyll(link: str, target: str | None) -> None:
    assert [each.target for each in parse_note("a.md", f"See {link}.\n", 0).links] == (
        [target] if target else []
    )


@pytest.mark.parametrize(
    "link",
    [
        "[x](/recipes/cold-brew/)",
        "[x](/recipes/Cold-Brew)",
        "[x](/recipes/)",
        "[x](../recipes/)",
        '[x]({{< relref "/recipes/cold-brew.md" >}})',
        '[x]({{< ref "cold-brew.md" >}})',
        "[x](/bundles/grinder/)",
    ],
)
def test_addresses_of_a_hugo_site_begin_at_its_content_folder(vault: Vault, link: str) -> None:
    vault.note("hugo.toml", 'title = "Coffee"\n')
    vault.note("content/recipes/_index.md", "Recipes.\n")
    vault.note("content/recipes/cold-brew.md", "+++\ntitle = 'Cold brew'\n+++\nSteep.\n")
    vault.note("content/bundles/grinder/index.md", "Grind.\n")
    vault.note("content/posts/first.md", f"See {link}.\n")
    assert broken_links(vault) == 0


def test_a_page_that_stands_for_its_folder_is_called_like_it(vault: Vault) -> None:
    assert parse_note("content/recipes/_index.md", "Recipes.\n", 0).metadata.title == "recipes"
    assert parse_note("content/grinder/index.md", "# Burrs\n", 0).metadata.title == "Burrs"
    assert parse_note("index.md", "Hello.\n", 0).metadata.title == "index"


def test_a_heading_below_others_is_not_a_title() -> None:
    footer = "## Recipe\n\nSteep.\n\n# This note in GitHub\n"
    assert parse_note("Cold brew.md", footer, 0).metadata.title == "Cold brew"
    assert parse_note("T - Book.md", "# {{title}}\n", 0).metadata.title == "T - Book"


def test_a_drawing_of_excalidraw_is_called_like_its_file() -> None:
    text = "---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\n# Excalidraw Data\n\n## Text Elements\nPump ^a1\n"
    assert parse_note("drawings/Boiler.excalidraw.md", text, 0).metadata.title == "Boiler"


def test_logseq_days_are_found_by_their_titles_and_its_tasks_by_their_words(
    vault: Vault,
) -> None:
    vault.note("logseq/config.edn", "{}")
    vault.note(
        "journals/2026_11_01.md",
        "- TODO descale\n\t- DONE buy beans\n- LATER call the mill\n- NOWHERE else\n",
    )
    vault.note("pages/Espresso.md", "- See [[Nov 1st, 2026]] and [[2026-11-01]]\n")
    assert broken_links(vault) == 0
    found = vault.brain("report", "--week", "--json", cwd=vault.folder / "pages").json
    assert [task["text"] for task in found["tasks"]] == ["descale", "call the mill"]


@pytest.mark.parametrize(
    "mark", [".obsidian/app.json", ".zk/config.toml", "logseq/config.edn", "dendron.yml"]
)
def test_a_vault_is_known_by_the_files_of_its_program(vault: Vault, mark: str) -> None:
    vault.note(mark, "")
    vault.note("deep/down/tea.md", "# Tea\n")
    assert vault.brain("remember", "tea", cwd=vault.folder / "deep").code == 0


def test_hugo_toml_and_jekyll_names_date_a_post() -> None:
    hugo = parse_note(
        "content/cold.md",
        '+++\ntitle = "Cold brew"\ndate = 2026-10-04T10:00:00Z\n+++\nSteep.\n',
        0,
    )
    assert (hugo.metadata.title, hugo.metadata.dated_by) == ("Cold brew", "frontmatter")
    assert (
        parse_note("_posts/2026-09-02-pour-over.md", "Pour.\n", 0).metadata.dated_by == "name"
    )


def test_a_post_of_jekyll_is_called_by_its_words() -> None:
    assert (
        parse_note("_posts/2026-09-02-pour-over.md", "Pour.\n", 0).metadata.title == "pour over"
    )
    assert parse_note("_drafts/cold-brew.md", "Steep.\n", 0).metadata.title == "cold brew"
    assert parse_note("notes/cold-brew.md", "Steep.\n", 0).metadata.title == "cold-brew"


def test_zettlr_and_zk_ids_and_foam_definitions_lead_to_notes(vault: Vault) -> None:
    vault.note(
        "20261012093000 kettle.md",
        "# Kettle\n\n[[20261013101500]] [Grind](a9x2) [[todo]]\n\n[todo]: todo.md\n",
    )
    for name in ("20261013101500", "a9x2", "todo"):
        vault.note(f"{name}.md", f"# Note {name}\n")
    assert broken_links(vault) == 0


def test_the_memory_folder_of_an_agent_is_found_and_dated(vault: Vault) -> None:
    vault.note("MEMORY.md", "# Memory\n\n- Deploys on Fridays are forbidden\n")
    vault.note("memory/2026-11-20.md", "## Retro\n\nWe chose sqlite.\n")
    assert vault.order("deploys on fridays") == ["MEMORY"]
    assert vault.order("sqlite") == ["memory/2026-11-20"]
    assert parse_note("memory/2026-11-20.md", "x\n", 0).metadata.dated_by == "name"


def test_obsidian_nests_tags_and_keeps_lists_and_dates_as_properties(vault: Vault) -> None:
    head = "---\ntags:\n  - coffee/espresso\naliases:\n  - Shot\ncreated: 2026-11-03\nrated: 5\n---\n"
    vault.note("Espresso.md", f"{head}# Espresso\n\nEighteen grams in. #brewing/home\n")
    vault.note("Tea.md", "---\ntags: tea\n---\n# Tea\n\nTwo grams in.\n")
    assert vault.order("tag:coffee grams") == ["Espresso"]
    assert vault.order("tag:brewing/home grams") == ["Espresso"]
    assert vault.order("shot")[0] == "Espresso"
    found = parse_note("a.md", head, 0).metadata
    assert (found.dated_by, found.aliases, found.properties["rated"]) == (
        "frontmatter",
        ("Shot",),
        "5",
    )


def test_obsidian_embeds_of_blocks_and_canvases_are_not_broken_links(vault: Vault) -> None:
    vault.note("board.canvas", '{"nodes": [{"text": "grinder"}]}')
    vault.note("Espresso.md", "Eighteen in. ^ratio\n")
    vault.note(
        "Day.md",
        "![[Espresso#^ratio]] ![[board.canvas]] [[Recipes.base]] ![[shot.png|200]] [[Espresso#^ratio|it]]\n",
    )
    assert broken_links(vault) == 0
    assert is_linked(vault, "Day", "Espresso.md")
    assert vault.order("grinder") == []


def test_zk_and_foam_links_have_ids_titles_and_definitions(vault: Vault) -> None:
    vault.note(
        "inbox/8x2k-kettle.md",
        "# Kettle\n\nSee [[8x2k]] and [water](../water-hardness) and [[water-hardness|it]].\n",
    )
    vault.note("8x2k.md", "# Boiler\n")
    vault.note(
        "water-hardness.md",
        '# Water hardness\n\n[[8x2k-kettle]]\n\n[8x2k-kettle]: inbox/8x2k-kettle.md "Kettle"\n',
    )
    assert broken_links(vault) == 0
    assert is_linked(vault, "Kettle", "water-hardness.md")


def test_shortcodes_of_hugo_are_no_headings_or_links(vault: Vault) -> None:
    vault.note(
        "a.md",
        "# Brew\n\n{{< youtube w7Ft2ymGmfc >}}\n\n{{% note %}}\nThe grinder is *steel*.\n{{% /note %}}\n",
    )
    assert vault.order("grinder steel") == ["a"]
    assert broken_links(vault) == 0
