"""Functions that report on a catalog. They read metadata only, and never start Spark."""

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import astuple
from importlib.metadata import version

import pyarrow as pa

from forklake.catalog.lakes.catalogs import list_catalogs
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import lake_facts
from forklake.catalog.reading.history import visible_snapshots
from forklake.catalog.reading.table_sizes import table_sizes
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import list_named_options
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import CorruptMetadata, InvalidInput
from forklake.model.changes import changes_map
from forklake.model.files import DataFile, DeleteFile
from forklake.model.ids import TableId
from forklake.model.names import quote_if_needed
from forklake.model.options import OPTIONS
from forklake.model.snapshots import Snapshot
from forklake.sql.binding.names import read_transaction_at
from forklake.sql.functions.signatures import TEXT, TIME, VERSION, Function, FunctionCall, Parameter
from forklake.sql.results.arrow_rows import MOMENT, arrow_rows

SNAPSHOTS = pa.schema(
    [
        ("snapshot_id", pa.int64()),
        ("snapshot_time", MOMENT),
        ("schema_version", pa.int64()),
        ("changes", pa.map_(pa.string(), pa.list_(pa.string()))),
        ("author", pa.string()),
        ("commit_message", pa.string()),
        ("commit_extra_info", pa.string()),
    ]
)
_ID = pa.schema([("id", pa.uint64())])
_TABLE_INFO = pa.schema(
    [
        ("table_name", pa.string()),
        ("schema_id", pa.int64()),
        ("table_id", pa.int64()),
        ("table_uuid", pa.string()),
        ("file_count", pa.int64()),
        ("file_size_bytes", pa.int64()),
        ("delete_file_count", pa.int64()),
        ("delete_file_size_bytes", pa.int64()),
    ]
)
_FILES = pa.schema(
    [
        (f"{file}{column}", column_type)
        for file in ("data_file", "delete_file")
        for column, column_type in (
            ("", pa.string()),
            ("_size_bytes", pa.uint64()),
            ("_footer_size", pa.uint64()),
            ("_encryption_key", pa.binary()),
        )
    ]
)
_OPTIONS = pa.schema([(name, pa.string()) for name in ("option_name", "description", "value", "scope", "scope_entry")])
_SETTINGS = pa.schema([(name, pa.string()) for name in ("catalog_type", "extension_version", "data_path")])
_CATALOGS = pa.schema(
    [
        ("catalog_id", pa.int64()),
        ("catalog_name", pa.string()),
        ("catalog_uuid", pa.string()),
        ("parent_catalog_id", pa.int64()),
        ("begin_snapshot", pa.int64()),
        ("end_snapshot", pa.int64()),
    ]
)
_SCOPES = {"instance": "INSTANCE", "catalog": "GLOBAL", "schema": "SCHEMA", "table": "TABLE"}


def snapshot_rows(snapshots: list[Snapshot]) -> pa.Table:
    """Snapshots in the format of `snapshots()`."""
    return arrow_rows(
        SNAPSHOTS,
        [
            (
                snapshot.snapshot_id,
                snapshot.snapshot_time,
                snapshot.schema_version,
                list(changes_map(snapshot.changes).items()),
                snapshot.author,
                snapshot.commit_message,
                snapshot.commit_extra_info,
            )
            for snapshot in snapshots
        ],
    )


def _snapshots(call: FunctionCall) -> pa.Table:
    return snapshot_rows(visible_snapshots(call.tx.view))


def _current_snapshot(call: FunctionCall) -> pa.Table:
    """The snapshot that the current transaction reads."""
    return arrow_rows(_ID, [(call.tx.base,)])


def _last_committed_snapshot(call: FunctionCall) -> pa.Table:
    return arrow_rows(_ID, [(call.state.last_committed.get(call.attachment.name),)])


