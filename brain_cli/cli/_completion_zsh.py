"""The completion script for zsh, to be autoloaded or sourced."""

from __future__ import annotations

from collections.abc import Mapping

SCRIPT = r"""#compdef brain
# Completion of brain for zsh. Written by `brain completions zsh`.

_brain() {
    local -a commands=(
COMMANDS
    )
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe -t commands command commands
        return
    fi

    local -a response plain described
    local kind value about
    response=("${(@f)$(env COMP_WORDS="${words[1,CURRENT]}" COMP_CWORD=$((CURRENT - 1)) \
        _BRAIN_COMPLETE=complete_zsh ${~words[1]} 2>/dev/null)}")
    # After an = the value alone is completed.
    [[ $PREFIX == --*=* ]] && compset -P '--*='
    for kind value about in $response; do
        case $kind in
            dir) _path_files -/ ;;
            file) _path_files ;;
            plain)
                if [[ $about == _ ]]; then
                    plain+=($value)
                else
                    described+=("$value:$about")
                fi
                ;;
        esac
    done
    (( $#described )) && _describe -t values value described -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}'
    (( $#plain )) && compadd -a plain
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _brain "$@"
else
    compdef _brain brain
fi
"""


def script(commands: Mapping[str, str]) -> str:
    """Return the script, with the commands in it and what each is for."""
    lines = (f"        {_quoted(f'{name}:{about}')}" for name, about in commands.items())
    return SCRIPT.replace("COMMANDS", "\n".join(lines))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
