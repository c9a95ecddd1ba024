"""The fork function of PostgreSQL: it takes the names that Python takes, and reads no table as a whole."""

import sys
import unicodedata
from collections.abc import Iterator

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import InvalidName
from forklake.model.names import check_catalog_name
from tests.conftest import Place

NAMES = [
    "", ".", "..", "...", ".a", "a b", "a/b", "a\\b", "/", "\\", "a'b", 'a"b', "$$", "%s", "a\u2003b", "é",
    "\U0001f986", "x" * 255, "x" * 256, "é" * 127, "é" * 128, "[a]", "^a$", "-", "\ufeffa", "a\u200b", "u0001", "NULL",
]  # fmt: skip
# All that anybody could take for white space or for a control character.
STRANGE = [
    character
    for character in map(chr, [*range(1, 0xD800), *range(0xE000, sys.maxunicode + 1)])
    if character.isspace() or unicodedata.category(character) in {"Cc", "Cf", "Zs", "Zl", "Zp"}
]


def python_takes(name: str) -> bool:
    try:
        check_catalog_name(name)
    except InvalidName:
        return False
    return True


@pytest.fixture
def session(postgres_place: Place) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    lake = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema, create=True)
    create_catalog(lake, "main")
    lake.close()
    options = f"-c search_path={postgres_place.metadata_schema}"
    with psycopg.connect(postgres_place.url.removeprefix("postgres:"), options=options, autocommit=True) as opened:
        yield opened


def postgres_takes(session: psycopg.Connection[tuple[object, ...]], name: str) -> bool:
    try:
        session.execute("SELECT 1 FROM ducklake_fork_catalog('main', %s)", [name])
    except psycopg.Error as error:
        if error.sqlstate != "FL005":
            raise
        return False
    return True


def test_a_name_is_taken_or_refused_by_both(
    session: psycopg.Connection[tuple[object, ...]], postgres_place: Place
) -> None:
    strange = [name for character in STRANGE for name in (f"{character}a", f"a{character}", f"a{character}b")]
    names = list(dict.fromkeys([*NAMES, *strange]))
    taken = [name for name in names if python_takes(name)]
    assert 0 < len(taken) < len(names)
    assert [name for name in names if postgres_takes(session, name)] == taken
    lake = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema)
    assert [find_catalog(lake, name).name for name in taken[:100]] == taken[:100]
    lake.close()


def test_no_name_is_refused_by_the_function(session: psycopg.Connection[tuple[object, ...]]) -> None:
    with pytest.raises(psycopg.Error) as refused:
        session.execute("SELECT 1 FROM ducklake_fork_catalog('main', NULL)")
    assert refused.value.sqlstate == "FL005"


def test_a_session_that_knew_the_lake_when_it_was_small_reads_no_table_as_a_whole(
    session: psycopg.Connection[tuple[object, ...]],
) -> None:
    tables = ("lake_catalog", "lake_catalog_ancestor", "lake_snapshot")

    def whole_scans() -> object:
        session.execute("SELECT pg_stat_force_next_flush()")
        [found] = session.execute(
            "SELECT array_agg(seq_scan ORDER BY relname) FROM pg_stat_user_tables"
            " WHERE schemaname = current_schema() AND relname = ANY(%s)",
            [list(tables)],
        ).fetchall()
        return found

    session.execute("ANALYZE " + ", ".join(tables))
    seen = []
    for attempt in range(3):
        before = whole_scans()
        for number in range(20):
            session.execute("SELECT 1 FROM ducklake_fork_catalog('main', %s)", [f"f{attempt}_{number}"])
        seen.append((before, whole_scans()))
    # A session that has ended may tell of its scans a little later.
    assert any(before == after for before, after in seen), seen
