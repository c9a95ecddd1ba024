"""Commit: check for conflicts under the lock of the catalog, allocate an id, write the rows, update the head."""

from collections.abc import Mapping, Sequence
from uuid import uuid4

from forklake.catalog.lakes.retry import with_retries
from forklake.catalog.transaction.commit_checks import check_staged
from forklake.catalog.transaction.commit_steps import Head, changed_options, write_changes
from forklake.catalog.transaction.own_changes import own_changes
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import (
    CommitConflict,
    CommitFailed,
    CommitMessageRequired,
    CommitUnknown,
    NoSuchCatalog,
    StoreError,
)
from forklake.model.additions import INSERTS, TableAddition
from forklake.model.changes import Change, DeletedFrom, RowChange, SetOption, format_changes
from forklake.model.conflicts import CommittedChanges, OwnChanges, TouchedRows, find_conflicts
from forklake.model.entities import UNCOMMITTED, Definition, LakeObject, TableDefinition
from forklake.model.files import TableStats
from forklake.model.ids import SnapshotId, TableId
from forklake.model.lineage import NO_LIMIT
from forklake.store.connection import AppendCommit, DuplicateRow, WriteConnection
from forklake.store.objects import object_statements, visible_objects
from forklake.store.options import OptionRow, option_statements, read_options
from forklake.store.rows_changed_since import read_touched, touched_statements
from forklake.store.snapshot_writer import SnapshotWriter
from forklake.store.snapshots import begin_commit, changes_since, landed_statements, read_changes, read_locked_head
from forklake.store.table_files import read_stats, stats_statement

_MESSAGE_OPTION = "require_commit_message"
_DUPLICATE_RETRIES = 2
"""Under the lock, only a row that was given twice can be a duplicate, so many retries are useless."""
_FEW_FILES = 16
"""More files, with their statistics, are sent in bulk, which requires a locked commit."""


def commit(transaction: Transaction) -> SnapshotId | None:
    """Commit the changes as one snapshot and return its id; None if there is no net change.

    Raises CommitConflict if an incompatible change was committed since the transaction began. Either everything is
    committed or nothing, and the transaction is closed in both cases.
    """
    transaction.check_open()
    try:
        check_staged(transaction)
        mine = own_changes(transaction)
        if not mine.changes:
            return None
        transaction.catalog.check_writable()
        # An interruption, by a lost connection or the user, may occur after everything is written.
        transaction.may_be_committed = True
        transaction.committed_as = _commit_with_retries(transaction, mine)
        transaction.may_be_committed = transaction.committed_as is not None
        return transaction.committed_as
    except (CommitConflict, CommitMessageRequired, NoSuchCatalog):
        transaction.may_be_committed = False
        raise
    except CommitFailed as error:
        transaction.may_be_committed = isinstance(error, CommitUnknown)
        raise
    finally:
        transaction.close()


def rollback(transaction: Transaction) -> None:
    """Discard the changes of the transaction."""
    transaction.check_open()
    transaction.close()


def _commit_with_retries(transaction: Transaction, mine: OwnChanges) -> SnapshotId | None:
    lake = transaction.catalog.lake
    # One token for all attempts, to find whichever of them succeeded.
    token = str(uuid4())

    def exhausted_error(failure: StoreError) -> CommitFailed:
        if isinstance(failure, DuplicateRow):
            return CommitFailed(f"Failed to commit DuckLake transaction. {failure}")
        return CommitFailed(
            "Failed to commit DuckLake transaction. Exceeded the maximum retry count of"
            f" {lake.retry.max_retry_count} set by the ducklake_max_retry_count setting: {failure}"
        )

    return with_retries(
        lake,
        lambda: _try_append(transaction, mine, token) or _commit_on_new_head(transaction, mine, token),
        lambda: _find_landed_commit(transaction, token),
        exhausted=exhausted_error,
        unknown=lambda: _unknown_outcome_error(transaction),
        duplicates=_DUPLICATE_RETRIES,
    )


