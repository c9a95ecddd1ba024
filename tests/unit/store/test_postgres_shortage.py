"""A server that lacks disk or memory is there, and is not said to be out of reach."""

import psycopg
import pytest

from forklake.errors import StoreError
from forklake.store.postgres_errors import translate_error


@pytest.mark.parametrize("error", [psycopg.errors.DiskFull, psycopg.errors.OutOfMemory])
def test_a_shortage_is_told_in_the_servers_words(error: type[psycopg.Error]) -> None:
    told = translate_error(error("could not extend file: No space left on device"), "postgres:here")
    assert type(told) is StoreError
    assert str(told) == "postgres:here lacks required objects: could not extend file: No space left on device."
