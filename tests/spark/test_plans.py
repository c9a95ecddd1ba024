"""What Spark is asked to do: its own vectorised reader, few columns, pushed filters, and nothing more than that."""

import contextlib
import io
import math
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from forklake.api.table import TableHandle
from forklake.model.lru_cache import LruCache
from forklake.spark.reading import deleted_rows
from forklake.spark.tasks.files.delete_files import read_positions
from tests.spark.conftest import CONNECT, Lakehouse
from tests.spark.inside import files_below, head


def plan_of(frame: DataFrame) -> str:
    """The physical plan, as `explain` prints it."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        frame.explain("formatted")
    return printed.getvalue()


def file_scans(frame: DataFrame) -> list[str]:
    """The part of the plan about each scan of files."""
    return re.findall(r"\(\d+\) Scan parquet.*?(?=\n\(\d+\) |\Z)", plan_of(frame), re.DOTALL)


def detail(scan: str, name: str) -> str:
    found = re.search(rf"^{name}: (.*)$", scan, re.MULTILINE)
    return found[1] if found else ""


def one_scan(frame: DataFrame) -> str:
    [scan] = file_scans(frame)
    return scan


@pytest.fixture
def table(local: Lakehouse) -> TableHandle:
    """Two files of flat columns and a struct, without deletes."""
    made = local.lake.create_table(
        "t", {"id": "int", "name": "varchar", "v": "double", "s": "struct(a int, b varchar)"}
    )
    for start in (0, 100):
        made.append([(n, f"n{n}", n / 2, {"a": n, "b": "x"}) for n in range(start, start + 100)])
    return made


def test_files_are_read_by_the_vectorised_reader_in_one_scan(table: TableHandle) -> None:
    plan = plan_of(table.to_spark())
    assert plan.count("Scan parquet") == 2, "once in the tree, once in the list"
    assert "ColumnarToRow" in plan
    assert "Batched: true" in plan


@pytest.mark.parametrize(
    ("columns", "read"),
    [
        (["id"], "struct<id:int>"),
        (["v", "id"], "struct<id:int,v:double>"),
        (["s.a"], "struct<s:struct<a:int>>"),
        (["name", "s.b"], "struct<name:string,s:struct<b:string>>"),
    ],
)
def test_only_the_columns_and_fields_asked_for_are_read(columns: list[str], read: str, table: TableHandle) -> None:
    assert detail(one_scan(table.to_spark().select(*columns)), "ReadSchema") == read


def test_columns_given_to_a_scan_are_all_that_is_read(table: TableHandle) -> None:
    assert detail(one_scan(table.scan(columns=["v"]).to_spark()), "ReadSchema") == "struct<v:double>"


@pytest.mark.parametrize(
    ("condition", "pushed"),
    [
        ("id > 3", "GreaterThan(id,3)"),
        ("name = 'n5'", "EqualTo(name,n5)"),
        ("name LIKE 'n1%'", "StringStartsWith(name,n1)"),
        ("v IS NULL", "IsNull(v)"),
        ("id IN (1, 2)", "In(id, [1,2])"),
        ("s.a > 3", "GreaterThan(s.a,3)"),
    ],
)
def test_filters_reach_the_reader(condition: str, pushed: str, table: TableHandle) -> None:
    for frame in (table.to_spark().where(condition), table.scan(where=condition).to_spark()):
        for scan in file_scans(frame):
            assert pushed in detail(scan, "PushedFilters")


def test_a_filter_on_a_renamed_column_reaches_the_reader_under_the_name_in_the_file(table: TableHandle) -> None:
    table.rename_column("id", "key")
    scan = one_scan(table.to_spark().where("key > 3").select("key"))
    assert "GreaterThan(id,3)" in detail(scan, "PushedFilters")
    assert detail(scan, "ReadSchema") == "struct<id:int>"


def test_a_filter_on_a_widened_column_reaches_the_reader(table: TableHandle) -> None:
    table.set_type("id", "bigint")
    scan = one_scan(table.to_spark().where("id > 3000000000").select("id"))
    assert "GreaterThan(id,3000000000)" in detail(scan, "PushedFilters")
    assert detail(scan, "ReadSchema") == "struct<id:bigint>"


def test_files_of_two_generations_are_two_scans_and_both_get_the_filter(table: TableHandle) -> None:
    table.rename_column("id", "key")
    table.append([(200, "n", 0.0, {"a": 1, "b": "y"})])
    pushed = [detail(scan, "PushedFilters") for scan in file_scans(table.to_spark().where("key > 3"))]
    assert len(pushed) == 2
    assert any("GreaterThan(id,3)" in each for each in pushed)
    assert any("GreaterThan(key,3)" in each for each in pushed)


def test_a_change_that_files_do_not_show_leaves_one_scan(table: TableHandle) -> None:
    table.set_default("v", "1.5")
    table.set_not_null("id")
    table.append([{"id": 200, "name": "n"}])
    assert len(file_scans(table.to_spark())) == 1


def test_when_few_files_have_deletes_only_they_pass_through_a_bitmap(table: TableHandle) -> None:
    table.append([(n, "n", 0.0, None) for n in range(200, 1000)])
    assert "shiftright" not in plan_of(table.to_spark())
    table.delete("id = 7")
    frame = table.to_spark()
    assert len(file_scans(frame)) == 2, "one with a bitmap, one without"
    plan = plan_of(frame)
    assert len(re.findall(r"^Condition *:.*shiftright", plan, re.MULTILINE)) == 1
    assert frame.count() == 999
    rest = plan_of(table.scan(where="id >= 100").to_spark())
    assert "shiftright" not in rest


def test_when_many_files_have_deletes_all_are_read_in_one_scan(table: TableHandle) -> None:
    """Whatever is above a union Spark does not compile together with what is below."""
    table.append([(n, "n", 0.0, None) for n in range(200, 350)])
    table.update({"v": "v + 1"}, "id IN (7, 107)")
    table.delete("id IN (0, 8, 199)")
    frame = table.to_spark()
    assert len(file_scans(frame)) == 1
    assert "Union" not in plan_of(frame)
    found = {row.id: row.v for row in frame.collect()}
    assert found == {n: n / 2 + (n in (7, 107)) if n < 200 else 0.0 for n in range(350) if n not in (0, 8, 199)}


def test_rows_that_are_read_together_have_their_ids_and_places(table: TableHandle) -> None:
    table.append([(n, "n", 0.0, None) for n in range(200, 350)])
    table.delete("id IN (0, 8, 199)")
    virtual = ["rowid", "file_row_number", "filename"]
    found = {id: rest for id, *rest in table.scan(columns=["id", *virtual]).fetchall()}
    assert {id: rowid for id, (rowid, *_) in found.items()} == {n: n for n in range(350) if n not in (0, 8, 199)}
    assert {id: place for id, (_, place, _) in found.items()} == {n: n % 100 if n < 200 else n - 200 for n in found}
    assert len({name for *_, name in found.values()}) == 3
    assert table.update({"name": "'new'"}, "id IN (9, 110, 210)") == 3
    assert table.delete("id IN (10, 111, 211)") == 3
    assert sorted(row.id for row in table.to_spark().where("name = 'new'").collect()) == [9, 110, 210]
    assert table.to_spark().count() == table.count() == 344


def test_a_file_that_was_written_anew_under_its_name_is_read_anew(local: Lakehouse, tmp_path: Path) -> None:
    """What is kept of a scan is of files as they were added, and not of their names."""
    table = local.lake.create_table("others", {"id": "bigint"})
    table.append([(n,) for n in range(500)])
    table.delete("id = 7")
    path = tmp_path / "theirs.parquet"
    for count in (10, 900):
        pq.write_table(pa.table({"id": pa.array(range(1000, 1000 + count), pa.int64())}), path)
        local.lake.add_data_files("others", str(path))
        assert len(file_scans(table.to_spark())) == 1
        found = sorted(row.id for row in table.to_spark().where("id >= 1000").collect())
        assert found == list(range(1000, 1000 + count))
        table.delete("id >= 1000")


def test_a_filter_reaches_the_reader_of_files_with_deletes(table: TableHandle) -> None:
    table.delete("id IN (7, 107)")
    scan = one_scan(table.to_spark().where("id > 3").select("id"))
    assert "GreaterThan(id,3)" in detail(scan, "PushedFilters")


def test_a_condition_given_to_a_scan_excludes_files(table: TableHandle) -> None:
    assert len(table.to_spark().inputFiles()) == 2
    assert len(table.scan(where="id >= 150").to_spark().inputFiles()) == 1
    assert len(table.scan(where="s.a = 3 AND name > 'n'").to_spark().inputFiles()) == 1
    assert table.scan(where="id > 1000").to_spark().inputFiles() == []


@pytest.mark.parametrize("from_frame", [False, True], ids=["written by Arrow", "written by Spark"])
def test_a_filter_on_the_dataframe_skips_row_groups(from_frame: bool, local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"id": "bigint", "v": "bigint"})
    local.lake.set_option("parquet_row_group_size", 1000, table="t")
    rows = local.spark.range(10_000).selectExpr("id", "id AS v").coalesce(1)
    table.append(rows if from_frame else rows.toArrow())
    assert rows_read(table.to_spark().where("id BETWEEN 2100 AND 2200")) == 1000
    assert rows_read(table.to_spark().where("id < 0")) == 0


@pytest.mark.parametrize("from_frame", [False, True], ids=["written by Arrow", "written by Spark"])
def test_no_filter_skips_nan(from_frame: bool, local: Lakehouse) -> None:
    """To Spark, NaN is larger than all numbers; bounds in files leave it out."""
    table = local.lake.create_table("t", {"id": "bigint", "v": "double", "s": "struct(f float)"})
    rows = [(1, 1.0, {"f": 1.0}), (2, math.nan, {"f": math.nan}), (3, 2.0, None)]
    table.append(local.spark.createDataFrame(rows, table.to_spark().schema).coalesce(1) if from_frame else rows)
    for condition in ("v > 5", "v = double('NaN')", "v <> 1 AND v <> 2", "s.f > 5", "s.f IN (7, double('NaN'))"):
        assert [row.id for row in table.to_spark().where(condition).collect()] == [2]
        assert table.scan(where=condition, columns=["id"]).fetchall() == [(2,)]


def rows_read(frame: DataFrame) -> int:
    """How many rows the scan of files gave. No public call tells, so the classic session's plan is asked."""
    if CONNECT:
        pytest.skip("a client does not learn the metrics of its query")
    execution = frame._jdf.queryExecution()
    execution.toRdd().count()
    leaves = execution.executedPlan().collectLeaves()
    counts = [leaves.apply(at).metrics().apply("numOutputRows").value() for at in range(leaves.size())]
    return int(sum(counts))


