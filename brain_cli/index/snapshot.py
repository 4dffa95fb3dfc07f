"""An index opened for reading: catalogue and postings of one and the same generation."""

from __future__ import annotations

import time
from dataclasses import dataclass

from brain_cli.index import Index, engine
from brain_cli.index.catalogue import Catalogue
from brain_cli.index.place import DAMAGED, Place, read_catalogue


class BrokenIndexError(Exception):
    """The index cannot be read; it is a cache and can be built anew."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One generation: what is known of the notes, and where their words are."""

    catalogue: Catalogue
    index: Index


def open_snapshot(place: Place) -> Snapshot:
    """Open the current generation; BrokenIndexError with the reason when that cannot be done."""
    place.check_owner()
    for _ in range(10):
        catalogue, why = read_catalogue(place)
        build = place.build()
        if catalogue is None or build is None:
            raise BrokenIndexError(why or DAMAGED)
        try:
            index = engine().open(str(build))
        except FileNotFoundError:
            time.sleep(0.01)
            continue
        except Exception as error:  # whatever unpickling a damaged file raises
            raise BrokenIndexError(DAMAGED) from error
        if index.generation == catalogue.generation:
            return Snapshot(catalogue, index)
        index.close()
    raise BrokenIndexError(DAMAGED)
