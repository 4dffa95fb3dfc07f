"""Handoffs hold what was said: judged on twenty-six made sessions of seven clients in six languages, as transcripts.

Each line of sessions.jsonl has what a session `said` that a handoff must hold, words of `useful`
decisions, of `open` points, and the `questions` of a developer who comes back, with their answers;
`|` separates answers, `;` words that all have to be there.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from growth import assert_linear
from measured import keep

from brain_cli.plugins.agents.handoff import decisions, handoff, open_points
from brain_cli.plugins.agents.observation import observed_use
from brain_cli.plugins.agents.session import AGENT, USER, Transcript, Turn
from brain_cli.plugins.agents.transcript import transcript_of
from brain_cli.plugins.agents.typed import asked, orders_to_remember

SESSIONS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("sessions.jsonl").read_text("utf-8").splitlines()
]
LEAST_HELD, LEAST_USEFUL, LEAST_ANSWERED, MOST_BYTES = 0.8, 0.75, 25 / 30, 4_000


def sections(session: dict[str, Any]) -> dict[str, str]:
    draft = handoff(transcript_of(session["entries"]), "s", "/srv/shop", 1.0)
    parts = re.split(r"^## (.+)\n", draft.text if draft else "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def lines(text: str) -> list[str]:
    return [line[2:] for line in text.splitlines() if line.startswith("- ")]


def has(text: str, wanted: str) -> bool:
    return any(
        all(words.strip().casefold() in text.casefold() for words in each.split(";"))
        for each in wanted.split("|")
    )


def test_a_handoff_holds_what_was_said_and_decided() -> None:
    counts = dict.fromkeys(("said", "held", "decided", "useful", "open", "found", "asked"), 0)
    counts["answered"] = longest = 0
    missed = []
    for session in SESSIONS:
        parts = sections(session)
        text = "\n".join(parts.values())
        longest = max(longest, len(text.encode()))
        decided = lines(parts.get("Decided", ""))
        judged = {
            "held": [(each, has(text, each)) for each in session["said"]],
            "useful": [
                (line, any(has(line, each) for each in session["useful"])) for line in decided
            ],
            "found": [
                (each, has(parts.get("Left open", ""), each)) for each in session["open"]
            ],
            "answered": [(each, has(text, answer)) for each, answer in session["questions"]],
        }
        for total, (name, results) in zip(
            ("said", "decided", "open", "asked"), judged.items(), strict=True
        ):
            counts[total] += len(results)
            counts[name] += sum(fits for _, fits in results)
            missed += [
                f"{session['name']}: {name}: {each}" for each, fits in results if not fits
            ]
    print("\n".join([*missed, str(counts), f"longest {longest}"]))
    if os.environ.get("UPDATE"):
        command = "UPDATE=1 python -m pytest tests/plugins/agents/test_handoff_quality.py"
        figures = [
            ("things said that it holds", "≥ .80", f"{counts['held']} of {counts['said']}"),
            (
                "decisions that are useful",
                "≥ .75",
                f"{counts['useful']} of {counts['decided']}",
            ),
            ("open points that it names", "≥ .80", f"{counts['found']} of {counts['open']}"),
            ("questions answered", "≥ .83", f"{counts['answered']} of {counts['asked']}"),
            ("bytes, at most", f"{MOST_BYTES:,}", f"{longest:,}"),
        ]
        rows = [dict(zip(("what", "bar", "now"), row, strict=True)) for row in figures]
        keep("handoffs", command, rows)
    assert len(SESSIONS) == 26
    assert counts["held"] >= LEAST_HELD * counts["said"], missed
    assert counts["useful"] >= LEAST_USEFUL * counts["decided"], missed
    assert counts["found"] >= LEAST_HELD * counts["open"], missed
    assert counts["answered"] >= LEAST_ANSWERED * counts["asked"], missed
    assert longest <= MOST_BYTES


DECIDED = """
Ab jetzt keine Mails mehr direkt aus dem Controller verschicken.
Wir bleiben bei Postgres 16 auf dem Testserver.
Nimm lieber die kleine Variante statt der grossen Tabelle.
On garde l'ancien format des exports CSV.
N'utilise plus jamais la base de production pour les tests.
Désormais chaque commit porte le numéro du ticket.
Nunca guardes contraseñas en el registro de eventos.
Usa fechas ISO en lugar de fechas locales.
A partir de ahora los informes van en PDF.
Non usare mai la stampante del magazzino.
D'ora in poi i prezzi sono senza IVA.
Nunca envies emails a partir do ambiente de testes.
Gebruik voortaan alleen de nieuwe kaartlezer.
Nooit wachtwoorden in de logboeken schrijven.
Zawsze zapisuj daty w formacie ISO.
Od teraz używamy tylko jednej bazy danych.
今後はログに名前を書かないでください。
Ventil 3 soll frueher schliessen, merk dir: Ventile nie laenger als 10 Minuten offen
the tests are slow here, remember: run only the changed ones
設定はYAMLではなくTOMLにしましょう。
""".strip().splitlines()
UNDECIDED = """
Was denkst du über die neue Tabelle im Export?
Kannst du die Tests noch einmal laufen lassen?
Pourquoi le bouton est toujours gris ?
Peux-tu relancer les tests unitaires ?
¿Por qué falla siempre la compilación?
Puoi spiegarmi la funzione del parser?
Waarom is de knop altijd grijs?
Dlaczego test zawsze pada na serwerze?
テストを実行してください。
原因を調べて直してください。
Das verstehe ich nicht, erklär es bitte genauer.
Je ne comprends pas le message du compilateur.
""".strip().splitlines()
OPEN = """
Der Import ist noch nicht getestet.
Es fehlt noch die Übersetzung der Fehlermeldungen.
Il reste à migrer les brouillons.
La page d'accueil n'est pas encore traduite.
Queda pendiente la migración de los usuarios.
Aún no está probado el envío de correos.
Manca ancora la traduzione dei messaggi.
Falta testar o envio de emails.
De vertaling is nog niet af.
Do zrobienia: tłumaczenie komunikatów.
メール送信はまだテストしていません。
""".strip().splitlines()


@pytest.mark.parametrize("sentence", DECIDED)
def test_a_decision_in_another_language_is_kept(sentence: str) -> None:
    assert decisions((Turn(USER, sentence),)) == [sentence]


@pytest.mark.parametrize("sentence", UNDECIDED)
def test_a_question_or_an_order_in_another_language_decides_nothing(sentence: str) -> None:
    assert decisions((Turn(USER, sentence),)) == []


@pytest.mark.parametrize("sentence", OPEN)
def test_what_an_agent_leaves_open_in_another_language_is_kept(sentence: str) -> None:
    turns = (Turn(USER, "build the export"), Turn(AGENT, sentence))
    assert open_points(Transcript(turns)) == [sentence]


FAILING = [
    ("make test", "FAIL: test_close (expected 10 got 20)\nExit Code: 2"),
    ("go test ./...", "--- FAIL: TestClose (0.00s)\nFAIL\tshop/cart\t0.012s\nFAIL"),
    ("npx jest", "FAIL src/cart.test.ts\nTests:       1 failed, 3 passed, 4 total"),
    ("npm test", "1..3\nnot ok 3 - closes valve"),
    ("cargo test", "test result: FAILED. 3 passed; 1 failed; 0 ignored"),
    ("dotnet test", "Failed!  - Failed:     1, Passed:     3"),
    ("mvn test", "[ERROR] Tests run: 3, Failures: 1, Errors: 0"),
    (
        "ctest",
        "2/3 Test #2: close ............***Failed    0.01 sec\n67% tests passed, 1 tests failed out of 3",
    ),
    ("npm run test:mocha", "  3 passing (10ms)\n  1 failing"),
    ("vendor/bin/phpunit tests", "FAILURES!\nTests: 3, Assertions: 5, Failures: 1."),
    ("bundle exec rspec test", "3 examples, 1 failure"),
    ("swift test", "Executed 3 tests, with 1 failure (0 unexpected) in 0.01 seconds"),
    ("./gradlew test", "> Task :test FAILED\nBUILD FAILED in 3s"),
    ("tox -e test", "ERROR: InvocationError for command pytest (exited with code 1)"),
    ("npm run build", "src/a.ts(3,5): error TS2322: Type 'string' is not assignable"),
    ("make build", "make: *** [Makefile:3: build] Error 2"),
    ("uv run pytest", "E   AssertionError\n==== 1 failed, 3 passed in 0.1s ===="),
    ("elixir mix test", "3 tests, 1 failure"),
    ("ruff check .", "Found 3 errors."),
    ("npm run test", "✖ 1 test failed"),
    ("bazel test //...", "//cart:close_test FAILED in 0.3s"),
    ("pnpm test", "ELIFECYCLE  Command failed with exit code 1."),
    ("cargo build", "error[E0382]: borrow of moved value"),
    ("python -m unittest test_a", "FAILED (failures=1)"),
    ("deno test", "FAILED | 3 passed | 1 failed (10ms)"),
]
PASSING = [
    ("make test", "PASS: all\nExit Code: 0"),
    ("go test ./...", "ok  \tshop/cart\t0.012s"),
    ("npx jest", "Tests:       4 passed, 4 total"),
    ("mvn test", "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0"),
    ("bundle exec rspec test", "3 examples, 0 failures"),
    ("swift test", "Executed 3 tests, with 0 failures (0 unexpected)"),
    ("cargo test", "test result: ok. 3 passed; 0 failed; 0 ignored"),
    ("npm run test:mocha", "3 passing (10ms)"),
    ("uv run pytest", "==== 3 passed in 0.1s ===="),
    ("npm test", "1..1\nok 1 - does not fail when not ok"),
    ("ctest", "100% tests passed, 0 tests failed out of 3"),
    ("npm run build", "✓ built in 3s, 0 errors, 0 warnings"),
    ("pytest test_failures.py", "tests/test_failures.py ... [100%]\n3 passed"),
    ("make lint", "no errors found"),
]


def failing(command: str, output: str) -> list[str]:
    session = Transcript()
    session.used(observed_use("Bash", {"command": command}, output))
    return session.failing()


@pytest.mark.parametrize(("command", "output"), FAILING)
def test_a_check_that_fails_is_left_open(command: str, output: str) -> None:
    [line] = failing(command, output)
    assert line.startswith(f"`{command}` fails: ")


@pytest.mark.parametrize(("command", "output"), PASSING)
def test_a_check_that_passes_is_not(command: str, output: str) -> None:
    assert failing(command, output) == []


ORDERS = {
    "Merk dir: die Rechnungen gehen am Ersten raus": "die Rechnungen gehen am Ersten raus",
    "retiens que les factures partent le premier": "les factures partent le premier",
    "s'il te plaît, désormais écris les commits en anglais": "écris les commits en anglais",
    "por favor recuerda que el servidor está en Madrid": "el servidor está en Madrid",
    "Ricorda che le fatture partono il primo": "le fatture partono il primo",
    "Lembra-te que as faturas saem no dia um": "as faturas saem no dia um",
    "onthoud dat de facturen op de eerste weggaan": "de facturen op de eerste weggaan",
    "zapamiętaj, że faktury wychodzą pierwszego": "faktury wychodzą pierwszego",
    "覚えておいて、請求書は一日に送る": "請求書は一日に送る",
    "erinnerst du dich, dass die Rechnungen fehlen?": "",
    "pourquoi désormais en anglais ?": "",
}


@pytest.mark.parametrize("prompt", ORDERS)
def test_an_order_to_remember_in_another_language_is_kept(prompt: str) -> None:
    assert orders_to_remember(prompt) == ORDERS[prompt]


@pytest.mark.parametrize("said", ["Understood.", "OK.", "Erledigt."])
def test_a_bare_answer_is_not_the_outcome_of_a_session(said: str) -> None:
    turns = (
        Turn(USER, "Never raise the quota of the export."),
        Turn(AGENT, "The quota stays at 20 GB."),
        Turn(USER, "yep"),
        Turn(AGENT, said),
    )
    draft = handoff(Transcript(turns), "s", "/shop", 1.0)
    assert draft
    assert lines(draft.text.partition("## Outcome")[2]) == ["The quota stays at 20 GB."]
    assert "yep" not in draft.text


@pytest.mark.parametrize("text", ["und ", "please ", "thanks, ", "<!-- ", "- ", "使", "まだ"])
def test_what_is_asked_and_decided_is_found_in_linear_time(text: str) -> None:
    def read(prompt: str) -> None:
        asked(prompt)
        handoff(Transcript((Turn(USER, prompt), Turn(AGENT, prompt))), "s", "/shop", 1.0)

    assert_linear(read, lambda times: text * times, 2_000)


def test_a_patch_of_a_shell_names_its_files() -> None:
    patch = (
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.ts\n*** End Patch\nEOF"
    )
    arguments = json.dumps({"command": ["bash", "-lc", patch]})
    call = {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": "c"}
    entries = [{"type": "response_item", "payload": call}]
    assert [*transcript_of(entries).files] == ["src/a.ts"]


PASTED = [
    "[nodemon] starting\nhandle.docSync() is deprecated. Use doc() instead.\n[WARN] URL is NOT set",
    "(node:1) ExperimentalWarning: `--loader` may be removed; instead use `register()`:",
    "=> WARN: always use 'AS' instead of 'as' (line 5)",
    "2026-11-02T10:11:12Z INFO always use keepalive\n2026-11-02T10:11:13Z INFO never retry",
    "```\nnever use eval in here\n```",
    "> never use eval in here",
    "src/a.ts:14:3 - always use const instead of let",
    "ann@host:~/shop$ npm run never-use\nnpm ERR! always use npm ci instead of npm install",
    'Traceback (most recent call last):\n  File "/w/a.py", line 3, in b\nKeyError: never use it',
    "[11/02/26 17:41 dev ~/shop] lint\na.go:96:4: Use fmt.Fprintf instead of WriteString\n3 issues:",
]


@pytest.mark.parametrize("pasted", PASTED)
def test_what_was_pasted_decides_nothing_and_is_not_what_was_asked(pasted: str) -> None:
    turns = (
        Turn(USER, "Keep the old preview next to the new one."),
        Turn(AGENT, "Done."),
        Turn(USER, f"I get this when I start it:\n{pasted}\n\nit was fine on monday"),
    )
    assert decisions(turns) == ["Keep the old preview next to the new one."]
    assert decisions((*turns, Turn(USER, pasted))) == [
        "Keep the old preview next to the new one."
    ]
    draft = handoff(Transcript((*turns, Turn(USER, pasted))), "s", "/shop", 1.0)
    assert draft
    asked = draft.text.partition("## Decided")[0]
    assert lines(asked) == [
        "Keep the old preview next to the new one.",
        "I get this when I start it: it was fine on monday",
    ]


def test_only_a_sentence_of_the_user_that_names_the_subject_takes_a_decision_back() -> None:
    first = Turn(USER, "Never store thumbnails in the uploads bucket.")
    others = (
        Turn(AGENT, "Actually, I store thumbnails in the uploads bucket instead."),
        Turn(USER, "No, revert that."),
        Turn(USER, "Actually forget the sidebar, it is fine."),
    )
    assert decisions((first, *others)) == [first.text]
    back = Turn(USER, "Actually, do store thumbnails in the uploads bucket, we need them.")
    assert decisions((first, *others, back)) == []


def test_the_last_five_decisions_are_kept_in_order() -> None:
    turns = [Turn(USER, f"Never touch the folder vendor{n} by hand.") for n in range(8)]
    assert [each[-10] for each in decisions(turns)] == list("34567")


@pytest.mark.parametrize(
    "said",
    [
        "why do we always use redis here?",
        "I don't know why it never works",
        "it always fails with that flag",
        "run the tests",
        "make it faster",
        "use it",
        "we only do the worker next week",
    ],
)
def test_questions_complaints_and_orders_of_the_moment_decide_nothing(said: str) -> None:
    assert decisions((Turn(USER, said),)) == []


@pytest.mark.parametrize("yes", ["yes", "ok do it", "agreed", "ja, genau"])
def test_what_the_agent_concluded_counts_once_the_user_confirms_it(yes: str) -> None:
    concluded = Turn(AGENT, "Prices flow one way, so I recommend server-sent events.")
    assert decisions((concluded,)) == []
    assert decisions((concluded, Turn(USER, yes))) == [concluded.text]


def test_a_long_session_folds_its_oldest_prompts() -> None:
    prompts = [
        f"Explain the module number {n} and its part in invoices, " * 3 for n in range(60)
    ]
    turns = tuple(Turn(USER, each) for each in prompts)
    draft = handoff(Transcript(turns), "s", "/shop", 1.0)
    assert draft
    asked = lines(draft.text.partition("## Decided")[0])
    assert len(draft.text.encode()) <= 2_600
    assert re.fullmatch(r"\(\d\d earlier prompts\)", asked[0])
    assert "number 59" in asked[-1]
    assert len(asked[1]) < len(asked[-1]) <= 200


@pytest.mark.parametrize(
    ("said", "is_open"),
    [
        ("It has 9 cm RMSE, and it needs no training.", False),
        ("SQLite attaches at most 10 databases, so a query over a year fails.", False),
        ("Nothing is left to do.", False),
        ("I have not written the incident report.", True),
        (
            "Production has no Postgres yet, so ops must install it before the next deploy.",
            True,
        ),
        ("The invalidation is still missing.", True),
        ("Offen ist noch das Logo der Kopfzeile.", True),
    ],
)
def test_an_open_point_is_work_and_no_fact(said: str, is_open: bool) -> None:
    assert open_points(Transcript((Turn(AGENT, said),))) == [said] * is_open
