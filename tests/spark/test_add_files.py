"""Files that others have written, as files of a table: what can be done with them, in a root and in a fork."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.api.table import TableHandle
from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.transaction.names import get_table
from forklake.sql.queries.conditions import parse_condition
from tests.attached import read_table
from tests.foreign_files import write_file
from tests.spark.conftest import Lakehouse
from tests.spark.inside import files, head, rows, stats
from tests.spark.places import another_session, somewhere

FLAT = {"id": "bigint", "name": "varchar", "at": "timestamp", "n": "double"}
NOTHING = "__HIVE_DEFAULT_PARTITION__"
NESTED = {"s": "struct(a int, b varchar)", "l": "struct(c bigint)[]", "m": "map(varchar, double)"}


def pieces(folder: Path, *, first: int = 0, count: int = 2, nested: bool = False) -> list[str]:
    """Files of ten rows each, in names and an order that are not the table's, with field ids that mislead."""
    written = []
    for at in range(first, first + count):
        ids = range(at * 10, at * 10 + 10)
        columns = {
            "N": pa.array([i / 2 for i in ids], pa.float32()),
            "AT": pa.array([datetime(2020, 1, 1 + i % 28) for i in ids], pa.timestamp("ms")),
            "Name": pa.array([f"n{i}" for i in ids]),
            "ID": pa.array(ids, pa.int32()),
        }
        if nested:
            columns |= {
                "M": pa.array([[(f"k{i}", i / 4)] for i in ids], pa.map_(pa.string(), pa.float32())),
                "L": pa.array([[{"C": i}, None] for i in ids], pa.list_(pa.struct({"C": pa.uint32()}))),
                "S": pa.array([{"B": f"b{i}", "A": i % 7} for i in ids], pa.struct({"B": pa.string(), "A": pa.int8()})),
            }
        rows = pa.table(columns)
        # The ids of other columns of the table.
        misled = [field.with_metadata({"PARQUET:field_id": str(i)}) for i, field in enumerate(rows.schema, start=1)]
        path = folder / f"piece-{at}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(rows.cast(pa.schema(misled)), path)
        written.append(str(path))
    return written


def row(i: int, name: str | None = None) -> tuple[Any, ...]:
    """A row as `pieces` writes it."""
    return (i, name or f"n{i}", datetime(2020, 1, 1 + i % 28), i / 2)


def checksum(paths: Sequence[str]) -> list[str]:
    return [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in paths]


def planned(table: TableHandle, where: str) -> int:
    """How many files a scan with a condition reads."""
    tx, _ = read_table(table)
    found = get_table(tx, table._schema, table._name)
    return len(plan_scan(tx, found, parse_condition(where, found).predicate).files)


def test_added_rows_live_like_inserted_ones(lakehouse: Lakehouse, in_fork: bool, tmp_path: Path) -> None:
    own = [row(i) for i in (100, 101, 102, 103)]
    with somewhere(lakehouse, in_fork, lambda lake: lake.create_table("t", FLAT), own[:2], own[2:]) as place:
        table, before = place.table, head(place.lake)
        given = pieces(tmp_path / "given")
        sums = checksum(given)
        with another_session(lakehouse, table, with_spark=False) as (session, without_spark):
            assert without_spark.add_files(given) == given
            assert without_spark.count() == 24
            assert not session._state.provider.is_running
        added = head(place.lake)
        assert rows(table, "rowid", "id") == sorted(
            [*((at, 100 + at) for at in range(4)), *((4 + i, i) for i in range(20))]
        )
        assert rows(table) == sorted([*map(row, range(20)), *own])
        assert rows(table, version=before) == sorted(own)
        assert [stat.max_value for stat in stats(table, "id")][-2:] == ["9", "19"]
        assert [stat.max_value for stat in stats(table, "n")][-2:] == ["4.5", "9.5"]
        assert planned(table, "id = 12 AND name = 'n12'") == planned(table, "at < TIMESTAMP_NTZ '2020-01-05'") == 1
        assert table.update({"name": "upper(name)"}, where="id IN (3, 100)") == 2
        assert table.delete("id BETWEEN 4 AND 12 OR id = 101") == 10
        kept = [row(i) for i in (0, 1, 2, *range(13, 20))]
        assert rows(table) == sorted([*kept, row(3, "N3"), row(100, "N100"), row(102), row(103)])
        assert rows(table, "rowid", where="id = 3") == [(7,)]
        assert rows(table, version=added) == sorted([*map(row, range(20)), *own])
        fed = table.changes(added, added, "insertions").fetchall()
        assert sorted(each[1:3] for each in fed) == [(4 + i, i) for i in range(20)]
        kinds = [each[2] for each in table.changes(added + 1, None).fetchall()]
        assert sorted(set(kinds)) == ["delete", "update_postimage", "update_preimage"]
        fork = place.lake.fork("later")
        assert rows(fork.table("t"), "rowid", "id") == rows(table, "rowid", "id")
        fork.table("t").delete()
        assert table.count() == 14
        assert place.lake.verify(deep=True) == []
        assert checksum(given) == sums
        assert {path.name for path in (tmp_path / "given").iterdir()} == {Path(path).name for path in given}


