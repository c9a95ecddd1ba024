"""A table of very many files, of which only the first exists: the others are rows of metadata, with other keys."""

from benchmarks.databases import Place, Sql

_SERIES = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {files} - 1)"
_CHANGED = {
    "data_file_id": "data_file_id + n",
    "path": "'missing-' || n || '.parquet'",
    "row_id_start": "record_count * n",
    "file_order": "coalesce(file_order, 0) + n",
}
"""How a file differs from the first one."""
_BOUNDS = ("min_key", "max_key", "min_value", "max_value")


def multiply_files(place: Place, prefix: str, files: int, rows: int) -> None:
    """Adds files to the only table of a lake, which has so many rows in one file, with keys from 0 on.

    The prefix is that of the names of metadata tables. A lake that was opened before does not know of these files.
    """
    with place.sql() as sql:
        series = _SERIES.format(files=files)
        _multiply(sql, f"{prefix}_data_file", series, _CHANGED)
        for key, shift in (("column_id = 1", rows), ("column_id > 1", 0)):
            moved = {name: _moved(name, shift) for name in _BOUNDS} if shift else {}
            table = f"{prefix}_file_column_stats"
            _multiply(sql, table, series, {"data_file_id": _CHANGED["data_file_id"], **moved}, f"WHERE {key}")
        sql.run(f"UPDATE {prefix}_table_stats SET record_count = record_count * {files}, next_row_id = {rows * files}")
    place.settle()


def _moved(name: str, shift: int) -> str:
    if name.endswith("key"):
        return f"{name} + {shift} * n"
    return f"CAST(CAST({name} AS bigint) + {shift} * n AS text)"


def _multiply(sql: Sql, table: str, series: str, changed: dict[str, str], where: str = "") -> None:
    names = sql.columns(table)
    shown = ", ".join(changed.get(name, name) for name in names)
    sql.run(f"INSERT INTO {table} {series} SELECT {shown} FROM (SELECT * FROM {table} {where}) AS f CROSS JOIN s")
