"""CREATE TABLE, ALTER TABLE and the methods of Python do the same to equal tables, and refuse the same."""

from collections.abc import Callable
from typing import Any

import pytest

from forklake.api.table import TableHandle
from forklake.errors import ForklakeError, InvalidInput
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import ColumnType
from forklake.model.entities import Column, TableDefinition
from tests.spark.conftest import Lakehouse

INT = ColumnType("int32")
TABLE = (
    "(id BIGINT NOT NULL, v STRING DEFAULT 'x', n INT, at TIMESTAMP, s STRUCT<a: INT, b: STRING>, l ARRAY<INT>,"
    " `s.a` INT NOT NULL) PARTITIONED BY (id) SORTED BY (v)"
)
ROW = "(1, NULL, NULL, NULL, NULL, NULL, 1)"
Change = Callable[[TableHandle], object]

CHANGES: list[tuple[str, Change]] = [
    ("ADD COLUMN c INT", lambda t: t.add_column("c", "int")),
    ("ADD COLUMN c INT NOT NULL DEFAULT 5", lambda t: t.add_column("c", "int", default=5, nullable=False)),
    (
        "ADD COLUMN c STRING DEFAULT 'a' COMMENT 'why'",
        lambda t: t.add_column("c", "varchar", default="a", comment="why"),
    ),
    ("ADD COLUMN c DATE DEFAULT '2026-01-01'", lambda t: t.add_column("c", "date", default="2026-01-01")),
    ("ADD COLUMN c TIMESTAMP", lambda t: t.add_column("c", "timestamptz")),
    ("ADD COLUMN s.c INT DEFAULT 1", lambda t: t.add_column(("s", "c"), "int", default=1)),
    ("DROP COLUMN n", lambda t: t.drop_column("n")),
    ("DROP COLUMN s.a", lambda t: t.drop_column(("s", "a"))),
    ("RENAME COLUMN v TO w", lambda t: t.rename_column("v", "w")),
    ("RENAME COLUMN s.a TO c", lambda t: t.rename_column(("s", "a"), "c")),
    ("ALTER COLUMN n TYPE BIGINT", lambda t: t.set_type("n", "bigint")),
    ("ALTER COLUMN n TYPE INT", lambda t: t.set_type("n", "int")),
    ("ALTER COLUMN n SET DEFAULT 7", lambda t: t.set_default("n", 7)),
    ("ALTER COLUMN n SET DEFAULT 7", lambda t: t.set_default("n", "7")),
    ("ALTER COLUMN n SET DEFAULT 1 + 1", lambda t: t.set_default("n", "1 + 1", expression=True)),
    ("ALTER COLUMN v SET DEFAULT NULL", lambda t: t.set_default("v", None)),
    ("ALTER COLUMN v SET DEFAULT NULL", lambda t: t.set_default("v", "NULL", expression=True)),
    ("ALTER COLUMN v DROP DEFAULT", lambda t: t.drop_default("v")),
    ("ALTER COLUMN s.a SET DEFAULT 7", lambda t: t.set_default(("s", "a"), 7)),
    ("ALTER COLUMN ID DROP NOT NULL", lambda t: t.drop_not_null("ID")),
    ("ALTER COLUMN n AFTER v", lambda t: t.move_column("n", "v")),
    ("ALTER COLUMN n FIRST", lambda t: t.move_column("n")),
    (
        "SET PARTITIONED BY (n, day(at), bucket(4, v))",
        lambda t: t.set_partitioning(["n", ("at", "day"), ("v", "bucket(4)")]),
    ),
    ("RESET PARTITIONED BY", lambda t: t.set_partitioning([])),
    ("SET SORTED BY (n)", lambda t: t.set_sort_order("n")),
    ("SET SORTED BY (n, v DESC)", lambda t: t.set_sort_order(["n", "v DESC"])),
    (
        "SET SORTED BY (n NULLS LAST, upper(v) DESC NULLS FIRST)",
        lambda t: t.set_sort_order(["n NULLS LAST", "upper(v) desc  nulls first"]),
    ),
    ("RESET SORTED BY", lambda t: t.set_sort_order([])),
]

