"""Distinct types for the ids of each kind of object."""

from typing import NewType

CatalogId = NewType("CatalogId", int)
SnapshotId = NewType("SnapshotId", int)
SchemaId = NewType("SchemaId", int)
TableId = NewType("TableId", int)
ViewId = NewType("ViewId", int)
MacroId = NewType("MacroId", int)
ColumnId = NewType("ColumnId", int)
PartitionId = NewType("PartitionId", int)
SortId = NewType("SortId", int)
MappingId = NewType("MappingId", int)
DataFileId = NewType("DataFileId", int)
DeleteFileId = NewType("DeleteFileId", int)
BatchId = NewType("BatchId", int)
