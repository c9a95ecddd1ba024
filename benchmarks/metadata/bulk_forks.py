"""Make very many forks at once, in plain SQL: the rows that so many calls would have written."""

from benchmarks.databases import Place, Sql

CHUNK = 100_000

_NUMBERS = {
    "postgres": "generate_series({first}, {last}) AS s(n)",
    "sqlite": (
        "(WITH RECURSIVE r(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM r WHERE n < {last}) SELECT n FROM r) AS s"
    ),
}
_CLOCK = {"postgres": "clock_timestamp()", "sqlite": "strftime('%Y-%m-%d %H:%M:%f', 'now') || '000+00'"}
_UUID = {
    "postgres": "gen_random_uuid()",
    "sqlite": (
        "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-'"
        " || hex(randomblob(2)) || '-' || hex(randomblob(6)))"
    ),
}


def bulk_fork_name(number: int) -> str:
    return f"fork-{number}"


def make_bulk_forks(place: Place, parent: str, count: int) -> None:
    """Fork a root catalog `count` times at its head."""
    with place.sql() as sql:
        catalog_id = reserve(sql, place, "entity", count)
        snapshot_id = reserve(sql, place, "snapshot", count)
        for first in range(0, count, CHUNK):
            last = min(first + CHUNK, count) - 1
            sql.run("BEGIN")
            for statement in _statements(place, parent, first, last, catalog_id, snapshot_id):
                sql.run(statement)
            sql.run("COMMIT")
    place.settle()


def _statements(place: Place, parent: str, first: int, last: int, catalog_id: int, snapshot_id: int) -> list[str]:
    new_uuid, now, numbers = uuid(place), clock(place), numbers_of(place, first, last)
    new, birth = f"{catalog_id} + s.n", f"{snapshot_id} + s.n"
    source = f"FROM {numbers} CROSS JOIN lake_catalog p WHERE p.catalog_name = '{parent}' AND p.end_snapshot IS NULL"
    return [
        f"INSERT INTO lake_catalog SELECT {new}, {new_uuid}, 'fork-' || s.n, 'fork-' || s.n, p.catalog_id,"
        f" p.head_snapshot, 1, {birth}, NULL, {birth}, {now}, p.schema_version {source}",
        f"INSERT INTO lake_catalog_ancestor SELECT {new}, 0, {new}, {2**63 - 1} FROM {numbers}",
        f"INSERT INTO lake_catalog_ancestor SELECT {new}, 1, p.catalog_id, p.head_snapshot {source}",
        f"INSERT INTO lake_snapshot SELECT {new}, {birth}, p.head_snapshot, {now}, p.schema_version,"
        f" 'forked_from:' || p.catalog_id, NULL, NULL, NULL, NULL {source}",
    ]


def numbers_of(place: Place, first: int, last: int) -> str:
    """A relation `s(n)` of these numbers."""
    return _NUMBERS[place.backend].format(first=first, last=last)


def clock(place: Place) -> str:
    """The current time as the database stores it."""
    return _CLOCK[place.backend]


def uuid(place: Place) -> str:
    """A new UUID for each row."""
    return _UUID[place.backend]


def reserve(sql: Sql, place: Place, sequence: str, count: int) -> int:
    """The first of `count` ids that nobody else will get."""
    if place.backend == "postgres":
        first = int(sql.value(f"SELECT nextval('lake_{sequence}_seq')"))
        sql.value(f"SELECT setval('lake_{sequence}_seq', {first + count - 1})")
        return first
    update = f"UPDATE lake_counter SET value = value + {count} WHERE name = '{sequence}' RETURNING value - {count}"
    return int(sql.value(update))
