"""With and without a daemon an answer is the same: stdout, stderr, the exit code and the recorded
history.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import copy_with_index
from examples import few_every_day, in_ci, sized
from watching import Shown, Watched, watching

if TYPE_CHECKING:
    from conftest import Vault

FORMATS = ["auto", "rich", "plain", "json", "jsonl", "paths", "markdown"]
QUERIES = [
    "grpc",
    "why event-driven design",
    "how do we deploy",
    "zzyzx",
    "kafak",
    '"event-driven',
    "tag:api AND",
]
OPTIONS = [
    [],
    ["--explain"],
    ["-n", "1"],
    ["-n3", "--scorer", "clawmem"],
    ["--scorer=claude-mem", "--profile", "deep"],
    ["--project", "orders", "--topics", "api,kafka", "--task", "deploy"],
    ["--type", "decision", "--tag=-api"],
    ["--path", "decisions/*", "--recent"],
    ["--since", "52w", "--before", "2026-11-01"],
    ["--where", "project=orders"],
    ["--archived"],
    ["--words", "--no-mmr", "--min-score", "0.2"],
    ["--now", "2026-12-24T00:00:00Z"],
]
MISTAKES = [
    ["remember"],
    ["remember", "grpc", "--scorer", "nothing"],
    ["remember", "grpc", "--format", "nothing"],
    ["remember", "grpc", "--archve"],
    ["remember", "grpc", "--limit", "many"],
    ["remember", "grpc", "--since", "someday"],
    ["remember", "grpc", "--where", "novalue"],
    ["context", "--profile", "nothing"],
    ["context", "superfluous"],
]


@pytest.fixture(scope="module")
def watched(sample: Vault, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    root = tmp_path_factory.mktemp("same")
    (root / "home").mkdir()
    brain = type(sample.brain)(root / "home", root / "home" / "cache")
    with watching(copy_with_index(sample, root / "sample", brain)) as watched:
        yield watched


def both(watched: Watched, *arguments: object, **options: object) -> Shown:
    """Ask the daemon, then without it from the same history; assert that both answer the same."""
    before = watched.history()
    warm = watched.ask(*arguments, **options)  # type: ignore[arg-type]
    recorded = watched.history()
    for path in watched.vault.brain.state.rglob("*.jsonl"):
        path.write_bytes(before.get(path.name, b""))
    cold = watched.ask_cold(*arguments, **options)  # type: ignore[arg-type]
    assert warm.warm
    assert not cold.warm
    assert warm.answer == cold.answer
    assert {name: lines for name, lines in recorded.items() if lines} == {
        name: lines for name, lines in watched.history().items() if lines
    }
    return warm


@pytest.mark.parametrize("format_name", few_every_day(FORMATS, 4))
def test_every_format_is_the_same_with_and_without_a_daemon(
    watched: Watched, format_name: str
) -> None:
    for query in QUERIES[: sized(4, everyday=2)]:
        both(watched, "remember", query, "--format", format_name)


@pytest.mark.parametrize("options", few_every_day(OPTIONS, 6), ids=" ".join)
def test_every_option_works_the_same(watched: Watched, options: list[str]) -> None:
    both(
        watched, "remember", QUERIES[len(options) % len(QUERIES)], *options, "--format", "json"
    )
    both(watched, "remember", "grpc", "api", *options)


@pytest.mark.parametrize("query", QUERIES)
def test_every_query_is_parsed_the_same(watched: Watched, query: str) -> None:
    both(watched, "remember", "--json", *query.split(), "--explain", "--no-touch")


@pytest.mark.parametrize("arguments", MISTAKES, ids=" ".join)
def test_a_mistake_is_explained_the_same(watched: Watched, arguments: list[str]) -> None:
    assert both(watched, *arguments).code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["context"],
        ["context", "--json"],
        ["context", "--profile", "speed", "--project", "orders"],
    ],
)
def test_context_answers_the_same(
    watched: Watched, arguments: list[str], tmp_path: Path
) -> None:
    (tmp_path / "orders" / ".git").mkdir(parents=True)
    both(watched, *arguments, cwd=tmp_path / "orders")


def test_standard_input_is_read_the_same(watched: Watched) -> None:
    both(watched, "remember", "-", "--json", stdin=b"why \xff grpc")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "env", [{}, {"COLUMNS": "60"}, in_ci({"NO_COLOR": "1"}), in_ci({"TERM": "dumb"})], ids=str
)
def test_a_terminal_shows_the_same(watched: Watched, env: dict[str, str]) -> None:
    env = {"TERM": "xterm-256color", **env}
    shown = both(watched, "remember", "grpc", env=env, terminal=True)
    both(watched, "remember", "grpc", "--explain", "--format", "rich", env=env, terminal=True)
    assert (b"\x1b[" in shown.out) == (env == {"TERM": "xterm-256color"} or "COLUMNS" in env)


def test_the_environment_and_the_folder_of_the_client_decide(watched: Watched) -> None:
    by_env = both(
        watched,
        "remember",
        "grpc",
        "--json",
        env={"BRAIN_LIMIT": "1", "BRAIN_SCORER": "clawdbot"},
    )
    assert [len(results_of(by_env)), json.loads(by_env.out)["scorer"]] == [1, "clawdbot"]
    inside = both(
        watched, "remember", "grpc", "--format", "paths", cwd=watched.vault.folder / "decisions"
    )
    assert b"grpc.md\n" in inside.out
    assert not inside.out.startswith(b"/")
    both(watched, "remember", "grpc", "--vault", "../sample", cwd=watched.vault.folder)
    untouched = watched.history()
    both(watched, "remember", "grpc", env={"BRAIN_NO_TOUCH": "1"})
    assert watched.history() == untouched
    assert both(watched, "remember", b"caf\xe9 \xff", "--json").code in (0, 1)


def results_of(shown: Shown) -> list[object]:
    results: list[object] = json.loads(shown.out)["results"]
    return results


@pytest.mark.exhaustive
def test_the_users_configuration_holds_for_the_daemon_too(watched: Watched) -> None:
    assert b"Usage" in watched.ask("remember", "--help").out
    config = watched.vault.brain.config
    config.parent.mkdir(parents=True)
    config.write_text(f'limit = 2\nvault = "{watched.vault.folder}"\n')
    assert (
        len(results_of(both(watched, "--json", "remember", "grpc", env={"BRAIN_VAULT": ""})))
        == 2
    )
    config.write_text("lmit = 2\n")
    assert both(watched, "remember", "grpc").code == 2
    config.unlink()


@pytest.mark.exhaustive
def test_recalls_are_counted_the_same(watched: Watched) -> None:
    before = recalled(watched)
    for day in range(3):
        both(watched, "remember", "grpc", "--now", f"2026-11-{22 + day}T10:00:00Z")
    later = both(watched, "remember", "grpc", "--json", "--now", "2026-12-01", "--no-touch")
    assert recalled(watched) == before + 3
    assert later.code == 0
    both(watched, "remember", "grpc", "--json", "--now", "2026-11-23")


def recalled(watched: Watched) -> int:
    shown = both(watched, "remember", "grpc", "--json", "--now", "2026-12-01", "--no-touch")
    count: int = json.loads(shown.out)["results"][0]["recalled"]
    return count
