"""Every number of the four publications that the program has, beside the words in which it was
published.

Where a number is the outcome of a formula, the tests of that formula hold more of its values; this
is the list that shows that none is missing.
"""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from conftest import Vault

from brain_cli.answer.results import MAX_LISTED
from brain_cli.library.vault import open_vault
from brain_cli.plugins.agents import SKIPPED_TOOLS, intake, observation
from brain_cli.plugins.agents.known_notes import PROFILE_TOKENS
from brain_cli.plugins.agents.note_store import NoteStore, project_at
from brain_cli.plugins.agents.observation import Observation
from brain_cli.plugins.agents.settings import SETTINGS
from brain_cli.plugins.agents.surfacing import SPREADING_BOOST
from brain_cli.ranking import Standing, signals, threshold, top_k
from brain_cli.ranking.scorers import adjusted_confidence, load_scorer
from brain_cli.ranking.scorers.brain import Brain as BrainFormula
from brain_cli.ranking.scorers.claude_mem import ClaudeMem
from brain_cli.ranking.scorers.clawdbot import Clawdbot
from brain_cli.ranking.scorers.clawmem import HALF_LIVES, ClawMem, reinforced_half_life
from brain_cli.types import Memory, Signals
from brain_cli.vault import repetition

clawmem, claude_mem, clawdbot, brain = ClawMem(), ClaudeMem(), Clawdbot(), BrainFormula()


def step(scorer: str, name: str, **signals: object) -> float:
    """Return the value of one step of a formula."""
    score = load_scorer(scorer).score(Signals(**signals))  # type: ignore[arg-type]
    return next(each.value for each in score.steps if each.name == name)


