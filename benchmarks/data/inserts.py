"""A row that goes into the metadata takes no Spark, whether one is running or not."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping

from pyspark.sql import SparkSession

from benchmarks.data.bench import Bench
from benchmarks.data.insert_rows import NO_SPARK, insert_rows
from benchmarks.databases import Backend
from benchmarks.report import Figure, at_most, duration
from benchmarks.timing import Sample
from forklake.api.table import TableHandle

LIMIT_MS = 50.0
_BACKENDS: tuple[Backend, ...] = ("sqlite", "postgres")


def inserts(bench: Bench) -> Iterator[Figure]:
    """Inserts of one row, by a process with a Spark session and by one without."""
    for label, measure in (("Spark running", _running), ("Spark not running", _not_running)):
        for backend, sample in measure(bench).items():
            yield _figure(backend, label, sample)


def _running(bench: Bench) -> Mapping[str, Sample]:
    tables: dict[str, TableHandle] = {backend: bench.new_table(backend).table for backend in _BACKENDS}
    before = _jobs(bench.spark)
    times = insert_rows(tables, bench.sizes.inserts)
    if _jobs(bench.spark) != before:
        raise AssertionError("an insert of one row has run a Spark job")
    return times


def _not_running(bench: Bench) -> Mapping[str, Sample]:
    """A process of its own, which is told where the lakes are and prints how long each insert took."""
    lakes = {backend: bench.new_table(backend) for backend in _BACKENDS}
    urls = json.dumps({backend: stored.place.url for backend, stored in lakes.items()})
    command = [sys.executable, "-m", insert_rows.__module__, urls, str(bench.sizes.inserts)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    if found.pop(NO_SPARK) is not True:
        raise AssertionError("an insert of one row has started Spark")
    return {backend: Sample(tuple(seconds)) for backend, seconds in found.items()}


def _jobs(spark: SparkSession) -> set[int]:
    """The numbers of all jobs that have run, of no group: nobody here makes groups."""
    return set(spark.sparkContext.statusTracker().getJobIdsForGroup(None))


def _figure(backend: str, label: str, sample: Sample) -> Figure:
    slowest = f"middle half spread by {sample.spread:.0%}, slowest {duration(max(sample.seconds))}"
    return Figure("inserts", backend, f"one row, {label}", sample.median * 1000, "ms", at_most(LIMIT_MS), slowest)
