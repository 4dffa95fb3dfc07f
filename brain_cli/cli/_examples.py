"""The examples at the end of each command's `--help`; a test runs them in the sample vault."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "remember": (
        "brain remember why did we leave rest",
        "brain remember 'kafka +retry -draft conf*' --type learning",
        "brain remember outbox --since 6months --format paths",
        "brain remember -i outbox",
    ),
    "recent": ("brain recent --since 2w", "brain recent --type decision -n 5"),
    "context": ("brain context", "brain context --prompt 'retry a payment' --profile deep"),
    "add": (
        "brain add 'Deploys go through the queue' --type learning",
        "echo 'The pump sticks in winter.' | brain add 'Boiler' --tag coffee",
        "echo 'It sticks in spring too.' | brain add --append grpc",
    ),
    "capture": (
        "echo 'We keep carts in Redis because polling was too slow.' | brain capture",
        "brain capture git --since 1y",
    ),
    "hooks": ("brain hooks status", "brain hooks install --capture", "brain hooks agent"),
    "import": (
        "brain import claude-mem ~/.claude-mem/claude-mem.db --dry-run",
        "brain import jsonl notes.jsonl",
    ),
    "export": ("brain export --jsonl > notes.jsonl",),
    "digest": ("brain digest --week", "brain digest --since 2026-11-01 --until 2026-11-15"),
    "show": ("brain show grpc", "brain show 'grpc#Consequences'", "brain show grpc --curve"),
    "open": ("brain open grpc", "brain open 'grpc#Consequences'"),
    "why": ("brain why grpc leave rest", "brain why decisions/grpc.md -q 'rest +json'"),
    "quality": ("brain quality grpc",),
    "related": ("brain related grpc -n 5",),
    "pin": ("brain pin grpc",),
    "unpin": ("brain unpin grpc",),
    "snooze": ("brain snooze grpc 2w", "brain snooze grpc 2027-01-01", "brain snooze grpc off"),
    "archive": ("brain archive goals-2026",),
    "restore": ("brain restore soap-gateway", "brain restore --last"),
    "forget": ("brain forget slow-order-search --yes",),
    "index": ("brain index", "brain index --watch --detach"),
    "daemon": ("brain daemon", "brain daemon stop"),
    "feedback": ("brain feedback grpc useful", "brain feedback grpc useful --undo"),
    "sleep": ("brain sleep", "brain sleep --apply"),
    "init": ("brain init", "brain init --history"),
    "status": ("brain status", "brain status --notes"),
    "report": ("brain report --out report.html",),
    "doctor": ("brain doctor", "brain doctor why decisions/grpc.md"),
    "model": ("brain model list", "brain model install minilm"),
    "config": ("brain config", "brain config set limit 5", "brain config limit", "brain config unset limit"),
    "score": ("""echo '{"signals": {"relevance": 0.8, "age_days": 30}}' | brain score --scorer clawdbot""",),
    "eval": ("brain eval questions --scorer blend",),
    "completions": ("brain completions bash > brain.bash",),
}
