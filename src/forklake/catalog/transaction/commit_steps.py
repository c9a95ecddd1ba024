"""The rows written by a commit: staged changes applied to the head, as a new snapshot."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from forklake.catalog.transaction.staged import StagedObject, StagedOption
from forklake.catalog.transaction.stats import keyed_stats, stats_after_changes
from forklake.catalog.transaction.table_changes import TableChanges
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import CommitConflict
from forklake.model.documents import write_mapping
from forklake.model.entities import Definition, LakeObject, TableDefinition
from forklake.model.file_checks import check_totals
from forklake.model.files import TableStats
from forklake.model.ids import TableId
from forklake.store.options import OptionRow
from forklake.store.snapshot_writer import SnapshotWriter


@dataclass(frozen=True, slots=True)
class Head:
    """The state that a commit is applied to, read under the lock of the catalog."""

    stats: Mapping[TableId, TableStats]
    objects: Mapping[int, LakeObject[Definition]]
    """The newest version of each changed object, including concurrent changes since the base."""
    definitions: Mapping[TableId, TableDefinition]
    """Definitions of the tables whose rows change."""
    options: tuple[OptionRow, ...]


def write_changes(writer: SnapshotWriter, transaction: Transaction, head: Head) -> dict[TableId, TableStats]:
    """Pass all rows that begin and end to the writer; returns the resulting statistics of the tables."""
    after = {}
    for staged in transaction.objects.values():
        _change_object(writer, staged, head)
    for table_id, table_changes in transaction.tables.items():
        if table_changes:
            after[table_id] = _change_table(writer, table_changes, head)
    for option in changed_options(transaction, head.options):
        _set_option(writer, option, head)
    return after


def changed_options(transaction: Transaction, committed: Iterable[OptionRow]) -> list[StagedOption]:
    """The staged options that differ from the committed ones."""
    values = {(row.scope, row.scope_id, row.key): row.value for row in committed}
    return [option for place, option in transaction.options.items() if values.get(place) != option.value]


def _change_object(writer: SnapshotWriter, staged: StagedObject, head: Head) -> None:
    newest = None if staged.committed is None else head.objects.get(staged.committed.object_id)
    if staged.committed is not None and newest is None:
        # A new version would resurrect an object that no longer exists.
        name = staged.committed.name
        raise CommitConflict(
            f"Transaction conflict - attempting to change '{name}' - but it has been dropped", subject=name
        )
    if newest is not None:
        writer.end_object(newest)
    if staged.now is not None:
        writer.add_object(_as_committed(_rebase_object(staged.now, staged.committed, newest), writer))
    elif newest is not None and newest.kind == "table":
        writer.end_contents(TableId(newest.object_id))


def _rebase_object(
    now: LakeObject[Definition], committed: LakeObject[Definition] | None, newest: LakeObject[Definition] | None
) -> LakeObject[Definition]:
    """My version on top of the newest one: a rename and an alteration by different writers are combined."""
    if newest is None or committed is None:
        return now
    name = now.name if now.name != committed.name else newest.name
    definition = now.definition if now.definition != committed.definition else newest.definition
    return replace(now, name=name, definition=definition)


def _as_committed(entry: LakeObject[Definition], writer: SnapshotWriter) -> LakeObject[Definition]:
    definition = entry.definition
    if isinstance(definition, TableDefinition):
        definition = definition.committed_as(writer.snapshot_id)
    return replace(entry, owner=writer.catalog_id, begin_snapshot=writer.snapshot_id, definition=definition)


def _change_table(writer: SnapshotWriter, changes: TableChanges, head: Head) -> TableStats:
    table_id = changes.table_id
    types = {column.column_id: column.type for _, column in head.definitions[table_id].leaves()}
    keyed = {file_id: keyed_stats(new, types) for file_id, new in changes.new_files.items()}
    after, files, batches = stats_after_changes(head.stats.get(table_id, TableStats()), changes, types, keyed.values())
    check_totals(after)
    for file in files:
        file_id = file.data_file_id
        writer.add_data_file(table_id, file, keyed[file_id], changes.new_files[file_id].partition_values)
    writer.add_delete_files(table_id, changes.new_deletes.values())
    writer.add_batches(table_id, batches)
    if changes.ends_rows:
        writer.end_data_files(table_id, [ended.data for ended in changes.ended_files.values()])
        writer.end_delete_files(table_id, changes.replaced_deletes.values())
        writer.end_batches(table_id, changes.ended_batches.values())
    writer.delete_inlined(table_id, changes.deleted_inlined)
    writer.add_mappings(table_id, {i: write_mapping(mapping) for i, mapping in changes.mappings.items()})
    writer.set_stats(table_id, after)
    return after


def _set_option(writer: SnapshotWriter, option: StagedOption, head: Head) -> None:
    for row in head.options:
        if (row.scope, row.scope_id, row.key) == (option.scope, option.scope_id, option.key):
            writer.end_option(row)
    if option.value is not None:
        writer.add_option(option.option_id, option.scope, option.scope_id, option.key, option.value)
