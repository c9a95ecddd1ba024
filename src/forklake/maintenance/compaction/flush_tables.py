"""Flushes inlined rows of several tables to files, each table in a separate transaction."""

from dataclasses import dataclass
from functools import partial
from typing import cast

from forklake.catalog.reading.metadata_views import inlined_tables
from forklake.maintenance.commits import EVERYWHERE, Commits, Place, for_each_table
from forklake.maintenance.compaction.chosen_tables import chosen_tables
from forklake.model.entities import Table
from forklake.model.ids import TableId
from forklake.spark.verbs.flush import flush_inlined
from forklake.spark.work import Work


@dataclass(frozen=True, slots=True)
class Flushed:
    """The number of flushed rows of a table."""

    schema_name: str
    table_name: str
    rows_flushed: int


def flush_inlined_data(commits: Commits, place: Place = EVERYWHERE) -> list[Flushed]:
    """Flush and commit the inlined rows of a table, a schema, or the whole catalog."""

    def among(work: Work) -> list[Table]:
        return cast("list[Table]", work.tx.view.objects_with_ids(inlined_tables(work.tx.catalog)))

    def flush(table_id: TableId) -> Flushed | None:
        return commits.carry_out(partial(_flush, table_id=table_id))

    flushed = for_each_table(commits.look(lambda work: chosen_tables(work, place, among)), flush)
    return [done for done in flushed if done is not None and done.rows_flushed]


def _flush(work: Work, table_id: TableId) -> Flushed | None:
    table = cast("Table | None", work.tx.object_with_id(table_id))
    schema = None if table is None else work.tx.object_with_id(table.schema_id)
    return None if table is None or schema is None else Flushed(schema.name, table.name, flush_inlined(work, table))