def test_a_table_changes_its_columns_after_files_were_added(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", FLAT | NESTED)
    table.add_files(pieces(tmp_path, count=1, nested=True))
    assert planned(table, "s.b = 'b99' OR s.a > 6") == 0
    table.rename_column("name", "id2")
    table.rename_column("id", "name")
    table.rename_column(("s", "a"), "z")
    table.set_type("name", "decimal(21,2)")
    table.set_type(("s", "z"), "bigint")
    table.drop_column("at")
    table.add_column("extra", "int", default="7")
    table.add_column(("s", "c"), "int")
    table.move_column("n")
    expected = [
        (i / 2, Decimal(i), f"n{i}", {"z": i % 7, "b": f"b{i}", "c": None}, [{"c": i}, None], [(f"k{i}", i / 4)], 7)
        for i in range(10)
    ]
    assert table.scan().fetchall() == expected
    assert table.scan("name = 3").fetchall() == expected[3:4]
    late = {"n": [1.5], "name": pa.array([50], pa.decimal128(5, 1)), "s": [{"C": 8}]}
    path = write_file(tmp_path / "late.parquet", late | {"s": pa.array([{"C": 8}], pa.struct({"C": pa.int16()}))})
    table.add_files(str(path), allow_missing=True)
    assert table.scan("name = 50").fetchall() == [
        (1.5, Decimal(50), None, {"z": None, "b": None, "c": 8}, None, None, 7)
    ]
    # Of files from before a column, nobody keeps what they have for it.
    assert (planned(table, "extra = 8"), planned(table, "extra = 7")) == (1, 2)
    assert planned(table, "id2 IS NULL") == planned(table, "s.z IS NULL") == 1


def test_files_are_added_to_a_table_of_the_same_transaction(local: Lakehouse, tmp_path: Path) -> None:
    path = write_file(tmp_path / "p=5" / "f.parquet", {"ID": [1, 2]})
    with local.session.transaction():
        table = local.lake.create_table("t", {"id": "bigint", "p": "int"})
        table.add_files(str(path))
        table.rename_column("id", "p2")
        table.set_type("p", "bigint")
        assert rows(table) == [(1, 5), (2, 5)]
        assert table.delete("p2 = 1") == 1
    assert rows(table, "rowid", "p2", "p") == [(1, 2, 5)]


def test_values_in_paths_are_columns(local: Lakehouse, in_fork: bool, tmp_path: Path) -> None:
    types = {"id": "int", "Day": "date", "region": "varchar", "n": "smallint", "x": "decimal(5,2)", "b": "blob"}
    own = [(100, date(2019, 1, 1), "own", 1, Decimal("0.50"), b"x"), (101, None, None, None, None, None)]
    folders = {
        "day=2020-01-01/region=a%2Fb/n=1/x=1.5/b=%00": (date(2020, 1, 1), "a/b", 1, Decimal("1.50"), b"\0"),
        "day=2020-01-02/region=/n=-7/x=2/b=": (date(2020, 1, 2), "", -7, Decimal("2.00"), b""),
        "day=__HIVE_DEFAULT_PARTITION__/region=__HIVE_DEFAULT_PARTITION__/n=/x=NULL/b=é": (
            None,
            None,
            None,
            None,
            "é".encode(),
        ),
    }
    given = tmp_path / "p=1" / "given"
    for at, folder in enumerate(folders):
        write_file(given / folder / "f.parquet", {"id": pa.array([at * 10 + i for i in range(5)], pa.int32())})
    expected = [(at * 10 + i, *values) for at, values in enumerate(folders.values()) for i in range(5)]
    with somewhere(local, in_fork, lambda lake: lake.create_table("t", types), own[:1], own[1:]) as place:
        table = place.table
        assert len(table.add_files(str(given))) == 3
        assert sorted(table.scan("id < 100").fetchall()) == expected
        assert planned(table, "day = DATE '2020-01-01' AND id < 100") == 1
        assert planned(table, "n < 0") == planned(table, "region = 'a/b'") == planned(table, "x > 1.75") == 1
        assert planned(table, "region IS NULL AND id < 100") == 1
        assert sorted(table.scan("n = -7").fetchall()) == expected[5:10]
        assert (table.min("day"), table.max("n")) == (date(2019, 1, 1), 1)
        version = head(place.lake)
        assert table.update({"n": "n + 1"}, where="region = 'a/b' AND id > 2") == 2
        assert table.delete("day = DATE '2020-01-02' AND id < 12") == 2
        changed = [(*e[:3], 2, *e[4:]) if e[0] in (3, 4) else e for e in expected if e[0] not in (10, 11)]
        table.rename_column("n", "day2")
        table.set_type("day2", "bigint")
        table.set_type("Day", "timestamp")
        moments = [(e[0], e[1] and datetime(e[1].year, e[1].month, e[1].day), *e[2:]) for e in changed]
        assert sorted(table.scan("id < 100").fetchall()) == moments
        place.lake.merge_adjacent_files("t")
        place.lake.rewrite_data_files("t", delete_threshold=0)
        assert sorted(table.scan("id < 100").fetchall()) == moments
        assert sorted(table.scan("id < 100", version=version).fetchall()) == expected
        assert all(file.data.path_is_relative for file in files(table))
        assert place.lake.verify(deep=True) == []


def test_files_of_many_folders_are_read_in_one_go(local: Lakehouse, tmp_path: Path) -> None:
    types = {"id": "int", "at": "timestamptz", "day": "timestamp_ns", "x": "double", "u": "uuid", "t": "time"}
    table = local.lake.create_table("t", types | {"b": "boolean"})
    expected = []
    for at in range(12):
        uuid, instant = f"00000000-0000-0000-0000-{at:012}", datetime(2020, 1, 1, at, tzinfo=UTC)
        folders = (
            f"at={instant:%Y-%m-%d %H}%3A00%3A00%2B00/x={at / 3!r}/u={uuid.upper()}/t=01%3A02%3A{at:02}/b={at % 2 == 0}"
        )
        path = tmp_path / "given" / folders / f"day=1970-01-01 00:00:00.{at:09}"
        write_file(path / "f.parquet", {"id": pa.array([at, at + 100], pa.int32())})
        values = (instant, at, at / 3, uuid, f"01:02:{at:02}", at % 2 == 0)
        expected += [(at, *values), (at + 100, *values)]
    table.add_files(str(tmp_path / "given"))
    local.spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        assert sorted(table.scan().fetchall()) == sorted(expected)
        assert len(table.scan("at >= TIMESTAMP '2020-01-01 03:00:00Z' AND x < 2 AND b").fetchall()) == 2
    finally:
        local.spark.conf.unset("spark.sql.session.timeZone")
    assert planned(table, "at >= TIMESTAMP '2020-01-01 03:00:00Z' AND x < 2 AND b") == 1
    assert {stat.min_value for stat in stats(table, "u")} == {row[4] for row in expected}
    assert {stat.max_value for stat in stats(table, "day")} >= {"1970-01-01 00:00:00", "1970-01-01 00:00:00.000000011"}


def test_a_file_that_is_there_several_times_has_its_rows_several_times(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"id": "int"})
    path = str(write_file(tmp_path / "f.parquet", {"id": pa.array([1, 2, 3], pa.int32())}))
    first = head(local.lake) + 1
    for _ in range(3):
        table.add_files(path, allow_duplicates=True)
    assert rows(table, "rowid", "id") == [(at, at % 3 + 1) for at in range(9)]
    assert table.delete("rowid IN (1, 5)") == 2
    assert table.update({"id": "id + 10"}, where="rowid = 4") == 1
    assert rows(table, "rowid", "id") == [(0, 1), (2, 3), (3, 1), (4, 12), (6, 1), (7, 2), (8, 3)]
    table.truncate()
    table.add_files(path)
    inserted = table.changes(first, first + 6, "insertions").fetchall()
    assert sorted(row[1] for row in inserted) == sorted([*range(12), 4])
    assert rows(table, "id") == [(1,), (2,), (3,)]
    assert local.lake.verify(deep=True) == []
