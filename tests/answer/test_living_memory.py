"""A memory that lives: what is used grows stronger, what is not fades, and nothing is lost."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from brain_cli.answer.health import notes_health
from brain_cli.answer.proposals import Proposals, proposals
from brain_cli.history.log import SHOWN, Event, History
from brain_cli.library.recalling import note_history_of
from brain_cli.library.vault import open_vault
from brain_cli.paths import vault_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conftest import Vault

    from brain_cli.answer.health import NoteHealth
    from brain_cli.index.snapshot import Snapshot

START = datetime(2026, 11, 21, 10, tzinfo=UTC)
TEXT = "# Lighthouse\n\nThe lighthouse was built of granite.\n"
FILLER = "Nothing in particular about number {}.\n"


def at(days: float = 0, hours: float = 0) -> str:
    return (START + timedelta(days=days, hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture
def lit(vault: Vault) -> Vault:
    vault.note("tower.md", TEXT, date="2026-11-01")
    for number in range(6):
        vault.note(f"other-{number}.md", FILLER.format(number), date="2026-11-01")
    return vault


def recall(
    vault: Vault, query: str = "lighthouse", now: str = at(), *options: str, **env: str
) -> dict[str, Any]:
    answer = vault.brain(
        "remember", query, "--json", "--vault", vault.folder, "--now", now, *options, env=env
    )
    return answer.json


def first(vault: Vault, now: str) -> dict[str, Any]:
    options = ("--no-touch", "--explain", "--scorer", "brain")
    found: dict[str, Any] = recall(vault, "lighthouse", now, *options)["results"][0]
    return found


def configure(vault: Vault, toml: str) -> None:
    (vault.folder / ".brain").mkdir()
    (vault.folder / ".brain/config.toml").write_text(toml, encoding="utf-8")


@pytest.mark.parametrize("kind", ["meeting", "Decision"])
def test_the_configuration_sets_strength_and_decay_of_a_kind(vault: Vault, kind: str) -> None:
    vault.note("tower.md", TEXT, type=kind, date="2026-11-01")
    vault.note("other.md", FILLER.format(1), date="2026-11-01")
    configure(vault, f"[kinds.{kind.lower()}]\nstrength = 0.6\ndecay_rate = 0.98\n")
    before = first(vault, at())
    assert (before["signals"]["strength"], before["signals"]["decay_rate"]) == (0.6, 0.98)
    recall(vault, "lighthouse", at())
    after = first(vault, at(hours=2))
    assert 0.6 < after["signals"]["strength"] < 0.8
    listed = vault.brain(
        "status", "--notes", "--json", "--vault", vault.folder, "--now", at(hours=2)
    ).json
    assert max(each["strength"] for each in listed["results"]) == pytest.approx(0.77, abs=0.1)


def test_a_value_left_out_of_a_configured_kind_stays_as_published(vault: Vault) -> None:
    vault.note("tower.md", TEXT, type="decision", date="2026-11-01")
    configure(vault, "[kinds.decision]\nstrength = 0.6\n")
    assert first(vault, at())["signals"]["decay_rate"] == 0.995


def test_a_strength_written_in_the_note_wins_over_the_configured_kind(vault: Vault) -> None:
    vault.note("tower.md", TEXT, type="meeting", strength="0.3", date="2026-11-01")
    configure(vault, "[kinds.meeting]\nstrength = 0.6\n")
    assert first(vault, at())["signals"]["strength"] == 0.3


def test_a_configured_kind_takes_only_strength_and_decay_rate(vault: Vault) -> None:
    configure(vault, "[kinds.meeting]\nstrenght = 0.6\n")
    answer = vault.brain("remember", "lighthouse", "--vault", vault.folder)
    assert "kinds.meeting.strenght" in answer.err
    assert "“strength”" in answer.err


def events(vault: Vault) -> list[dict[str, Any]]:
    files = vault.brain.state.glob("*/*.jsonl")
    return [
        json.loads(line)
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def test_a_list_of_paths_is_not_a_recall(vault: Vault) -> None:
    vault.note("grpc.md", "# Why gRPC\n\nWe chose gRPC because REST was slow.\n")
    vault.brain("remember", "why grpc", "--format", "paths", "--vault", vault.folder)
    assert not events(vault)
    vault.brain("remember", "why grpc", "--format", "plain", "--vault", vault.folder)
    assert [each["event"] for each in events(vault)] == ["shown"]


def test_the_same_question_twice_in_a_row_gets_the_same_answer(lit: Vault) -> None:
    one, two = recall(lit, now=at()), recall(lit, now=at(hours=0.5))
    assert [each["path"] for each in one["results"]] == [
        each["path"] for each in two["results"]
    ]
    assert two["results"][0]["recalled"] == 1
    steps = first(lit, at(hours=0.5))
    assert steps["signals"]["accesses"] == 0
    assert steps["signals"]["strength"] is None


def test_an_hour_later_a_recall_has_made_the_memory_stronger(lit: Vault) -> None:
    before = first(lit, at(hours=2))
    recall(lit, now=at())
    after = first(lit, at(hours=2))
    assert after["score"] > before["score"]
    assert after["strength"] > before["strength"]
    assert (after["recalled"], after["last_recalled"]) == (1, at())
    # 20 days after it was written, first recall: .05 * min(3, 1 + log2(21)) = .15
    assert after["signals"]["strength"] == pytest.approx(0.70 + 0.15)
    assert after["signals"]["decay_rate"] == pytest.approx(0.990 + 0.1 * (0.999 - 0.990))


@pytest.mark.parametrize(
    ("options", "env"), [(("--no-touch",), {}), ((), {"BRAIN_NO_TOUCH": "1"})]
)
def test_a_recall_that_touches_nothing_leaves_no_trace(
    lit: Vault, options: tuple[str, ...], env: dict[str, str]
) -> None:
    recall(lit, "lighthouse", at(), *options, **env)
    assert not lit.brain.state.exists() or events(lit) == []


def test_a_query_is_recorded_only_where_the_user_wants_it(lit: Vault) -> None:
    recall(lit)
    assert "lighthouse" not in json.dumps(events(lit))
    recall(lit, "lighthouse", at(), BRAIN_RECORD_QUERIES="yes")
    lit.brain.config.parent.mkdir(parents=True)
    lit.brain.config.write_text("record_queries = true\n")
    batch = '{"query": "granite lighthouse"}\n'
    lit.brain("remember", "--batch", "-", "--vault", lit.folder, "--now", at(), stdin=batch)
    assert [event.get("value") for event in events(lit)] == [
        None,
        "lighthouse",
        "granite lighthouse",
    ]
    assert first(lit, at(hours=2))["recalled"] == 3


def test_listed_candidates_do_not_count_as_recalled(lit: Vault) -> None:
    listed = recall(lit, "granite marmalade zeppelin")
    assert listed["strategy"] == "many-weak"
    assert events(lit) == []


def test_brain_context_records_nothing(lit: Vault) -> None:
    assert lit.brain("context", "--vault", lit.folder, "--prompt", "the lighthouse").code == 0
    assert events(lit) == []


def test_a_batch_counts_each_of_its_questions(lit: Vault) -> None:
    lines = "".join(
        json.dumps({"id": n, "query": "lighthouse", "now": at(days=n)}) + "\n" for n in range(3)
    )
    lit.brain("remember", "--batch", "-", "--vault", lit.folder, stdin=lines)
    assert first(lit, at(days=4))["recalled"] == 3


def test_a_renamed_note_keeps_its_history(lit: Vault) -> None:
    recall(lit)
    (lit.folder / "tower.md").rename(lit.folder / "beacon.md")
    assert (first(lit, at(2))["path"], first(lit, at(2))["recalled"]) == ("beacon.md", 1)


def test_a_note_renamed_while_the_cache_was_lost_keeps_its_history_too(lit: Vault) -> None:
    recall(lit)
    (lit.folder / "tower.md").rename(lit.folder / "beacon.md")
    shutil.rmtree(lit.brain.cache)
    assert (first(lit, at(2))["path"], first(lit, at(2))["recalled"]) == ("beacon.md", 1)


def test_new_content_that_a_refresh_sees_is_a_revision(lit: Vault) -> None:
    assert first(lit, at())["signals"]["revisions"] == 1
    lit.note("tower.md", TEXT + "It was painted white.\n", date="2026-11-01")
    recall(lit, "nothing at all", at())
    assert first(lit, at())["signals"]["revisions"] == 2


def test_notes_of_equal_content_count_as_duplicates(lit: Vault) -> None:
    (lit.folder / "copy.md").write_bytes((lit.folder / "tower.md").read_bytes())
    assert first(lit, at())["signals"]["duplicates"] == 2


def test_notes_shown_together_lend_each_other_activation(vault: Vault) -> None:
    for name in ("tower", "harbour"):
        vault.note(
            f"{name}.md", f"# Granite {name}\n\nThe granite {name}.\n", date="2026-11-01"
        )
    for number in range(6):
        vault.note(f"other-{number}.md", FILLER.format(number), date="2026-11-01")
    assert recall(vault, "granite", at())["strategy"] == "synthesize"
    later = recall(vault, "granite", at(days=1), "--no-touch", "--explain")["results"]
    assert all(each["signals"]["spreading"] > 0 for each in later)
    assert all(each["signals"]["co_recalls"] == 1 for each in later)


def test_feedback_moves_confidence(lit: Vault) -> None:
    for verdict, change in (("useful", 0.05), ("wrong", -0.10)):
        before = recall(
            lit, "lighthouse", at(), "--no-touch", "--explain", "--scorer", "clawmem"
        )["results"][0]
        assert (
            lit.brain("feedback", "tower", verdict, "--vault", lit.folder, "--now", at()).code
            == 0
        )
        after = recall(
            lit, "lighthouse", at(), "--no-touch", "--explain", "--scorer", "clawmem"
        )["results"][0]
        confidence = [
            next(s["value"] for s in each["steps"] if s["name"] == "confidence")
            for each in (before, after)
        ]
        assert confidence[1] - confidence[0] == pytest.approx(change)


def test_feedback_on_no_note_or_with_no_verdict_is_wrong_usage(lit: Vault) -> None:
    assert lit.brain("feedback", "no such note", "useful", "--vault", lit.folder).code == 2
    assert lit.brain("feedback", "tower", "lovely", "--vault", lit.folder).code == 2


def test_feedback_can_be_undone(lit: Vault) -> None:
    options = ("--vault", lit.folder, "--now", at())
    given = lit.brain("feedback", "tower", "wrong", *options)
    assert "To undo: brain feedback tower.md wrong --undo" in given.err
    lit.brain("feedback", "tower", "useful", *options)
    assert lit.brain("feedback", "tower", "wrong", "--undo", *options).code == 0
    counted = lit.brain("status", "--json", *options).json
    assert (counted["feedback"], counted["useful_share"]) == (1, 1.0)
    again = lit.brain("feedback", "tower", "wrong", "--undo", *options)
    assert (again.code, again.out) == (3, "")
    assert (
        again.err
        == "brain: No feedback says that tower.md is wrong, so there is none to take back.\n"
    )
    assert lit.brain("status", "--json", *options).json["feedback"] == 1


@pytest.mark.parametrize("command", ["status", "index", "review"])
def test_every_json_document_has_its_version(lit: Vault, command: str) -> None:
    assert lit.brain(command, "--json", "--vault", lit.folder).json["version"] == 1


def test_status_counts_notes_strengths_recalls_and_feedback(lit: Vault) -> None:
    recall(lit)
    for verdict in ("useful", "useful", "wrong"):
        lit.brain("feedback", "tower", verdict, "--vault", lit.folder, "--now", at())
    counted = lit.brain("status", "--json", "--vault", lit.folder, "--now", at(1)).json
    assert (counted["notes"], counted["kinds"], counted["recalls"], counted["feedback"]) == (
        7,
        {"note": 7},
        1,
        3,
    )
    assert counted["useful_share"] == pytest.approx(2 / 3)
    assert sum(counted["strengths"].values()) == 7
    shown = lit.brain("status", "--vault", lit.folder, "--now", at(1)).out
    assert "3 ratings, 2 positive" in shown
    assert "1 recall of " in shown


def test_status_lists_every_note_weakest_first_as_lines_or_as_json(lit: Vault) -> None:
    options = ("status", "--notes", "--vault", lit.folder)
    listed = [line.split("\t") for line in lit.brain(*options).out.splitlines()]
    results = lit.brain(*options, "--json").json["results"]
    assert [f"{each['strength']:.3f}" for each in results] == [
        strength for strength, _, _ in listed
    ]
    assert [(each["path"], each["title"]) for each in results] == [
        (path.removeprefix(f"{lit.folder}/"), title) for _, path, title in listed
    ]
    assert (f"{lit.folder}/tower.md", "Lighthouse") in [
        (path, title) for _, path, title in listed
    ]


def remembered_since(vault: Vault, moment: datetime) -> None:
    """Let the history of a vault begin at a moment: time before it is not idle time."""
    folder = vault.brain.state / vault_name(str(vault.folder))
    History(folder, "desk").append([Event(moment.timestamp(), SHOWN, [])])


@pytest.fixture
def old(vault: Vault) -> Vault:
    remembered_since(vault, datetime(2024, 1, 1, tzinfo=UTC))
    vault.note("faded.md", "# Old\n\nA thing of long ago.\n", date="2024-01-01")
    vault.note("pinned.md", "# Pin\n\nA thing held on to.\n", date="2024-01-01", pinned="true")
    vault.note(
        "salient.md", "# Dear\n\nA thing that matters.\n", date="2024-01-01", salience="0.9"
    )
    vault.note("weak.md", "# Weak\n\nA thing of last spring. [[faded]]\n", date="2026-06-15")
    vault.note(
        "fresh.md", "# New\n\nA thing of today.\n", date="2026-11-20", supersedes=["weak"]
    )
    long = " ".join(f"word{number} of the harbour" for number in range(40))
    vault.note("twin-a.md", long + " once\n", date="2026-11-01")
    vault.note("twin-b.md", long + " twice\n", date="2026-11-02")
    return vault


def archived(vault: Vault, *options: str) -> dict[str, Any]:
    """What `brain review --apply` archives."""
    arguments = ("--apply", "--yes", "--json", "--vault", vault.folder, "--now", at())
    return vault.brain("review", *arguments, *options).json


def proposed(vault: Vault, now: str = "") -> Proposals:
    """What the report proposes."""
    with vault.brain.surroundings():
        opened = open_vault(str(vault.folder), now or at())

        def ask(snapshot: Snapshot) -> Proposals:
            history = note_history_of(opened, snapshot)
            return proposals(snapshot, notes_health(snapshot.note_table, history, opened.now))

        return opened.ask(ask)


def paths(notes: Iterable[NoteHealth]) -> list[str]:
    return [each.metadata.path for each in notes]


def test_sleep_proposes_what_has_faded_but_nothing_pinned_or_salient(old: Vault) -> None:
    assert paths(proposed(old).faded) == ["faded.md"]
    status = old.brain("status", "--json", "--vault", old.folder, "--now", at()).json
    tiers = {"strong": 2, "moderate": 2, "weak": 1, "fading": 1, "kept": 1}
    assert status["strengths"] == tiers


def test_sleep_lists_repeated_superseded_and_unlinked_notes(old: Vault) -> None:
    found = proposed(old)
    assert [paths(pair[:2]) for pair in found.repeated] == [["twin-a.md", "twin-b.md"]]
    assert [paths(pair[:2]) for pair in found.superseded] == [["weak.md", "fresh.md"]]
    assert set(paths(found.unlinked)) == {"pinned.md", "salient.md", "twin-a.md", "twin-b.md"}


def test_sleep_changes_nothing_without_apply_and_with_it_says_how_to_undo(old: Vault) -> None:
    before = {path.name: path.read_bytes() for path in old.folder.rglob("*.md")}
    assert old.brain("review", "--vault", old.folder, "--now", at()).code == 0
    assert {path.name: path.read_bytes() for path in old.folder.rglob("*.md")} == before
    applied = old.brain("review", "--apply", "--yes", "--vault", old.folder, "--now", at())
    assert (old.folder / "archive" / "faded.md").exists()
    assert "brain undo" in applied.err
    assert old.brain("undo", "--vault", old.folder, "--now", at()).code == 0
    assert {path.name: path.read_bytes() for path in old.folder.rglob("*.md")} == before


def test_an_empty_vault_has_one_line(vault: Vault) -> None:
    night = vault.brain("review", "--apply", "--vault", vault.folder)
    assert (night.code, night.err) == (0, "brain: No note has faded.\n")
    context = vault.brain("context", "--vault", vault.folder)
    assert (context.code, context.out, context.err) == (
        1,
        "",
        "brain: There are no notes in this vault yet.\n",
    )
    answer = vault.brain("remember", "tea", "--vault", vault.folder)
    assert (answer.code, answer.err.splitlines()[0]) == (
        1,
        "brain: There are no notes in this vault yet.",
    )
    status = vault.brain("status", "--vault", vault.folder)
    assert not {"kind", "dated by"} & {*status.out.splitlines()}


def test_sleep_prints_one_json_document_also_when_it_archives(old: Vault) -> None:
    answer = old.brain(
        "review", "--apply", "--yes", "--json", "--vault", old.folder, "--now", at()
    )
    assert (answer.code, answer.json["applied"]) == (0, True)
    assert answer.json["archived"] == [{"from": "faded.md", "path": "archive/faded.md"}]
    assert "brain undo" in answer.err


def test_sleep_says_that_it_applied_only_when_it_did(old: Vault) -> None:
    (old.folder / "archive").write_text("in the way")
    answer = old.brain(
        "review", "--apply", "--yes", "--json", "--vault", old.folder, "--now", at()
    )
    assert (answer.code, answer.out) == (3, "")
    assert "Nothing was changed." in answer.err


def test_sleep_archives_nothing_without_confirmation(old: Vault) -> None:
    answer = old.brain("review", "--apply", "--vault", old.folder, "--now", at())
    assert answer.code == 2
    assert "--yes" in answer.err
    assert (old.folder / "faded.md").exists()


def test_a_vault_that_is_new_to_brain_has_not_been_forgotten(vault: Vault) -> None:
    for number in range(20):
        vault.note(f"{number}.md", FILLER.format(number), date="2020-01-01", type="observation")
    assert not proposed(vault).faded
    recall(vault, "number", at(days=-1))
    assert not proposed(vault).faded


def test_kinds_that_never_decay_are_never_proposed(vault: Vault) -> None:
    remembered_since(vault, datetime(2014, 1, 1, tzinfo=UTC))
    for kind in ("decision", "Preference", "hub", "antipattern", "deductive", "note"):
        vault.note(f"{kind}.md", FILLER.format(kind), date="2014-01-01", type=kind)
    assert paths(proposed(vault).faded) == ["note.md"]
    due = vault.brain("review", "--json", "--vault", vault.folder, "--now", "2015-02-01").json[
        "results"
    ]
    assert {each["path"] for each in due} <= {"note.md"}


def test_one_sleep_archives_a_small_part_of_the_vault_unless_all_is_asked_for(
    vault: Vault,
) -> None:
    remembered_since(vault, datetime(2024, 1, 1, tzinfo=UTC))
    for number in range(60):
        vault.note(f"{number}.md", FILLER.format(number), date="2024-01-01")
    listed = vault.brain("review", "--apply", "--vault", vault.folder, "--now", at())
    assert len(listed.out.splitlines()) == 3
    assert "57 more notes would follow with --all" in listed.err
    assert len(archived(vault)["archived"]) == 3
    assert len(archived(vault, "--all")["archived"]) == 57
    assert vault.brain("undo", "--vault", vault.folder).code == 0
    assert len(list(vault.folder.glob("*.md"))) == 57


def test_review_off_a_terminal_lists_what_is_about_to_fade(old: Vault) -> None:
    answer = old.brain("review", "--vault", old.folder, "--now", at())
    assert [line.split("\t")[1:] for line in answer.out.splitlines()] == [
        [f"{old.folder}/weak.md", "Weak"]
    ]
    found = old.brain("review", "--json", "--vault", old.folder, "--now", at()).json
    assert [each["path"] for each in found["results"]] == ["weak.md"]


def test_context_shows_what_is_strong_here_and_names_other_projects(vault: Vault) -> None:
    vault.note(
        "a.md",
        "# Use granite\n\nDecided.\n",
        date="2026-11-20",
        type="decision",
        project="lighthouse",
    )
    vault.note(
        "b.md", "# Use sand\n\nDecided.\n", date="2026-11-20", type="decision", project="beach"
    )
    answer = vault.brain("context", "--project", "lighthouse", "--vault", vault.folder)
    assert answer.code == 0
    assert "- **Use granite** (decision, 2026-11-20) a.md" in answer.out
    assert all("[from: beach]" in line for line in answer.out.splitlines() if "sand" in line)


def test_context_of_a_vault_with_nothing_to_say_is_silent(vault: Vault) -> None:
    answer = vault.brain("context", "--vault", vault.folder)
    assert (answer.code, answer.out) == (1, "")


def test_a_note_has_the_same_strength_everywhere(vault: Vault) -> None:
    vault.note(
        "tower.md", "# Tower\n\nThe lamp of the tower is green. [[port]]\n", date="2026-06-01"
    )
    vault.note("port.md", "# Port\n\nCoal is lifted here.\n", date="2026-11-01")
    now = ("--now", "2026-11-21", "--vault", vault.folder)
    strength = vault.brain("remember", "lamp of the tower", "--json", *now).json["results"][0][
        "strength"
    ]
    assert 0 < strength < 0.7
    answer = vault.brain("remember", "coal lifted", "--json", "--no-touch", *now).json
    related = {each["path"]: each["strength"] for each in answer["related"]}
    listed = {
        each["path"]: each["strength"]
        for each in vault.brain("status", "--notes", "--json", *now).json["results"]
    }
    assert related["tower.md"] == listed["tower.md"] == pytest.approx(strength)
    assert vault.brain("review", "--json", *now).json["results"] == []


def test_context_puts_a_repeat_behind_the_others(vault: Vault) -> None:
    text = "We use granite for every wall of the harbour, because sand is washed away.\n"
    for name, more in (
        ("one", ""),
        ("two", ""),
        ("three", "Only the lamps are of iron and glass.\n"),
    ):
        body = more or text
        vault.note(
            f"{name}.md",
            f"# Wall {name}\n\n{body}",
            date="2026-11-20",
            type="decision",
            project="sea",
        )
    lines = vault.brain("context", "--project", "sea", "--vault", vault.folder).out.splitlines()
    titles = [line.split("**")[1] for line in lines if line.startswith("- **")]
    assert len(titles) == 3
    assert titles.index("Wall three") < 2
