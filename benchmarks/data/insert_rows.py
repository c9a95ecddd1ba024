"""Insert rows one by one. As a process of its own: into the lakes that it is told of, without Spark."""

import json
import sys
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import count

from pyspark.sql import SparkSession

import forklake
from benchmarks.data.small_files import CATALOG, TABLE
from benchmarks.timing import Sample, measure_in_turns
from forklake.api.table import TableHandle

NO_SPARK = "no Spark"
_WARM_UP = 10


def insert_rows(tables: Mapping[str, TableHandle], inserts: int) -> dict[str, Sample]:
    """How long each insert takes, by the names of the tables; none may write a file."""
    numbers = count()

    def insert(table: TableHandle) -> None:
        number = next(numbers)
        row = (number, number, 3, 0.5, 0.25, Decimal("19.99"), date(2024, 2, 29), "new", f"order {number}")
        assert table.append([row]) == 1

    actions = {name: partial(insert, table) for name, table in tables.items()}
    times = measure_in_turns(actions, inserts, warm_up=_WARM_UP)
    for table in tables.values():
        assert table.count() == inserts + _WARM_UP
    return times


def main(urls: Mapping[str, str], inserts: int) -> None:
    with forklake.connect() as session:
        tables = {name: session.attach(url, name, catalog=CATALOG).table(TABLE) for name, url in urls.items()}
        times = insert_rows(tables, inserts)
    found = {name: sample.seconds for name, sample in times.items()}
    print(json.dumps({**found, NO_SPARK: SparkSession.getActiveSession() is None}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), int(sys.argv[2]))
