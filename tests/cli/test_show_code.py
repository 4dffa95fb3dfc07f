"""`brain show NOTE --code` prints the code of a note and nothing else."""

from __future__ import annotations

import json

import pytest
from conftest import Vault

NOTE = """# Pump

Prime it like so:

```sh
pump --prime
```

- or by hand

  ~~~
  lift
  ~~~

## Indented

Text:

    drain

## Prose

`inline` is not a block.
"""


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ("pump", "pump --prime\n\nlift\n\ndrain\n"),
        ("pump#Indented", "drain\n"),
        ("pump.md:18", "drain\n"),
    ],
)
def test_only_the_blocks_of_code_are_printed(vault: Vault, named: str, code: str) -> None:
    vault.note("pump.md", NOTE)
    answer = vault.brain("show", named, "--code", "--vault", vault.folder)
    assert (answer.code, answer.out, answer.err) == (0, code, "")


def test_json_lists_them(vault: Vault) -> None:
    vault.note("pump.md", NOTE)
    answer = vault.brain("show", "pump", "--code", "--json", "--vault", vault.folder)
    assert json.loads(answer.out)["code"] == ["pump --prime\n", "lift\n", "drain\n"]


def test_a_section_without_code_says_so(vault: Vault) -> None:
    vault.note("pump.md", NOTE)
    answer = vault.brain("show", "pump#Prose", "--code", "--vault", vault.folder)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == "brain: pump.md has no code block there.\n"