def _table_info(call: FunctionCall) -> pa.Table:
    """The committed tables; inlined rows are not counted."""
    found = table_sizes(call.tx.view)
    rows = [(table.name, table.schema_id, table.object_id, table.uuid, *astuple(size)) for table, size in found]
    return arrow_rows(_TABLE_INFO, rows)


def _list_files(call: FunctionCall) -> pa.Table:
    """The committed files of a table, now or at a snapshot."""
    tx = _transaction_at(call)
    table = get_table(tx, call.get("schema") or call.schema, call.get("table_name"))
    files = [] if tx.is_new(table.object_id) else tx.view.files(TableId(table.object_id))
    ordered = sorted(files, key=lambda file: file.data.data_file_id)
    lake = call.attachment.lake
    return arrow_rows(_FILES, [(*_file_fields(lake, file.data), *_file_fields(lake, file.delete)) for file in ordered])


def _transaction_at(call: FunctionCall) -> Transaction:
    at_version, at_time = call.get("snapshot_version"), call.get("snapshot_time")
    if at_version is None and at_time is None:
        return call.tx
    if at_version is not None and at_time is not None:
        raise InvalidInput("Either snapshot_version OR snapshot_time must be specified - not both")
    return read_transaction_at(call.state, call.attachment, at_version, at_time)


def _file_fields(lake: Lake, file: DataFile | DeleteFile | None) -> tuple[object, ...]:
    if file is None:
        return None, None, None, None
    path = lake.absolute_path(file.path) if file.path_is_relative else file.path
    try:
        key = None if file.encryption_key is None else b64decode(file.encryption_key)
    except ValueError:
        raise CorruptMetadata(f"The encryption key of file '{path}' cannot be read.") from None
    return path, file.file_size_bytes, file.footer_size, key


def _options(call: FunctionCall) -> pa.Table:
    """Options that are set and fixed properties of the lake; no defaults."""
    tx, lake = call.tx, call.attachment.lake
    facts = lake_facts(lake)
    fixed = [
        ("created_by", "Tool that created the lake", facts.created_by),
        ("data_path", "Location of the data files", lake.data_path or ""),
        ("encrypted", "Whether data files are encrypted", "false"),
        ("version", "Format version of the metadata", facts.format_version),
    ]
    rows = [*((*fact, "GLOBAL", None) for fact in fixed), *_stored_options(tx)]
    rows.sort(key=lambda row: row[0])
    return arrow_rows(_OPTIONS, rows)


def _stored_options(tx: Transaction) -> Iterator[tuple[str, str, str, str, str | None]]:
    for option, name in list_named_options(tx):
        known = OPTIONS.get(option.key)
        entry = ".".join(quote_if_needed(part) for part in name) or None
        yield option.key, known.description if known else "", option.value, _SCOPES[option.scope], entry


def _settings(call: FunctionCall) -> pa.Table:
    lake = call.attachment.lake
    return arrow_rows(_SETTINGS, [(lake_facts(lake).backend, version("forklake"), lake.data_path)])


def _catalogs(call: FunctionCall) -> pa.Table:
    """The live catalogs of the lake, by id."""
    infos = sorted(list_catalogs(call.attachment.lake), key=lambda info: info.catalog_id)
    rows = [(i.catalog_id, i.name, i.uuid, i.parent_id, i.begin_snapshot, i.end_snapshot) for i in infos]
    return arrow_rows(_CATALOGS, rows)


READ_FUNCTIONS = (
    Function("snapshots", (), _snapshots),
    Function("current_snapshot", (), _current_snapshot),
    Function("last_committed_snapshot", (), _last_committed_snapshot),
    Function("table_info", (), _table_info),
    Function(
        "list_files",
        (
            Parameter("table_name", TEXT, required=True),
            Parameter("schema", TEXT, by_name=True),
            Parameter("snapshot_version", VERSION, by_name=True),
            Parameter("snapshot_time", TIME, by_name=True),
        ),
        _list_files,
    ),
    Function("options", (), _options),
    Function("settings", (), _settings),
    Function("catalogs", (), _catalogs),
)
