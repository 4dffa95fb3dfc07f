"""Thirty situations in which work begins, on the sample vault: where one stands, and which notes
should come up.

`wanted` should come up; `fine` may come up beside them without being noise. A situation that wants
nothing is one in which silence is the right answer. The dates are those of the sample vault: work
begins on 2026-11-21.
"""

from __future__ import annotations

from typing import NamedTuple


class Situation(NamedTuple):
    """A folder below its repository (both by name), the branch, the files changed lately, the words
    of a prompt.
    """

    name: str
    repository: str
    folder: str = ""
    branch: str = "main"
    files: tuple[str, ...] = ()
    prompt: str = ""
    wanted: tuple[str, ...] = ()
    fine: tuple[str, ...] = ()


ORDERS = ("handoff/2026-11-20-on-call", "projects/order-service")
PAYMENTS = (
    "projects/payments-ledger",
    "people/priya-raman",
    "people/ingrid-solheim",
    "decisions/idempotency-keys",
)
KAFKA = (
    "decisions/kafka-over-rabbitmq",
    "projects/kafka-architecture",
    "incidents/disk-full-kafka-broker",
    "research/exactly-once-delivery",
    "learnings/idempotent-consumers",
    "decisions/outbox-with-debezium",
    "learnings/outbox-pattern",
    "decisions/outbox-by-polling",
)
DEAD_LETTERS = ("incidents/dead-letter-queue-overflow", "how-to/replay-dead-letters")
CERTIFICATES = ("incidents/expired-certificate", "how-to/rotate-certificates")
POSTGRES = (
    "decisions/partition-orders-by-month",
    "incidents/slow-order-search",
    "how-to/restore-postgres-from-backup",
    "decisions/feature-flags-in-postgres",
    "goals/p99-under-200ms",
)
DOUBLE_CHARGE = (
    "incidents/double-charge",
    "decisions/idempotency-keys",
    "learnings/retries-and-jitter",
)
SEARCH = (
    "research/bm25-explained",
    "research/vector-search-trade-offs",
    "research/note-tools-compared",
)
# The handoff and the pinned notes of a project come up wherever in it one stands.
FINE = (
    *ORDERS,
    "handoff/2026-11-13-on-call",
    "decisions/grpc",
    "how-to/restore-postgres-from-backup",
    "projects/kafka-architecture",
)

