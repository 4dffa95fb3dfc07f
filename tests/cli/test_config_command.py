"""`brain config` shows each setting that holds, and the file, variable or option that it comes
from.
"""

from __future__ import annotations

import os
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
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return path


def test_without_settings_the_defaults_hold_and_no_vault_is_needed(brain: Brain) -> None:
    found = settings(brain)
    assert "vault" not in found
    assert found["limit"] == {"value": 10, "from": "default"}
    assert {setting["from"] for setting in found.values()} == {"default"}


def test_each_setting_names_the_last_origin_that_sets_it(vault: Vault, brain: Brain) -> None:
    user = write(brain.config, 'limit = 3\nscorer = "clawmem"\nmmr = false\n')
    own = write(vault.folder / ".brain" / "config.toml", "limit = 4\nmmr = true\n")
    found = settings(brain, "--vault", vault.folder, BRAIN_LIMIT="5")
    assert found["vault"] == {"value": str(vault.folder), "from": "--vault"}
    assert found["limit"] == {"value": 5, "from": "BRAIN_LIMIT"}
    assert found["mmr"] == {"value": True, "from": str(own)}
    assert found["scorer"] == {"value": "clawmem", "from": str(user)}
    assert found["min_score"]["from"] == "default"


@pytest.mark.parametrize("way", ["flag", "environment", "file"])
def test_a_profile_sets_settings_and_constants_of_its_scorer(
    way: str, vault: Vault, brain: Brain
) -> None:
    write(brain.config, '[profile.agent]\nscorer = "clawdbot"\nlimit = 2\nhalf_life_days = 7\n')
    options = ["--vault", vault.folder, *(["--profile", "agent"] if way == "flag" else [])]
    own = vault.folder / ".brain" / "config.toml"
    if way == "file":
        write(own, 'profile = "agent"\n')
    found = settings(
        brain, *options, **({"BRAIN_PROFILE": "agent"} if way == "environment" else {})
    )
    assert found["limit"] == {"value": 2, "from": "profile agent"}
    assert found["scorers"] == {
        "clawdbot": {"half_life_days": {"value": 7, "from": "profile agent"}}
    }
    whence = {"flag": "--profile", "environment": "BRAIN_PROFILE", "file": str(own)}
    assert found["profile"] == {"value": "agent", "from": whence[way]}


def test_the_constants_of_a_profile_belong_to_its_own_scorer_even_if_another_is_chosen(
    brain: Brain,
) -> None:
    write(brain.config, '[profile.agent]\nscorer = "clawdbot"\nhalf_life_days = 7\n')
    found = settings(brain, "--profile", "agent", BRAIN_SCORER="brain")
    assert found["scorer"] == {"value": "brain", "from": "BRAIN_SCORER"}
    assert found["scorers"] == {
        "clawdbot": {"half_life_days": {"value": 7, "from": "profile agent"}}
    }


def test_one_file_can_define_profiles_and_choose_one(brain: Brain) -> None:
    write(
        brain.config,
        'profile = "agent"\n[profiles.agent]\nlimit = 2\n[profiles.other]\nlimit = 3\n',
    )
    found = settings(brain)
    assert found["profile"] == {"value": "agent", "from": str(brain.config)}
    assert found["limit"] == {"value": 2, "from": "profile agent"}
    assert settings(brain, "--profile", "other")["limit"]["value"] == 3


def test_the_error_for_a_profile_choice_beside_profile_tables_names_the_remedy(
    brain: Brain,
) -> None:
    write(brain.config, 'profile = "agent"\n[profile.agent]\nlimit = 2\n')
    answer = brain("config")
    assert (answer.code, answer.out) == (2, "")
    assert "write [profiles.NAME] for [profile.NAME]" in answer.err


def test_the_printed_settings_can_be_used_as_a_settings_file(
    vault: Vault, brain: Brain
) -> None:
    write(brain.config, f'vault = "{vault.folder}"\n[scorers.clawmem]\npin_boost = 0.5\n')
    first = brain("config").out
    assert tomllib.loads(first)["scorers"] == {"clawmem": {"pin_boost": 0.5}}
    write(brain.config, first)
    assert tomllib.loads(brain("config").out) == tomllib.loads(first)


