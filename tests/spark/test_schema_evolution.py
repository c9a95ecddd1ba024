"""Columns change, files and inlined rows stay as they are, and reads show today's columns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from forklake.api.table import TableHandle
from forklake.errors import InvalidChange, InvalidRows
from forklake.model.alterations import ColumnSpec
from forklake.model.column_types import can_promote, parse_type
from tests.spark.conftest import Lakehouse

Rows = list[dict[str, Any]]
Test = Callable[[dict[str, Any]], bool]


@dataclass(slots=True)
class Evolving:
    """The table `t` of a lake, read in every way after it has changed, and once more when the test is over."""

    house: Lakehouse
    begins: bool = False
    """Whether a transaction begins when the table has its first rows."""
    checks: list[tuple[Rows, tuple[tuple[str, Test], ...]]] = field(default_factory=list)

    @property
    def table(self) -> TableHandle:
        return self.house.lake.table("t")

    def create(self, columns: dict[str, str], *rows: dict[str, Any]) -> TableHandle:
        table = self.house.lake.create_table("t", columns)
        table.append(list(rows))
        if self.begins:
            self.house.session.begin()
        return table

    def check(self, expected: Rows, *conditions: tuple[str, Test]) -> None:
        """The rows are these, in these columns, and a condition chooses those that its Python twin chooses."""
        self.checks.append((expected, conditions))
        rows = self.table.scan().to_arrow()
        assert rows.column_names == list(expected[0])
        assert _ordered(rows.to_pylist()) == expected
        for text, test in conditions:
            chosen = [row for row in expected if test(row)]
            assert _ordered(self.table.scan(where=text).to_arrow().to_pylist()) == chosen
            assert _ordered(self.table.to_spark().where(text).toArrow().to_pylist()) == chosen

    def check_again(self) -> None:
        self.check(self.checks[-1][0], *self.checks[-1][1])


def _ordered(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: row["id"])


@pytest.fixture(params=["files", "inlined", "transaction", "altered in a transaction"])
def evolving(request: pytest.FixtureRequest, local: Lakehouse) -> Iterator[Evolving]:
    """Rows in files, inlined, or in files of a transaction that also makes, or only changes, the table."""
    if request.param == "inlined":
        local.lake.set_option("data_inlining_row_limit", 100)
    if request.param == "transaction":
        local.session.begin()
    made = Evolving(local, begins=request.param.startswith("altered"))
    yield made
    if request.param.endswith("transaction"):
        local.session.commit()
        made.check_again()


def test_an_added_column_has_its_default_in_rows_from_before(evolving: Evolving) -> None:
    table = evolving.create({"id": "int"}, {"id": 1})
    table.add_column("n", "int", default="7")
    table.add_column("s", "varchar")
    table.append([{"id": 2, "n": None, "s": "x"}])
    table.append([{"id": 3}])
    evolving.check(
        [{"id": 1, "n": 7, "s": None}, {"id": 2, "n": None, "s": "x"}, {"id": 3, "n": 7, "s": None}],
        ("n = 7", lambda row: row["n"] == 7),
        ("n IS NULL", lambda row: row["n"] is None),
        ("s IS NOT NULL OR n > 7", lambda row: row["s"] is not None),
    )


def test_a_dropped_column_is_gone_and_one_added_under_its_name_is_another(evolving: Evolving) -> None:
    table = evolving.create({"id": "int", "a": "int"}, {"id": 1, "a": 10})
    table.drop_column("a")
    evolving.check([{"id": 1}])
    table.add_column("a", "varchar")
    table.append([(2, "x")])
    evolving.check([{"id": 1, "a": None}, {"id": 2, "a": "x"}], ("a = 'x'", lambda row: row["a"] == "x"))


def test_columns_that_swap_their_names_keep_their_values(evolving: Evolving) -> None:
    table = evolving.create({"id": "int", "a": "int", "b": "int"}, {"id": 1, "a": 10, "b": 20})
    for old, new in (("a", "between"), ("b", "a"), ("between", "b")):
        table.rename_column(old, new)
    table.append([{"id": 2, "a": 10, "b": 20}])
    evolving.check(
        [{"id": 1, "b": 10, "a": 20}, {"id": 2, "b": 20, "a": 10}],
        ("a = 20", lambda row: row["a"] == 20),
        ("b = 20", lambda row: row["b"] == 20),
    )


def test_a_column_may_take_the_name_of_one_that_was_dropped(evolving: Evolving) -> None:
    table = evolving.create({"id": "int", "a": "int", "b": "varchar"}, {"id": 1, "a": 10, "b": "x"})
    table.drop_column("b")
    table.rename_column("a", "b")
    table.append([(2, 11)])
    evolving.check([{"id": 1, "b": 10}, {"id": 2, "b": 11}], ("b > 10", lambda row: row["b"] > 10))


def test_columns_move(evolving: Evolving) -> None:
    table = evolving.create(
        {"a": "int", "b": "struct(x int, y int)", "id": "int"}, {"a": 5, "b": {"x": 1, "y": 2}, "id": 1}
    )
    table.move_column("id")
    table.move_column("a", after="b")
    table.move_column(("b", "x"), after="y")
    table.append([(2, {"y": 3, "x": 4}, 6)])
    evolving.check(
        [{"id": 1, "b": {"y": 2, "x": 1}, "a": 5}, {"id": 2, "b": {"y": 3, "x": 4}, "a": 6}],
        ("b.y = 3", lambda row: row["b"]["y"] == 3),
    )


@pytest.mark.parametrize("holder", ["struct", "list", "map"])
def test_fields_change_wherever_their_struct_is(holder: str, evolving: Evolving) -> None:
    """Add, drop, rename, swap and widen."""
    kind, below, wrap = {
        "struct": ("{}", (), lambda struct: struct),
        "list": ("{}[]", ("element",), lambda struct: [struct, None]),
        "map": ("map(varchar, {})", ("value",), lambda struct: [("k", struct), ("n", None)]),
    }[holder]
    first = {"a": 1, "b": 2, "c": 3}
    table = evolving.create(
        {"id": "int", "s": kind.format("struct(a int, b int, c int)")},
        {"id": 1, "s": wrap(first)},
        {"id": 2, "s": None},
    )
    path = ("s", *below)
    table.drop_column((*path, "c"))
    for old, new in (("a", "between"), ("b", "a"), ("between", "b")):
        table.rename_column((*path, old), new)
    table.set_type((*path, "a"), "bigint")
    table.add_column((*path, "d"), "varchar", default="new")
    table.add_column((*path, "c"), "double")
    table.append([{"id": 3, "s": wrap({"b": 1, "a": 2**40, "d": None, "c": 0.5})}])
    value = {"struct": "s.a", "list": "get(s, 0).a", "map": "s['k'].a"}[holder]
    evolving.check(
        [
            {"id": 1, "s": wrap({"b": 1, "a": 2, "d": "new", "c": None})},
            {"id": 2, "s": None},
            {"id": 3, "s": wrap({"b": 1, "a": 2**40, "d": None, "c": 0.5})},
        ],
        (f"{value} > 2", lambda row: row["id"] == 3),
        (f"{value.replace('.a', '.d')} = 'new'", lambda row: row["id"] == 1),
        (f"{value} IS NULL", lambda row: row["id"] == 2),
    )


def test_a_struct_whose_fields_were_all_replaced_is_null_only_where_it_was(evolving: Evolving) -> None:
    table = evolving.create({"id": "int", "s": "struct(a int)"}, {"id": 1, "s": {"a": 1}}, {"id": 2, "s": None})
    table.add_column(("s", "b"), "int", default="5")
    table.add_column(("s", "c"), "struct(d int)")
    table.drop_column(("s", "a"))
    evolving.check(
        [{"id": 1, "s": {"b": 5, "c": None}}, {"id": 2, "s": None}],
        ("s IS NULL", lambda row: row["s"] is None),
        ("s.b = 5", lambda row: row["id"] == 1),
        ("s.c IS NULL", lambda row: True),
    )
    table.drop_column(("s", "b"))
    evolving.check([{"id": 1, "s": {"c": None}}, {"id": 2, "s": None}], ("s IS NOT NULL", lambda row: row["id"] == 1))


def test_a_default_is_for_rows_to_come(evolving: Evolving) -> None:
    table = evolving.create({"id": "int", "n": "int"}, {"id": 1})
    table.set_default("n", "5")
    table.append([{"id": 2}])
    table.set_default("n", "2 * 3", expression=True)
    table.append([{"id": 3}])
    table.drop_default("n")
    table.append([{"id": 4}])
    evolving.check(
        [{"id": 1, "n": None}, {"id": 2, "n": 5}, {"id": 3, "n": 6}, {"id": 4, "n": None}],
        ("n >= 5", lambda row: row["n"] is not None),
    )


def test_not_null_is_enforced_while_it_is_set(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "n": "int"})
    table.append([(1, 1)])
    table.set_not_null("n")
    with pytest.raises(InvalidRows, match="NOT NULL constraint failed"):
        table.append([(2, None)])
    table.drop_not_null("n")
    table.append([(2, None)])
    with pytest.raises(InvalidChange, match="has NULL values"):
        table.set_not_null("n")
    assert sorted(table.scan().fetchall()) == [(1, 1), (2, None)]


def test_partitioning_and_sort_order_are_for_files_to_come(local: Lakehouse) -> None:
    rows = [(n, f"g{n % 3}", datetime(2020 + n % 2, 1, 1)) for n in range(12)]
    table = local.lake.create_table("t", {"id": "int", "g": "varchar", "at": "timestamp"})
    table.append(rows[:4])
    table.set_partitioning(["g"])
    table.append(rows[4:8])
    table.set_sort_order(["id DESC"])
    table.set_partitioning([("at", "year"), ("id", "bucket(2)")])
    table.append(rows[8:10])
    table.set_partitioning([])
    table.append(rows[10:])
    table.set_sort_order([])
    assert sorted(table.scan().fetchall()) == rows
    assert sorted(table.scan(where="g = 'g1'").fetchall()) == [row for row in rows if row[1] == "g1"]
    assert sorted(table.scan(where="at >= TIMESTAMP_NTZ '2021-01-01'").fetchall()) == [
        row for row in rows if row[0] % 2
    ]
    last = table.to_spark(columns=["id", "file_row_number"]).where("id >= 10").orderBy("file_row_number").collect()
    assert [row.id for row in last] == [11, 10]
    names = {row.filename.split("/")[-2] for row in table.to_spark(columns=["filename"]).collect()}
    assert {"g=g0", "g=g1", "g=g2"} < names


def test_a_column_that_partitions_the_table_may_be_renamed_and_widened(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "int", "g": "int"}, partitioned_by=["g"])
    table.append([(1, 1), (2, 2)])
    table.rename_column("g", "h")
    table.set_type("h", "bigint")
    table.append([(3, 2), (4, 2**40)])
    assert sorted(table.scan(where="h = 2").fetchall()) == [(2, 2), (3, 2)]
    assert sorted(table.to_spark().where("h > 1").toArrow().to_pydict()["id"]) == [2, 3, 4]


def test_a_renamed_table_has_its_rows(lakehouse: Lakehouse) -> None:
    table = lakehouse.lake.create_table("t", {"id": "int"})
    table.append([(1,)])
    renamed = lakehouse.lake.rename_table("t", "u")
    renamed.append([(2,)])
    assert sorted(renamed.scan().fetchall()) == [(1,), (2,)]
    assert not lakehouse.lake.has_table("t")


def test_time_travel_shows_the_columns_of_the_time(lakehouse: Lakehouse) -> None:
    lake = lakehouse.lake
    table = lake.create_table("t", {"id": "int", "a": "int", "s": "struct(x int)"})
    table.append([(1, 10, {"x": 1})])
    versions = {lake.snapshots()[-1].snapshot_id: [{"id": 1, "a": 10, "s": {"x": 1}}]}
    table.rename_column("a", "b")
    table.set_type("b", "bigint")
    versions[lake.snapshots()[-1].snapshot_id] = [{"id": 1, "b": 10, "s": {"x": 1}}]
    table.add_column(("s", "y"), "int", default="2")
    table.drop_column("b")
    table.append([(2, {"x": 3, "y": 4})])
    versions[lake.snapshots()[-1].snapshot_id] = [{"id": 1, "s": {"x": 1, "y": 2}}, {"id": 2, "s": {"x": 3, "y": 4}}]
    for version, rows in versions.items():
        assert _ordered(table.scan(version=version).to_arrow().to_pylist()) == rows
    fork = lake.fork("then", version=next(iter(versions))).table("t")
    assert fork.scan(where="a = 10").fetchall() == [(1, 10, {"x": 1})]


def test_inlined_rows_that_are_all_deleted_leave_columns_that_can_be_read(local: Lakehouse) -> None:
    local.lake.set_option("data_inlining_row_limit", 10)
    table = local.lake.create_table("t", {"id": "int"})
    table.append([(1,), (2,)])
    table.add_column("at", "timestamptz", default="2020-01-01 00:00:00+00")
    table.delete("id > 0")
    assert table.to_spark().where("at IS NOT NULL").collect() == []
    assert table.scan(where="at IS NOT NULL").fetchall() == []


def test_names_with_dots_are_names_everywhere(local: Lakehouse) -> None:
    columns = {"id": "int", "x.y": "varchar", "w": "struct(y int, `a.b` int)", "l": "int[]"}
    table = local.lake.create_table("t", columns, partitioned_by=["x.y"])
    frame = local.spark.sql("SELECT 1 AS id, 'p' AS `x.y`, named_struct('y', 2, 'a.b', 3) AS w, array(4) AS l")
    table.append(frame)
    table.update({"id": "id + 1"}, where="`x.y` = 'p' AND w.y = 2")
    table.rename_column("x.y", "x.z")
    table.rename_column(("w", "a.b"), "b.a")
    assert table.scan(where="`x.z` = 'p' AND w.`b.a` = 3").fetchall() == [(2, "p", {"y": 2, "b.a": 3}, [4])]


SAMPLES: dict[str, Any] = {
    "boolean": True,
    **{f"int{bits}": -(2 ** (bits - 1)) for bits in (8, 16, 32, 64)},
    "int128": -(10**37),
    **{f"uint{bits}": 2**bits - 1 for bits in (8, 16, 32, 64)},
    "uint128": 10**37,
    "float32": 0.5,
    "decimal(5,2)": Decimal("-999.75"),
    "date": date(2020, 2, 29),
    "timestamp_s": datetime(2020, 2, 29, 1, 2, 3),
    "timestamp_ms": datetime(2020, 2, 29, 1, 2, 3, 4000),
    "timestamp": datetime(2020, 2, 29, 1, 2, 3, 4),
}
WIDER = [*SAMPLES, "float64", "decimal(38,5)", "timestamp_ns", "timestamptz"]
PROMOTIONS = [(old, new) for old in SAMPLES for new in WIDER if can_promote(parse_type(old), parse_type(new))]


@pytest.mark.parametrize("inlined", [False, True], ids=["files", "inlined"])
def test_every_promotion_shows_the_old_values_in_the_new_type(inlined: bool, local: Lakehouse) -> None:
    columns = [f"c{at}" for at in range(len(PROMOTIONS))]
    specs = [ColumnSpec(name, parse_type(old)) for name, (old, _) in zip(columns, PROMOTIONS, strict=True)]
    local.lake.set_option("data_inlining_row_limit", 100 if inlined else 0)
    table = local.lake.create_table("t", [ColumnSpec("id", parse_type("int")), *specs])
    olds = [SAMPLES[old] for old, _ in PROMOTIONS]
    table.append([(1, *olds), (2, *(None for _ in olds))])
    with local.session.transaction():
        for name, (_, new) in zip(columns, PROMOTIONS, strict=True):
            table.set_type(name, new)
    expected = [_promoted(SAMPLES[old], new) for old, new in PROMOTIONS]
    rows = sorted(table.scan().fetchall())
    assert rows[1] == (2, *(None for _ in olds))
    assert [pair for pair in zip(PROMOTIONS, rows[0][1:], expected, strict=True) if pair[1] != pair[2]] == []
    table.append([(3, *expected)])
    whole = " AND ".join(f"{name} = {_literal(value)}" for name, value in zip(columns, expected, strict=True))
    assert sorted(table.scan(where=whole, columns=["id"]).fetchall()) == [(1,), (3,)]
    assert sorted(row.id for row in table.to_spark().where(whole).select("id").collect()) == [1, 3]


def _promoted(value: Any, new: str) -> Any:
    match new:
        case "float32":
            return float(np.float32(float(value)))
        case "float64":
            return float(value)
        case "decimal(38,5)":
            return Decimal(value)
        case "timestamp" | "timestamp_s" | "timestamp_ms" | "timestamptz" | "timestamp_ns":
            moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
            if new == "timestamp_ns":
                return int((moment - datetime(1970, 1, 1)).total_seconds()) * 10**9 + moment.microsecond * 1000
            return moment.replace(tzinfo=UTC) if new == "timestamptz" else moment
    return int(value)


def _literal(value: Any) -> str:
    if isinstance(value, datetime):
        kind = "TIMESTAMP_NTZ" if value.tzinfo is None else "TIMESTAMP"
        return f"{kind} '{value.replace(tzinfo=None)}{'' if value.tzinfo is None else ' UTC'}'"
    return f"double('{value!r}')" if isinstance(value, float) else str(value)
