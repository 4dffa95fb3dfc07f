"""Completion scripts for bash, zsh and fish.

The scripts contain the names of the commands, so that completing a command starts no process. Everything else is
completed by running `brain`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

# Bash 3.2 and later.
BASH = r"""# Completion of brain for bash. Written by `brain completions bash`.

_brain_completion() {
    local IFS=$' \t\n' cur=${COMP_WORDS[COMP_CWORD]} rest=$COMP_LINE program=${1/#\~\//$HOME/}
    local part word glued kind value words=()
    # Bash also splits words at = and :, brain does not.
    for part in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if [[ ${#words[@]} -gt 0 && $rest != [[:space:]]* ]]; then
            words[${#words[@]}-1]+=$part
        else
            words+=("$part")
        fi
        rest=${rest#"${rest%%[![:space:]]*}"}
        rest=${rest#"$part"}
    done
    [[ $cur == [=:] ]] && cur=
    word=${words[${#words[@]}-1]}
    glued=${word%"$cur"}
    COMPREPLY=()
    if [[ ${#words[@]} -eq 2 && $word != -* ]]; then
        COMPREPLY=($(compgen -W 'COMMANDS' -- "$word"))
        return
    fi
    while IFS=, read -r kind value; do
        case $kind in
            dir) compopt -o dirnames 2>/dev/null ;;
            file) compopt -o default 2>/dev/null ;;
            plain)
                value=${value#"$glued"}
                case $cur in
                    \"*)
                        value=${value//\\/\\\\} value=${value//\"/\\\"}
                        value=${value//\$/\\\$} value=${value//\`/\\\`}
                        ;;
                    \'*) value=${value//\'/\'\\\'\'} ;;
                    *) printf -v value %q "$value" ;;
                esac
                COMPREPLY+=("$value")
                ;;
        esac
    done < <(
        env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) _BRAIN_COMPLETE=complete_bash \
            "$program" 2>/dev/null
    )
}

complete -o nosort -F _brain_completion brain 2>/dev/null || complete -F _brain_completion brain
"""

# This one may be autoloaded or sourced.
ZSH = r"""#compdef brain
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
    # After = only the value is completed.
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

# Fish 3 and later.
FISH = r"""# Completion of brain for fish. Written by `brain completions fish`.

function __brain_complete
    set -l word (commandline -ct)
    # After = only the value is completed, but the whole word is replaced.
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


def _bash(commands: Mapping[str, str]) -> str:
    return BASH.replace("COMMANDS", " ".join(commands))


def _zsh(commands: Mapping[str, str]) -> str:
    lines = (f"        {_zsh_quoted(f'{name}:{about}')}" for name, about in commands.items())
    return ZSH.replace("COMMANDS", "\n".join(lines))


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish(commands: Mapping[str, str]) -> str:
    lines = (
        f"complete -c brain -n __brain_wants_command -a {name} -d {_fish_quoted(about)}"
        for name, about in commands.items()
    )
    return FISH.replace("COMMANDS", "\n".join(lines))


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# To add a shell: a script above, a function that fills in the commands and their help, and a line here.
SCRIPTS: Mapping[str, Callable[[Mapping[str, str]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
