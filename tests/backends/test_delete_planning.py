"""Which files a delete ends without reading them: never one with a row that has to stay."""

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.planning.scan_planning import DeletePlan, plan_delete
from forklake.catalog.transaction.ddl import alter_table, create_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.model.alterations import ColumnSpec, add_column
from forklake.model.column_types import parse_type
from forklake.model.entities import Table
from forklake.model.files import DataFile, NewDataFile, ScanFile
from forklake.model.ids import ColumnId, DataFileId, TableId
from forklake.model.partitions import transform_value
from forklake.model.predicates import And, Comparison, In, IsNotNull, IsNull, Not, Or, Predicate, StartsWith
from forklake.store.connection import Statement
from tests.lakes import append, delete_rows, inline_rows, make_table, transaction
from tests.unit.model.small_engine import COMPARE, evaluate, stats_of

TYPES = {"n": "bigint", "f": "double", "s": "varchar", "d": "date"}
ID = ("id",)
Row = dict[str, object]

_VALUES: dict[str, st.SearchStrategy[object]] = {
    "n": st.one_of(st.integers(-3, 3), st.sampled_from([2**53 + 1, 2**63 - 1])),
    "f": st.sampled_from([-1.5, 0.0, -0.0, 1.0, 2.0, float("inf"), float("nan")]),
    "s": st.sampled_from(["", "a", "ab", "abcdefgh", "abcdefgi", "b"]),
    "d": st.dates(date(2020, 1, 1), date(2020, 1, 3)),
}
_ROWS = st.fixed_dictionaries({name: st.one_of(values, values, st.none()) for name, values in _VALUES.items()})
_FILES = st.lists(_ROWS, min_size=1, max_size=3)


def _leaf(name: str) -> st.SearchStrategy[Predicate]:
    value, column = st.one_of(_VALUES[name], _VALUES[name], st.none()), (name,)
    parts: list[st.SearchStrategy[Predicate]] = [
        st.builds(Comparison, st.just(column), st.sampled_from(list(COMPARE)), value),
        st.builds(In, st.just(column), st.lists(value, max_size=3).map(tuple)),
        st.sampled_from([IsNull(column), IsNotNull(column)]),
    ]
    if name == "s":
        parts.append(st.builds(StartsWith, st.just(column), st.sampled_from(["", "a", "abc"])))
    return st.one_of(parts)


_PREDICATES = st.recursive(
    st.sampled_from(sorted(TYPES)).flatmap(_leaf),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(tuple).map(And),
        st.lists(inner, min_size=1, max_size=3).map(tuple).map(Or),
        inner.map(Not),
    ),
    max_leaves=4,
)


def _new_file(tx: Transaction, table: Table, rows: Sequence[Row]) -> NewDataFile:
    [file_id] = tx.new_ids("file")
    stats = tuple(
        stats_of(leaf.type, [row[name] for row in rows])._replace(column_id=leaf.column_id)
        for (name,), leaf in table.definition.leaves()
        if name in rows[0]
    )
    return NewDataFile(DataFile(DataFileId(file_id), f"{file_id}.parquet", len(rows), 100), stats)


def _stage(tx: Transaction, name: str, files: Sequence[list[Row]]) -> dict[int, list[Row]]:
    """Append files of these rows, and return the rows by file."""
    table = get_table(tx, "main", name)
    new = [_new_file(tx, table, rows) for rows in files]
    tx.append_files(table, new)
    return {added.file.data_file_id: rows for added, rows in zip(new, files, strict=True)}


def _ids(files: Sequence[ScanFile]) -> set[int]:
    return {file.data.data_file_id for file in files}


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.lists(_FILES, min_size=4, max_size=8),
    predicates=st.lists(_PREDICATES, min_size=2, max_size=6),
)
def test_every_row_of_a_whole_file_matches(
    lake: Lake, main: Catalog, files: list[list[Row]], predicates: list[Predicate]
) -> None:
    number = begin(main).new_ids("entity")[0]
    name, child, grandchild = f"t{number}", f"child{number}", f"grandchild{number}"
    make_table(main, name, list(TYPES.items()))
    rows: dict[int, list[Row]] = {}
    with transaction(main) as tx:
        rows |= _stage(tx, name, files[0::4])
    with transaction(fork_catalog(lake, "main", child)[0]) as tx:
        rows |= _stage(tx, name, files[1::4])
    with transaction(fork_catalog(lake, child, grandchild)[0]) as tx:
        rows |= _stage(tx, name, files[2::4])
        catalog = tx.catalog
    tx = begin(catalog)
    rows |= _stage(tx, name, files[3::4])
    for predicate in predicates:
        plan = plan_delete(tx, get_table(tx, "main", name), predicate)
        whole, partial = _ids(plan.whole), _ids(plan.partial.files)
        assert not whole & partial
        for file_id, of_file in rows.items():
            answers = [evaluate(predicate, row) for row in of_file]
            if file_id in whole:
                assert set(answers) == {True}, (predicate, of_file)
            elif file_id not in partial:
                assert True not in answers, (predicate, of_file)


