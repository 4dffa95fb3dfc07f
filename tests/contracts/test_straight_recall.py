"""A question is parsed once: few functions get its text, because everybody else takes the parsed
query.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Vault

QUESTION = "why did we leave REST"
MOST_CALLS, MOST_FILES = 42, 16
# Counts the calls of our functions with the text as an argument, as typed or in lower case; a
# generator counts once.
COUNTING = """
import json, sys
import brain_cli
from brain_cli.__main__ import run

folder, text, calls = brain_cli.__path__[0], sys.argv[-1], {}

def count(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(folder):
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        given = [frame.f_locals.get(name) for name in names]
        if any(isinstance(each, str) and each.lower() == text.lower() for each in given):
            calls[frame] = f"{code.co_filename.removeprefix(folder)} {code.co_qualname}"

sys.setprofile(count)
run(sys.argv[1:])
sys.setprofile(None)
print(json.dumps([*calls.values()]), file=sys.stderr)
"""


def test_the_text_of_a_question_is_handed_on_to_few_functions(sample: Vault) -> None:
    sample.brain("index", "--vault", sample.folder)
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, "remember", QUESTION],
        capture_output=True,
        text=True,
        env=sample.brain.environ(BRAIN_VAULT=str(sample.folder)),
        check=True,
    )
    assert done.stdout
    calls = json.loads(done.stderr.splitlines()[-1])
    assert 0 < len(calls) <= MOST_CALLS, calls
    assert len({call.split()[0] for call in calls}) <= MOST_FILES, calls
