"""Prompts to a coding agent: forty about what the sample vault knows, and sixty ordinary ones that
need no memory; and those in the repositories of five projects, whose notes are five_projects.tsv.

Each of the forty names the notes of which one answers it, and words of the answer; the empty note
is any note.
"""

from __future__ import annotations

JUDGED: list[tuple[str, tuple[str, ...]]] = [
    ("why did we move the internal APIs to gRPC?", ("decisions/grpc",)),
    ("why do we use kafka and not rabbitmq", ("decisions/kafka-over-rabbitmq", "projects/kafka-architecture")),
    ("add a feature flag for the new checkout, where do our flags live?", ("decisions/feature-flags-in-postgres",)),
    ("how do idempotency keys work for payments here", ("decisions/idempotency-keys", "incidents/double-charge")),
    ("the outbox: do we poll or use debezium?", ("decisions/outbox-with-debezium", "decisions/outbox-by-polling", "learnings/outbox-pattern")),
    ("how are orders partitioned in postgres", ("decisions/partition-orders-by-month",)),
    ("set up the python project, uv or poetry?", ("decisions/uv-over-poetry", "decisions/poetry-for-python")),
    ("what caused the double charge last time", ("incidents/double-charge",)),
    ("the dead letter queue is filling up, what did we do before?", ("incidents/dead-letter-queue-overflow", "how-to/replay-dead-letters")),
    ("replay the dead letters of yesterday", ("how-to/replay-dead-letters", "incidents/dead-letter-queue-overflow")),
    ("a kafka broker ran out of disk", ("incidents/disk-full-kafka-broker",)),
    ("the certificate expired, how do I rotate it", ("how-to/rotate-certificates", "incidents/expired-certificate")),
    ("restore postgres from the backup", ("how-to/restore-postgres-from-backup",)),
    ("order search is slow again", ("incidents/slow-order-search",)),
    ("how should consumers handle the same message twice", ("learnings/idempotent-consumers", "research/exactly-once-delivery")),
    ("is exactly once delivery possible with kafka", ("research/exactly-once-delivery",)),
    ("add retries with jitter to the client", ("learnings/retries-and-jitter",)),
    ("profile the start-up time of the python cli", ("how-to/profile-python-startup",)),
    ("how does the restic backup of the homelab run", ("how-to/restic-backup-homelab", "projects/homelab")),
    ("what is our p99 goal", ("goals/p99-under-200ms",)),
    ("what are the goals for 2026", ("goals/goals-2026",)),
    ("how do I like code reviews to be written", ("preferences/code-review-style",)),
    ("when can I schedule a meeting in the mornings", ("preferences/meeting-free-mornings",)),
    ("who knows the payments ledger", ("people/priya-raman", "people/ingrid-solheim", "projects/payments-ledger")),
    ("what does Hanna Okafor work on", ("people/hanna-okafor",)),
    ("explain bm25 the way we noted it", ("research/bm25-explained",)),
    ("trade-offs of vector search", ("research/vector-search-trade-offs",)),
    ("which note tools did we compare", ("research/note-tools-compared",)),
    ("what do forgetting curves say", ("research/forgetting-curves",)),
    ("state of the tide clock project", ("projects/tide-clock",)),
    ("how is the order service structured", ("projects/order-service",)),
    ("the kafka topics and their retention", ("projects/kafka-architecture", "incidents/disk-full-kafka-broker")),
    ("what are the cancellation fees", ("journal/2026-06-03",)),
    ("where did we leave off?", ("handoff/2026-11-20-on-call",)),
    ("what did we discuss recently", ("handoff/2026-11-20-on-call", "journal/2026-11-19")),
    ("what is still open from on-call", ("handoff/2026-11-20-on-call", "handoff/2026-11-13-on-call")),
    ("why did we drop REST for internal calls", ("decisions/grpc", "decisions/rest-for-internal-apis")),
    ("continue where we stopped yesterday", ("handoff/2026-11-20-on-call",)),
    ("does the outbox connector need a heartbeat", ("decisions/outbox-with-debezium", "learnings/outbox-pattern")),
    ("who is Tomasz Zielinski", ("people/tomasz-zielinski",)),
]  # fmt: skip

ORDINARY = """
run the tests
rename foo to bar
fix the failing test
fix the typo
add a docstring to this function
commit this
push it
format the code
why does this not compile
explain this function
make the button blue
write a unit test for parse_date
remove the unused imports
yes
ok do it
continue
thanks, looks good
undo the last change
what does this regex match
split this file in two
add type hints
sort the list by name
the test times out, fix it
bump the version to 1.4.2
update the readme
convert this loop to a comprehension
use a dataclass here
add logging to main.py
delete the commented code
why is this variable None
print the first ten lines of the file
make it faster
create a new branch
open a pull request
resolve the merge conflict
install the dependencies
write a Dockerfile
add a .gitignore
what is the difference between a list and a tuple
how do I center a div
translate this comment to English
add a progress bar
catch the exception and log it
replace print by logging
extract this into a helper
make the function async
the linter complains, fix it
show me the diff
revert that file
add an option --verbose
use f-strings
is there a bug in this loop
simplify the condition
generate a migration
move this class to its own file
add a test for the empty list
check the types with mypy
give me a one-line summary of this file
rewrite it in rust
stop
""".strip().splitlines()

