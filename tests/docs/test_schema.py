"""The published JSON schema is that of the program, and every kind of answer is valid by it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from examples import in_ci

if TYPE_CHECKING:
    from conftest import Vault

sys.path.insert(0, str(Path(__file__).parent))

from schema import SCHEMA, written


def test_the_schema_is_up_to_date() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == written(), "run: python tests/docs/schema.py"


@pytest.mark.parametrize(
    "query",
    [
        "why did we leave REST",
        in_ci("duplicate payments"),
        in_ci("winter phone contract"),
        "SOAP gateway",
        "zeppelin",
    ],
)
def test_an_answer_is_valid_by_the_schema(query: str, sample: Vault) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(sample.remember(query), schema)
    plain = sample.brain("remember", query, "--json", "--no-touch", "--vault", sample.folder)
    jsonschema.validate(plain.json, schema)
