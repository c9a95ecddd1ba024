"""Whatever becomes of the columns, a filtered read gives what an unfiltered read filtered afterwards gives."""

import itertools
import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import forklake
from tests.effort import examples
from tests.spark.evolution_model import canonical, random_filter
from tests.spark.evolution_steps import INLINED_ROWS, Evolution

EXAMPLES = int(os.environ.get("FORKLAKE_EVOLUTIONS", "0"))
"""How many random evolutions to try; without it a few, which are always the same."""

FILTERS = 3

seeds = st.integers(0, 2**32 - 1)
of_columns = st.sampled_from(["add", "drop", "rename", "swap", "replace", "widen", "widen", "move"])
of_rows = st.sampled_from(["append", "append", "append", "delete", "update"])
of_layout = st.sampled_from(["partition", "sort", "transaction", "fork"])
steps = st.lists(st.tuples(st.one_of(of_columns, of_rows, of_columns, of_layout), seeds), min_size=4, max_size=14)

_numbers = itertools.count()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("evolutions")


@settings(
    max_examples=EXAMPLES or examples(5),
    derandomize=not EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    database=None,
    print_blob=True,
)
@given(first=seeds, then=steps, filters=seeds)
def test_after_any_evolution_a_filtered_read_gives_what_filtering_afterwards_gives(
    spark: SparkSession, folder: Path, first: int, then: list[tuple[str, int]], filters: int
) -> None:
    number = next(_numbers)
    with forklake.connect(spark=spark) as session:
        lake = session.attach(
            f"sqlite:{folder / f'{number}.db'}",
            "lake",
            catalog="main",
            data_path=str(folder / str(number)),
            create_if_not_exists=True,
            data_inlining_row_limit=INLINED_ROWS,
        )
        evolution = Evolution(session, lake)
        evolution.take("create", first)
        evolution.take("append", first)
        for kind, seed in then:
            evolution.take(kind, seed)
        rng = random.Random(filters)
        check(evolution, rng)
        if evolution.in_transaction:
            evolution.finish()
            check(evolution, rng)
        was = rng.choice(evolution.past)
        rows = was.catalog.table("t").scan(version=was.version).to_arrow().to_pylist()
        assert sorted(map(canonical, rows)) == was.rows


def check(evolution: Evolution, rng: random.Random) -> None:
    """The table is as its model, read as a whole and by conditions."""
    model, table = evolution.model, evolution.table
    assert sorted(map(canonical, table.scan().to_arrow().to_pylist())) == model.shown()
    assert table.count() == len(model.rows)
    frame = table.to_spark()
    for _ in range(FILTERS):
        condition = random_filter(model, rng)
        expected = model.shown([row for row in model.rows if condition.of(row) is True])
        by_us = table.scan(where=condition.sql).to_arrow().to_pylist()
        assert sorted(map(canonical, by_us)) == expected, f"scan(where={condition.sql!r})"
        by_spark = frame.where(condition.sql).toArrow().to_pylist()
        assert sorted(map(canonical, by_spark)) == expected, f"to_spark().where({condition.sql!r})"
