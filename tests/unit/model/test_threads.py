"""Work on several items at once."""

from threading import current_thread, get_ident

import pytest

from forklake.model.threads import map_in_threads


def test_results_are_in_the_order_of_the_items() -> None:
    assert map_in_threads(lambda number: number * 2, list(range(100)), 8) == list(range(0, 200, 2))


@pytest.mark.parametrize("items", [[], [1]])
def test_a_single_item_needs_no_thread(items: list[int]) -> None:
    assert map_in_threads(lambda _: get_ident(), items, 8) == [get_ident() for _ in items]


def test_several_items_have_threads_of_their_own() -> None:
    assert current_thread() not in map_in_threads(lambda _: current_thread(), [1, 2], 8)


@pytest.mark.parametrize("items", [[0], [1, 0, 2]])
def test_an_error_is_raised(items: list[int]) -> None:
    with pytest.raises(ZeroDivisionError):
        map_in_threads(lambda number: 1 // number, items, 8)