# Prompts in a repository of one of the five projects, each with a part of the path of the answer.
IN_PROJECTS: list[tuple[str, str, str]] = [
    ("ledger", "why are amounts integers?", "amounts-are"),
    ("ledger", "how did the double booking happen", "double-booking"),
    ("ledger", "write the migration for the invoices table by hand or generate it?", "migrations-are"),
    ("ledger", "when does the nightly reconciliation fail", "nightly"),
    ("ledger", "where did we stop with the yearly statement export", "yearly"),
    ("ledger", "which digits do exchange rates have", "rounding"),
    ("ledger", "is event sourcing worth it for us", "event-sourcing"),
    ("ledger", "do we write docstrings here?", "docstrings"),
    ("ledger", "idempotency token lost on retry", "double-booking"),
    ("ledger", "the async session fails on commit, do we need a fresh transaction", "async"),
    ("storefront", "why does the cart use grpc", "checkout"),
    ("storefront", "http client socket leak, have we had that", "http-client"),
    ("storefront", "vitest or jest", "vitest"),
    ("storefront", "prettier and eslint disagree about quotes", "prettier"),
    ("storefront", "where do feature flags live", "feature-flags"),
    ("storefront", "stale prices on the search page again", "stale-prices"),
    ("storefront", "what is left of the coupon parser", "coupon"),
    ("telemetry", "how long do we keep raw readings", "raw-readings"),
    ("telemetry", "sensor clocks drift", "clocks-drift"),
    ("telemetry", "what is the regex for device ids", "regex-for"),
    ("telemetry", "who is Jonas Weber", "jonas"),
    ("telemetry", "flash of the gateways wears out", "flash"),
    ("compiler", "why a pratt parser", "pratt"),
    ("compiler", "constant folding overflows", "constant-folding"),
    ("compiler", "mold or ld for linking?", "linking"),
    ("compiler", "linear scan or graph colouring", "register"),
    ("blog", "feed dates are wrong", "feed"),
    ("blog", "dark mode code blocks are grey", "dark-mode"),
    ("blog", "why does the page jump when images load", "images-need"),
    ("ledger", "did any project have trouble with idempotency of http client sockets", "http-client"),
    ("ledger", "did we use grafana anywhere for dashboards?", "grafana"),
    ("telemetry", "i want to add hourly means of raw readings, ok?", "raw-readings"),
    ("compiler", "use mold for linking, ok?", "linking"),
    ("stranger", "how did we fix the socket leak of the http client after a timeout?", "http-client"),
]  # fmt: skip

# Prompts that need no memory in any of them.
ORDINARY_IN_PROJECTS = """
run the tests again
fix the failing tests please
add logging here
rename this method
make the function shorter
what does this do?
why is this slow?
update the changelog
write the tests first
refactor this into smaller functions
use a dataclass
remove the print statements
check if it works
now do the same for the other file
looks good, commit and push
open a PR
merge main into this branch
rebase on main
add types
add a comment that explains the regex
can you simplify the parser?
move the constants to a config file
install the missing package
generate the docs
bump dependencies
show me the diff
look at the error in the terminal
the page is blank, fix it
delete the dead code
make it pass lint
write a script that imports the csv
create a new module for this
add a button to the page
translate this to German
sort the imports
what changed since yesterday?
explain how this works
try again
stop
undo that
let him fail at estimating
explain the error messages
close the connection after the timeout
wtf is going on here
hmm, that's not what I meant
same for the other two endpoints
give it another go but keep the old signature
screenshot attached, the header overlaps the nav
why is CI red?
use tabs not spaces
can we drop python 3.8?
write a bash one-liner that counts the files per extension
how many lines of code is this repo
bin gleich zurück, mach bitte weiter
refaktoriere die Funktion und schreib Tests
is it safe to delete this branch?
summarize the last 5 commits
let's take a break, write down where we are
mock the http client in the tests
enable strict mode in tsconfig
close all open connections on shutdown
the cart icon is misaligned
any idea why the mock isn't called?
should this be a class or a function
k do the second option
rename users to accounts everywhere
what time is it
you forgot the return type
the sidebar flickers when I scroll
pip install fails on windows
make a release branch
replace moment with date-fns
log the output of the build
""".strip().splitlines()
