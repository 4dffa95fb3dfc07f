"""Write summaries as a table with one column per scorer, readable as plain text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from brain_cli.plugins.evaluation.summary import Answers, Summary

MIN_P = 0.001


def table(summaries: Sequence[Summary], floor: Summary) -> str:
    """Return the table, one row for each number; differences are to the first column. The floor is the last one."""
    return markdown([("", *(each.scorer for each in summaries), floor.scorer), *_rows(summaries, floor)])


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a table whose first row is the head; its columns stand straight as plain text, too."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *body = (_line(row, widths) for row in rows)
    return "\n".join([head, _line(["-" * width for width in widths], widths), *body]) + "\n"


def _line(cells: Iterable[str], widths: Iterable[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"


def _rows(summaries: Sequence[Summary], floor: Summary) -> Iterator[tuple[str, ...]]:
    first = summaries[0]
    for name in first.measures:
        yield name, *(_measure(each, name) for each in (*summaries, floor))
    for name in first.strategies:
        yield f"{name}, of these right", *(_answers(each.strategies[name], each) for each in summaries), ""
    for low in sorted({found.low for each in summaries for found in each.reliability}):
        yield f"certainty from {low:.1f}: mean, right", *(_reliability(each, low) for each in summaries), ""
    latencies = (f"{each.latency_ms.p50:.1f} / {each.latency_ms.p95:.1f}" for each in summaries)
    yield "latency p50 / p95, ms", *latencies, ""
    if first.off_topic:
        yield "off-topic, yet answered", *(_off_topic(each) for each in summaries), ""


def _reliability(each: Summary, low: float) -> str:
    found = next((found for found in each.reliability if found.low == low), None)
    return f"{found.said:.2f}, {found.right:.2f} ({found.answers})" if found else ""


def _measure(each: Summary, name: str) -> str:
    value, difference = each.measures[name], each.differences.get(name)
    text = f"{value.mean:.3f} ({value.low:.3f} to {value.high:.3f})"
    return f"{text} {difference.mean:+.3f} {_probability(difference.p)}" if difference else text


def _probability(p: float) -> str:
    return f"p<{MIN_P}" if p < MIN_P else f"p={p:.3f}"


def _answers(answers: Answers, each: Summary) -> str:
    asked = sum(other.shown for other in each.strategies.values())
    text = f"{_percent(answers.shown, asked)} ({answers.shown})"
    return f"{text}, {_percent(answers.right, answers.shown)}" if answers.shown else text


def _off_topic(each: Summary) -> str:
    assert each.off_topic is not None
    return f"{_percent(each.off_topic.answered, each.off_topic.asked)} of {each.off_topic.asked}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"
