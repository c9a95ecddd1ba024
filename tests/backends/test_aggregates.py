"""Counts and bounds that the metadata gives are exactly those of the rows, or are not given."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.planning.aggregates import Bounds, exact_bounds, exact_count
from forklake.catalog.transaction.ddl import alter_table, create_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.model.alterations import ColumnSpec, add_column, set_column_type
from forklake.model.column_types import ColumnType, parse_type
from forklake.model.files import DataFile, NewDataFile
from forklake.model.ids import ColumnId, DataFileId, TableId
from forklake.model.statistics import ColumnStats, exact_value, value_text
from tests.backends.counting_store import counted
from tests.lakes import append, delete_rows, inline_rows, make_table, transaction
from tests.unit.model.small_engine import ROWS, order, stats_of

ID = ("id",)


def stage(tx: Transaction, rows: Sequence[object], name: str = "t", stats: ColumnStats | None = None) -> None:
    """Append a file whose first column holds these values."""
    table = get_table(tx, "main", name)
    [file_id] = tx.new_ids("file")
    known = stats or stats_of(table.definition.columns[0].type, rows)._replace(column_id=ColumnId(1))
    tx.append_files(table, [NewDataFile(DataFile(DataFileId(file_id), f"{file_id}", len(rows), 1), (known,))])


def bounds(catalog: Catalog, path: tuple[str, ...] = ID, name: str = "t") -> Bounds | None:
    tx = begin(catalog)
    return exact_bounds(tx, get_table(tx, "main", name), path)


def count(catalog: Catalog) -> int:
    tx = begin(catalog)
    return exact_count(tx, get_table(tx, "main", "t"))


def test_the_count_follows_inserts_deletes_and_forks(lake: Lake, main: Catalog) -> None:
    make_table(main)
    assert count(main) == 0
    append(main, 2)
    child, _ = fork_catalog(lake, "main", "child")
    with transaction(child) as tx:
        table = get_table(tx, "main", "t")
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 3)
        inline_rows(tx, table, 2)
        assert exact_count(tx, table) == 19
    grandchild, _ = fork_catalog(lake, "child", "grandchild")
    with transaction(grandchild) as tx:
        table = get_table(tx, "main", "t")
        tx.end_batches(table, tx.batches(TableId(table.object_id)))
    assert [count(catalog) for catalog in (main, child, grandchild)] == [20, 19, 17]


def test_a_new_table_is_counted_before_it_is_committed(main: Catalog) -> None:
    tx = begin(main)
    table = create_table(tx, "main", "t", [ColumnSpec("id", parse_type("int"))])
    assert exact_count(tx, table) == 0
    assert exact_bounds(tx, table, ID) == Bounds(None, None)
    stage(tx, [4, 2, None])
    assert exact_count(tx, table) == 3
    assert exact_bounds(tx, table, ID) == Bounds("2", "4")


@pytest.mark.parametrize("type_text", ROWS)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_bounds_are_exactly_those_of_the_rows(lake: Lake, main: Catalog, type_text: str, data: st.DataObject) -> None:
    column_type = parse_type(type_text)
    files = data.draw(st.lists(st.lists(st.one_of(ROWS[type_text][0], st.none()), min_size=1, max_size=3), max_size=4))
    number = begin(main).new_ids("entity")[0]
    name, child, grandchild = f"t{number}", f"child{number}", f"grandchild{number}"
    make_table(main, name, [("id", type_text)])
    catalogs = [main, fork_catalog(lake, "main", child)[0]]
    for rows in files[0::3]:
        with transaction(catalogs[1]) as tx:
            stage(tx, rows, name)
    catalogs.append(fork_catalog(lake, child, grandchild)[0])
    for rows in files[1::3]:
        with transaction(catalogs[2]) as tx:
            stage(tx, rows, name)
    tx = begin(catalogs[2])
    for rows in files[2::3]:
        stage(tx, rows, name)
    found = exact_bounds(tx, get_table(tx, "main", name), ID)
    values = sorted((value for rows in files for value in rows if value is not None), key=order)
    if found is None:
        assert any(_is_doubtful(value) for value in values)
        return
    expected = [value_text(column_type, value) for value in (values[:1] + values[-1:])] or [None, None]
    assert [_value(column_type, text) for text in (found.min_value, found.max_value)] == [
        _value(column_type, text) for text in expected
    ]


def _is_doubtful(value: object) -> bool:
    """NaN, and strings that statistics cannot hold as they are."""
    return value != value or (isinstance(value, str) and ("\0" in value or len(value.encode()) > 250))


def _value(column_type: ColumnType, text: str | None) -> object:
    return None if text is None else exact_value(column_type, text)


def test_nothing_is_said_of_deleted_or_inlined_rows(main: Catalog) -> None:
    make_table(main)
    append(main, 2)
    assert bounds(main) == Bounds("0", "19")
    with transaction(main) as tx:
        table = get_table(tx, "main", "t")
        batch = inline_rows(tx, table, 2)
        assert exact_bounds(tx, table, ID) is None
    assert bounds(main) is None
    with transaction(main) as tx:
        tx.delete_inlined(table, [(batch.batch_id, position) for position in range(2)])
    assert bounds(main) == Bounds("0", "19")
    with transaction(main) as tx:
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 1)
    assert bounds(main) is None


@pytest.mark.parametrize(
    ("type_text", "stats"),
    [
        ("bigint", ColumnStats(ColumnId(1))),
        ("bigint", ColumnStats(ColumnId(1), 2, 0, "1", None)),
        ("bigint", ColumnStats(ColumnId(1), 0, 1)),
        ("bigint", ColumnStats(ColumnId(1), 2, 0, "1", "many")),
        ("double", ColumnStats(ColumnId(1), 2, 0, "1.0", "2.0", contains_nan=True)),
        ("double", ColumnStats(ColumnId(1), 2, 0, "1.0", "2.0")),
        ("varchar", ColumnStats(ColumnId(1), 2, 0, "a", "b" * 256)),
        ("json", ColumnStats(ColumnId(1), 2, 0, "1", "2")),
        ("interval", ColumnStats(ColumnId(1), 0, 2)),
    ],
)
def test_nothing_is_said_when_statistics_leave_a_doubt(main: Catalog, type_text: str, stats: ColumnStats) -> None:
    make_table(main, columns=[("id", type_text)])
    with transaction(main) as tx:
        stage(tx, ["x", "y"], stats=stats)
        assert exact_bounds(tx, get_table(tx, "main", "t"), ID) is None
    assert bounds(main) is None


def test_a_column_without_values_has_no_bounds(main: Catalog) -> None:
    make_table(main)
    assert bounds(main) == Bounds(None, None)
    with transaction(main) as tx:
        stage(tx, [None, None])
    assert bounds(main) == Bounds(None, None)


def test_files_older_than_a_column_hold_its_default(main: Catalog) -> None:
    make_table(main)
    append(main)
    with transaction(main) as tx:
        spec = ColumnSpec("extra", parse_type("int"), default_value="7")
        alter_table(tx, "main", "t", lambda definition: add_column(definition, spec, tx.new_column_ids(1)))
    assert bounds(main, ("extra",)) is None
    assert bounds(main) == Bounds("0", "9")


def test_fields_of_structs_have_bounds_and_elements_of_lists_have_not(main: Catalog) -> None:
    make_table(main, columns=[("s", "struct(x int, l int[])")])
    with transaction(main) as tx:
        x, _, element = list(get_table(tx, "main", "t").definition.fields())[1:]
        stats = tuple(ColumnStats(column.column_id, 2, 0, "1", "2") for column in (x, element))
        [file_id] = tx.new_ids("file")
        file = DataFile(DataFileId(file_id), "f", 2, 1)
        tx.append_files(get_table(tx, "main", "t"), [NewDataFile(file, stats)])
    assert bounds(main, ("S", "X")) == Bounds("1", "2")
    assert bounds(main, ("s", "l", "element")) is None
    assert bounds(main, ("s",)) is bounds(main, ("missing",)) is None


@pytest.mark.parametrize(
    ("before", "after", "values", "expected"),
    [
        ("boolean", "int", [False, True], Bounds("0", "1")),
        ("int", "float", [1, 2**24 + 1], Bounds("1.0", "16777216.0")),
        ("decimal(4,1)", "decimal(6,3)", [Decimal("1.5"), Decimal("2.0")], Bounds("1.500", "2.000")),
        ("date", "timestamp", [date(2020, 1, 1), date(2020, 1, 2)], Bounds("2020-01-01", "2020-01-02")),
    ],
)
def test_a_file_from_before_a_promotion_gives_the_values_that_are_read(
    main: Catalog, before: str, after: str, values: list[object], expected: Bounds
) -> None:
    make_table(main, columns=[("id", before)])
    with transaction(main) as tx:
        known = stats_of(parse_type(before), values)._replace(column_id=ColumnId(1), contains_nan=False)
        stage(tx, values, stats=known)
    with transaction(main) as tx:
        alter_table(tx, "main", "t", lambda definition: set_column_type(definition, ID, parse_type(after)))
    assert bounds(main) == expected


def test_one_statement_reads_the_statistics_however_many_files_there_are(main: Catalog) -> None:
    make_table(main)
    append(main, 50)
    store, fresh = counted(main)
    tx = begin(fresh)
    table = get_table(tx, "main", "t")
    store.reset()
    assert exact_bounds(tx, table, ID) == Bounds("0", "499")
    assert store.trips == 3
    store.reset()
    assert exact_count(tx, table) == 500
    assert store.trips == 1