SITUATIONS = [
    Situation(
        "root of orders",
        "orders",
        wanted=ORDERS,
        fine=(
            *KAFKA,
            *POSTGRES,
            *DEAD_LETTERS,
            "people/diego-marques",
            "people/hanna-okafor",
            "decisions/grpc",
        ),
    ),
    Situation(
        "root of payments",
        "payments",
        wanted=PAYMENTS[:1],
        fine=(*PAYMENTS, *DOUBLE_CHARGE, "learnings/idempotent-consumers"),
    ),
    Situation(
        "root of homelab",
        "homelab",
        wanted=("projects/homelab",),
        fine=("how-to/restic-backup-homelab",),
    ),
    Situation("root of tide-clock", "tide-clock", wanted=("projects/tide-clock",)),
    Situation(
        "a branch on retries",
        "payments",
        branch="fix/double-charge-on-retry",
        wanted=DOUBLE_CHARGE[:2],
        fine=(*PAYMENTS, *DOUBLE_CHARGE, "learnings/idempotent-consumers"),
    ),
    Situation(
        "a branch on dead letters",
        "orders",
        branch="feature/dead-letter-alerts",
        wanted=DEAD_LETTERS,
        fine=(*FINE, *KAFKA),
    ),
    Situation(
        "a branch on partitions",
        "orders",
        branch="partition-cleanup",
        wanted=POSTGRES[:1],
        fine=(*FINE, *POSTGRES),
    ),
    Situation(
        "a branch on outbox",
        "orders",
        branch="outbox-debezium-heartbeat",
        wanted=("decisions/outbox-with-debezium", "learnings/outbox-pattern"),
        fine=(*FINE, *KAFKA),
    ),
    Situation(
        "a branch on feature flags",
        "orders",
        branch="feature-flags-rollout",
        wanted=("decisions/feature-flags-in-postgres",),
        fine=(*FINE, "people/hanna-okafor"),
    ),
    Situation(
        "a folder on search",
        "orders",
        "internal/search",
        wanted=("incidents/slow-order-search",),
        fine=(*FINE, *POSTGRES),
    ),
    Situation(
        "a folder on rpc",
        "orders",
        "internal/rpc",
        wanted=("decisions/grpc",),
        fine=(*FINE, "decisions/rest-for-internal-apis", "goals/p99-under-200ms"),
    ),
    Situation(
        "a folder on the ledger",
        "payments",
        "ledger",
        wanted=("projects/payments-ledger",),
        fine=(*PAYMENTS, *DOUBLE_CHARGE),
    ),
    Situation(
        "a folder of kafka",
        "orders",
        "infra/kafka",
        wanted=("projects/kafka-architecture", "decisions/kafka-over-rabbitmq"),
        fine=(*FINE, *KAFKA, *DEAD_LETTERS, *CERTIFICATES),
    ),
    Situation(
        "a changed file that a note names",
        "payments",
        files=("payments/psp_client.py",),
        wanted=("incidents/double-charge", "decisions/idempotency-keys"),
        fine=(*PAYMENTS, *DOUBLE_CHARGE),
    ),
    Situation(
        "a changed file on postings",
        "payments",
        files=("payments/ledger/postings.py",),
        wanted=("projects/payments-ledger",),
        fine=(*PAYMENTS, *DOUBLE_CHARGE),
    ),
    Situation(
        "changed search code",
        "orders",
        files=("orders/internal/search/search.go",),
        wanted=("incidents/slow-order-search",),
        fine=(*FINE, *POSTGRES),
    ),
    Situation(
        "changed connector",
        "orders",
        files=("infra/kafka/connect/orders-outbox.json",),
        wanted=("decisions/outbox-with-debezium",),
        fine=(*FINE, *KAFKA),
    ),
    Situation(
        "changed booking code",
        "orders",
        files=("orders/internal/booking/book.go",),
        wanted=("projects/order-service",),
        fine=(*FINE, *KAFKA, "people/hanna-okafor", "journal/2026-06-03"),
    ),
    Situation(
        "a prompt about rotation",
        "platform",
        prompt="the certificate of the broker expires next week",
        wanted=CERTIFICATES,
        fine=("incidents/disk-full-kafka-broker",),
    ),
    Situation(
        "a prompt about restore",
        "orders",
        prompt="restore the database from last night's backup",
        wanted=("how-to/restore-postgres-from-backup",),
        fine=(*FINE, *POSTGRES, "how-to/restic-backup-homelab"),
    ),
    Situation(
        "a prompt about reviews",
        "orders",
        prompt="how should I write this code review",
        wanted=("preferences/code-review-style",),
        fine=FINE,
    ),
    Situation(
        "a prompt about start-up",
        "notes",
        prompt="why does the command take so long to start",
        wanted=("how-to/profile-python-startup",),
        fine=SEARCH,
    ),
    Situation(
        "a prompt about ranking",
        "notes",
        prompt="tune bm25 or use vectors",
        wanted=("research/bm25-explained", "research/vector-search-trade-offs"),
        fine=(*SEARCH, "research/forgetting-curves"),
    ),
    Situation(
        "a prompt about packaging",
        "scripts",
        prompt="which tool for python dependencies, uv or poetry",
        wanted=("decisions/uv-over-poetry",),
        fine=("decisions/poetry-for-python",),
    ),
    Situation(
        "a prompt about cancellation",
        "orders",
        prompt="what are the cancellation fees",
        wanted=("journal/2026-06-03",),
        fine=(*FINE, "people/hanna-okafor"),
    ),
    Situation(
        "a prompt about backups at home",
        "homelab",
        prompt="did the restic backup run",
        wanted=("how-to/restic-backup-homelab",),
        fine=("projects/homelab",),
    ),
    Situation("a strange repository", "knitting-patterns"),
    Situation("a strange folder in a strange repository", "website", "themes/dark"),
    Situation("a strange branch", "recipes", branch="add-sourdough"),
    Situation(
        "a prompt on nothing known",
        "recipes",
        prompt="how long does sourdough prove in a cold kitchen",
    ),
]