def test_two_dataframes_of_a_table_can_be_joined_by_their_columns(table: TableHandle) -> None:
    table.delete("id = 5")
    left, right = table.to_spark(), table.to_spark()
    joined = left.join(right, left["id"] == right["id"] + 1).where(right["id"].between(3, 6))
    assert sorted(map(tuple, joined.select(left["id"], right["name"]).collect())) == [(4, "n3"), (7, "n6")]
    both = left.where(left["id"] == 1).unionAll(right.where(right["id"] == 2))
    assert [row.id for row in both.collect()] == [1, 2]


@pytest.mark.skipif(CONNECT, reason="a server takes a list anew for every query")
def test_a_query_that_reads_a_table_twice_exchanges_its_rows_once(local: Lakehouse, table: TableHandle) -> None:
    grouped = "(SELECT name, sum(v) AS total FROM lake.t GROUP BY name)"
    result = local.session.sql(f"SELECT a.name FROM {grouped} a JOIN {grouped} b ON a.name = b.name").to_spark()
    result.collect()
    assert "ReusedExchange" in plan_of(result)


PLANNED_LIKE_FILES = (
    # A semi-join that goes below an aggregate is where columns of our own would come back in another order.
    """SELECT id FROM {t} o WHERE id IN (SELECT id FROM {t} WHERE name LIKE 'n1%')
        AND amount > (SELECT 0.5 * sum(amount) FROM {t} i WHERE i.id = o.id AND i.name = o.name AND i.amount < 50)""",
    "SELECT a.name, count(*) FROM {t} a JOIN {t} b ON a.id = b.id + 1 GROUP BY a.name ORDER BY 2",
)


