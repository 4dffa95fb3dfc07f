"""Twenty invented sessions of coding agents, in the shape of Claude Code's transcripts, and what to
hand on from each.

`wanted` lists the decisions, conclusions and open points that a careful reader would hand on; each
is a group of words that one line must contain. `fine` may be handed on besides. Five sessions are
long: much work lies between their ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

Entry = dict[str, Any]


class Session(NamedTuple):
    """A session and its judgement; `decided` and `left_open` hold the words that a handoff has to
    contain.
    """

    name: str
    entries: list[Entry]
    decided: tuple[str, ...] = ()
    left_open: tuple[str, ...] = ()
    fine: tuple[str, ...] = ()


def user(text: str) -> Entry:
    return {"type": "user", "message": {"role": "user", "content": text}}


def agent(text: str) -> Entry:
    return {
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
    }


def tool(
    name: str, given: Any, result: str = "ok", *, failed: bool = False, number: str = "t"
) -> list[Entry]:
    use = {"type": "tool_use", "id": number, "name": name, "input": given}
    answer = {"type": "tool_result", "tool_use_id": number, "content": result, "is_error": failed}
    return [
        {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
        {"type": "user", "message": {"role": "user", "content": [answer]}},
    ]


def edit(path: str, new: str = "x = 1") -> list[Entry]:
    return tool("Edit", {"file_path": f"/shop/{path}", "old_string": "x = 0", "new_string": new})


def bash(command: str, result: str = "ok", *, failed: bool = False) -> list[Entry]:
    return tool("Bash", {"command": command}, result, failed=failed)


def todos(**status: str) -> list[Entry]:
    given = [{"content": name.replace("_", " "), "status": each} for name, each in status.items()]
    return tool("TodoWrite", {"todos": given}, "Todos have been modified")


def work(count: int) -> Iterator[Entry]:
    """Yield the entries of much work, with the remarks that an agent makes between its steps."""
    remarks = [
        "Let me look at the callers first.",
        "I see, the helper is used in three places because the old API needed it.",
        "Now I'll update the next file.",
        "The tests still fail in this module, let me check why.",
        "Next, I need to run the linter.",
        "Good, that works. Moving on.",
    ]
    for number in range(count):
        yield agent(remarks[number % len(remarks)])
        yield from tool(
            "Read", {"file_path": f"/shop/src/part{number}.py"}, f"def part_{number}(): ..."
        )
        yield from edit(f"src/part{number}.py")
        yield from bash("pytest -q tests/unit", f"{number} passed")


def answered(question: str, answer: str) -> list[Entry]:
    given = {
        "questions": [
            {"question": question, "options": [{"label": answer}, {"label": "Something else"}]}
        ]
    }
    return tool(
        "AskUserQuestion", given, f'User has answered your questions: "{question}"="{answer}".'
    )


SESSIONS = [
    Session(
        "a limit is changed twice",
        [
            user("hey, can you add rate limiting to the login endpoint? 5 attempts per minute"),
            agent("I'll add a limiter with 5 attempts per minute, using a fixed window."),
            *edit("auth/limits.py"),
            user("make it 10 per minute"),
            agent("Changed to 10 attempts per minute."),
            user("no wait, make it 20 but per hour, and use a sliding window"),
            *edit("auth/limits.py", "LIMIT = 20"),
            *bash("pytest tests/auth", "14 passed in 2.1s"),
            agent(
                "Done. The login endpoint now allows 20 attempts per hour with a sliding window. All 14 tests pass."
            ),
        ],
        decided=("20 per hour sliding",),
        fine=("login endpoint now allows 20", "14 tests pass"),
    ),
    Session(
        "a bug with a root cause",
        [
            user("Orders are charged twice sometimes. Find out why."),
            agent("I'll start with the payment worker."),
            *tool("Read", {"file_path": "/shop/pay/worker.py"}, "def charge(): ..."),
            agent("My first guess is the webhook retry, because it has no deduplication."),
            *bash("grep -rn idempotency pay", "pay/worker.py:14: key = uuid4()"),
            *edit("pay/worker.py"),
            *bash("pytest tests/pay", "31 passed"),
            agent(
                "Found it. The root cause is that the worker makes a new idempotency key on every retry, so the provider "
                "sees two charges. I fixed it by storing the key with the order.\n\nNot done: old orders have no stored "
                "key, so a backfill is needed before the deploy."
            ),
        ],
        decided=("new idempotency key every retry", "storing the key with the order"),
        left_open=("backfill before the deploy",),
    ),
    Session(
        "rules for all time",
        [
            user("Rename the module billing to invoicing"),
            *edit("invoicing/__init__.py"),
            agent("Renamed. I also reformatted the imports in the files that I touched."),
            user(
                "Please don't reformat files you didn't need to touch. From now on, one commit per rename."
            ),
            agent("Understood, I reverted the formatting and split the commits."),
            user("remember: the generated files in gen/ are never edited by hand"),
            agent("Noted. The rename is complete and everything compiles."),
        ],
        decided=("don't reformat files", "one commit per rename", "gen/ never edited by hand"),
        fine=("rename is complete", "reverted the formatting"),
    ),
    Session(
        "a question is answered",
        [
            user("Add caching to the product page"),
            agent("There are two ways to do this, so I will ask."),
            *answered("Where should the cache live?", "Redis"),
            *answered("How long may an entry live?", "15 minutes"),
            *edit("shop/cache.py"),
            agent(
                "The product page is cached in Redis for 15 minutes. Cache invalidation on price changes is still missing."
            ),
        ],
        decided=("cache live redis", "entry live 15 minutes"),
        left_open=("invalidation on price changes",),
        fine=("cached in Redis",),
    ),
    Session(
        "an approved plan",
        [
            user("We need to move the nightly export off the web server. Plan it first."),
            agent("Here is my plan."),
            *tool(
                "ExitPlanMode",
                {
                    "plan": "# Export worker\n\n1. Run the export in a Kubernetes CronJob at 02:00\n2. Write CSV files to the reports bucket\n3. Remove the export endpoint"
                },
                "User has approved your plan. You can now start coding.",
            ),
            *edit("deploy/export.yaml"),
            *todos(
                Write_the_CronJob="completed",
                Write_to_the_bucket="in_progress",
                Remove_the_export_endpoint="pending",
            ),
            agent("The CronJob is in place. I stopped here, as you asked."),
        ],
        decided=("CronJob 02:00", "CSV reports bucket", "remove the export endpoint"),
        left_open=("write to the bucket", "remove the export endpoint"),
        fine=("CronJob is in place", "Export worker"),
    ),
    Session(
        "tests fail at the end",
        [
            user("Upgrade SQLAlchemy to version 2"),
            *edit("requirements.txt", "sqlalchemy>=2"),
            *bash(
                "pytest -q",
                "3 failed, 210 passed\nFAILED tests/test_orders.py::test_bulk - sqlalchemy.exc.ArgumentError",
                failed=True,
            ),
            agent(
                "Most of it is migrated to the 2.0 style. Three tests still fail: the bulk insert uses the removed API."
            ),
        ],
        left_open=("three tests fail bulk insert",),
        fine=("pytest", "migrated to the 2.0 style"),
    ),
    Session(
        "a library is rejected",
        [
            user("Parse the bank's CSV statements. Use pandas."),
            *edit("bank/parse.py", "import pandas"),
            agent("I decided to use pandas.read_csv with a converter for amounts."),
            user(
                "Actually, drop pandas, it's too heavy for the lambda. Use the csv module instead."
            ),
            *edit("bank/parse.py", "import csv"),
            agent("Replaced pandas by the csv module. The package is 40 MB smaller now."),
        ],
        decided=("csv module",),
        fine=("40 MB smaller",),
    ),
    Session(
        "nothing is left",
        [
            user("Fix the typo in the welcome mail"),
            *edit("mail/welcome.txt", "Welcome"),
            agent("Fixed the typo in the subject line. Nothing else is left to do."),
        ],
        fine=("Fixed the typo",),
    ),
    Session(
        "the user postpones",
        [
            user("Set up Sentry for the API"),
            *edit("api/app.py"),
            agent(
                "Sentry is initialised with the DSN from the environment. Should I add it to the worker too?"
            ),
            user("not now, we'll do the worker next week after the release"),
            agent("OK, then the API is done. Releases are tagged with the git hash."),
        ],
        left_open=("worker next week",),
        fine=("Sentry is initialised", "Releases are tagged", "the API is done"),
    ),
    Session(
        "a bare yes",
        [
            user("The search is slow on staging, have a look"),
            *bash("psql -c 'explain analyze ...'", "Seq Scan on products (cost=0.00..88112)"),
            agent(
                "The cause is a sequential scan: the trigram index was dropped in migration 51. Should I recreate the index concurrently?"
            ),
            user("yes"),
            *edit("migrations/52.sql"),
            agent(
                "Migration 52 recreates the index concurrently. The query takes 12 ms instead of 900 ms. Production has not been migrated yet."
            ),
        ],
        decided=("trigram index dropped migration 51", "recreate index concurrently"),
        left_open=("production not migrated",),
        fine=("12 ms instead of 900",),
    ),
    Session(
        "tasks of the new kind",
        [
            user("Build the refund flow"),
            *tool(
                "TaskCreate",
                {"subject": "Refund endpoint", "description": "POST /refunds"},
                "Task #1 created successfully: Refund endpoint",
            ),
            *tool(
                "TaskCreate",
                {"subject": "Refund mail to the customer", "description": "template"},
                "Task #2 created successfully: Refund mail to the customer",
            ),
            *tool(
                "TaskCreate",
                {"subject": "Ledger entry for refunds", "description": "booking"},
                "Task #3 created successfully: Ledger entry for refunds",
            ),
            *edit("refunds/api.py"),
            *tool("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1"),
            *tool("TaskUpdate", {"taskId": "3", "status": "in_progress"}, "Updated task #3"),
            user("refunds above 500 euros must always need a second approval"),
            *edit("refunds/api.py"),
            agent("Refunds above 500 euros now need a second approval."),
        ],
        decided=("500 euros second approval",),
        left_open=("refund mail to the customer", "ledger entry for refunds"),
    ),
    Session(
        "a summary with headings",
        [
            user("Migrate the CI from Jenkins to GitHub Actions"),
            *edit(".github/workflows/ci.yml"),
            agent(
                "The migration is finished for the main pipeline.\n\n## What changed\n- Lint, test and build run in parallel jobs\n"
                "- The cache key includes the lock file\n\n## Remaining\n- Nightly performance job\n- Delete the Jenkinsfile once two releases went through\n"
            ),
        ],
        left_open=("nightly performance job", "delete the jenkinsfile"),
        fine=("parallel jobs", "cache key", "main pipeline"),
    ),
    Session(
        "a choice between two",
        [
            user("Should we use websockets or server-sent events for the order status?"),
            agent(
                "Server-sent events are simpler: one direction, plain HTTP, reconnects for free. Websockets only pay off for two-way traffic. I recommend server-sent events."
            ),
            user("ok go with SSE then. But keep the polling endpoint for old apps."),
            *edit("status/sse.py"),
            agent(
                "Implemented the SSE stream; the polling endpoint is unchanged. I couldn't test it behind the load balancer, that needs a check on staging."
            ),
        ],
        decided=("go with SSE", "keep the polling endpoint"),
        left_open=("load balancer staging",),
        fine=("Implemented the SSE stream",),
    ),
    Session(
        "a false start is taken back",
        [
            user("The image upload times out for big files"),
            agent("The problem is the 30 second timeout of nginx. I will raise it to 300 seconds."),
            *edit("nginx.conf", "proxy_read_timeout 300s;"),
            user(
                "no, revert that. We never raise proxy timeouts, upload directly to S3 with presigned URLs"
            ),
            *edit("nginx.conf", "proxy_read_timeout 30s;"),
            *edit("upload/presign.py"),
            agent(
                "Reverted the timeout. Uploads now go directly to S3 with a presigned URL that is valid for ten minutes.\nTODO: the bucket's CORS rule has to be applied by ops."
            ),
        ],
        decided=("upload directly to S3 presigned",),
        left_open=("CORS rule ops",),
        fine=("Reverted the timeout", "never raise proxy timeouts"),
    ),
    Session(
        "only talk",
        [
            user("hi"),
            agent("Hello! What can I do for you?"),
            user("what does the flag --frozen of uv do?"),
            agent("It installs from the lock file without checking that it is up to date."),
        ],
        fine=("installs from the lock file",),
    ),
    Session(
        "long: a port with a change of mind at the start",
        [
            user("Port the admin pages from jQuery to React. Keep the URLs as they are."),
            agent("I'll use Redux for state, because several pages share the filters."),
            user("wait, no Redux please. Use plain context."),
            *work(40),
            user("also never use default exports"),
            *work(10),
            *todos(
                Port_the_user_list="completed",
                Port_the_audit_log="pending",
                Remove_jQuery="pending",
            ),
            agent(
                "14 of 16 pages are ported with plain React context. The audit log page is not ported yet, since its table needs virtual scrolling."
            ),
        ],
        decided=("keep the URLs", "plain context", "never default exports"),
        left_open=("audit log", "remove jquery"),
        fine=("14 of 16 pages",),
    ),
    Session(
        "long: a hunt with wrong guesses",
        [
            user("The memory of the worker grows until it is killed. Find the leak."),
            agent("The root cause is probably the metrics client, because it keeps every label."),
            *work(30),
            agent("That was not it: the metrics client is innocent, memory grows without it too."),
            *work(30),
            *edit("images/resize.py"),
            agent(
                "The leak turned out to be the image library: decoded frames stay referenced in the LRU cache. I bounded the cache to 64 MB. Memory stays at 310 MB after two hours of load."
            ),
            user("great. bump the dashboard alert to 500 MB as well"),
            *edit("alerts.yaml"),
            agent("The alert fires at 500 MB now. What remains is to watch production for a day."),
        ],
        decided=("decoded frames LRU cache", "bounded the cache 64 MB", "alert 500 MB"),
        left_open=("watch production for a day",),
        fine=("310 MB after two hours",),
    ),
    Session(
        "long: a schema with many decisions",
        [
            user("Design the tables for subscriptions. We sell monthly and yearly plans."),
            *answered("Should prices be stored in cents or as decimals?", "Cents, as integers"),
            *work(25),
            user("let's use soft deletes for plans"),
            *work(25),
            user("instead of soft deletes, archive plans into a second table"),
            *work(5),
            user("and always store times in UTC"),
            agent(
                "The tables plans, subscriptions and archived_plans exist, with times in UTC. Next step: the migration of the 1,200 legacy customers."
            ),
        ],
        decided=("cents integers", "archive plans second table", "times in UTC"),
        left_open=("1,200 legacy customers",),
        fine=("The tables plans",),
    ),
    Session(
        "long: blocked at the end",
        [
            user("Integrate the new tax service"),
            *work(45),
            user("use the sandbox for tests, never the live endpoint"),
            *work(10),
            agent(
                "The client and its tests are ready. I'm blocked on the credentials for the sandbox: the request to finance is pending."
            ),
            user("ok leave it, I'll get the credentials tomorrow"),
            agent("Alright. The branch tax-service is pushed."),
        ],
        decided=("sandbox for tests never live",),
        left_open=("credentials sandbox",),
        fine=(
            "credentials tomorrow",
            "branch tax-service is pushed",
            "client and its tests are ready",
        ),
    ),
    Session(
        "long: resolved on the way",
        [
            user("Make the build reproducible"),
            agent(
                "Still missing: timestamps in the archive, the order of files, and the compiler's paths."
            ),
            *work(30),
            agent("The timestamps are fixed. The order of files is not done yet."),
            *work(30),
            user("use SOURCE_DATE_EPOCH rather than a constant"),
            *edit("build/archive.py"),
            agent(
                "Two builds are now byte-identical: the archive sorts its files and takes SOURCE_DATE_EPOCH, and paths are mapped. Windows has not been tested."
            ),
        ],
        decided=("SOURCE_DATE_EPOCH",),
        left_open=("Windows not tested",),
        fine=("byte-identical",),
    ),
]
