"""The partitions of the files of a table."""

from collections.abc import Iterable

from forklake.catalog.reading.view import CatalogView
from forklake.model.files import DataFile
from forklake.model.ids import DataFileId, TableId
from forklake.store import file_partitions as rows
from forklake.store.file_partitions import PartitionValues


def partition_values(
    view: CatalogView, table_id: TableId, files: Iterable[DataFile]
) -> dict[DataFileId, PartitionValues]:
    """The partition values of committed files; unpartitioned files are omitted."""
    parted = [file.data_file_id for file in files if file.partition_id is not None]
    if not parted:
        return {}
    return rows.file_partitions(view.catalog.lake.store, view.table_scope(table_id), table_id, parted)