REFUSED: list[tuple[str, Change]] = [
    ("ADD COLUMN n INT", lambda t: t.add_column("n", "int")),
    ("ADD COLUMN c INT NOT NULL", lambda t: t.add_column("c", "int", nullable=False)),
    ("ADD COLUMN n.c INT", lambda t: t.add_column(("n", "c"), "int")),
    ("ADD COLUMN s.c INT NOT NULL DEFAULT 1", lambda t: t.add_column(("s", "c"), "int", default=1, nullable=False)),
    ("DROP COLUMN nope", lambda t: t.drop_column("nope")),
    ("DROP COLUMN id", lambda t: t.drop_column("id")),
    ("DROP COLUMN v", lambda t: t.drop_column("v")),
    ("RENAME COLUMN nope TO c", lambda t: t.rename_column("nope", "c")),
    ("RENAME COLUMN n TO v", lambda t: t.rename_column("n", "v")),
    ("ALTER COLUMN id TYPE INT", lambda t: t.set_type("id", "int")),
    ("ALTER COLUMN nope TYPE INT", lambda t: t.set_type("nope", "int")),
    ("ALTER COLUMN nope SET DEFAULT 1", lambda t: t.set_default("nope", 1)),
    ("ALTER COLUMN l.element SET DEFAULT 1", lambda t: t.set_default(("l", "element"), 1)),
    ("ALTER COLUMN nope DROP DEFAULT", lambda t: t.drop_default("nope")),
    ("ALTER COLUMN n SET NOT NULL", lambda t: t.set_not_null("n")),
    ("ALTER COLUMN N SET NOT NULL", lambda t: t.set_not_null("N")),
    ("ALTER COLUMN id SET NOT NULL", lambda t: t.set_not_null("id")),
    ("ALTER COLUMN nope SET NOT NULL", lambda t: t.set_not_null("nope")),
    ("ALTER COLUMN s.a SET NOT NULL", lambda t: t.set_not_null(("s", "a"))),
    ("ALTER COLUMN s.b SET NOT NULL", lambda t: t.set_not_null(("s", "b"))),
    ("ALTER COLUMN n DROP NOT NULL", lambda t: t.drop_not_null("n")),
    ("ALTER COLUMN s.a DROP NOT NULL", lambda t: t.drop_not_null(("s", "a"))),
    ("ALTER COLUMN n AFTER nope", lambda t: t.move_column("n", "nope")),
    ("SET PARTITIONED BY (nope)", lambda t: t.set_partitioning("nope")),
    ("SET PARTITIONED BY (day(v))", lambda t: t.set_partitioning([("v", "day")])),
    ("SET PARTITIONED BY (n, n)", lambda t: t.set_partitioning(["n", "n"])),
    ("SET SORTED BY (nope)", lambda t: t.set_sort_order("nope")),
    ("SET SORTED BY (nofunc(v))", lambda t: t.set_sort_order("nofunc(v)")),
    ("SET SORTED BY (l + 1)", lambda t: t.set_sort_order(["l + 1"])),
]


def _handle(local: Lakehouse, schema: str) -> TableHandle:
    local.lake.create_schema(schema)
    local.session.sql(f"CREATE TABLE {schema}.t {TABLE}")
    local.session.sql(f"INSERT INTO {schema}.t VALUES {ROW}")
    return local.lake.table(f"{schema}.t")


def _columns(columns: tuple[Column, ...]) -> list[Any]:
    """The columns without their ids, which are those of one table."""
    return [
        (
            (column.name, column.type.text, column.nulls_allowed, dict(column.tags), column.initial_default),
            (column.default_value, column.default_value_type, column.default_value_dialect),
            _columns(column.children),
        )
        for column in columns
    ]


def _shape(definition: TableDefinition) -> list[Any]:
    names = {column.column_id: column.name for column in definition.columns}
    partition = () if definition.partition is None else definition.partition.keys
    keys = [(names[key.column_id], key.transform) for key in partition]
    return [_columns(definition.columns), keys, definition.sort and definition.sort.keys]


