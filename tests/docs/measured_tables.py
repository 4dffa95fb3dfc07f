"""The tables of the measurements, from docs/measured/: cog calls these functions from comments in
the pages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from measured import kept

SHOWN = ("blend", "brain", "clawmem", "claude-mem", "clawdbot")
NDCG, NEWEST = "nDCG@10", "newest in top 3"
WARM = "brain remember, with the watcher"


def source(*names: str) -> str:
    """Name the files that a table is printed from, with their date and commit."""
    return f"From {', '.join(map(_source, names))}."


def _source(name: str) -> str:
    of = kept(name)
    load = "" if of["load"] is None else f", load {of['load']:g}"
    return f"[{name}](measured/{name}.json) ({of['date']}, {of['commit']}{load})"


def as_kept(name: str) -> str:
    """Return a table as it was written down."""
    figures = kept(name)["figures"]
    return table([figures["columns"], *figures["rows"]])


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown; the first row is its head."""
    head, *others = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *others))


def ranking() -> str:
    """How well each formula finds the right note, with plain BM25 beside them."""
    names = ("conversations", "newest", "documentation")
    conversations, newest, documentation = (kept(name)["figures"] for name in names)
    others = kept("baselines")["figures"]
    rows = [["", *(f"`{name}`" for name in SHOWN), "plain BM25", "without stop words"]]
    for what, name, figures, measure in (
        ("conversations, nDCG@10", "conversations", conversations, NDCG),
        ("the newest in the top 3, when asked for", "newest", newest, NEWEST),
        ("documentation, nDCG@10", "documentation", documentation, NDCG),
    ):
        rows.append([what, *_means(figures, measure), _share(others[name])])
    for name, figures in (("conversations", conversations), ("documentation", documentation)):
        found = [_scorers(figures)[each] for each in SHOWN]
        strong = (
            _strong(each["strategies"]["single-strong"], figures["questions"]) for each in found
        )
        claimed = (_percent(each["off_topic"]["share"]) for each in found)
        rows.append([f"{name}: strong match shown, and right", *strong, "", ""])
        rows.append(["… questions of the other set that got an answer", *claimed, "", ""])
    return table(rows)


def _scorers(figures: Mapping[str, Any]) -> dict[str, Any]:
    return {each["scorer"]: each for each in figures["scorers"]}


def _means(figures: Mapping[str, Any], measure: str) -> list[str]:
    """Return a measure of each formula with its interval, the best one in bold, then that of plain
    BM25 with its p.
    """
    found = [_scorers(figures)[name]["measures"][measure] for name in SHOWN]
    best = max(each["mean"] for each in found)
    cells = [
        f"{_share(each['mean'])} ({_share(each['low'])}–{_share(each['high'])})"
        for each in found
    ]
    cells = [
        f"**{cell}**" if each["mean"] == best else cell
        for cell, each in zip(cells, found, strict=True)
    ]
    floor = figures["floor"][measure]
    return [*cells, f"{_share(floor['mean'])} (p {_p(floor['difference']['p'])})"]


def _strong(strong: Mapping[str, int], questions: int) -> str:
    shown = _percent(strong["shown"] / questions)
    return f"{shown}, {_percent(strong['right'] / strong['shown'])}" if strong["shown"] else "–"


def _p(value: float) -> str:
    return "< .001" if value < 0.001 else _share(value)


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _percent(value: float) -> str:
    return f"{value * 100:.{1 if 0 < value < 0.05 else 0}f} %"


def other_programs(*names: str) -> str:
    """What other programs take for the same, and how often each has the right note first."""
    found = [kept(name)["figures"] for name in names]
    rows = [
        [
            "",
            "a question",
            "nothing changed",
            "a new index",
            "of it by the clock",
            "right first",
        ]
    ]
    for each in found:
        head = f"**{each['notes']:,} notes, {each['questions']} questions**"
        rows.append([head, *[""] * (len(rows[0]) - 1)])
        for program in each["programs"]:
            times = ("ask_ms", "unchanged_ms", "index_ms", "index_clock_ms")
            shown = [_seconds(program[key]) for key in times]
            rows.append([program["name"], *shown, _share(program["right_first"])])
    return table(rows)


