"""Ignore files mean here what they mean to git, and no pattern takes long."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from examples import sized
from growth import assert_linear
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain_cli.vault.ignore import IgnoreRules

MANY = sized(40_000, everyday=10_000)

NAMES = ["a", "b", "ab", "a.md", "b.md", "a b", "[a]", "a*b", "!a", "#a", ".md", "aab"]
PATHS = [
    *NAMES,
    *(f"{top}/{name}" for top in ("a", "b", "ab") for name in NAMES),
    "a/b/a.md",
    "a/b/ab/b.md",
    "b/a/b/a",
]
FOLDERS = ["a", "b", "ab", "a/b", "a/b/ab", "b/a", "b/a/b"]
FILES = [path for path in PATHS if path not in FOLDERS]
PARTS = [
    "a",
    "b",
    "ab",
    "*",
    "**",
    "?",
    "/",
    "/",
    ".md",
    "[ab]",
    "[!a]",
    "[^b]",
    "[z-a]",
    "[",
    "]",
    "\\",
    " ",
    "!",
    "#",
]
PARTS += ["[[:alpha:]]", "[]a]", "[a-b]", "[:x:]", "\\*", "[[:x:]]", "-"]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", folder], check=True)
    for path in FOLDERS:
        (folder / path).mkdir(parents=True)
    for path in FILES:
        (folder / path).touch()
    return folder


def verdicts_of_git(repository: Path, lines: list[str]) -> dict[str, bool | None]:
    """What git says of each path by itself, whatever becomes of the folders above it."""
    ignore_file = repository / "patterns"
    ignore_file.write_text("".join(f"{line}\n" for line in lines))
    done = subprocess.run(
        [
            "git",
            "-c",
            "core.excludesFile=patterns",
            "check-ignore",
            "-z",
            "-v",
            "-n",
            "--no-index",
            "--stdin",
        ],
        cwd=repository,
        input="\0".join([*FOLDERS, *FILES]).encode(),
        capture_output=True,
        check=False,
    )
    fields = done.stdout.decode().split("\0")
    found: dict[str, bool | None] = {}
    for place in range(0, len(fields) - 1, 4):
        pattern, path = fields[place + 2], fields[place + 3]
        found[path] = None if not fields[place + 1] else not pattern.startswith("!")
    return found


def verdicts(lines: list[str]) -> dict[str, bool | None]:
    """The same by our rules, where a path in an ignored folder is ignored as git has it."""
    rules = IgnoreRules(lines)

    def verdict(path: str, is_folder: bool) -> bool | None:
        parent = path.rpartition("/")[0]
        above = verdict(parent, True) if parent else None
        if above:
            return above
        found = rules.deciding_pattern(path, is_folder)
        return None if found is None else not found.negated

    return {path: verdict(path, path in FOLDERS) for path in [*FOLDERS, *FILES]}


EXAMPLES = [
    ["a*b"], ["*"], ["**"], ["a/**"], ["**/a"], ["a/**/b"], ["**/b/**"], ["/a"], ["a/"], ["a/b"], ["*", "!a.md"],
    ["*.md", "!b.md"], ["[!a].md"], ["[a-"], ["\\#a"], ["\\!a"], ["!a"], ["a\\ b"], ["a b  "], ["[]a]"], ["a[/]b"],
    ["a*b*"], ["***"], ["a**b"], ["/**"], ["**/"], ["a/*/b"], ["*/*"], ["/*", "!/a/"], ["[[:alpha:]].md"], ["?"],
    ["a//b"], ["\\a"], ["/"], ["//"], ["**/**"], ["a/**/**/b"], ["**/a/**/b"], ["[[]a]"], ["a\\*b"],
    ["a**/b"], ["/a**"], ["a/b**"], ["a**/**/b"], ["a/***/b"],
]  # fmt: skip


@pytest.mark.parametrize("lines", EXAMPLES, ids=" ".join)
def test_patterns_mean_what_they_mean_to_git(repository: Path, lines: list[str]) -> None:
    assert verdicts(lines) == verdicts_of_git(repository, lines)


LINES = st.lists(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join),
    min_size=1,
    max_size=4,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=LINES)
def test_any_patterns_mean_what_they_mean_to_git(repository: Path, lines: list[str]) -> None:
    assert verdicts(lines) == verdicts_of_git(repository, lines)


HOSTILE: dict[str, Callable[[int], tuple[str, str]]] = {
    "stars and letters": lambda n: ("*a" * n + "b", "a" * 250 + "c"),
    "stars and folders": lambda n: ("**/a" * n + "/b", "a/" * 500 + "c"),
    "stars before an open class": lambda n: ("a*" * n + "[", "a" * 250 + "c"),
    "stars alone": lambda n: ("*" * n + "b", "a" * 250 + "c"),
    "stars and question marks": lambda n: ("?*" * n + "b", "a" * 250 + "c"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_pattern_of_many_stars_takes_time_by_its_length(name: str) -> None:
    def verdict(pattern_and_path: tuple[str, str]) -> None:
        pattern, path = pattern_and_path
        IgnoreRules([pattern]).deciding_pattern(path, False)

    assert_linear(verdict, HOSTILE[name], 500)


@pytest.mark.exhaustive
def test_many_patterns_are_read_in_the_time_their_number_takes() -> None:
    def patterns(count: int) -> list[str]:
        return [f"drafts-{number}/*.tmp" for number in range(count)]

    assert_linear(
        lambda lines: IgnoreRules(lines).deciding_pattern("notes/a.md", False),
        patterns,
        MANY // 4,
    )
