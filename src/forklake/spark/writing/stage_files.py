"""Staging of written files in a transaction."""

import pyarrow as pa
import pyarrow.parquet as pq

from forklake.model.entities import Table
from forklake.spark.reading.inlined import inline_rows, should_inline
from forklake.spark.storage.remove_files import remove_files
from forklake.spark.tasks.files.write_file import WrittenFile
from forklake.spark.tasks.types.reserved_columns import ROW_ID
from forklake.spark.work import Work
from forklake.spark.writing.incoming import fit_rows
from forklake.spark.writing.write_files import new_data_files


def stage_files(work: Work, table: Table, files: list[WrittenFile], *, embeds_row_ids: bool = False) -> None:
    """Add written files to the table, or inline their rows if they are few."""
    if not should_inline(work, table, sum(file.record_count for file in files)):
        work.tx.append_files(table, new_data_files(work, table, files, embeds_row_ids=embeds_row_ids))
        return
    # The number of rows of a query is known only after its execution, so the files are read back and removed.
    storage = work.storage
    names = [column.name for column in table.definition.columns] + [ROW_ID] * embeds_row_ids
    paths = [storage.path(file.path) for file in files]
    rows = pa.concat_tables(
        [pq.read_table(path, filesystem=storage.files, columns=names, partitioning=None) for path in paths]
    )
    row_ids = rows[ROW_ID] if embeds_row_ids else None
    fitted = fit_rows(rows.drop_columns([ROW_ID]) if embeds_row_ids else rows, table)
    assert isinstance(fitted, pa.Table)
    inline_rows(work, table, fitted, row_ids)
    remove_files(storage, [file.path for file in files])
