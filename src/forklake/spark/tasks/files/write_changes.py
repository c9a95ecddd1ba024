"""Writes the new rows of an UPDATE or MERGE to files, and returns the addresses of the replaced rows.

Both happen in one pass over the changes, so nothing is evaluated twice.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from forklake.spark.tasks.files.write_file import RowWriter, WriteOrder, WrittenFile, to_batch
from forklake.spark.tasks.types.reserved_columns import ROW_ID

CHANGE = "__forklake_change"
"""The change of a row: one of the three below, or NULL for none."""
UPDATE, INSERT, DELETE = "update", "insert", "delete"
ADDRESS = "__forklake_address"
"""The address of the old row; NULL if there is none."""
SOURCE_ROW = "__forklake_source"
"""The number of the matching row of a MERGE's source, or NULL."""

OUTCOME = "change string, address bigint, source bigint, file string"
_SCHEMA = pa.schema([("change", pa.string()), ("address", pa.int64()), ("source", pa.int64()), ("file", pa.string())])


def write_changes(order: WriteOrder, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Write the new rows; yields the outcome of each row, and then the files.

    Batches have the table's columns in shown form, followed by row id, change, address and source row. Updated rows are
    written to files with row ids, inserted rows to files without; files are labelled with the change.
    """
    writers = {UPDATE: RowWriter(replace(order, reserved=(ROW_ID,))), INSERT: RowWriter(order)}
    written: dict[str, list[WrittenFile]] = {UPDATE: [], INSERT: []}
    columns = list(range(len(order.columns)))
    try:
        for batch in batches:
            yield _row_outcomes(batch)
            for change, writer in writers.items():
                rows = batch.filter(pc.equal(batch.column(CHANGE), change))
                kept = [*columns, batch.schema.get_field_index(ROW_ID)] if change == UPDATE else columns
                written[change] += writer.add(rows.select(kept))
        for change, writer in writers.items():
            written[change] += writer.close()
    except BaseException:
        for writer in writers.values():
            writer.remove()
        raise
    yield _file_outcomes([replace(file, label=change) for change, files in written.items() for file in files])


def _row_outcomes(batch: pa.RecordBatch) -> pa.RecordBatch:
    arrays = [batch.column(name) for name in (CHANGE, ADDRESS, SOURCE_ROW)]
    return pa.RecordBatch.from_arrays([*arrays, pa.nulls(batch.num_rows, pa.string())], schema=_SCHEMA)


def _file_outcomes(files: Sequence[WrittenFile]) -> pa.RecordBatch:
    texts = to_batch(files).column(0)
    nothing = [pa.nulls(len(texts), field.type) for field in list(_SCHEMA)[:3]]
    return pa.RecordBatch.from_arrays([*nothing, texts], schema=_SCHEMA)
