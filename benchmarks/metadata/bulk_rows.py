"""Make very many tables or snapshots of a catalog at once, in plain SQL: the rows that so many calls would write."""

from benchmarks.databases import Place, Sql
from benchmarks.metadata.bulk_forks import clock, numbers_of, reserve, uuid


def make_bulk_tables(place: Place, catalog: str, count: int) -> None:
    """Copies of the table `events`, without rows."""
    with place.sql() as sql:
        first = reserve(sql, place, "entity", count)
        sql.run(
            f"INSERT INTO lake_object SELECT o.catalog_id, {first} + s.n, o.begin_snapshot, NULL, o.kind, o.schema_id,"
            f" 'table-' || s.n, 'table-' || s.n, {uuid(place)}, 'table-' || s.n || '/', o.definition"
            f" FROM {numbers_of(place, 0, count - 1)} CROSS JOIN lake_object o JOIN lake_catalog c"
            f" ON c.catalog_id = o.catalog_id WHERE c.catalog_name = '{catalog}' AND o.name = 'events'"
        )


def make_bulk_snapshots(place: Place, catalog: str, count: int) -> None:
    """A history that ends at a new head."""
    with place.sql() as sql:
        [(catalog_id, head)] = _head(sql, catalog)
        first = reserve(sql, place, "snapshot", count)
        sql.run("BEGIN")
        sql.run(
            f"INSERT INTO lake_snapshot SELECT {catalog_id}, {first} + s.n,"
            f" CASE s.n WHEN 0 THEN {head} ELSE {first} + s.n - 1 END, {clock(place)}, p.schema_version,"
            " 'inlined_insert:0', NULL, NULL, NULL, NULL"
            f" FROM {numbers_of(place, 0, count - 1)} CROSS JOIN lake_snapshot p"
            f" WHERE p.catalog_id = {catalog_id} AND p.snapshot_id = {head}"
        )
        sql.run(
            f"UPDATE lake_catalog SET head_snapshot = {first + count - 1}, head_time = {clock(place)}"
            f" WHERE catalog_id = {catalog_id}"
        )
        sql.run("COMMIT")


def _head(sql: Sql, catalog: str) -> list[tuple[int, int]]:
    found = sql.rows(f"SELECT catalog_id, head_snapshot FROM lake_catalog WHERE catalog_name = '{catalog}'")
    return [(int(catalog_id), int(head)) for catalog_id, head in found]
