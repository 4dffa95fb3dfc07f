"""The schema of the Whoosh index, for writing."""

from __future__ import annotations

from brain_cli.index import ABOUT, BODY, IN_LINKS
from brain_cli.index.engines._whoosh_import import lean_imports

with lean_imports():
    from whoosh import columns, fields, formats


class Words(fields.FieldType):  # type: ignore[misc]
    """A field of terms with weights; its posting lists are written whole (see `_whoosh_postings`)."""

    indexed = True
    scorable = False
    stored = False
    vector = None
    column_type = None
    analyzer = None
    spelling = False
    format = formats.Existence()

    def __init__(self) -> None:
        pass


SCHEMA = fields.Schema(
    note_id=fields.COLUMN(columns.NumericColumn("I")),
    length=fields.COLUMN(columns.NumericColumn("I")),
    fragment=fields.STORED,
    **{BODY: Words(), ABOUT: Words(), IN_LINKS: Words()},
)
