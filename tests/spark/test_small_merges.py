"""MERGEs and computed values by the driver leave what those by Spark leave: rows, row ids, changes and metadata."""

from typing import Any

import pytest

from forklake.errors import CommitConflict
from tests.spark.conftest import Lakehouse

CLAUSES = """
    WHEN MATCHED AND s.v = 'gone' THEN DELETE
    WHEN MATCHED AND s.v IS NULL THEN DO NOTHING
    WHEN MATCHED THEN UPDATE SET v = s.v, n = t.n + 1
    WHEN NOT MATCHED AND s.id < 100 THEN INSERT (id, v) VALUES (s.id, s.v)
    WHEN NOT MATCHED BY SOURCE AND t.n > 50 THEN UPDATE SET n = 0
"""
SOURCE = "(VALUES (1, 'a!'), (2, 'gone'), (3, NULL), (7, 'new'), (100, 'large')) AS s(id, v)"
STATEMENTS = {
    "merge": f"MERGE INTO t USING {SOURCE} ON t.id = s.id {CLAUSES}",
    "merge of no row": "MERGE INTO t USING (SELECT 9 AS id) AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "insert alone": f"MERGE INTO t USING {SOURCE} ON t.id = s.id WHEN NOT MATCHED THEN INSERT (v) VALUES (s.v)",
    "merge of itself": "MERGE INTO t USING (SELECT id, v FROM t WHERE n > 10) AS s ON t.id = s.id"
    " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED BY SOURCE THEN DELETE",
    "update": "UPDATE t SET n = n * 2, v = NULL WHERE id > 2",
}


def _left_by(lakehouse: Lakehouse, who: str, statement: str, inlined: int) -> list[Any]:
    """What is left of a statement in a fork of its own: its count, all rows with ids, and the changes."""
    fork = lakehouse.lake.fork(who)
    session = lakehouse.session
    session.attach(lakehouse.place.url, who, catalog=who, metadata_schema=lakehouse.place.metadata_schema)
    session.sql(f"USE {who}")
    session.sql(f"CALL {who}.set_option('data_inlining_row_limit', {inlined})")
    session.sql(f"SET forklake_small_queries = '{who}'")
    counted = session.sql(statement).fetchall()
    session.sql("SET forklake_small_queries = 'spark'")
    rows = session.sql("SELECT rowid, * FROM t ORDER BY rowid").fetchall()
    snapshot = fork.snapshots()[-1]
    changes = fork.table("t").changes(snapshot.snapshot_id, snapshot.snapshot_id).fetchall()
    return [counted, rows, sorted(str(row[1:]) for row in changes), snapshot.changes]


@pytest.mark.parametrize("inlined", [0, 10])
@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_the_driver_leaves_what_spark_leaves(lakehouse: Lakehouse, statement: str, inlined: int) -> None:
    table = lakehouse.lake.create_table("t", {"id": "bigint", "v": "varchar", "n": "int"})
    table.append([(1, "a", 10), (2, "b", 20), (3, "c", 30)])
    table.append([(4, "d", 40), (5, "e", 60), (None, "f", 70)])
    table.delete("id = 5")
    assert _left_by(lakehouse, "driver", statement, inlined) == _left_by(lakehouse, "spark", statement, inlined)


def test_a_merge_of_no_row_conflicts_with_an_insert_as_that_of_spark(lakehouse: Lakehouse) -> None:
    table = lakehouse.lake.create_table("t", {"id": "bigint"})
    table.append([(1,), (2,)])
    outcomes = []
    for who in ("driver", "spark"):
        mine, other = lakehouse.session.cursor(), lakehouse.session.cursor()
        mine.sql("USE lake")
        mine.sql(f"SET forklake_small_queries = '{who}'")
        mine.begin()
        mine.sql("MERGE INTO t USING (SELECT 9 AS id) AS s ON t.id = s.id WHEN MATCHED THEN DELETE")
        other.sql("INSERT INTO lake.t VALUES (3)")
        try:
            mine.commit()
            outcomes.append("committed")
        except CommitConflict as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
