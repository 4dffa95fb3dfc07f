"""Write docs/licences.md: the licence of every package that brain needs, from the metadata of those
installed.

python tools/licences.py, in an environment with all extras
"""

from __future__ import annotations

from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PAGE = Path(__file__).parents[1] / "docs" / "licences.md"
EXTRAS = ("", "lsp", "meaning", "postgresql")
HEAD = """\
# Licences

brain itself is under the [MIT licence](../LICENSE). Its packages, by their own metadata, on Linux with Python 3.11 or
newer; `python tools/licences.py` writes this page. The models of `meaning` are [listed apart](meaning.md#the-models).
psycopg (LGPL) asks that changes to itself stay open; brain changes nothing of it.

| package | licence | needed by |
|---|---|---|
"""
LONGEST = 60  # of a text that names a licence instead of quoting it


def needed(name: str, extra: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """Add the packages that an extra needs, and those that they need; an empty extra is the package
    alone.
    """
    for text in distribution(name).requires or ():
        requirement = Requirement(text)
        key = canonicalize_name(requirement.name)
        is_asked = not requirement.marker or requirement.marker.evaluate({"extra": extra})
        is_of_core = not requirement.marker or requirement.marker.evaluate({"extra": ""})
        if not is_asked or (extra and name == "brain-notes" and is_of_core) or key in found:
            continue
        found[key] = distribution(key)
        for each in ("", *requirement.extras):
            needed(key, each, found)
    return found


def licence(package: Distribution) -> str:
    """Return a package's licence: the expression, else the classifier, else what it writes in one
    line.
    """
    metadata = package.metadata
    if expression := metadata["License-Expression"]:
        return str(expression)
    named = [
        each.rpartition(" :: ")[2]
        for each in metadata.get_all("Classifier", [])
        if each.startswith("License :: ")
    ]
    text = str(metadata["License"] or "")
    return " or ".join(named) or (
        text if 0 < len(text) <= LONGEST and "\n" not in text else "see its files"
    )


def main() -> None:
    rows: dict[str, tuple[str, list[str]]] = {}
    for extra in EXTRAS:
        for package in needed("brain-notes", extra, {}).values():
            _, of = rows.setdefault(package.metadata["Name"], (licence(package), []))
            of.append(f"`{extra}`" if extra else "brain")
    lines = [
        f"| {name} | {rows[name][0]} | {'brain' if 'brain' in rows[name][1] else ', '.join(rows[name][1])} |\n"
        for name in sorted(rows, key=str.casefold)
    ]
    PAGE.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