def _commit_on_new_head(transaction: Transaction, mine: OwnChanges, token: str) -> SnapshotId | None:
    if transaction.known_head is not None:
        raise CommitConflict(
            f"Transaction conflict - catalog '{transaction.catalog.name}' may have changed since version"
            f" {transaction.base}, on which the transaction began without reading the newest one",
            subject=transaction.catalog.name,
        )
    return _LockedCommit(transaction, mine, token).run()


def _find_landed_commit(transaction: Transaction, token: str) -> SnapshotId | None:
    """The snapshot of a commit whose connection was lost; None if it did not happen, and no longer can."""
    store = transaction.catalog.lake.store
    first = landed_statements(store.dialect, transaction.catalog.catalog_id, transaction.base, token)
    with store.writing(first) as (_, (_, found, since)):
        if found:
            return SnapshotId(found[0][0])
        if read_changes(since, transaction.base) is None:
            # It may be among the snapshots that have expired since.
            raise _unknown_outcome_error(transaction)
        return None


def _unknown_outcome_error(transaction: Transaction) -> CommitUnknown:
    return CommitUnknown(
        "The connection was lost during COMMIT, and the database cannot tell whether it happened."
        f" Look for it in the snapshots of catalog '{transaction.catalog.name}' after {transaction.base}."
    )


def _try_append(transaction: Transaction, mine: OwnChanges, token: str) -> SnapshotId | None:
    """Fast path: one round trip, for commits that only add rows.

    None if it is not applicable; then nothing was written.
    """
    files = sum(len(changes.new_files) for changes in transaction.tables.values())
    if not transaction.only_adds or files > _FEW_FILES:
        return None
    return _append_to_known_head(transaction, mine, token) or _append_to_any_head(transaction, mine, token)


def _append_to_known_head(transaction: Transaction, mine: OwnChanges, token: str) -> SnapshotId | None:
    """Add rows of any kind, if this process has made the head and still knows the statistics of the tables."""
    catalog = transaction.catalog
    facts, key = catalog.lake.cache.facts, (catalog.catalog_id, transaction.base)
    stats = facts.stats(*key, [table_id for table_id, changes in transaction.tables.items() if changes])
    options = facts.options(*key)
    if stats is None or options is None or _lacks_message(transaction, options):
        return None
    definitions = {table_id: changes.definition for table_id, changes in transaction.tables.items()}
    for object_id, staged in transaction.objects.items():
        if staged.now is not None and isinstance(staged.now.definition, TableDefinition):
            definitions[TableId(object_id)] = staged.now.definition
    if any(definition.has_uncommitted_columns for definition in definitions.values()):
        # Their snapshot is a part of the definition, which is written as a whole.
        return None
    writer = SnapshotWriter(catalog.lake.store.dialect, catalog.catalog_id, UNCOMMITTED)
    after = write_changes(writer, transaction, Head(stats, {}, definitions, ()))
    rows = writer.rows()
    if rows is None:
        return None
    append = AppendCommit(
        catalog.catalog_id,
        transaction.base,
        rows,
        bool(transaction.objects),
        format_changes(mine.changes),
        transaction.info,
        token,
        instance_options=_relied_on(transaction),
    )
    snapshot_id = catalog.lake.store.append(append)
    if snapshot_id is not None:
        version = transaction.view.schema_version + bool(transaction.objects)
        _remember_head(transaction, transaction.base, snapshot_id, version, after, options)
    return snapshot_id


def _relied_on(transaction: Transaction) -> Mapping[str, str] | None:
    """The options of the instance that the commit has to verify; None if the transaction has read them."""
    return None if transaction.known_head is None else transaction.known_head.instance_options


