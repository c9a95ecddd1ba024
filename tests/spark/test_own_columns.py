"""DataFrames of queries: each has columns of its own, named as Spark names them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.conftest import Place
from tests.spark.conftest import Lakehouse, open_lakehouse

QUERIES = [
    "SELECT * FROM {t}",
    "SELECT *, ID FROM {t}",
    "SELECT x.* FROM {t} AS x",
    "SELECT ID, t.`a b`, s.f, id + 1, id AS other FROM {t} AS t",
    "SELECT (id), user, current_date FROM {t}",
    "SELECT * EXCEPT (s) FROM {t}",
    "SELECT id, count(*), max(s.f) FROM {t} GROUP BY id HAVING id > 0 ORDER BY id DESC LIMIT 2",
    "SELECT id, count(id) FROM {t} GROUP BY id ORDER BY count(id) DESC, max(id)",
    "SELECT ID, count(*) FROM {t} GROUP BY ROLLUP (id) ORDER BY grouping(id), 1",
    "SELECT a.id, a.`a b`, a.id FROM {t} AS a JOIN {t} AS b ON a.id = b.id ORDER BY a.id",
    "SELECT id, s FROM {t} AS t |> WHERE t.id > 1",
    "SELECT IDENTIFIER('id') FROM {t}",
    "SELECT id FROM {t} WHERE s.f > 0 LIMIT 10",
    "SELECT id, `a b` FROM {t} AS t ORDER BY t.`a b`, s.f",
    "SELECT DISTINCT id FROM {t} AS t ORDER BY t.id",
    "SELECT id FROM {t} UNION ALL SELECT id + 1 FROM {t}",
    "WITH some AS (SELECT id, s FROM {t}) SELECT id, s.f FROM some",
    "SELECT a.id, b.`a b` FROM {t} AS a JOIN {t} AS b ON a.id = b.id",
    "SELECT * FROM {t} AS x(one, two, three) WHERE one = 1",
    "SELECT id, one FROM {t} LATERAL VIEW explode(array(1, 2)) AS one",
    "SELECT id AS n, `a b` FROM {t}",
    "SELECT id, id FROM {t}",
]

_AMBIGUOUS = re.compile("ID FROM|id, id|, a.id|ROLLUP")
"""Two columns of one name, and NULLs, which equal nothing."""


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession, bucket: Path | None) -> Iterator[Lakehouse]:
    """With a table of one file, which nobody changes, and the same rows in a view of Spark's."""
    folder = tmp_path_factory.mktemp("own")
    local = open_lakehouse(Place(f"sqlite:{folder / 'lake.db'}", None, "sqlite"), folder, spark, bucket)
    rows = local.spark.range(0, 4, 1, numPartitions=1).selectExpr(
        "cast(id AS int) AS id", "'n' || id AS `a b`", "named_struct('f', cast(id AS int)) AS s"
    )
    local.lake.create_table("t", {"id": "int", "a b": "string", "s": "struct<f:int>"}).append(rows)
    local.lake.table("t").to_spark().createOrReplaceTempView("plain")
    yield local
    local.session.close()


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_gives_what_it_gives_over_a_view_of_sparks(local: Lakehouse, query: str) -> None:
    ours = local.session.sql(query.format(t="lake.t"))
    theirs = local.spark.sql(query.format(t="plain"))
    frame = ours.to_spark()
    assert frame.schema == theirs.schema
    assert frame.columns == ours.columns == theirs.columns
    assert sorted(map(repr, frame.collect())) == sorted(map(repr, theirs.collect()))


@pytest.mark.parametrize("query", [query for query in QUERIES if not _AMBIGUOUS.search(query)])
def test_two_dataframes_of_a_query_can_be_joined_by_their_columns(local: Lakehouse, query: str) -> None:
    one, two = (local.session.sql(query.format(t="lake.t")).to_spark() for _ in range(2))
    given = [row[0] for row in one.collect()]
    same = one.join(two, one[0] == two[0]).select(one[0], two[0]).collect()
    assert sorted(map(tuple, same)) == sorted((left, right) for left in given for right in given if left == right)
    assert one.join(two, one[0] != two[0]).count() == len(given) ** 2 - len(same)


def test_a_result_gives_dataframes_that_can_be_joined(local: Lakehouse) -> None:
    result = local.session.sql("SELECT id, s FROM lake.t")
    one, two = result.to_spark(), result.to_spark()
    assert one.join(two, one["id"] < two["id"]).select(one["id"], two["id"]).count() == 6


def test_a_column_that_is_called_like_a_virtual_one_is_shown(local: Lakehouse) -> None:
    rows = local.spark.range(2).selectExpr("id", "cast(id AS string) AS filename")
    local.lake.create_table("named", {"id": "bigint", "filename": "string"}).append(rows)
    for query in ("SELECT * FROM lake.named WHERE filename = '1'", "SELECT *, filename FROM lake.named WHERE id = 1"):
        assert local.session.sql(query).to_spark().collect()[0][:2] == (1, "1"), query


def test_a_feed_shows_all_its_columns_whatever_is_asked_of_them(local: Lakehouse) -> None:
    last = local.lake.snapshots()[-1].snapshot_id
    query = f"SELECT * FROM table_changes('t', {last}, {last}) WHERE snapshot_id = {last} AND rowid >= 0"
    local.session.sql("USE lake")
    assert local.session.sql(query).columns[:3] == ["snapshot_id", "rowid", "change_type"]
