"""How long a shared memory may take."""

from typing import NamedTuple


class Patience(NamedTuple):
    """How long something may take, in seconds: all of it, one statement, and a lock.

    The server ends a statement before this program ends the connection.
    """

    whole: float
    statement: int
    lock: int


# After this long the vault answers alone, so an answer takes half a minute at most. It is also the
# limit of `status`, `doctor`, `show` and `add`.
QUESTION = Patience(whole=18.0, statement=15, lock=4)
EVENT = Patience(whole=6.0, statement=5, lock=3)
# Each portion of the notes of a vault.
PORTION = Patience(whole=660.0, statement=600, lock=10)
# For one transaction, so that it holds behind a pooler too. A timeout of the role or the database
# is kept.
SET_LIMITS = """
select set_config('lock_timeout', %(lock)s::text || 's', true)
    as lock, set_config('statement_timeout',
    coalesce(nullif(current_setting('statement_timeout'), '0'), %(statement)s::text || 's'), true)
        as statement
"""