def _append_to_any_head(transaction: Transaction, mine: OwnChanges, token: str) -> SnapshotId | None:
    """Add rows to tables, even if others have added rows since: the database adds up the statistics.

    It verifies that nothing else has happened since the last commit of this process, whose options are known.
    """
    catalog, tables = transaction.catalog, [changes for changes in transaction.tables.values() if changes]
    last = catalog.lake.cache.facts.last_commit(catalog.catalog_id)
    if (
        last is None
        or transaction.objects
        or not all(isinstance(change, INSERTS) for change in mine.changes)
        or not all(changes.takes_new_row_ids for changes in tables)
        or _lacks_message(transaction, last[1])
    ):
        return None
    known, options = last
    definitions = {changes.table_id: changes.definition for changes in tables}
    writer = SnapshotWriter(catalog.lake.store.dialect, catalog.catalog_id, UNCOMMITTED)
    added = write_changes(writer, transaction, Head({}, {}, definitions, ()))
    rows = writer.rows()
    if rows is None:
        return None
    append = AppendCommit(
        catalog.catalog_id,
        min(known, transaction.base),
        [each for each in rows if each.table != "lake_table_stats"],
        False,
        format_changes(mine.changes),
        transaction.info,
        token,
        {
            table_id: TableAddition(stats, {leaf.column_id: leaf.type for _, leaf in definitions[table_id].leaves()})
            for table_id, stats in added.items()
        },
        _relied_on(transaction),
    )
    snapshot_id = catalog.lake.store.append(append)
    if snapshot_id is not None:
        # The statistics were added up where this process cannot see them.
        version = transaction.view.schema_version
        catalog.lake.cache.facts.learn(catalog.catalog_id, UNCOMMITTED, snapshot_id, version, {}, options)
    return snapshot_id


def _lacks_message(transaction: Transaction, options: Sequence[OptionRow]) -> bool:
    info = transaction.info
    return bool(_message_required(options, "catalog")) and not (info.author and info.message)


def _remember_head(
    transaction: Transaction,
    before: SnapshotId,
    snapshot_id: SnapshotId,
    schema_version: int,
    stats: Mapping[TableId, TableStats],
    options: Sequence[OptionRow],
) -> None:
    """Cache what the next commit on top of this one needs; options that were set are read again."""
    catalog = transaction.catalog
    catalog.lake.cache.facts.learn(
        catalog.catalog_id, before, snapshot_id, schema_version, stats, None if transaction.options else options
    )


def _message_required(options: Sequence[OptionRow], scope: str) -> bool | None:
    """Whether an option of this scope requires a message; None if it is not set."""
    values = [option.value for option in options if (option.scope, option.key) == (scope, _MESSAGE_OPTION)]
    return values[0] == "true" if values else None


def _may_change_objects(committed: Sequence[CommittedChanges]) -> bool:
    """Whether any change may be of something other than rows and options."""
    return any(not isinstance(change, RowChange | SetOption) for each in committed for change in each.changes)


