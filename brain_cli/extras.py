"""The extras of the package: which are installed, and how to install another one."""

import re

# The name of the package in the index; the command is `brain`.
DISTRIBUTION = "brain-notes"
FOR_DEVELOPERS = ("test", "lint", "release")


def install_hint(extra: str) -> str:
    """Return how to install an extra, with those that are installed: both commands make the
    environment anew and would remove these.
    """
    names = ",".join(sorted({*installed_extras(), extra}))
    tools = (f"{tool} install --force '.[{names}]'" for tool in ("pipx", "uv tool"))
    return f"In a copy of the repository: {', or '.join(tools)}."


def installed_extras() -> set[str]:
    """Return the extras whose packages are all installed, besides those for developers."""
    from importlib.metadata import PackageNotFoundError, requires, version

    complete: dict[str, bool] = {}
    try:
        requirements = requires(DISTRIBUTION) or ()
    except PackageNotFoundError:  # a copy that is not installed
        requirements = ()
    for requirement in requirements:
        marked = re.fullmatch(r"([\w.-]+).*;.*extra == ['\"](\w+)['\"].*", requirement)
        if not marked or marked[2] in FOR_DEVELOPERS:
            continue
        try:
            is_there = bool(version(marked[1]))
        except PackageNotFoundError:
            is_there = False
        complete[marked[2]] = complete.get(marked[2], True) and is_there
    return {extra for extra, is_complete in complete.items() if is_complete}
