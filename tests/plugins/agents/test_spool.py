"""The spool is bounded: the oldest observations make room for new ones, whatever their sizes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from brain_cli.plugins.agents import spool
from brain_cli.plugins.agents.observation import Observation, to_line

BOUND = 4_000


@pytest.fixture(scope="module", autouse=True)
def small_bound() -> Iterator[None]:
    """Let the spool hold a few observations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool, "MAX_PENDING_BYTES", BOUND)
        yield


def sized(name: int, size: int) -> Observation:
    """Return an observation whose line has this size."""
    small = Observation(str(name), 1_700_000_000.0, response="x", folder="/")
    return small._replace(response="x" * (1 + size - len(to_line(small))))


def ids(folder: Path) -> list[str]:
    return [each.id for each in spool.Spool(str(folder)).observations()]


@given(sizes=st.lists(st.integers(300, BOUND), min_size=1, max_size=12))
@examples(200)
def test_the_newest_stay_and_the_dropped_are_counted(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int]
) -> None:
    folder, dropped = tmp_path_factory.mktemp("spool"), 0
    for name, size in enumerate(sizes):
        dropped += spool.Spool(str(folder)).append(sized(name, size))
        assert (folder / spool.PENDING).stat().st_size <= BOUND
        assert ids(folder) == [str(each) for each in range(dropped, name + 1)]


def test_an_observation_larger_than_half_of_the_bound_drops_no_more_than_it_must(tmp_path: Path) -> None:
    waiting = spool.Spool(str(tmp_path))
    waiting.append(sized(0, 1_000))
    waiting.append(sized(1, 2_500))
    assert waiting.append(sized(2, 1_400)) == 1
    assert ids(tmp_path) == ["1", "2"]


def test_an_observation_larger_than_the_bound_is_refused_and_costs_no_other(tmp_path: Path) -> None:
    waiting = spool.Spool(str(tmp_path))
    waiting.append(sized(0, 1_000))
    with pytest.raises(OSError, match="too large"):
        waiting.append(sized(1, BOUND + 1))
    assert ids(tmp_path) == ["0"]