class _LockedCommit:
    """Regular path: one database transaction, which locks the catalog while it checks for conflicts.

    Takes two round trips if there were no concurrent commits.
    """

    def __init__(self, transaction: Transaction, mine: OwnChanges, token: str) -> None:
        self._transaction = transaction
        self._mine = mine
        self._token = token
        self._store = transaction.catalog.lake.store
        self._tables = [table_id for table_id, changes in transaction.tables.items() if changes]
        lineage, owners = transaction.catalog.lineage, transaction.catalog.lake.cache.owners
        # Own rows up to now, inherited ones up to their horizon.
        everything = lineage.at(NO_LIMIT)
        self._object_scope = owners.of_catalog(everything, lineage.ancestors)
        narrowed = [owners.of_table(everything, lineage.ancestors, table_id) for table_id in self._tables]
        self._stats_scope = everything.only({level.catalog_id for scope in narrowed for level in scope.levels})

    def run(self) -> SnapshotId | None:
        """The snapshot; None if others have made all the changes in the meantime."""
        dialect = self._store.dialect
        first = [
            begin_commit(dialect, self._transaction.catalog.catalog_id),
            changes_since(self._transaction.catalog.catalog_id, self._transaction.base),
            stats_statement(dialect, self._stats_scope, self._tables),
            *option_statements(dialect, self._object_scope, instance_key=_MESSAGE_OPTION),
        ]
        with self._store.writing(first) as (connection, answers):
            locked_rows, theirs_rows, stats_rows, *option_rows = answers
            locked = read_locked_head(locked_rows)
            if locked is None:
                raise NoSuchCatalog(f"Catalog '{self._transaction.catalog.name}' was dropped.")
            theirs = read_changes(theirs_rows, self._transaction.base)
            if theirs is None:
                raise CommitConflict(
                    f"Transaction conflict - snapshot {self._transaction.base}, from which the transaction reads, or"
                    " one after it has expired, so conflicts cannot be determined; begin another",
                    subject=self._transaction.catalog.name,
                )
            self._check_conflicts(connection, theirs)
            options = read_options(option_rows)
            changes = self._changes_left(options)
            if not changes:
                return None
            self._check_message(options)
            objects = self._newest_objects(connection, moved=_may_change_objects(theirs))
            head = Head(read_stats(stats_rows), objects, self._definitions(objects), tuple(options))
            transaction = self._transaction
            writer = SnapshotWriter(dialect, transaction.catalog.catalog_id, locked.new_snapshot_id)
            after = write_changes(writer, transaction, head)
            version = locked.schema_version + (1 if transaction.objects else 0)
            time = dialect.later(locked.clock, locked.time)
            text = format_changes(changes)
            writer.record(locked.snapshot_id, time, version, text, transaction.info, self._token)
            connection.commit(writer.steps())
        of_catalog = [option for option in options if option.scope != "instance"]
        _remember_head(transaction, locked.snapshot_id, writer.snapshot_id, version, after, of_catalog)
        return writer.snapshot_id

    def _check_conflicts(self, connection: WriteConnection, theirs: list[CommittedChanges]) -> None:
        if not theirs:
            return
        conflicts = find_conflicts(self._mine, theirs, self._rows_touched_by_others(connection))
        if conflicts:
            first = conflicts[0]
            raise CommitConflict(first.message, snapshot_id=first.snapshot_id, subject=first.subject)

    def _rows_touched_by_others(self, connection: WriteConnection) -> TouchedRows:
        """What others have deleted since, in the tables from which this transaction deletes."""
        touched = self._mine.touched
        tables = {*touched.files, *touched.inlined_rows}
        if not tables:
            return TouchedRows()
        catalog_id, base = self._transaction.catalog.catalog_id, self._transaction.base
        return read_touched(
            connection.fetch_all(touched_statements(self._store.dialect, catalog_id, base, tables)), tables
        )

    def _changes_left(self, options: list[OptionRow]) -> list[Change]:
        """The changes still to be made: options that others have set to the same value are omitted."""
        keys = {option.key for option in changed_options(self._transaction, options)}
        left = [change for change in self._mine.changes if not isinstance(change, SetOption) or change.key in keys]
        return left if any(self._is_work(change) for change in left) else []

    def _is_work(self, change: Change) -> bool:
        """A delete that was only noted has no effect on rows."""
        return not isinstance(change, DeletedFrom) or bool(self._transaction.tables[change.table_id])

    def _check_message(self, options: list[OptionRow]) -> None:
        info = self._transaction.info
        only_options = all(isinstance(change, SetOption) for change in self._mine.changes)
        if only_options or (info.author and info.message):
            return
        of_catalog = _message_required(options, "catalog")
        if _message_required(options, "instance") if of_catalog is None else of_catalog:
            raise CommitMessageRequired(
                "Commit Information for the snapshot is required but has not been provided."
                " Set author and message with set_commit_message."
            )

    def _newest_objects(self, connection: WriteConnection, *, moved: bool) -> dict[int, LakeObject[Definition]]:
        staged = self._transaction.objects
        if not moved:
            return {object_id: entry.committed for object_id, entry in staged.items() if entry.committed}
        ids = [*staged, *self._tables]
        where = self._store.dialect.any_of("o.object_id", "object_ids")
        answers = connection.fetch_all(object_statements(self._store, self._object_scope, where, {"object_ids": ids}))
        return {entry.object_id: entry for entry in visible_objects(answers)}

    def _definitions(self, objects: dict[int, LakeObject[Definition]]) -> dict[TableId, TableDefinition]:
        found = {}
        for table_id in self._tables:
            staged = self._transaction.objects.get(table_id)
            newest = staged.now if staged else objects.get(table_id)
            definition = newest.definition if newest else self._transaction.tables[table_id].definition
            assert isinstance(definition, TableDefinition)
            found[table_id] = definition
        return found