@pytest.mark.skipif(CONNECT, reason="only a session in this process shows its plans")
@pytest.mark.parametrize("query", PLANNED_LIKE_FILES)
def test_a_query_is_planned_as_over_plain_files(query: str, local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"id": "int", "name": "varchar", "amount": "double"})
    table.append([(n, f"n{n}", n / 2) for n in range(100)])
    table.to_spark().write.parquet(f"file://{tmp_path}/plain")
    ours = local.session.sql(query.format(t="lake.t")).to_spark()
    plain = local.spark.sql(query.format(t=f"parquet.`file://{tmp_path}/plain`"))
    assert operators(ours) == operators(plain)
    assert sorted(map(tuple, ours.collect())) == sorted(map(tuple, plain.collect()))


def operators(frame: DataFrame) -> list[str]:
    """The optimised plan without the numbers of its columns and what its relations are called."""
    plan: str = frame._jdf.queryExecution().optimizedPlan().toString()
    return re.sub(r"Relation \S*\[", "Relation [", re.sub(r"#\d+L?", "", plan)).splitlines()


@pytest.mark.skipif(CONNECT, reason="a server takes a list anew for every query")
def test_the_lists_kept_for_further_scans_are_bounded(table: TableHandle, local: Lakehouse) -> None:
    kept: LruCache[bytes, DataFrame] = LruCache(450)
    local.session._state.provider.cache.relations = kept
    for highest in (50, 150, 50, 150, 250):
        assert table.scan(where=f"id < {highest}").to_spark().count() == min(highest, 200)
    assert len(kept) == 2, "of one file and of two"
    table.append([(n, "", 0.0, None) for n in range(1000, 1100)])
    assert table.to_spark().count() == 300
    assert len(kept) == 2, "and the one of one file is gone"


