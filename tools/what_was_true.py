"""Ask what was true when, in a made vault: 200 notes with a history of a year, in four languages.

    python tools/what_was_true.py [--brain PROGRAM] [--seed N] [--show]

Each of forty facts changes once, in one of the ways in which people write that. Asked are its value
today, and its value on a day before the change. Printed is how often the right value is in what is
shown first, and how often a value that has ended is shown unmarked.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

NOW = date(2026, 11, 28)
PLAIN_NOTES = 140
LANGUAGES = ("english", "german", "french", "spanish")
SUBJECTS = {
    "english": [
        "VPN gateway",
        "deploy window",
        "guest password",
        "backup server",
        "parking code",
        "press contact",
        "dentist",
        "build agent",
        "travel budget",
        "lunch room",
    ],
    "german": [
        "Wartungsfenster",
        "Druckerserver",
        "Schliessfachcode",
        "Hausmeister",
        "Stammtisch",
        "Reisekostensatz",
        "Funkfrequenz",
        "Lagerraum",
        "Steuerberater",
        "Notrufnummer",
    ],
    "french": [
        "passerelle principale",
        "code du portail",
        "traiteur habituel",
        "salle de réunion",
        "fournisseur de café",
        "taux horaire",
        "numéro du gardien",
        "port du serveur",
        "horaire du marché",
        "médecin du travail",
    ],
    "spanish": [
        "servidor de correo",
        "clave del almacén",
        "proveedor de pan",
        "sala de ensayo",
        "tarifa del taller",
        "puerto de la base",
        "turno de limpieza",
        "código del garaje",
        "profesor de yoga",
        "línea de autobús",
    ],
}
ASK = {
    "english": "what is the {}",
    "german": "wie ist {}",
    "french": "quel est {}",
    "spanish": "cuál es {}",
}
IS = {"english": "is", "german": "ist", "french": "est", "spanish": "es"}
UNTIL = {"english": "until", "german": "bis", "french": "jusqu'au", "spanish": "hasta"}
SINCE = {"english": "since", "german": "seit", "french": "depuis le", "spanish": "desde"}
MOVED = {
    "english": "changed to",
    "german": "geändert auf",
    "french": "changé en",
    "spanish": "cambiado a",
}
WAYS = (
    "lines",
    "struck",
    "sections",
    "corrected",
    "successor",
    "expires",
    "table",
    "supersedes",
)


class Fact(NamedTuple):
    """A fact that changed on a day, and how its notes say so."""

    language: str
    subject: str
    old: str
    new: str
    changed: date
    way: str


def facts(chance: random.Random) -> Iterator[Fact]:
    for language in LANGUAGES:
        for number, subject in enumerate(SUBJECTS[language]):
            old, new = (
                f"{chance.choice('KLMNPRST')}{chance.randint(1000, 9999)}" for _ in range(2)
            )
            day = NOW - timedelta(days=chance.randint(60, 250))
            yield Fact(language, subject, old, new, day, WAYS[number % len(WAYS)])


def notes(fact: Fact, number: int) -> Iterator[tuple[str, str]]:
    """Yield the notes of a fact."""
    name = f"facts/{fact.language}-{number}"
    begun = fact.changed - timedelta(days=100)
    before = fact.changed - timedelta(days=1)
    old = f"{fact.subject} {IS[fact.language]} {fact.old}"
    new = f"{fact.subject} {IS[fact.language]} {fact.new}"
    head = f"---\ndate: {begun}\n---\n# {fact.subject.capitalize()}\n\n"
    match fact.way:
        case "lines":
            until = f"({UNTIL[fact.language]} {before})"
            since = f"({SINCE[fact.language]} {fact.changed})"
            yield f"{name}.md", f"{head}- {old} {until}\n- {new} {since}\n"
        case "struck":
            yield f"{name}.md", f"{head}- ~~{old}~~\n- {new} ({fact.changed})\n"
        case "sections":
            yield f"{name}.md", f"{head}## {begun}\n\n{old}.\n\n## {fact.changed}\n\n{new}.\n"
        case "corrected":
            line = f"{fact.subject} {MOVED[fact.language]} {fact.new} ({fact.changed})"
            yield f"{name}.md", f"{head}- {old}\n- {line}\n"
        case "successor":
            yield f"{name}.md", f"{head}{old}.\n"
            yield (
                f"{name}-new.md",
                (
                    f"---\ndate: {fact.changed}\nsupersedes: {Path(name).name}\n---\n"
                    f"# {fact.subject.capitalize()}\n\n{new}.\n"
                ),
            )
        case "expires":
            yield (
                f"{name}.md",
                head.replace("---\n#", f"valid_until: {before}\n---\n#") + f"{old}.\n",
            )
            yield (
                f"{name}-new.md",
                (
                    f"---\nvalid_from: {fact.changed}\n---\n# {fact.subject.capitalize()}\n\n{new}.\n"
                ),
            )
        case "table":
            rows = f"| {fact.subject} | {fact.old} | {UNTIL[fact.language]} {before} |\n"
            rows += f"| {fact.subject} | {fact.new} | {SINCE[fact.language]} {fact.changed} |\n"
            yield f"{name}.md", f"{head}| name | value | when |\n|---|---|---|\n{rows}"
        case "supersedes":
            yield (
                f"{name}.md",
                head.replace(
                    "---\n#",
                    f"status: superseded\nsuperseded_by: {Path(name).name}-new\n---\n#",
                )
                + f"{old}.\n",
            )
            yield (
                f"{name}-new.md",
                (f"---\ndate: {fact.changed}\n---\n# {fact.subject.capitalize()}\n\n{new}.\n"),
            )


def write(vault: Path, found: list[Fact], chance: random.Random) -> None:
    """Write the notes of the facts, and others in between."""
    words = [
        "lamp",
        "harbour",
        "meadow",
        "signal",
        "copper",
        "violet",
        "engine",
        "kettle",
        "orchard",
        "ribbon",
    ]
    for number in range(PLAIN_NOTES):
        day = NOW - timedelta(days=chance.randint(0, 365))
        text = " ".join(chance.choices(words, k=30))
        note(
            vault, f"notes/{number}.md", f"---\ndate: {day}\n---\n# Note {number}\n\n{text}.\n"
        )
    for number, fact in enumerate(found):
        for path, text in notes(fact, number):
            note(vault, path, text)


def note(vault: Path, path: str, text: str) -> None:
    file = vault / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


class Asked(NamedTuple):
    """One answer: whether the first passage has the right value, and whether the other value is
    shown unmarked.
    """

    is_right: bool
    is_unmarked: bool
    shown: str


def ask(brain: str, vault: Path, fact: Fact, as_of: date | None) -> Asked:
    question = ASK[fact.language].format(fact.subject)
    options = ["--as-of", str(as_of)] if as_of else []
    command = [brain, "remember", "--json", "--no-touch", "--now", f"{NOW}T10:00:00Z"]
    done = subprocess.run(
        [*command, "--vault", str(vault), *options, question],
        capture_output=True,
        text=True,
        check=False,
    )
    document = json.loads(done.stdout)
    right, wrong = (fact.old, fact.new) if as_of else (fact.new, fact.old)
    shown = [(each["text"], each["ended"], each["rank"]) for each in document["shown"]]
    first = shown[0][0] if shown else ""
    marked = {each["rank"] for each in document["results"] if each["ended"]}
    unmarked = any(
        wrong in text and not ended and rank not in marked and "~~" not in text
        for text, ended, rank in shown[:1]
    )
    return Asked(right in first, unmarked, first)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brain", default="brain")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    found = list(facts(chance))
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "notes"
        write(vault, found, chance)
        for name, as_of in (("today", False), ("as of a day", True)):
            answers = [
                (
                    fact,
                    ask(
                        options.brain,
                        vault,
                        fact,
                        fact.changed - timedelta(days=20) if as_of else None,
                    ),
                )
                for fact in found
            ]
            right = sum(each.is_right for _, each in answers)
            unmarked = sum(each.is_unmarked for _, each in answers)
            print(f"{name}: right {right} of {len(answers)}, ended and unmarked {unmarked}")
            for fact, each in answers if options.show else ():
                if not each.is_right or each.is_unmarked:
                    print(
                        "  ",
                        fact.way,
                        fact.language,
                        fact.subject,
                        fact.old,
                        fact.new,
                        fact.changed,
                        repr(each.shown[:150]),
                    )


if __name__ == "__main__":
    main()