@pytest.mark.parametrize(
    ("how", "whence"),
    [
        ("flag", "--vault"),
        ("environment", "BRAIN_VAULT"),
        ("here", "found from here"),
        ("file", ""),
    ],
)
def test_the_vault_is_shown_with_how_it_was_found(
    how: str, whence: str, vault: Vault, brain: Brain
) -> None:
    if how == "file":
        write(brain.config, f'vault = "{vault.folder}"\n')
    if how == "here":
        (vault.folder / ".brain").mkdir()
    answer = brain(
        *["config", "--json", *(["--vault", vault.folder] if how == "flag" else [])],
        cwd=vault.folder if how == "here" else None,
        env={"BRAIN_VAULT": str(vault.folder)} if how == "environment" else {},
    )
    assert answer.json["settings"]["vault"] == {
        "value": str(vault.folder),
        "from": whence or str(brain.config),
    }


def test_files_and_folders_are_listed_whether_they_exist_or_not(
    vault: Vault, brain: Brain
) -> None:
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
        ("limit = 0\n", "It takes a whole number from 1 to 1,000,000."),
        ("limit = \n", "line 1, invalid value."),
        ("profiles = 3\n", "Did you mean “profile”?"),
        ("[profiles]\nagent = 3\n", "Write [profiles.NAME] and settings below."),
        ("[scorers.brain]\nrelevanec = 1\n", "Did you mean “relevance”?"),
        ("scorers = 3\n", "Write [scorers.NAME] and settings below."),
        ("[scorers]\nbrain = 3\n", "Write [scorers.brain] and settings below."),
        (f"limit = {'1' * 5_000}\n", "has a number that is too long."),
        (f"limit = 0x{'f' * 5_000}\n", "The setting “limit” cannot be “a huge number”"),
        (f"min_score = 0x{'f' * 5_000}\n", "It takes a number from 0 to 1."),
        ("min_score = nan\n", "It takes a number from 0 to 1."),
        (f"limit = {'[' * 10_000}\n", "is nested too deeply."),
        (f"# {'x' * (1 << 20)}\n", "longer than 1,048,576 bytes."),
        ("limit = 3 # \udcff\n", "it is not UTF-8."),
    ],
)
def test_a_wrong_setting_is_an_error_with_a_hint(text: str, said: str, brain: Brain) -> None:
    write(brain.config, text)
    answer = brain("config")
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_a_named_vault_that_does_not_exist_is_an_error(brain: Brain, tmp_path: Path) -> None:
    assert brain("config", "--vault", tmp_path / "nowhere").code == 3


@pytest.mark.parametrize(
    "setting", ["record_queries = true", 'vault = "/"', "[profile.deep]\nrecord_queries = true"]
)
def test_a_vault_cannot_set_what_only_its_user_may(
    setting: str, vault: Vault, brain: Brain
) -> None:
    write(vault.folder / ".brain" / "config.toml", f"{setting}\n")
    for command in (["config"], ["remember", "leek"]):
        answer = brain(
            *command,
            "--vault",
            vault.folder,
            *(["--profile", "deep"] if "profile" in setting else []),
        )
        assert (answer.code, answer.out) == (2, "")
        assert "A vault cannot set" in answer.err
    (vault.folder / ".brain" / "config.toml").unlink()
    write(brain.config, f"{setting}\n")
    assert brain("config").code == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("owner", ["user", "vault"])
def test_a_settings_file_that_is_not_a_regular_file_is_an_error(
    owner: str, vault: Vault, brain: Brain
) -> None:
    path = brain.config if owner == "user" else vault.folder / ".brain" / "config.toml"
    path.parent.mkdir(parents=True)
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir):
        make(path)
        answer = brain.process("config", "--vault", vault.folder)
        assert (answer.code, answer.out) == (2, "")
        assert f"{path} " in answer.err
        path.rmdir() if path.is_dir() else path.unlink()


def test_a_table_of_one_setting_per_name_is_merged_name_by_name(
    vault: Vault, brain: Brain
) -> None:
    write(brain.config, "[scorers.brain]\nrelevance = 1\nrecency = 2\n")
    write(vault.folder / ".brain" / "config.toml", "[scorers.brain]\nrelevance = 3\n")
    found = settings(brain, "--vault", vault.folder)["scorers"]["brain"]
    assert {name: setting["value"] for name, setting in found.items()} == {
        "relevance": 3,
        "recency": 2,
    }
