# Completion of brain for bash. Written by `brain completions bash`.

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
        COMPREPLY=($(compgen -W 'remember recent context add capture hooks import export digest show open why quality related pin unpin snooze archive restore forget index daemon feedback sleep review init status report doctor model config score eval tune mcp completions' -- "$word"))
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
