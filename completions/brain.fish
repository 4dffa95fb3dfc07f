# Completion of brain for fish. Written by `brain completions fish`.

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
complete -c brain -n __brain_wants_command -a remember -d 'Recall what your notes know.'
complete -c brain -n __brain_wants_command -a recent -d 'List the newest notes, those of this project first.'
complete -c brain -n __brain_wants_command -a context -d 'Show what to know on starting work in this folder.'
complete -c brain -n __brain_wants_command -a add -d 'Write a new note.'
complete -c brain -n __brain_wants_command -a capture -d 'Keep an observation from a hook, a pipe or git.'
complete -c brain -n __brain_wants_command -a hooks -d 'Install git and agent hooks.'
complete -c brain -n __brain_wants_command -a import -d 'Import the memories of another program as notes.'
complete -c brain -n __brain_wants_command -a export -d 'Write all notes as JSON lines.'
complete -c brain -n __brain_wants_command -a digest -d 'Summarize a period: new, recalled and fading notes, open tasks.'
complete -c brain -n __brain_wants_command -a show -d 'Show a note, or one section of it.'
complete -c brain -n __brain_wants_command -a open -d 'Open a note in your editor.'
complete -c brain -n __brain_wants_command -a why -d 'Explain why a query does or does not find a note.'
complete -c brain -n __brain_wants_command -a quality -d 'Show the quality of a note, and how to improve it.'
complete -c brain -n __brain_wants_command -a related -d 'Show the notes related to a note.'
complete -c brain -n __brain_wants_command -a pin -d 'Keep a note from fading.'
complete -c brain -n __brain_wants_command -a unpin -d 'Let a note fade again.'
complete -c brain -n __brain_wants_command -a snooze -d 'Leave a note out of recall for a while.'
complete -c brain -n __brain_wants_command -a archive -d 'Take a note out of ordinary recall.'
complete -c brain -n __brain_wants_command -a restore -d 'Bring a note back from the archive.'
complete -c brain -n __brain_wants_command -a forget -d 'Move a note to the trash.'
complete -c brain -n __brain_wants_command -a index -d 'Update the index from the notes.'
complete -c brain -n __brain_wants_command -a daemon -d 'Show or stop the daemons that answer recalls from memory.'
complete -c brain -n __brain_wants_command -a feedback -d 'Rate a note as useful or wrong.'
complete -c brain -n __brain_wants_command -a sleep -d 'Report how memories fade, and propose what to archive.'
complete -c brain -n __brain_wants_command -a review -d 'Review the memories that are about to fade.'
complete -c brain -n __brain_wants_command -a init -d 'Make a folder a vault that is found from anywhere inside it.'
complete -c brain -n __brain_wants_command -a status -d 'Show how many memories there are, how old and how strong.'
complete -c brain -n __brain_wants_command -a report -d 'Draw the vault as one HTML page: time, strength, recalls, links.'
complete -c brain -n __brain_wants_command -a doctor -d 'Check the vault, its index, its history and its notes.'
complete -c brain -n __brain_wants_command -a model -d 'Install a model that finds notes by meaning.'
complete -c brain -n __brain_wants_command -a config -d 'Show or change the settings, and where each comes from.'
complete -c brain -n __brain_wants_command -a score -d 'Evaluate a formula: JSON lines of signals in, scores out.'
complete -c brain -n __brain_wants_command -a eval -d 'Evaluate recall on judged questions.'
complete -c brain -n __brain_wants_command -a tune -d 'Fit the ranking to your own judged questions or feedback.'
complete -c brain -n __brain_wants_command -a mcp -d 'Serve the vault to an agent over the Model Context Protocol.'
complete -c brain -n __brain_wants_command -a completions -d 'Print the completion script for bash, zsh or fish.'
