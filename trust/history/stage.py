"""Edits into a transaction: what was decided is done."""

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from forklake.catalog.transaction.ddl import alter_table, create_table, drop_table, rename_table
from forklake.catalog.transaction.options import set_option
from forklake.catalog.transaction.table_changes import Compaction
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.alterations import ColumnSpec, add_column, drop_column
from forklake.model.column_types import parse_type
from forklake.model.entities import Table
from forklake.model.files import DataFile, DeleteFile, InlinedBatch, NewDataFile, ScanFile
from forklake.model.ids import BatchId, DataFileId, DeleteFileId, TableId
from trust.history.look import tables_seen, token_of
from trust.history.picture import OPTION, Edit, table_of
from trust.history.records import Verb

_BIGINT = parse_type("bigint")
_COMPACTIONS: dict[Verb, Compaction] = {"merge": "merge", "rewrite": "rewrite", "flush": "flush"}


def stage(tx: Transaction, verb: Verb, edits: Sequence[Edit]) -> None:
    """Stage all edits, in order; neighbours that belong to one statement together."""
    if (compaction := _COMPACTIONS.get(verb)) is not None:
        # Said once, before anything else is staged for the table.
        tx.compact(_table(tx, table_of(edits[0].key)), compaction)
    for (table, aspect), some in groupby(edits, key=_target):
        _stage_some(tx, table, aspect, list(some), moves=verb != "change")


def _target(edit: Edit) -> tuple[str, str]:
    """The table, and what of it: each edit of a definition alone, neighbouring rows together."""
    parts = edit.key.split("/")
    return (parts[0], "drop") if len(parts) == 1 else (parts[0], parts[1])


def _stage_some(tx: Transaction, table: str, aspect: str, edits: list[Edit], *, moves: bool) -> None:
    match aspect:
        case "drop":
            drop_table(tx, "main", _table(tx, table).name)
        case "name":
            for edit in edits:
                _stage_name(tx, table, edit)
        case "columns":
            for edit in edits:
                _stage_columns(tx, table, edit)
        case "file":
            for edit in edits:
                _stage_file(tx, _table(tx, table), edit, moves=moves)
        case "row":
            _stage_rows(tx, _table(tx, table), edits)
        case _:
            assert table == OPTION
            for edit in edits:
                set_option(tx, aspect, edit.after)


def _table(tx: Transaction, token: str) -> Table:
    return tables_seen(tx)[token]


def _stage_name(tx: Transaction, table: str, edit: Edit) -> None:
    if edit.before is None:
        create_table(tx, "main", edit.after, [ColumnSpec("id", _BIGINT)], comment=table)
    else:
        rename_table(tx, "main", edit.before, edit.after)


def _stage_columns(tx: Transaction, table: str, edit: Edit) -> None:
    name = _table(tx, table).name
    if edit.before is None:
        return  # created with it
    for column in edit.after:
        if column not in edit.before:
            spec, ids = ColumnSpec(column, _BIGINT), tx.new_column_ids(1)
            alter_table(tx, "main", name, partial(add_column, spec=spec, ids=ids))
    for column in edit.before:
        if column not in edit.after:
            alter_table(tx, "main", name, partial(drop_column, path=(column,)))


def _stage_file(tx: Transaction, table: Table, edit: Edit, *, moves: bool) -> None:
    token = edit.key.rsplit("/", 1)[1]
    if edit.before is None:
        [file_id] = tx.new_ids("file")
        file = DataFile(DataFileId(file_id), _path(tx, table, token), edit.after[0], 1000)
        tx.append_files(table, [NewDataFile(file, embeds_row_ids=moves)])
    elif edit.after is None:
        tx.end_files(table, [_scan_file(tx, table, token)])
    else:
        scanned = _scan_file(tx, table, token)
        [delete_id] = tx.new_ids("file")
        path = _path(tx, table, edit.after[1])
        delete = DeleteFile(DeleteFileId(delete_id), scanned.data.data_file_id, path, edit.after[2], 100)
        tx.delete_from_files(table, [(scanned, delete)])


def _stage_rows(tx: Transaction, table: Table, edits: list[Edit]) -> None:
    new, old = [edit for edit in edits if edit.before is None], [edit for edit in edits if edit.after is None]
    for token, some in groupby(new, key=lambda edit: edit.key.split("/")[2]):
        [batch_id] = tx.new_ids("file")
        version = tx.version_of(table)
        tx.insert_inlined(table, InlinedBatch(BatchId(batch_id), version, len(list(some)), token.encode()))
    if not old:
        return
    gone = {tuple(edit.key.split("/")[2:]) for edit in old}
    batches = tx.batches(TableId(table.object_id))
    hit = {batch.batch_id: batch for batch in batches if batch.payload.decode() in {token for token, _ in gone}}
    if len(gone) == sum(batch.live_rows for batch in hit.values()):
        tx.end_batches(table, list(hit.values()))
        return
    by_token = {batch.payload.decode(): batch.batch_id for batch in hit.values()}
    tx.delete_inlined(table, [(by_token[token], int(position)) for token, position in sorted(gone)])


def _scan_file(tx: Transaction, table: Table, token: str) -> ScanFile:
    return next(s for s in tx.files(TableId(table.object_id)) if token_of(s.data.path) == token)


def _path(tx: Transaction, table: Table, token: str) -> str:
    return f"{tx.catalog.path}/{table.path}{token}.parquet"
