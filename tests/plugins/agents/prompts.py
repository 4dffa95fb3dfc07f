"""Prompts to a coding agent: forty about what the sample vault knows, and sixty ordinary ones that
need no memory.

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