def _plan(catalog: Catalog, predicate: Predicate, name: str = "t") -> DeletePlan:
    tx = begin(catalog)
    return plan_delete(tx, get_table(tx, "main", name), predicate)


def test_files_inside_a_range_are_whole_and_those_at_its_edges_are_not(lake: Lake, main: Catalog) -> None:
    make_table(main)
    append(main, 10)
    fork_catalog(lake, "main", "child")
    grandchild, _ = fork_catalog(lake, "child", "grandchild")
    for catalog in (main, grandchild):
        plan = _plan(catalog, And((Comparison(ID, ">=", 25), Comparison(ID, "<", 60))))
        assert (len(plan.whole), len(plan.partial.files)) == (3, 1)
        everything = _plan(catalog, And(()))
        assert (len(everything.whole), len(everything.partial.files)) == (10, 0)


def test_many_candidates_are_looked_at_in_one_go(main: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    make_table(main)
    append(main, 30)
    monkeypatch.setattr("forklake.catalog.planning.scan_planning.FETCH_BY_ID", 5)
    plan = _plan(main, Comparison(ID, "<", 195))
    assert (len(plan.whole), len(plan.partial.files)) == (19, 1)


def test_deleted_rows_do_not_make_a_file_doubtful_and_batches_are_always_read(main: Catalog) -> None:
    make_table(main)
    append(main, 1)
    with transaction(main) as tx:
        table = get_table(tx, "main", "t")
        delete_rows(tx, table, tx.files(TableId(table.object_id))[0], 3)
        inline_rows(tx, table, 2)
    plan = _plan(main, Comparison(ID, "<", 10))
    assert [file.live_rows for file in plan.whole] == [7]
    assert [batch.row_count for batch in plan.partial.batches] == [2]


def test_a_file_older_than_a_column_is_read_for_it(main: Catalog) -> None:
    make_table(main)
    append(main, 1)
    with transaction(main) as tx:
        spec = ColumnSpec("extra", parse_type("int"), default_value="7")
        table = alter_table(tx, "main", "t", lambda d: add_column(d, spec, tx.new_column_ids(1)))
        [file_id] = tx.new_ids("file")
        extra = stats_of(parse_type("int"), [7])._replace(column_id=table.definition.columns[1].column_id)
        newer = DataFileId(file_id)
        tx.append_files(table, [NewDataFile(DataFile(newer, "f.parquet", 1, 1), (extra,))])
    plan = _plan(main, Comparison(("extra",), "=", 7))
    assert _ids(plan.whole) == {newer}
    assert len(plan.partial.files) == 1
    assert not _ids(_plan(main, IsNull(("extra",))).whole)


def test_a_file_whose_statistics_have_gone_is_read(main: Catalog) -> None:
    table = make_table(main)
    append(main, 2)
    lost = min(_ids(_plan(main, And(())).whole))
    remove = "DELETE FROM lake_file_column_stats WHERE catalog_id = :catalog_id AND data_file_id = :file_id"
    with main.lake.store.writing([]) as (connection, _):
        connection.commit([Statement(remove, {"catalog_id": main.catalog_id, "file_id": lost})])
    tx = begin(main)
    assert lost in {file.data.data_file_id for file in tx.files(TableId(table.object_id))}
    assert lost not in _ids(_plan(main, Or((Comparison(ID, ">=", 0), Comparison(ID, "<", 0)))).whole)


@pytest.mark.parametrize("transform", ["identity", "bucket(4)", "year"])
def test_partition_values_prove_nothing_but_statistics_do(main: Catalog, transform: str) -> None:
    type_ = parse_type("date")
    day = date(2020, 1, 1)
    with transaction(main) as tx:
        table = create_table(tx, "main", "p", [ColumnSpec("d", type_)], partitioned_by=[("d", transform)])
        assert table.definition.partition is not None
        partition = table.definition.partition.partition_id
        with_stats, without = (DataFileId(file_id) for file_id in tx.new_ids("file", 2))
        for file_id, stats in ((with_stats, (stats_of(type_, [day])._replace(column_id=ColumnId(1)),)), (without, ())):
            file = DataFile(file_id, f"{file_id}.parquet", 1, 1, partition_id=partition)
            tx.append_files(table, [NewDataFile(file, stats, (transform_value(transform, type_, day),))])
    equal, other = Comparison(("d",), "=", day), Comparison(("d",), "<>", date(2021, 1, 1))
    for predicate in (equal, other, Not(other), In(("d",), (day,))):
        assert without not in _ids(_plan(main, predicate, "p").whole)
    assert _ids(_plan(main, equal, "p").whole) == _ids(_plan(main, other, "p").whole) == {with_stats}
