"""`brain config set` writes one line of the user's settings file, and leaves all others as they
are.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import any_text

from brain_cli.cli.config import with_key

if TYPE_CHECKING:
    from conftest import Brain, Vault

FILE = """# my settings
limit = 3  # few
archive_folders = [
    "old",  # from the old days
    "older",
]

# a formula
[scorers.clawdbot]
half_life_days = 60
"""


def test_a_setting_is_written_into_a_new_file_and_holds(brain: Brain) -> None:
    assert brain("config", "set", "limit", "5").code == 0
    assert brain.config.read_text() == "limit = 5\n"
    assert brain("config", "--json").json["settings"]["limit"] == {
        "value": 5,
        "from": str(brain.config),
    }


@pytest.mark.parametrize(
    ("key", "value", "before", "after"),
    [
        ("limit", "5", "limit = 3  # few", "limit = 5  # few"),
        ("mmr", "off", "]\n\n# a", "]\nmmr = false\n\n# a"),
        (
            "archive_folders",
            "a,b",
            '[\n    "old",  # from the old days\n    "older",\n]',
            '["a", "b"]',
        ),
        ("scorers.clawdbot.half_life_days", "7", "= 60", "= 7"),
        (
            "kinds.meeting.strength",
            "0.6",
            "= 60\n",
            "= 60\n\n[kinds.meeting]\nstrength = 0.6\n",
        ),
        ('weights."old/*.md"', "0.5", "= 60\n", '= 60\n\n[weights]\n"old/*.md" = 0.5\n'),
        ("weights.old/*.md", "0.5", "= 60\n", '= 60\n\n[weights]\n"old/*.md" = 0.5\n'),
    ],
)
def test_other_lines_and_comments_stay(
    brain: Brain, key: str, value: str, before: str, after: str
) -> None:
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text(FILE)
    answer = brain("config", "set", key, value)
    assert answer.code == 0, answer.err
    assert brain.config.read_text() == FILE.replace(before, after)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["limt", "5"], "Did you mean “limit”?"),
        (["limit", "many"], "It takes a whole number"),
        (["limit"], "one key and one value"),
        (["scorers", "x"], "is a table of settings"),
        (["scorers.clawdbot.nothing", "1"], "nothing"),
    ],
)
def test_a_wrong_setting_is_explained_and_nothing_is_written(
    brain: Brain, words: list[str], said: str
) -> None:
    answer = brain("config", "set", *words)
    assert answer.code == 2
    assert said in answer.err
    assert not brain.config.exists()


def test_the_vault_is_written_as_an_absolute_path(vault: Vault) -> None:
    vault.brain("config", "set", "vault", "notes", cwd=vault.folder.parent)
    assert tomllib.loads(vault.brain.config.read_text()) == {"vault": str(vault.folder)}


def test_a_link_to_the_settings_stays_a_link(brain: Brain) -> None:
    own = brain.home / "dotfiles.toml"
    own.write_text("limit = 1\n")
    brain.config.parent.mkdir(parents=True)
    brain.config.symlink_to(own)
    brain("config", "set", "limit", "2")
    assert brain.config.is_symlink()
    assert own.read_text() == "limit = 2\n"


def test_a_stronger_layer_that_overrides_the_setting_is_named(brain: Brain) -> None:
    answer = brain("config", "set", "limit", "2", env={"BRAIN_LIMIT": "9"})
    assert "limit is also set by BRAIN_LIMIT" in answer.err


KEYS = st.sampled_from(
    [("limit",), ("mmr",), ("weights", "a.b"), ("scorers", "brain", "x"), ("profile",)]
)
VALUES = st.one_of(
    st.integers(0, 9), st.booleans(), any_text(5), st.lists(any_text(3), max_size=3)
)


@given(st.lists(st.tuples(KEYS, VALUES), max_size=6))
def test_a_file_holds_what_was_set_last(settings: list[tuple[tuple[str, ...], Any]]) -> None:
    text = "# mine\n"
    last: dict[tuple[str, ...], Any] = {}
    for key, value in settings:
        edited = with_key(text, key, value)
        assert edited is not None
        text, last = edited, {**last, key: value}
    table = tomllib.loads(text)
    for key, value in last.items():
        found: Any = table
        for name in key:
            found = found[name]
        assert found == value
    assert text.startswith("# mine\n")


@pytest.mark.parametrize("words", [["get", "limit"], ["limit"]])
def test_one_setting_is_printed_alone(brain: Brain, words: list[str]) -> None:
    brain("config", "set", "limit", "5")
    assert brain("config", *words).out == "5\n"
    assert brain("config", *words, "--json").json["settings"]["limit"]["value"] == 5
    assert brain("config", "get", "scorers").code == 1
    assert "Did you mean “limit”?" in brain("config", "get", "limt").err


@pytest.mark.parametrize(
    ("key", "left"),
    [
        ("limit", FILE.replace("limit = 3  # few\n", "")),
        (
            "archive_folders",
            FILE[: FILE.index("archive")] + FILE[FILE.index("\n# a formula") :],
        ),
        ("scorers.clawdbot.half_life_days", FILE.replace("half_life_days = 60\n", "")),
        ("mmr", FILE),
    ],
)
def test_an_unset_setting_has_its_default_again(brain: Brain, key: str, left: str) -> None:
    brain.config.parent.mkdir(parents=True)
    brain.config.write_text(FILE)
    answer = brain("config", "unset", key)
    assert (answer.code, answer.err) == (0, "")
    assert brain.config.read_text() == left
    assert brain("config").code == 0


@pytest.mark.parametrize(("key", "value"), [("scorer", "bled"), ("profile", "dep")])
def test_a_formula_or_profile_that_does_not_exist_is_not_written(
    brain: Brain, key: str, value: str
) -> None:
    answer = brain("config", "set", key, value)
    assert answer.code == 2
    assert "Did you mean" in answer.err
    assert not brain.config.exists()


def test_a_comment_stays_with_the_table_below_it() -> None:
    text = "[weights]\na = 1\n\n# about the formula\n[scorers.brain]\nx = 1\n"
    assert with_key(text, ("weights", "b"), 0.5) == text.replace("a = 1\n", "a = 1\nb = 0.5\n")
    assert with_key("limit = 1", ("mmr",), True) == "limit = 1\nmmr = true\n"
    assert (
        with_key("weights = { a = 1 }\n", ("weights", "b"), 2) == "weights = { a = 1, b = 2}\n"
    )
    assert with_key("scorers.brain.x = 1\n", ("scorers", "brain", "y"), 2) is not None


def test_a_name_in_quotes_is_printed_and_unset_as_it_was_set(brain: Brain) -> None:
    brain("config", "set", 'weights."journal/2024.01/**"', "0.5")
    assert brain("config", "get", 'weights."journal/2024.01/**"').out == "0.5\n"
    assert brain("config", "unset", 'weights."journal/2024.01/**"').code == 0
    assert brain.config.read_text().strip() == "[weights]"
