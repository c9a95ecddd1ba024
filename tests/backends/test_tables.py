"""Tables keep every part of their definition through renames, alterations and time travel."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.transaction.ddl import (
    alter_table,
    create_table,
    create_view,
    rename_table,
    rename_view,
    set_object_tag,
)
from forklake.catalog.transaction.names import (
    get_table,
    get_view,
    list_tables,
)
from forklake.catalog.transaction.transaction import begin
from forklake.errors import AlreadyExists
from forklake.model.alterations import ColumnSpec, rename_column, set_column_type, set_default, set_tag
from forklake.model.column_types import parse_type
from forklake.model.entities import (
    SortKey,
    TableDefinition,
    ViewDefinition,
)
from tests.lakes import at, make_table, transaction

ONE_COLUMN = [ColumnSpec("a", parse_type("int"))]
VIEW = ViewDefinition("SELECT 'x''y' AS a, 💡 FROM t", "spark", ("a", 'b "c"'))


def test_a_renamed_table_or_view_keeps_its_id_and_its_old_name_is_free(main: Catalog) -> None:
    with transaction(main) as tx:
        table, view = create_table(tx, "main", "t", ONE_COLUMN), create_view(tx, "main", "v", VIEW)
    with transaction(main) as tx:
        rename_table(tx, "main", "t", "T2")
        rename_view(tx, "main", "v", "v2")
        with pytest.raises(AlreadyExists, match="already exists"):
            rename_table(tx, "main", "t2", "V2")
    tx = begin(main)
    assert (get_table(tx, "main", "t2").object_id, get_view(tx, "main", "V2").object_id) == (
        table.object_id,
        view.object_id,
    )
    assert get_table(tx, "main", "t2").path == table.path
    with transaction(main) as tx:
        rename_table(tx, "main", "t2", "T2")
        create_table(tx, "main", "t", ONE_COLUMN)
    assert [entry.name for entry in list_tables(begin(main), "main")] == ["t", "T2"]


def test_two_tables_can_swap_their_names_in_one_transaction(main: Catalog) -> None:
    a, b = make_table(main, "a"), make_table(main, "b")
    with transaction(main) as tx:
        rename_table(tx, "main", "a", "c")
        rename_table(tx, "main", "b", "a")
        rename_table(tx, "main", "c", "b")
    tx = begin(main)
    assert (get_table(tx, "main", "a").object_id, get_table(tx, "main", "b").object_id) == (b.object_id, a.object_id)


def test_many_tables_can_be_altered_in_one_transaction(main: Catalog) -> None:
    count = 250
    with transaction(main) as tx:
        for number in range(count):
            create_table(tx, "main", f"t{number}", ONE_COLUMN)
    with transaction(main) as tx:
        for table in list_tables(tx, "main"):
            set_object_tag(tx, table, "all of them")
    assert [table.definition.tags for table in list_tables(begin(main), "main")] == [{"comment": "all of them"}] * count


def test_every_part_of_a_table_comes_back_as_it_was_committed(main: Catalog) -> None:
    columns = [
        ColumnSpec("id", parse_type("bigint"), nulls_allowed=False, comment="the key"),
        ColumnSpec("home", parse_type("struct(street varchar, at struct(x double, y double))")),
        ColumnSpec("work", parse_type("struct(street varchar, at struct(x double, y double))")),
        ColumnSpec("tags", parse_type("map(varchar, list(decimal(10,2)))")),
        ColumnSpec("day", parse_type("date"), default_value="2024-02-29"),
        ColumnSpec("seen", parse_type("timestamptz"), default_value="now()", default_value_type="expression"),
    ]
    with transaction(main) as tx:
        created = create_table(
            tx,
            "main",
            "t",
            columns,
            partitioned_by=[("day", "year"), ("id", "bucket(16)")],
            sorted_by=[SortKey("id", "DESC", "NULLS_FIRST"), SortKey("lower(home.street)")],
            comment="people",
        )
    seen = get_table(begin(main), "main", "t")
    assert seen == replace(created, begin_snapshot=seen.begin_snapshot)
    names = [".".join(path) for path, _ in seen.definition.leaves()]
    assert {"home.street", "work.street", "home.at.x", "work.at.x"} < set(names)
    ids = [column.column_id for column in seen.definition.fields()]
    assert ids == list(range(1, len(ids) + 1))


def test_each_alteration_is_a_version_that_can_be_travelled_to(main: Catalog) -> None:
    make_table(main, columns=[("a", "int"), ("s", "struct(x int)")])
    alterations: list[Callable[[TableDefinition], TableDefinition]] = [
        lambda d: rename_column(d, ("a",), "b"),
        lambda d: set_column_type(d, ("s", "x"), parse_type("bigint")),
        lambda d: set_default(d, ("b",), "7", "literal", None),
        lambda d: set_tag(d, ("s", "x"), "comment", "deep"),
    ]
    versions = [get_table(begin(main), "main", "t").definition]
    for alteration in alterations:
        with transaction(main) as tx:
            alter_table(tx, "main", "t", alteration)
        versions.append(alteration(versions[-1]))
    snapshots = list_snapshots(main)[1:]
    seen = [get_table(begin(at(main, snapshot.snapshot_id)), "main", "t").definition for snapshot in snapshots]
    assert seen == versions
    assert [snapshot.schema_version for snapshot in snapshots] == [1, 2, 3, 4, 5]
