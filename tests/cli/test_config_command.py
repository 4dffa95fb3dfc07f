"""`brain config` says what holds and where it comes from."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Brain, Vault


def settings(brain: Brain, *options: object, **environ: str) -> dict[str, Any]:
    answer = brain("config", "--json", *options, env=environ)
    assert answer.code == 0, answer.err
    found: dict[str, Any] = answer.json["settings"]
    return found


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_any_settings_the_defaults_hold_and_no_vault_is_needed(brain: Brain) -> None:
    found = settings(brain)
    assert "vault" not in found
    assert found["limit"] == {"value": 10, "from": "default"}
    assert {setting["from"] for setting in found.values()} == {"default"}


def test_each_setting_names_the_last_place_that_sets_it(vault: Vault, brain: Brain) -> None:
    user = write(brain.config, 'limit = 3\nscorer = "clawmem"\nmmr = false\n')
    own = write(vault.folder / ".brain" / "config.toml", "limit = 4\nmmr = true\n")
    found = settings(brain, "--vault", vault.folder, BRAIN_LIMIT="5")
    assert found["vault"] == {"value": str(vault.folder), "from": "--vault"}
    assert found["limit"] == {"value": 5, "from": "BRAIN_LIMIT"}
    assert found["mmr"] == {"value": True, "from": str(own)}
    assert found["scorer"] == {"value": "clawmem", "from": str(user)}
    assert found["min_score"]["from"] == "default"


@pytest.mark.parametrize("way", ["flag", "environment", "file"])
def test_a_profile_brings_its_settings_and_its_scorers_constants(way: str, vault: Vault, brain: Brain) -> None:
    write(brain.config, '[profile.agent]\nscorer = "clawdbot"\nlimit = 2\nhalf_life_days = 7\n')
    options = ["--vault", vault.folder, *(["--profile", "agent"] if way == "flag" else [])]
    own = vault.folder / ".brain" / "config.toml"
    if way == "file":
        write(own, 'profile = "agent"\n')
    found = settings(brain, *options, **({"BRAIN_PROFILE": "agent"} if way == "environment" else {}))
    assert found["limit"] == {"value": 2, "from": "profile agent"}
    assert found["scorers"] == {"clawdbot": {"half_life_days": {"value": 7, "from": "profile agent"}}}
    whence = {"flag": "--profile", "environment": "BRAIN_PROFILE", "file": str(own)}
    assert found["profile"] == {"value": "agent", "from": whence[way]}


def test_a_profiles_constants_are_its_own_scorers_whatever_scorer_is_chosen_beside(brain: Brain) -> None:
    write(brain.config, '[profile.agent]\nscorer = "clawdbot"\nhalf_life_days = 7\n')
    found = settings(brain, "--profile", "agent", BRAIN_SCORER="brain")
    assert found["scorer"] == {"value": "brain", "from": "BRAIN_SCORER"}
    assert found["scorers"] == {"clawdbot": {"half_life_days": {"value": 7, "from": "profile agent"}}}


def test_one_file_can_define_profiles_and_choose_one(brain: Brain) -> None:
    write(brain.config, 'profile = "agent"\n[profiles.agent]\nlimit = 2\n[profiles.other]\nlimit = 3\n')
    found = settings(brain)
    assert found["profile"] == {"value": "agent", "from": str(brain.config)}
    assert found["limit"] == {"value": 2, "from": "profile agent"}
    assert settings(brain, "--profile", "other")["limit"]["value"] == 3


def test_a_choice_that_toml_forbids_beside_its_table_is_told_the_way(brain: Brain) -> None:
    write(brain.config, 'profile = "agent"\n[profile.agent]\nlimit = 2\n')
    answer = brain("config")
    assert (answer.code, answer.out) == (2, "")
    assert "write [profiles.NAME] for [profile.NAME]" in answer.err


def test_what_is_printed_may_stand_in_a_settings_file(vault: Vault, brain: Brain) -> None:
    write(brain.config, f'vault = "{vault.folder}"\n[scorers.clawmem]\npin_boost = 0.5\n')
    first = brain("config").out
    assert tomllib.loads(first)["scorers"] == {"clawmem": {"pin_boost": 0.5}}
    write(brain.config, first)
    assert tomllib.loads(brain("config").out) == tomllib.loads(first)


@pytest.mark.parametrize(
    ("how", "whence"), [("flag", "--vault"), ("environment", "BRAIN_VAULT"), ("here", "found from here"), ("file", "")]
)
def test_the_vault_is_named_with_the_way_it_was_found(how: str, whence: str, vault: Vault, brain: Brain) -> None:
    if how == "file":
        write(brain.config, f'vault = "{vault.folder}"\n')
    if how == "here":
        (vault.folder / ".brain").mkdir()
    answer = brain(
        *["config", "--json", *(["--vault", vault.folder] if how == "flag" else [])],
        cwd=vault.folder if how == "here" else None,
        env={"BRAIN_VAULT": str(vault.folder)} if how == "environment" else {},
    )
    assert answer.json["settings"]["vault"] == {"value": str(vault.folder), "from": whence or str(brain.config)}


def test_the_places_are_named_whether_they_are_there_or_not(vault: Vault, brain: Brain) -> None:
    assert "(not there)" in brain("config", "--vault", vault.folder).out
    places = brain("config", "--vault", vault.folder, "--json").json["places"]
    assert list(places) == ["user settings", "vault settings", "index", "history", "errors"]
    assert Path(places["index"]).parent == brain.cache / "brain"
    assert places["user settings"] == str(brain.config)
    assert list(vault.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limt = 3\n", "Did you mean “limit”?"),
        ("limit = 0\n", "It takes a whole number from 1."),
        ("limit = \n", "Correct the line it names."),
        ("profiles = 3\n", "Did you mean “profile”?"),
        ("[profiles]\nagent = 3\n", "Write [profiles.NAME] and settings below."),
        ("[scorers.brain]\nrelevanec = 1\n", "Did you mean “relevance”?"),
    ],
)
def test_settings_that_are_wrong_are_an_error(text: str, said: str, brain: Brain) -> None:
    write(brain.config, text)
    answer = brain("config")
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_a_vault_that_was_asked_for_and_is_not_there_is_an_error(brain: Brain, tmp_path: Path) -> None:
    assert brain("config", "--vault", tmp_path / "nowhere").code == 3
