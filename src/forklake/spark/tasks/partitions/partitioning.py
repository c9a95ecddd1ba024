"""The partitioning of a table, as needed by tasks."""

from collections.abc import Sequence
from dataclasses import dataclass

from forklake.model.entities import Column
from forklake.model.ids import PartitionId
from forklake.model.partitions import PartitionKey, PartitionSpec, directory_names, hive_segment

_MOST_CHARACTERS = 255


@dataclass(frozen=True, slots=True)
class Partitioning:
    """A partition spec, with the folder name of each key."""

    partition_id: PartitionId
    keys: tuple[PartitionKey, ...]
    directories: tuple[str, ...]

    def folder(self, values: Sequence[str | None]) -> str:
        """The folder for files with these values within the table's, ending with `/`; '' if a name is too long."""
        segments = [hive_segment(*each) for each in zip(self.directories, values, strict=True)]
        if any(len(segment) > _MOST_CHARACTERS for segment in segments):
            return ""
        return "".join(f"{segment}/" for segment in segments)


def partitioning_of(spec: PartitionSpec, columns: Sequence[Column]) -> Partitioning:
    """The partitioning of a table with these columns."""
    names = {column.column_id: column.name for column in columns}
    directories = directory_names([(key, names[key.column_id]) for key in spec.keys])
    return Partitioning(spec.partition_id, spec.keys, directories)
