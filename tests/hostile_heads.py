"""Heads of notes that somebody wrote to break a parser."""

from __future__ import annotations

DIGITS = "F" * 5_000
HOSTILE_HEADS = {
    "hex": f"+++\nx = 0x{DIGITS}\n+++\n",
    "hex key in a table": f"+++\n[a]\nx = [0x{DIGITS}]\n+++\n",
    "decimal": f"+++\nx = {'9' * 5_000}\n+++\n",
    "nested arrays": f"+++\nx = {'[' * 50_000}{']' * 50_000}\n+++\n",
    "nested tables": f"+++\nx = {'{a=' * 20_000}1{'}' * 20_000}\n+++\n",
    "impossible date": "+++\nx = 2026-02-31\n+++\n",
    "yaml digits": f"---\nx: {'9' * 5_000}\nsalience: {'9' * 5_000}\nrevisions: {'9' * 5_000}\n---\n",
    "yaml recursion": "---\nx: &x [*x]\n---\n",
    "yaml key is a map": "---\n? {a: b}\n: c\n---\n",
    "yaml key is a list": "---\n? [a, b]\n: c\n---\n",
    "yaml tag": "---\nx: !!binary %%%\ny: !<tag:x> z\n---\n",
    "yaml directive": "---\n%YAML 9.9\nx: y\n---\n",
    "year 9999": "---\ndate: 9999-12-31T23:59:59-23:59\n---\n",
    "year 1": "---\ndate: 0001-01-01T00:00:00+23:59\n---\n",
}