def _seconds(milliseconds: float) -> str:
    """Write a time as people read it."""
    return (
        f"{milliseconds / 1_000:.1f} s" if milliseconds >= 1_000 else f"{milliseconds:.0f} ms"
    )


def speed(*names: str) -> str:
    """What `python tools/bench.py` measured on several vaults: milliseconds, and multiples of an empty Python
    of the same run.
    """
    found = [kept(name)["figures"]["speed"] for name in names]
    rows = [["", *(f"{each['notes']:,} notes" for each in found)]]
    rows += [
        [name, *(_timed(name, each["commands"]) for each in found)]
        for name in found[0]["commands"]
    ]
    for what, key in (
        ("most memory of a full build", "full_peak_mib"),
        ("memory of the watcher", "watcher_mib"),
    ):
        rows.append([what, *(f"{each[key]:.0f} MiB" for each in found)])
    return table(rows)


def _timed(name: str, commands: Mapping[str, Mapping[str, float]]) -> str:
    """Return the processor time of a command and its multiple; the multiple alone if two processes
    share the work.
    """
    if name not in commands:
        return ""
    each = commands[name]
    multiple, seconds = f"{each['multiple']:.1f} p", each["cpu_ms"] / 1_000
    return (
        multiple
        if name == WARM
        else f"{seconds:.1f} s ({multiple})"
        if seconds > 1
        else f"{each['cpu_ms']:.0f} ms ({multiple})"
    )


def handoffs() -> str:
    """How much of what matters handoffs pass on."""
    rows = [["", "bar", "now"]]
    rows += [[each["what"], each["bar"], each["now"]] for each in kept("handoffs")["figures"]]
    return table(rows)


def _cut(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def prompts() -> str:
    """How often a prompt brings up what answers it, and how often it is left alone."""
    rows = [["", "bar", "now"]]
    rows += [
        [each["what"], each["bar"], f"{each['now']:,}"] for each in kept("prompts")["figures"]
    ]
    return table(rows)


def _as_percent(share: str) -> str:
    """Return a share such as “.67 of 272” as a percentage."""
    number = share.partition(" ")[0]
    return f"{100 * float(number):.0f} %" if number else ""


def for_the_readme() -> str:
    """When another program is better and when brain is, with what was measured."""
    rows = {row[0]: row[1:] for row in kept("unseen-vaults")["figures"]["rows"]}
    plain, words, model = rows["a right note first, in the first 3, in 10"]
    third = [_as_percent(each.split(", ")[1]) for each in (plain, words, model)]
    _, few, more = map(_as_percent, rows["… where the words differ, in the first 3"])
    claimed = _as_percent(rows["… with the rule for attributes"][1])
    none = f"{100 - int(claimed.split()[0])} %"
    commands = kept("speed")["figures"]["speed"]["commands"]
    grep, cold, warm = (
        f"{commands[name]['cpu_ms']:.0f} ms"
        for name in ("ripgrep, any of the words", "brain remember", WARM)
    )
    return table(
        [
            ["you want", "take", "because"],
            ["an exact string, or code", "ripgrep", f"{grep}, and no index"],
            [
                "a graph, a phone, to edit where you read",
                "Obsidian",
                "brain reads the same folder",
            ],
            [
                "an answer to a question",
                "brain",
                f"{third[1]} have a right note in the first three; SQLite's search: {third[0]}",
            ],
            [
                "words that the notes do not have",
                "brain with a model",
                f"{more} of such questions, by words {few}",
            ],
            [
                "to know that nothing answers",
                "`brain remember --sure`",
                f"exits with 1 for {none} of the questions that your notes cannot answer",
            ],
            [
                "lines for scripts, hooks and agents",
                "brain",
                f"JSON, exit codes; {cold}, with its daemon {warm}",
            ],
        ]
    )
