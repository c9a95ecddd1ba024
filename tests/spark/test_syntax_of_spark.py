"""A text that Spark refuses is an error and changes nothing, however small or certain its rows are."""

import pytest

from forklake.errors import ForklakeError
from tests.spark.conftest import Lakehouse

STATEMENTS = [
    "SELECT id, FROM t",
    "SELECT FROM t",
    "SELECT count(*), FROM t",
    "SELECT id FROM t ORDER BY id LIMIT 1, 2",
    "SELECT id FROM t OFFSET 1 LIMIT 1",
    "SELECT id FROM t GROUP BY id WHERE id = 1",
    "SELECT max(id,) FROM t",
    "DELETE FROM t WHERE id IN (1,)",
    "DELETE FROM t WHERE s NOT NULL",
    "DELETE FROM t WHERE id > 0,",
    "UPDATE t SET s = 'z' WHERE id > 0 AND s NOT NULL",
    "INSERT INTO t SELECT id, s FROM t ORDER BY id LIMIT 1, 2",
]


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("way", ["auto", "spark"])
def test_a_statement_that_spark_refuses_is_refused(local: Lakehouse, statement: str, way: str) -> None:
    """DELETE of whole files needs no row to be read, but the condition must be valid."""
    local.lake.create_table("t", {"id": "bigint", "s": "varchar"}).append([(1, "a"), (2, "b"), (3, "c")])
    local.session.sql(f"SET forklake_small_queries = '{way}'")
    with pytest.raises(ForklakeError):
        local.session.sql(statement)
    assert local.lake.table("t").count() == 3


@pytest.mark.parametrize("where", ["id > 0) OR (id < 0", "id IN (1, 2, 3,)", "id NOT NULL"])
def test_a_condition_from_python_that_spark_refuses_is_refused(local: Lakehouse, where: str) -> None:
    table = local.lake.create_table("t", {"id": "bigint", "s": "varchar"})
    table.append([(1, "a"), (2, "b"), (3, "c")])
    for way in ("auto", "spark"):
        local.session.sql(f"SET forklake_small_queries = '{way}'")
        with pytest.raises(ForklakeError):
            table.delete(where)
    assert table.count() == 3