# publication, the words as published, what they are here, the number
NUMBERS: list[tuple[str, str, object, object]] = [
    ("ClawMem", "searchScore 0.50 0.10", (clawmem.search, clawmem.recent_search), (0.5, 0.1)),
    ("ClawMem", "recencyScore 0.25 0.70", (clawmem.recency, clawmem.recent_recency), (0.25, 0.7)),
    ("ClawMem", "confidenceScore 0.25 0.20", (clawmem.confidence, clawmem.recent_confidence), (0.25, 0.2)),
    ("ClawMem", "decision, deductive, preference, hub: infinite", HALF_LIVES["hub"], inf),
    ("ClawMem", "antipattern: infinite", HALF_LIVES["antipattern"], inf),
    ("ClawMem", "project 120 days", HALF_LIVES["project"], 120),
    ("ClawMem", "research 90 days", HALF_LIVES["research"], 90),
    ("ClawMem", "problem, milestone, note 60 days", {HALF_LIVES[k] for k in ("problem", "milestone", "note")}, {60}),
    ("ClawMem", "conversation, progress 45 days", {HALF_LIVES[k] for k in ("conversation", "progress")}, {45}),
    ("ClawMem", "handoff 30 days", HALF_LIVES["handoff"], 30),
    ("ClawMem", "Half-lives extend up to 3x", reinforced_half_life(60, 10_000, 0), 180),
    ("ClawMem", "access reinforcement decays over 90 days", reinforced_half_life(60, 20, 90), 60),
    ("ClawMem", "Starts at 0.5 for new documents", adjusted_confidence(Signals()), 0.5),
    ("ClawMem", "quality multiplier 0.7", step("clawmem", "quality", quality=0), 0.7),
    ("ClawMem", "quality multiplier 1.3", step("clawmem", "quality", quality=1), 1.3),
    ("ClawMem", "1 + min(coCount / 10, 0.15): one", step("clawmem", "co_activation", co_recalls=1), 1.1),
    ("ClawMem", "1 + min(coCount / 10, 0.15): many", step("clawmem", "co_activation", co_recalls=99), 1.15),
    ("ClawMem", "Pinned documents receive +0.3", clawmem.pin_boost, 0.3),
    ("ClawMem", "capped at 1.0 total", load_scorer("clawmem").score(Signals(relevance=1, pinned=True)).share, 1.0),
    ("ClawMem", "bodyLength / 500", step("clawmem", "length", body_chars=500), 1.0),
    ("ClawMem", "1 / (1 + 0.5 * log2(2))", step("clawmem", "length", body_chars=1000), 1 / 1.5),
    ("ClawMem", "Floor at 30% of original score", step("clawmem", "length", body_chars=10**9), 0.3),
    ("ClawMem", "Capped at 10%", step("clawmem", "frequency", revisions=10**6), 1.1),
    ("ClawMem", "revision count weighted 2x: one revision", step("clawmem", "frequency", revisions=2),
     step("clawmem", "frequency", duplicates=3)),
    ("ClawMem", "Jaccard bigram similarity > 0.6", top_k.MAX_SIMILARITY, 0.6),
    ("ClawMem", "55% for balanced", threshold.THRESHOLDS["balanced"].ratio, 0.55),
    ("ClawMem", "up to 15% boost, after the threshold", SPREADING_BOOST, 0.15),
    ("brain", "0.38 * relevance", brain.relevance, 0.38),
    ("brain", "0.18 * decayed_strength", brain.decayed_strength, 0.18),
    ("brain", "0.08 * recency_bonus", brain.recency, 0.08),
    ("brain", "0.14 * spreading_bonus", brain.spreading, 0.14),
    ("brain", "0.14 * context_match", brain.context, 0.14),
    ("brain", "0.08 * salience", brain.salience, 0.08),
    ("brain", "days_since_last_access / 365", brain.recency_days, 365),
    *(
        ("brain", f"{days} days since access: {bonus}", round(step("brain", "recency", idle_days=days), 2), bonus)
        for days, bonus in ((0, 1.0), (30, 0.92), (90, 0.75), (180, 0.51), (270, 0.26), (365, 0.0))
    ),
    ("brain", "decaying by 50% per hop", signals.PER_HOP, 0.5),
    ("brain", "up to 2 hops", signals.spread({1: 0.8}, {1: [2], 2: [1, 3], 3: [2, 4], 4: [3]}.__getitem__),
     {2: 0.4, 3: 0.2}),
    ("brain", "capped at 1.0",
     signals.spread({1: 1, 2: 1, 3: 1, 4: 0}, lambda note: [4] if note < 4 else [1, 2, 3])[4], 1.0),
    ("brain", "top score > 0.7", [Standing(share, 1.0).strong for share in (0.7, 0.7001)], [False, True]),
    ("brain", "candidates > 0.4", [Standing(share, 1.0).in_synthesis for share in (0.4, 0.4001)], [False, True]),
    ("brain", "2-5 candidates", MAX_LISTED, 5),
    ("claude-mem", "exp(-0.693 * ageDays / halfLifeDays), default: 2", claude_mem.half_life_days, 2),
    ("claude-mem", "decision=0.8, bugfix=0.7, discovery=0.6, feature=0.5, refactor=0.4, change=0.3",
     dict(claude_mem.types),
     {"decision": 0.8, "bugfix": 0.7, "discovery": 0.6, "feature": 0.5, "refactor": 0.4, "change": 0.3}),
    ("claude-mem", "similarity 0-1.5", step("claude-mem", "similarity", relevance=1, concept_overlap=1), 1.5),
    ("claude-mem", "file overlap 0-1.0", step("claude-mem", "file_overlap", file_overlap=1), 1.0),
    ("claude-mem", "currentProjectBonus 0.1", step("claude-mem", "same_project", same_project=True), 0.1),
    ("claude-mem", "DEFAULT_SKIP_TOOLS", SKIPPED_TOOLS[:3], ("TodoRead", "TodoWrite", "LS")),
    ("claude-mem", "combined text is < 50 characters", observation.MIN_CHARS, 50),
    ("claude-mem", "batching window in ms: 3000", SETTINGS["batch_window_ms"].default, 3000),
    ("claude-mem", "created within the last hour", repetition.REPEAT_SECONDS, 3600),
    ("claude-mem", "if similarity > 80%", repetition.SAME_WORDS, 0.8),
    ("claude-mem", "cross-project context: true", SETTINGS["cross_project"].default, True),
    ("claude-mem", "CLAUDE_MEM_SKIP_TOOLS, comma-separated", intake.skipped_tools({"BRAIN_SKIP_TOOLS": "A, B"}),
     ("A", "B")),
    ("Clawdbot", "half_life_days default: 30", clawdbot.half_life_days, 30),
    ("Clawdbot", "floor default: 0.1", clawdbot.floor, 0.1),
    ("Clawdbot", "Floor ensures minimum 10% weight", step("clawdbot", "recency_weight", age_days=10_000), 0.1),
    ("issue", "speed 400, balanced 800, deep 1,200 tokens", PROFILE_TOKENS,
     {"speed": 400, "balanced": 800, "deep": 1200}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("here", "published"),
    [(here, number) for *_, here, number in NUMBERS],
    ids=[f"{n[0]}: {n[1]}" for n in NUMBERS],
)
def test_the_number_is_as_published(here: object, published: object) -> None:
    assert here == (pytest.approx(published) if isinstance(published, float) else published)


def used(at: float = 0.0, asked: str = "x" * 30, response: str = "y" * 30) -> Observation:
    return Observation(f"{at}", at, "Probe", asked, response)


def test_less_than_50_characters_are_noise_and_50_are_not() -> None:
    assert observation.ignored(used(asked="x" * 25, response="y" * 24))
    assert not observation.ignored(used(asked="x" * 25, response="y" * 25))


@pytest.mark.parametrize(
    ("title", "seconds", "notes"),
    [
        ("one two three four five six seven eight nine", 60, 1),  # 9 of 10 words
        ("one two three four five six seven eight", 60, 2),  # 8 of 10 words: not more than 80 %
        ("one two three four five six seven eight nine", 3600, 1),
        ("one two three four five six seven eight nine", 3601, 2),
    ],
)
def test_a_title_that_shares_more_than_80_percent_of_its_words_within_the_hour_is_not_stored_again(
    vault: Vault, title: str, seconds: float, notes: int
) -> None:
    first = "one two three four five six seven eight nine ten"
    with vault.brain.surroundings():
        made = NoteStore(open_vault(str(vault.folder), None))
        made.store(Memory("", first, "first", "observation", 1e9, tags=("captured",)))
        later = 1e9 + seconds
        made.store(Memory("", title, "second", "observation", later, tags=("captured",)))
    assert len(list(vault.folder.rglob("*.md"))) == notes


def test_an_equal_title_of_another_project_is_stored(vault: Vault, tmp_path: Path) -> None:
    with vault.brain.surroundings():
        made = NoteStore(open_vault(str(vault.folder), None))
        for project in ("shop", "app", "app"):
            (tmp_path / project / ".git" / "objects").mkdir(parents=True, exist_ok=True)
            (tmp_path / project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
            memory = Memory(
                "",
                "The cache is cold",
                "slow",
                "observation",
                1e9,
                project_at(str(tmp_path / project)),
                tags=("captured",),
            )
            made.store(memory)
    assert len(list(vault.folder.rglob("*.md"))) == 2
