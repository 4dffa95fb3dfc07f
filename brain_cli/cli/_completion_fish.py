"""The completion script for fish 3 and later."""

from __future__ import annotations

from collections.abc import Mapping

SCRIPT = r"""# Completion of brain for fish. Written by `brain completions fish`.

function __brain_complete
    set -l word (commandline -ct)
    # After an = the value alone is completed, and the whole word replaced.
    set -l before (string match -r -- '^--[^=]+=' $word)
    set -l program (commandline -opc)[1]
    env _BRAIN_COMPLETE=complete_fish COMP_WORDS=(commandline -cp | string collect) COMP_CWORD="$word" \
        $program 2>/dev/null | while read -l line
        set -l item (string split -m 1 -- , $line)
        switch $item[1]
            case dir
                __fish_complete_directories (string replace -- "$before" '' $word)
            case file
                __fish_complete_path (string replace -- "$before" '' $word)
            case plain
                echo -- "$before"$item[2]
        end
    end
end

function __brain_wants_command
    test (count (commandline -opc)) -eq 1; and not string match -q -- '-*' (commandline -ct)
end

complete -c brain -f
complete -c brain -n 'not __brain_wants_command' -a '(__brain_complete)'
COMMANDS
"""


def script(commands: Mapping[str, str]) -> str:
    """Return the script, with the commands in it and what each is for."""
    lines = (
        f"complete -c brain -n __brain_wants_command -a {name} -d {_quoted(about)}" for name, about in commands.items()
    )
    return SCRIPT.replace("COMMANDS", "\n".join(lines))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
