"""The ignore files that apply in one folder: its own, and those of the folders above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brain_cli.vault.ignore import IgnoreRules
    from brain_cli.vault.ignore_pattern import Pattern

# Obsidian's list of excluded files counts as a further ignore file of the whole vault.
OBSIDIAN_SETTINGS = ".obsidian/app.json"


class RuleChain:
    """The ignore files of one folder, and those of the folders above it; read when the first name is matched."""

    def __init__(self, folder: str, paths: list[str], above: RuleChain | None) -> None:
        self._folder = folder
        # Sorted, `.brainignore` comes first and so decides first.
        self._paths = sorted(paths)
        self._above = above
        self._rules: list[IgnoreRules] | None = None

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Return whether a path is ignored; the nearest folder's rules decide, as in git."""
        decided = self.deciding_pattern(path, is_folder)
        return decided is not None and not decided[1].negated

    def deciding_pattern(self, path: str, is_folder: bool) -> tuple[str, Pattern] | None:
        """Return the ignore file and the pattern that decide about a path; None if no pattern matches it."""
        chain: RuleChain | None = self
        while chain:
            below = path[len(chain._folder) + 1 :] if chain._folder else path
            for file, rules in zip(chain._paths, chain._read(), strict=True):
                pattern = rules.deciding_pattern(below, is_folder)
                if pattern is not None:
                    return file, pattern
            chain = chain._above
        return None

    def _read(self) -> list[IgnoreRules]:
        """Return the rules of each ignore file, read on the first use."""
        if self._rules is None:
            self._rules = [_read_rules(path) for path in self._paths]
        return self._rules


def _read_rules(path: str) -> IgnoreRules:
    if path.endswith(OBSIDIAN_SETTINGS):
        from brain_cli.vault.obsidian_settings import read_excluded

        return read_excluded(path)
    from brain_cli.vault.ignore import read_rules

    return read_rules(path)
