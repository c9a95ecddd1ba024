"""What a transaction sees, as a picture."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from forklake.catalog.transaction.names import list_tables
from forklake.catalog.transaction.options import list_options
from forklake.catalog.transaction.transaction import Transaction
from forklake.model.entities import COMMENT, Table
from forklake.model.ids import TableId
from forklake.store.connection import Store
from trust.history.picture import OPTION, Picture


def tables_seen(tx: Transaction) -> dict[str, Table]:
    """The tables by the token of the transaction that made them."""
    return {table.definition.tags.get(COMMENT, table.name): table for table in list_tables(tx, "main")}


def look(tx: Transaction, tables: Sequence[str] | None = None) -> Picture:
    """Everything that can be seen; the rows of these tables only, if given."""
    seen = tables_seen(tx)
    picture: Picture = {}
    for token, table in seen.items():
        picture[f"{token}/name"] = table.name
        picture[f"{token}/columns"] = [column.name for column in table.definition.columns]
        if tables is None or token in tables:
            picture |= {f"{token}/{key}": value for key, value in _rows(tx, TableId(table.object_id)).items()}
    set_here = (option for option in list_options(tx) if option.scope == "catalog")
    return picture | {f"{OPTION}/{option.key}": option.value for option in set_here}


def _rows(tx: Transaction, table_id: TableId) -> Picture:
    rows: Picture = {}
    for data, delete in tx.files(table_id):
        deleted = ["", 0] if delete is None else [token_of(delete.path), delete.delete_count]
        rows[f"file/{token_of(data.path)}"] = [data.record_count, *deleted]
    for batch in tx.batches(table_id):
        live = (position for position in range(batch.row_count) if position not in batch.deleted)
        rows |= {f"row/{batch.payload.decode()}/{position}": 1 for position in live}
    return rows


def token_of(path: str) -> str:
    return PurePosixPath(path).stem


def kept_snapshots(store: Store, catalog_id: int) -> list[tuple[int, int | None, str | None]]:
    """Every snapshot that a catalog, live or dropped, has made and kept: id, predecessor and message."""
    rows = store.fetch(
        "SELECT snapshot_id, previous_snapshot_id, commit_message FROM lake_snapshot"
        " WHERE catalog_id = :catalog_id ORDER BY snapshot_id",
        {"catalog_id": catalog_id},
    )
    return [(row[0], row[1], row[2]) for row in rows]
