"""Texts of any characters, for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st


def any_text(max_size: int | None = None) -> st.SearchStrategy[str]:
    """Return any texts that UTF-8 can encode.

    These are the texts of `st.text()`. It finds their characters by encoding each one, which takes
    a second in every process of a fresh clone; here they are those without surrogates.
    """
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=max_size)


# For the strings that `st.builds` makes by itself.
st.register_type_strategy(str, any_text())