def _refusal(change: Callable[[], object]) -> tuple[type, str]:
    with pytest.raises(ForklakeError) as raised:
        change()
    return type(raised.value), str(raised.value)


@pytest.mark.parametrize(("text", "change"), CHANGES, ids=[text for text, _ in CHANGES])
def test_equal_changes_in_sql_and_in_python_have_equal_effects(local: Lakehouse, text: str, change: Change) -> None:
    in_sql, in_python = _handle(local, "a"), _handle(local, "b")
    local.session.sql(f"ALTER TABLE a.t {text}")
    change(in_python)
    assert _shape(in_sql.definition) == _shape(in_python.definition)


@pytest.mark.parametrize(("text", "change"), REFUSED, ids=[text for text, _ in REFUSED])
def test_what_is_refused_in_sql_is_refused_in_python_with_the_same_words(
    local: Lakehouse, text: str, change: Change
) -> None:
    in_sql, in_python = _handle(local, "a"), _handle(local, "b")
    before = _shape(in_sql.definition)
    assert _refusal(lambda: local.session.sql(f"ALTER TABLE a.t {text}")) == _refusal(lambda: change(in_python))
    assert _shape(in_sql.definition) == _shape(in_python.definition) == before


Specs = list[ColumnSpec]
NEW: list[tuple[str, Specs]] = [
    ("n INT DEFAULT 5", [ColumnSpec("n", ColumnType("int32"), default_value="5")]),
    ("n INT DEFAULT 1 + 1", [ColumnSpec("n", ColumnType("int32"), True, "1 + 1", "expression")]),
    ("n INT DEFAULT 5", [ColumnSpec("n", ColumnType("int32"), True, "5", "expression", "spark")]),
    ("n STRING NOT NULL COMMENT 'c'", [ColumnSpec("n", ColumnType("varchar"), False, comment="c")]),
]
REFUSED_NEW: list[tuple[str, Specs]] = [
    ("n INT DEFAULT nofunc()", [ColumnSpec("n", ColumnType("int32"), True, "nofunc()", "expression")]),
    ("n INT DEFAULT (SELECT 1)", [ColumnSpec("n", ColumnType("int32"), True, "(SELECT 1)", "expression")]),
    ("n INT DEFAULT (SELECT 1)", [ColumnSpec("n", ColumnType("int32"), True, "(SELECT 1)", "expression", "Spark")]),
    ("n INT, N INT", [ColumnSpec("n", ColumnType("int32")), ColumnSpec("N", ColumnType("int32"))]),
]


@pytest.mark.parametrize(("text", "columns"), NEW, ids=[text for text, _ in NEW])
def test_equal_tables_created_in_sql_and_in_python_are_equal(local: Lakehouse, text: str, columns: Specs) -> None:
    local.session.sql(f"CREATE TABLE a ({text}) PARTITIONED BY (n) SORTED BY (n)")
    made = local.lake.create_table("b", columns, partitioned_by="n", sorted_by="n")
    assert _shape(local.lake.table("a").definition) == _shape(made.definition)


@pytest.mark.parametrize(("text", "columns"), REFUSED_NEW, ids=[text for text, _ in REFUSED_NEW])
def test_tables_refused_in_sql_are_refused_in_python_with_the_same_words(
    local: Lakehouse, text: str, columns: Specs
) -> None:
    in_sql = _refusal(lambda: local.session.sql(f"CREATE TABLE a ({text})"))
    assert _refusal(lambda: local.lake.create_table("a", columns)) == in_sql
    assert local.lake.tables() == []


def test_a_table_that_exists_is_left_alone_whatever_else_is_asked_for(local: Lakehouse) -> None:
    local.session.sql("CREATE TABLE t (n INT)")
    local.session.sql("CREATE TABLE IF NOT EXISTS t (n INT) SORTED BY (nofunc(n))")
    made = local.lake.create_table("t", {"n": "int"}, sorted_by="nofunc(n)", if_not_exists=True)
    columns = [ColumnSpec("n", ColumnType("int32"), True, "nofunc()", "expression")]
    local.lake.create_table("t", columns, if_not_exists=True)
    local.lake.create_table("t", {"n": "no type"}, if_not_exists=True)
    assert made.definition.sort is None
    assert made.definition.columns[0].default_value is None


