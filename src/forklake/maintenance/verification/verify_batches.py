"""Checks whether inlined rows are readable and complete."""

from collections.abc import Iterator

import pyarrow as pa

from forklake.catalog.checks.checked_catalog import CheckContext
from forklake.catalog.checks.tables import read_payloads
from forklake.catalog.checks.visible_table import CheckedTable
from forklake.model.checked_rows import BatchRow
from forklake.model.findings import Finding
from forklake.spark.tasks.files.inlined_payload import read_payload

_BATCHES = 200
"""Maximum number of batches in memory."""


def check_batches(look: CheckContext, table: CheckedTable) -> Iterator[Finding]:
    shown = {row: look.kept.newest_in(period) for period, row in table.batches}
    batches = [row for row, snapshot_id in shown.items() if snapshot_id is not None]
    for at in range(0, len(batches), _BATCHES):
        some = batches[at : at + _BATCHES]
        rows = read_payloads(look, table, some)
        for batch in some:
            # A batch that has expired in the meantime is not missed.
            if batch.batch_id in rows and (wrong := _batch_problem(batch, rows[batch.batch_id])):
                yield Finding("damaged_rows", table.name, None, shown[batch], wrong)


def _batch_problem(batch: BatchRow, payload: bytes) -> str | None:
    try:
        found = read_payload(payload).num_rows
    except (OSError, pa.ArrowException) as error:
        return f"Inlined batch {batch.batch_id} cannot be read: {error}"
    if found == batch.row_count:
        return None
    return f"Inlined batch {batch.batch_id} has {found} rows, and should have {batch.row_count}."
