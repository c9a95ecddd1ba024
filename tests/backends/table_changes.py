"""Every kind of change to a table that two writers can make at once, on a table prepared for all of them.

The table has the files A, B, C and D, of which D has deleted rows already, and one inlined batch of three rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from forklake.catalog.lakes.lake import Catalog
from forklake.catalog.reading.view import CatalogView
from forklake.catalog.transaction.ddl import alter_table, create_table, drop_table, rename_table, set_object_tag
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.alterations import ColumnSpec, add_column, set_not_null
from forklake.model.column_types import parse_type
from forklake.model.entities import COMMENT, TableDefinition
from forklake.model.files import ScanFile
from forklake.model.ids import BatchId, DataFileId, TableId
from tests.lakes import delete_rows, inline_rows, new_files, transaction

BIGINT = parse_type("bigint")


@dataclass(frozen=True, slots=True)
class Prepared:
    """The ids of the table and of what is in it."""

    table_id: TableId
    files: dict[str, DataFileId]
    batch: BatchId


@dataclass(frozen=True, slots=True)
class Seen:
    """The table at a snapshot: deleted rows by file, deleted positions by batch."""

    name: str
    columns: tuple[tuple[str, bool], ...]
    comment: str | None
    files: dict[int, int]
    batches: dict[int, frozenset[int]]


Effect = Callable[[Seen | None], bool]
"""Whether the change shows; a dropped table is seen as None."""
Change = Callable[[Transaction, Prepared], Effect]
"""Stages the change."""


def prepare(catalog: Catalog) -> Prepared:
    with transaction(catalog) as tx:
        table = create_table(tx, "main", "t", [ColumnSpec("id", BIGINT)])
        staged = new_files(tx, 4)
        files = [new.file for new in staged]
        tx.append_files(table, staged)
        delete_rows(tx, table, ScanFile(files[3]), 2)
        batch = inline_rows(tx, table, 3)
    named = dict(zip("ABCD", (file.data_file_id for file in files), strict=True))
    return Prepared(TableId(table.object_id), named, batch.batch_id)


def look(view: CatalogView, table_id: TableId) -> Seen | None:
    """The table, after a check that its statistics are exact and that no two rows share an id."""
    found = view.objects_with_ids([table_id])
    if not found:
        return None
    definition = found[0].definition
    assert isinstance(definition, TableDefinition)
    files, batches = view.files(table_id), view.batches(table_id)
    live = sum(file.live_rows for file in files) + sum(batch.row_count - len(batch.deleted) for batch in batches)
    assert view.stats(table_id).record_count == live
    starts = [(file.data.row_id_start, file.data.record_count) for file in files]
    starts += [(batch.row_id_start, batch.row_count) for batch in batches]
    ids = [start + i for start, count in starts if start is not None for i in range(count)]
    assert len(set(ids)) == len(ids) == sum(count for _, count in starts)
    return Seen(
        found[0].name,
        tuple((column.name, column.nulls_allowed) for column in definition.columns),
        definition.tags.get(COMMENT),
        {file.data.data_file_id: file.delete.delete_count if file.delete else 0 for file in files},
        {batch.batch_id: batch.deleted for batch in batches},
    )


def insert(tx: Transaction, at: Prepared) -> Effect:
    [new] = new_files(tx, 1)
    tx.append_files(get_table(tx, "main", "t"), [new])
    return lambda seen: seen is not None and new.file.data_file_id in seen.files


def insert_inlined(tx: Transaction, at: Prepared) -> Effect:
    batch = inline_rows(tx, get_table(tx, "main", "t"), 2)
    return lambda seen: seen is not None and batch.batch_id in seen.batches


def delete_from(name: str) -> Change:
    def stage(tx: Transaction, at: Prepared) -> Effect:
        delete_rows(tx, get_table(tx, "main", "t"), _scanned(tx, at, name), 5)
        return lambda seen: seen is not None and seen.files.get(at.files[name]) == 5

    return stage


def remove_c(tx: Transaction, at: Prepared) -> Effect:
    tx.end_files(get_table(tx, "main", "t"), [_scanned(tx, at, "C")])
    return lambda seen: seen is not None and at.files["C"] not in seen.files


def delete_inlined(position: int) -> Change:
    def stage(tx: Transaction, at: Prepared) -> Effect:
        tx.delete_inlined(get_table(tx, "main", "t"), [(at.batch, position)])
        return lambda seen: seen is not None and position in seen.batches.get(at.batch, ())

    return stage


def flush(tx: Transaction, at: Prepared) -> Effect:
    table = get_table(tx, "main", "t")
    tx.compact(table, "flush")
    tx.end_batches(table, tx.batches(at.table_id))
    written = _write(tx, 3)
    return lambda seen: seen is not None and at.batch not in seen.batches and written in seen.files


def merge_a_and_b(tx: Transaction, at: Prepared) -> Effect:
    table = get_table(tx, "main", "t")
    tx.compact(table, "merge")
    tx.end_files(table, [_scanned(tx, at, "A"), _scanned(tx, at, "B")])
    written = _write(tx, 20)
    return lambda seen: seen is not None and seen.files.keys().isdisjoint(_ids(at, "AB")) and written in seen.files


def rewrite_d(tx: Transaction, at: Prepared) -> Effect:
    table = get_table(tx, "main", "t")
    tx.compact(table, "rewrite")
    tx.end_files(table, [_scanned(tx, at, "D")])
    written = _write(tx, 8)
    return lambda seen: seen is not None and at.files["D"] not in seen.files and written in seen.files


def add_a_column(tx: Transaction, at: Prepared) -> Effect:
    spec = ColumnSpec("extra", BIGINT)
    alter_table(tx, "main", "t", lambda table: add_column(table, spec, tx.new_column_ids(1)))
    return lambda seen: seen is not None and ("extra", True) in seen.columns


def forbid_nulls(tx: Transaction, at: Prepared) -> Effect:
    alter_table(tx, "main", "t", lambda table: set_not_null(table, ("id",)))
    return lambda seen: seen is not None and ("id", False) in seen.columns


def comment(tx: Transaction, at: Prepared) -> Effect:
    set_object_tag(tx, get_table(tx, "main", "t"), "remarkable")
    return lambda seen: seen is not None and seen.comment == "remarkable"


def rename(tx: Transaction, at: Prepared) -> Effect:
    rename_table(tx, "main", "t", "renamed")
    return lambda seen: seen is not None and seen.name == "renamed"


def drop(tx: Transaction, at: Prepared) -> Effect:
    drop_table(tx, "main", "t")
    return lambda seen: seen is None


CHANGES: dict[str, Change] = {
    "insert": insert,
    "inline": insert_inlined,
    "delete A": delete_from("A"),
    "delete B": delete_from("B"),
    "delete D": delete_from("D"),
    "remove C": remove_c,
    "delete row 0": delete_inlined(0),
    "delete row 1": delete_inlined(1),
    "flush": flush,
    "merge A B": merge_a_and_b,
    "rewrite D": rewrite_d,
    "add column": add_a_column,
    "forbid nulls": forbid_nulls,
    "comment": comment,
    "rename": rename,
    "drop": drop,
}


def _scanned(tx: Transaction, at: Prepared, name: str) -> ScanFile:
    [found] = tx.files(at.table_id, [at.files[name]])
    return found


def _ids(at: Prepared, names: str) -> set[int]:
    return {at.files[name] for name in names}


def _write(tx: Transaction, rows: int) -> DataFileId:
    [new] = new_files(tx, 1)
    tx.append_files(get_table(tx, "main", "t"), [replace(new, file=new.file._replace(record_count=rows))])
    return new.file.data_file_id
