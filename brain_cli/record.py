"""Records: values with named fields, like named tuples, but quick to define.

Defining a named tuple takes longer than importing a module, and every command would define dozens.
"""

from typing import Any, Self, dataclass_transform


@dataclass_transform(frozen_default=True)
class Record:
    """A value whose fields are the annotated names of its class, with their defaults.

    A default must not be a function, because Python would make a method of it.
    """

    def __init_subclass__(cls) -> None:
        # A pattern may give the fields in their order.
        cls.__match_args__ = tuple(cls.__annotations__)  # type: ignore

    def __init__(self, *values: object, **named: object) -> None:
        if unknown := named.keys() - type(self).__annotations__.keys():
            raise TypeError(f"{type(self).__name__} has no field {', '.join(unknown)}")
        vars(self).update(zip(type(self).__annotations__, values, strict=False), **named)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._asdict() == other._asdict()

    def __hash__(self) -> int:
        return hash((*self._asdict().values(),))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._asdict()})"

    # The names of these methods are those of named tuples.
    def _asdict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {name: getattr(self, name) for name in type(self).__annotations__}

    def _replace(self, **changes: object) -> Self:
        """Return a copy with other values of some fields."""
        return type(self)(**{**vars(self), **changes})
