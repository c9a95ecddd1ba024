"""Which files a scan reads: the SQL that prunes keeps whatever the rules in Python keep, and hardly more."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.planning.scan_planning import plan_scan
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import alter_table, create_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.model.alterations import ColumnSpec, add_column, set_column_type
from forklake.model.column_types import ColumnType, parse_type
from forklake.model.files import DataFile, NewDataFile
from forklake.model.ids import ColumnId, DataFileId, TableId
from forklake.model.partitions import transform_value
from forklake.model.predicates import And, Comparison, In, IsNotNull, IsNull, Or, Predicate, StartsWith
from forklake.model.pruning import PrunableColumn, PruningFacts, file_filter, may_match
from forklake.model.statistics import ColumnStats, max_text, min_text
from tests.lakes import append, make_table, transaction

TYPES = {"n": "bigint", "f": "double", "s": "varchar", "d": "date", "x": "decimal(10,2)"}
ID = ("id",)


@dataclass(frozen=True)
class FileOfValues:
    """A file described by the values of each column."""

    values: dict[str, list[object]]


_VALUES: dict[str, st.SearchStrategy[object]] = {
    "n": st.one_of(st.none(), st.integers(-20, 20), st.sampled_from([2**53 + 1, 2**63 - 1, -(2**63)])),
    "f": st.one_of(st.none(), st.floats(allow_infinity=True, allow_nan=True, width=64)),
    "s": st.one_of(st.none(), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)),
    "d": st.one_of(st.none(), st.dates(date(1969, 12, 1), date(1970, 2, 1))),
    "x": st.one_of(st.none(), st.decimals(-50, 50, places=2)),
}
_FILES = st.builds(
    FileOfValues, st.fixed_dictionaries({name: st.lists(values, max_size=3) for name, values in _VALUES.items()})
)


def _leaf(name: str) -> st.SearchStrategy[Predicate]:
    value = _VALUES[name]
    column = (name,)
    parts: list[st.SearchStrategy[Predicate]] = [
        st.builds(Comparison, st.just(column), st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), value),
        st.builds(In, st.just(column), st.lists(value, max_size=3).map(tuple)),
        st.builds(IsNull, st.just(column)),
        st.builds(IsNotNull, st.just(column)),
    ]
    if name == "s":
        parts.append(st.builds(StartsWith, st.just(column), st.text("abé", max_size=3)))
    return st.one_of(parts)


_PREDICATES = st.recursive(
    st.sampled_from(sorted(TYPES)).flatmap(_leaf),
    lambda inner: st.one_of(
        st.builds(And, st.lists(inner, min_size=1, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    ),
    max_leaves=5,
)


def _stats(column_id: int, column_type: ColumnType, values: list[Any]) -> ColumnStats:
    present = [value for value in values if value is not None]
    numbers = [value for value in present if value == value]
    return ColumnStats(
        ColumnId(column_id),
        value_count=len(present),
        null_count=len(values) - len(present),
        min_value=min_text(column_type, min(numbers)) if numbers else None,
        max_value=max_text(column_type, max(numbers)) if numbers else None,
        contains_nan=len(numbers) < len(present),
    )


def _column_stats(file: FileOfValues) -> tuple[ColumnStats, ...]:
    columns = enumerate(TYPES.items(), start=1)
    return tuple(_stats(number, parse_type(type_), file.values[name]) for number, (name, type_) in columns)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.lists(_FILES, min_size=1, max_size=5), predicates=st.lists(_PREDICATES, min_size=1, max_size=6))
def test_the_database_keeps_every_file_that_may_match(
    main: Catalog, files: list[FileOfValues], predicates: list[Predicate]
) -> None:
    name = f"t{begin(main).new_ids('entity')[0]}"
    make_table(main, name, list(TYPES.items()))
    tx = begin(main)
    table = get_table(tx, "main", name)
    ids = [DataFileId(file_id) for file_id in tx.new_ids("file", len(files))]
    new = [
        NewDataFile(DataFile(file_id, f"{file_id}.parquet", 3, 100), _column_stats(file))
        for file_id, file in zip(ids, files, strict=True)
    ]
    tx.append_files(table, new)
    commit(tx)

    columns = {path: PrunableColumn(leaf.column_id, leaf.type) for path, leaf in table.definition.leaves()}
    types = {leaf.column_id: leaf.type for _, leaf in table.definition.leaves()}
    reader = begin(main)
    for predicate in predicates:
        planned = {file.data.data_file_id for file in plan_scan(reader, table, predicate).files}
        wanted = file_filter(predicate, columns)
        for added in new:
            stats = {entry.column_id: entry for entry in added.column_stats}
            if may_match(wanted, PruningFacts(reader.base, stats, types)):
                assert added.file.data_file_id in planned, (predicate, added)


def _planned(catalog: Catalog, predicate: Predicate, name: str = "t") -> int:
    tx = begin(catalog)
    return len(plan_scan(tx, get_table(tx, "main", name), predicate).files)


def test_a_point_predicate_reads_one_file_of_a_hundred(main: Catalog) -> None:
    make_table(main, "t", [("id", "bigint")])
    append(main, 100)
    assert _planned(main, Comparison(ID, "=", 155)) == 1
    assert _planned(main, In(ID, (5, 995))) == 2
    assert _planned(main, And((Comparison(ID, ">=", 100), Comparison(ID, "<", 120)))) == 2
    assert _planned(main, Comparison(ID, ">", 5_000)) == 0
    assert _planned(main, IsNull(ID)) == 0
    assert _planned(main, Comparison(ID, "=", None)) == 0


def test_numbers_compare_as_numbers_and_not_as_text(main: Catalog) -> None:
    make_table(main, "t", [("id", "bigint")])
    append(main, 1, low=9)
    assert _planned(main, Comparison(ID, "=", 10)) == 1
    assert _planned(main, Comparison(ID, "=", 9)) == 1
    assert _planned(main, Comparison(ID, "<", 9)) == 0


def test_a_file_without_statistics_is_always_read(main: Catalog) -> None:
    make_table(main, "t", [("id", "bigint")])
    with transaction(main) as tx:
        [file_id] = tx.new_ids("file")
        table = get_table(tx, "main", "t")
        tx.append_files(table, [NewDataFile(DataFile(DataFileId(file_id), "f.parquet", 3, 100))])
    assert _planned(main, Comparison(ID, "=", 1)) == 1


def test_files_older_than_a_column_are_read_for_it(main: Catalog) -> None:
    make_table(main, "t", [("id", "bigint")])
    append(main, 3)
    with transaction(main) as tx:
        spec = ColumnSpec("added", parse_type("int"), default_value="7", default_value_type="literal")
        alter_table(tx, "main", "t", lambda d: add_column(d, spec, tx.new_column_ids(1)))
    assert _planned(main, Comparison(("added",), "=", 7)) == 3
    append(main, 2)
    assert _planned(main, Comparison(("added",), "=", 7)) == 5
    assert _planned(main, And((Comparison(("added",), "=", 7), Comparison(ID, "=", 25)))) == 1


def test_statistics_stay_comparable_when_a_type_is_widened(main: Catalog) -> None:
    make_table(main, "t", [("id", "int")])
    append(main, 5)
    with transaction(main) as tx:
        alter_table(tx, "main", "t", lambda d: set_column_type(d, ID, parse_type("double")))
    assert _planned(main, Comparison(ID, "=", 12.5)) == 1
    assert _planned(main, Comparison(ID, ">", 48.9)) == 1


def test_a_fork_prunes_inherited_and_own_files_alike(lake: Lake, main: Catalog) -> None:
    make_table(main, "t", [("id", "bigint")])
    append(main, 50)
    fork, _ = fork_catalog(lake, "main", "fork")
    append(fork, 50, low=500)
    append(main, 1, low=42)
    assert _planned(fork, Comparison(ID, "=", 42)) == 1
    assert _planned(fork, Comparison(ID, "=", 742)) == 1
    assert _planned(main, Comparison(ID, "=", 742)) == 0
    with transaction(fork) as tx:
        table = get_table(tx, "main", "t")
        tx.end_files(table, plan_scan(tx, table, Comparison(ID, "=", 42)).files)
    assert _planned(fork, Comparison(ID, "=", 42)) == 0
    assert _planned(main, Comparison(ID, "=", 42)) == 2


def test_a_transaction_prunes_its_own_files_too(main: Catalog) -> None:
    make_table(main, "t", [("id", "bigint")])
    tx = begin(main)
    table = get_table(tx, "main", "t")
    [first, second] = tx.new_ids("file", 2)
    tx.append_files(
        table,
        [
            NewDataFile(DataFile(DataFileId(first), "a", 3, 1), (ColumnStats(ColumnId(1), 3, 0, "1", "3"),)),
            NewDataFile(DataFile(DataFileId(second), "b", 3, 1), (ColumnStats(ColumnId(1), 3, 0, "7", "9"),)),
        ],
    )
    assert [file.data.path for file in plan_scan(tx, table, Comparison(ID, "=", 8)).files] == ["b"]
    assert plan_scan(tx, table).row_count == 6


@pytest.mark.parametrize("transform", ["identity", "bucket(4)"])
def test_partition_values_exclude_files_of_other_partitions(main: Catalog, transform: str) -> None:
    with transaction(main) as tx:
        specs = [ColumnSpec("region", parse_type("varchar"))]
        table = create_table(tx, "main", "p", specs, partitioned_by=[("region", transform)])
        spec = table.definition.partition
        assert spec is not None
        for region in ("north", "south", "east", None):
            [file_id] = tx.new_ids("file")
            file = DataFile(DataFileId(file_id), f"{region}.parquet", 3, 1, partition_id=spec.partition_id)
            value = transform_value(transform, parse_type("varchar"), region)
            tx.append_files(table, [NewDataFile(file, partition_values=(value,))])
    tx = begin(main)
    files = plan_scan(tx, get_table(tx, "main", "p"), Comparison(("region",), "=", "south")).files
    assert "south.parquet" in {file.data.path for file in files}
    assert len(files) < 4


def test_many_candidates_are_fetched_in_one_go(main: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    make_table(main, "t", [("id", "bigint")])
    append(main, 30)
    monkeypatch.setattr("forklake.catalog.planning.scan_planning.FETCH_BY_ID", 5)
    assert _planned(main, Comparison(ID, "<", 200)) == 20


def test_the_planned_row_count_is_exact(main: Catalog) -> None:
    make_table(main, "t", [("id", "bigint")])
    append(main, 4)
    tx = begin(main)
    table = get_table(tx, "main", "t")
    assert plan_scan(tx, table).row_count == tx.view.stats(TableId(table.object_id)).record_count == 40


def _file(tx: Transaction, column_type: str, low: str | None, high: str | None) -> NewDataFile:
    [file_id] = tx.new_ids("file")
    nan = False if column_type == "double" else None
    stats = ColumnStats(ColumnId(1), 3, 0, low, high, contains_nan=nan)
    return NewDataFile(DataFile(DataFileId(file_id), f"{file_id}.parquet", 3, 1), (stats,))


@pytest.mark.parametrize(
    ("column_type", "bounds", "value"),
    [
        ("double", [("-inf", "5.0"), ("1.0", "2.0")], 3.0),
        ("double", [(None, "5.0"), ("1.0", "2.0")], 3.0),
        ("varchar", [(None, "zzz"), ("a", "b")], "m"),
        ("double", [("-1.7e308", "1.7e308"), ("1.0", "2.0")], 3.0),
        ("bigint", [("-9223372036854775808", "9223372036854775807"), ("1", "2")], 3),
    ],
)
def test_a_wide_file_beside_narrow_ones_is_found(
    main: Catalog, column_type: str, bounds: list[tuple[str | None, str | None]], value: object
) -> None:
    table = make_table(main, "w", [("id", column_type)])
    for low, high in bounds:
        with transaction(main) as tx:
            tx.append_files(get_table(tx, "main", "w"), [_file(tx, column_type, low, high)])
    assert _planned(main, Comparison(ID, "=", value), "w") == 1
    assert begin(main).view.stats(TableId(table.object_id)).widths.keys() <= {ColumnId(1)}
