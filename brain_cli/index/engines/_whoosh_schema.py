"""The schema of the Whoosh index. Stock Whoosh reads it with the index, and queries the fields by its analyzer."""

from __future__ import annotations

from collections.abc import Iterator

from whoosh import analysis, columns, fields, formats

from brain_cli.index import ABOUT, BODY, IN_LINKS
from brain_cli.vault.analyzer import LANGUAGE_BY_CODE, terms


class RecallAnalyzer(analysis.Analyzer):  # type: ignore[misc]
    """Splits a text into the terms of a note in any language, because each note is indexed in its own."""

    def __call__(self, value: str, **_: object) -> Iterator[analysis.Token]:
        token = analysis.Token()
        languages = dict.fromkeys(LANGUAGE_BY_CODE.values())
        for token.text in dict.fromkeys(term for language in languages for term in terms(value, language)):
            yield token


class Words(fields.TEXT):  # type: ignore[misc]
    """A field of terms with weights and a length; its posting lists are written whole (see `_whoosh_writer`)."""

    def __init__(self) -> None:
        super().__init__(analyzer=RecallAnalyzer(), phrase=False)
        self.format = formats.Existence()


SCHEMA = fields.Schema(
    note_id=fields.COLUMN(columns.NumericColumn("I")),
    length=fields.COLUMN(columns.NumericColumn("I")),
    fragment=fields.STORED,
    **{BODY: Words(), ABOUT: Words(), IN_LINKS: Words()},
)