def test_a_column_that_exists_is_left_alone_whatever_else_is_asked_for(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"n": "int", "s": "struct(a int)"})
    before = table.definition
    local.session.sql("ALTER TABLE t ADD COLUMN IF NOT EXISTS N NOTYPE DEFAULT nofunc()")
    local.session.sql("ALTER TABLE t ADD COLUMN IF NOT EXISTS s.a INT DEFAULT (SELECT 1) AFTER nope")
    assert table.definition == before


@pytest.mark.parametrize("written", ["nofunc(", "nofunc()", "(SELECT 1)", "'x'"])
def test_an_expression_is_checked_in_the_dialect_that_it_is_given_in(local: Lakehouse, written: str) -> None:
    with pytest.raises(InvalidInput, match="default of column 'a'"):
        local.lake.create_table("t", [_with_default(written, "duckdb")])
    assert local.lake.tables() == []


def test_an_expression_of_another_dialect_is_stored_in_that_of_spark(local: Lakehouse) -> None:
    made = local.lake.create_table("t", [_with_default("7 // 2 + length(chr(65))", "DuckDB"), ColumnSpec("b", INT)])
    [column, _] = made.definition.columns
    assert (column.default_value_type, column.default_value_dialect) == ("expression", "spark")
    made.append([{"b": 1}])
    assert made.scan().fetchall() == [(4, 1)]


def test_an_expression_of_no_known_dialect_is_refused(local: Lakehouse) -> None:
    with pytest.raises(InvalidInput, match="in the dialect 'mysql'; use one of spark, duckdb"):
        local.lake.create_table("t", [_with_default("1 + 1", "mysql")])


def _with_default(text: str, dialect: str) -> ColumnSpec:
    return ColumnSpec("a", INT, True, text, "expression", dialect)


def test_two_sort_keys_in_one_text_are_refused(local: Lakehouse) -> None:
    made = local.lake.create_table("t", {"a": "int", "b": "int"})
    with pytest.raises(InvalidInput, match="more than one sort key"):
        made.set_sort_order("a, b")


@pytest.mark.parametrize("name", ["desc", "a,b", "sel'ect", "(x", "a`b", "n DESC", "s.a", "x y", "Höhe"])
def test_a_sort_key_may_be_the_name_of_a_column_whatever_it_holds(local: Lakehouse, name: str) -> None:
    local.lake.set_option("data_inlining_row_limit", 0)
    made = local.lake.create_table("t", {name: "int", "s": "struct(a int)"}, sorted_by=name.upper())
    made.append([(3, {"a": 1}), (1, {"a": 2}), (2, {"a": 3})])
    assert [row[0] for row in made.scan().fetchall()] == [1, 2, 3]
    again = local.lake.create_table_as("u", made.scan().to_spark(), sorted_by=name)
    again.set_sort_order([name, "s"])
    made.rename_column(name, "other")
    sort = made.definition.sort
    assert sort is not None
    assert [key.expression for key in sort.keys] == ["other"]


def test_an_empty_text_ends_sorting_and_partitioning(local: Lakehouse) -> None:
    made = local.lake.create_table("t", {"a": "int"}, sorted_by="a", partitioned_by="a")
    made.set_sort_order("")
    made.set_partitioning("")
    assert (made.definition.sort, made.definition.partition) == (None, None)


@pytest.mark.parametrize("key", ["(x", "a)", "sel'ect", "a DESC x"])
def test_what_is_no_sort_key_is_named_as_it_was_given(local: Lakehouse, key: str) -> None:
    made = local.lake.create_table("t", {"a": "int"})
    with pytest.raises(ForklakeError) as raised:
        made.set_sort_order(key)
    assert key in str(raised.value)
    assert "LINE" not in str(raised.value)
    assert f"({key}" not in str(raised.value)
