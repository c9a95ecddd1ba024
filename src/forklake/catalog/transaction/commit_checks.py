"""Consistency of staged changes, as far as it can only be checked when all are staged."""

from forklake.catalog.transaction.table_changes import TableChanges
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import InvalidInput


def check_staged(transaction: Transaction) -> None:
    """Reject a compaction that changes the number of rows, mappings without files, and files without mappings."""
    for changes in transaction.tables.values():
        if changes.compaction and changes.row_delta:
            raise InvalidInput(f"Compaction must keep the number of rows, not change it by {changes.row_delta}.")
        _check_mappings(transaction, changes)


def _check_mappings(transaction: Transaction, changes: TableChanges) -> None:
    used = {new.file.mapping_id for new in changes.new_files.values() if new.file.mapping_id is not None}
    if unused := changes.mappings.keys() - used:
        raise InvalidInput(f"No new file uses the column mapping {min(unused)}.")
    if not used <= changes.mappings.keys():
        unknown = used - transaction.mappings(changes.table_id).keys()
        if unknown:
            raise InvalidInput(f"The table has no column mapping {min(unknown)}, which a new file uses.")