@pytest.mark.skipif(CONNECT, reason="a server takes a list anew for every query")
def test_deleted_rows_are_looked_up_once_for_a_snapshot(table: TableHandle, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reading(*given: Any) -> Any:
        read.append(given[1])
        return read_positions(*given)

    monkeypatch.setattr(deleted_rows, "read_positions", reading)
    table.delete("id = 5")
    read.clear()
    assert [table.to_spark().where("id < 8").count() for _ in range(3)] == [7, 7, 7]
    assert len(read) == 1
    table.delete("id = 6")
    read.clear()
    assert table.to_spark().where("id < 8").count() == 6
    assert len(read) == 1


def test_nothing_can_be_inserted_through_a_view_over_the_dataframe(local: Lakehouse, table: TableHandle) -> None:
    before = files_below(local.data)
    table.to_spark().createOrReplaceTempView("over")
    with pytest.raises(PySparkException):
        local.spark.sql("INSERT INTO over VALUES (1, 'x', 1.0, named_struct('a', 1, 'b', 'x'))")
    local.lake.create_table("flat", {"id": "int"}).append([(1,)])
    local.lake.table("flat").to_spark().createOrReplaceTempView("over")
    with pytest.raises(PySparkException):
        local.spark.sql("INSERT OVERWRITE over VALUES (1)")
    local.spark.catalog.dropTempView("over")
    assert files_below(local.data) - files_below(local.data / "main" / "main" / "flat") == before
    assert local.lake.table("flat").scan().fetchall() == [(1,)]


def test_two_frames_of_one_table_have_columns_of_their_own(local: Lakehouse) -> None:
    table = local.lake.create_table("t", {"a": "bigint", "b": "int"})
    table.append([(n, n % 2) for n in range(6)])
    table.delete("a = 5")
    one, two = table.to_spark(), table.to_spark()
    joined = one.join(two, one["a"] == two["b"])
    assert sorted(map(tuple, joined.select(one["a"], two["a"]).collect())) == [(0, 0), (0, 2), (0, 4), (1, 1), (1, 3)]
    before = head(local.lake)
    table.append([(7, 1)])
    assert table.to_spark().count() == 6
    assert table.to_spark(version=before).count() == one.count() == 5
