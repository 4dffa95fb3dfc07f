"""The formats by name. To add one, see brain_cli/render/__init__.py."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from brain_cli.errors import UnknownNameError, did_you_mean
from brain_cli.extension import OWN_FORMATS, Table
from brain_cli.render import Traits
from brain_cli.render.rows import Template

FORMATS: Table[str] = Table("formats", OWN_FORMATS)
AUTO = "auto"


def is_template(name: str) -> bool:
    """Return whether the name of a format is a template."""
    return "{" in name


def load_format(name: str) -> Any:
    """Return a format by name, or that of a template (render/__init__.py).
    Raise UsageError for one that does not exist.
    """
    if is_template(name):
        return Template(name)
    place = FORMATS.find(name)
    if not place:
        raise UnknownNameError(
            f"There is no format “{name}”.", did_you_mean(name, (AUTO, *FORMATS))
        )
    return import_module(place)


def traits_of(format_name: str) -> Traits:
    """Return the traits of a format; UsageError for one that does not exist."""
    found: Traits = getattr(load_format(format_name), "TRAITS", Traits())
    return found
