"""The registry of maintenance operations: SQL functions and commands are generated from it, Python methods call it.

Imports nothing, so that the help of commands loads neither Spark nor a database driver.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, is_dataclass, replace
from datetime import datetime, timedelta
from importlib import import_module
from inspect import signature
from typing import Any, Literal, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class OperationParameter:
    """A parameter with its name in SQL and on the command line; in Python, positional ones have other names."""

    name: str
    type: Any
    """Its type in Python. If the default is None, None is also allowed."""
    help: str
    default: Any = None
    by_name: bool = True
    """Whether it is given by name, as an option of a command; otherwise it is positional."""
    required: bool = False
    least: int = 0
    """The smallest integer that the function accepts; the command rejects smaller ones."""
    metavar: str | None = None
    """Its value in the help of a command."""
    ducklake_name: str | None = None
    """Its name in SQL, if DuckLake has another one."""

    @property
    def sql_name(self) -> str:
        return self.ducklake_name or self.name


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on a catalog, implemented by the function of the same name in a module."""

    name: str
    module: str
    help: str
    example: str
    parameters: tuple[OperationParameter, ...] = ()
    effect: Literal["none", "commit", "final"] = "final"
    """Final effects cannot be rolled back, and are refused inside a transaction."""
    uses_spark: bool = False
    columns: tuple[str, ...] = ()
    """The column names if rows are strings; the fields of dataclasses have names."""
    nothing: str = "Nothing to do."
    """The message shown if there are no rows."""

    @property
    def function(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(import_module(f"forklake.{self.module}"), self.name)
        return found

    def takes(self, name: str) -> bool:
        return name in signature(self.function).parameters

    def run(self, provided: Mapping[str, Callable[[], Any]], arguments: Mapping[str, Any]) -> Any:
        """Call the function with the user's arguments, and with those of the provided ones that it takes."""
        taken = {name: provide() for name, provide in provided.items() if self.takes(name)}
        return self.function(**taken, **arguments)

    def row_types(self) -> dict[str, Any]:
        """The columns of its rows and their types."""
        found = get_type_hints(self.function)["return"]
        row = get_args(found)[0] if get_origin(found) is list else found
        return get_type_hints(row) if is_dataclass(row) else dict.fromkeys(self.columns, str)


def operation_rows(found: Any) -> list[tuple[Any, ...]]:
    """The return value of an operation as rows."""
    entries = found if isinstance(found, list) else [found]
    return [astuple(each) if is_dataclass(each) else each if isinstance(each, tuple) else (each,) for each in entries]  # type: ignore[arg-type]


_TABLE = OperationParameter(
    "table_name", str, "Name of the table, optionally with its schema; all tables by default.", by_name=False
)
_SCHEMA = OperationParameter("schema", str, "Name of the schema.", metavar="NAME")
_DRY_RUN = OperationParameter("dry_run", bool, "Only report what would be done.", default=False)
_OLDER_THAN = OperationParameter(
    "older_than", datetime | timedelta, "An age such as '7 days', or a time.", metavar="AGE"
)
_AGES = (_OLDER_THAN, OperationParameter("cleanup_all", bool, "Regardless of age.", default=False), _DRY_RUN)

EVERYTHING_OPERATIONS = (
    Operation(
        "checkpoint",
        "maintenance.checkpoint",
        "Flush, expire, merge, rewrite, clean up and delete orphans according to the options of the catalog.",
        "forklake checkpoint --catalog agent_7",
        uses_spark=True,
    ),
    Operation(
        "verify",
        "maintenance.verification.verify",
        "Check metadata and files without repairing them. Exits with 3 if a problem is found.",
        "forklake verify --deep",
        (OperationParameter("deep", bool, "Also read the footers of all files.", default=False),),
        effect="none",
        nothing="No problems were found.",
    ),
)
HISTORY_OPERATIONS = (
    Operation(
        "expire_snapshots",
        "catalog.retention.expiry",
        "Expire snapshots by age or number, by default by the option expire_older_than; never the newest.",
        "forklake expire-snapshots --older-than '7 days' --dry-run",
        (
            _OLDER_THAN,
            OperationParameter("versions", Collection[int], "Numbers of snapshots, such as 3,4,5.", metavar="IDS"),
            _DRY_RUN,
        ),
        nothing="No snapshots to expire.",
    ),
    Operation(
        "cleanup_old_files",
        "maintenance.cleanup.old_files",
        "Delete files released longer ago than an age, by default delete_older_than.",
        "forklake cleanup-old-files --older-than '1 day'",
        _AGES,
        columns=("path",),
    ),
    Operation(
        "delete_orphaned_files",
        "maintenance.cleanup.orphans",
        "Delete files below the catalog's folder that no catalog references and that exceed an age.",
        "forklake delete-orphaned-files --older-than 2026-01-31 --dry-run",
        _AGES,
        columns=("path",),
    ),
    Operation(
        "cleanup_dropped_catalogs",
        "maintenance.cleanup.old_files",
        "Delete files and metadata of dropped catalogs that no fork can see.",
        "forklake cleanup-dropped-catalogs --cleanup-all",
        _AGES,
        columns=("catalog_name", "path"),
    ),
    Operation(
        "drop_catalog",
        "maintenance.drop_catalog",
        "Drop a catalog, and report the files freed and those kept for its forks.",
        "forklake drop-catalog agent_7 --dry-run",
        (OperationParameter("catalog_name", str, "Catalog to drop.", by_name=False, required=True), _DRY_RUN),
    ),
    Operation(
        "file_holders",
        "maintenance.cleanup.file_holders",
        "Show the catalogs and snapshots that keep a file.",
        "forklake file-holders data/main/main/orders/x.parquet",
        (
            OperationParameter(
                "path", str, "Path of the file, absolute or relative to the data path.", by_name=False, required=True
            ),
            OperationParameter("limit", int, "Maximum number of catalogs.", default=1000, metavar="N"),
        ),
        effect="none",
        nothing="No catalog references this file.",
    ),
    Operation(
        "catalog_storage",
        "catalog.retention.file_holders",
        "Show the storage used by the catalog alone, which dropping it would free, and the storage it shares.",
        "forklake catalog-storage --catalog agent_7",
        effect="none",
    ),
)
FILES_OPERATIONS = (
    Operation(
        "merge_adjacent_files",
        "maintenance.compaction.merge_adjacent",
        "Merge small files of a table, a schema or the whole catalog.",
        "forklake merge-adjacent-files orders --max-file-size 100000000",
        (
            _TABLE,
            _SCHEMA,
            OperationParameter("min_file_size", int, "Minimum size of the files to merge.", metavar="BYTES"),
            OperationParameter("max_file_size", int, "Maximum size of the files to merge.", least=1, metavar="BYTES"),
            OperationParameter("max_compacted_files", int, "Maximum number of files to create.", least=1, metavar="N"),
        ),
        effect="commit",
        uses_spark=True,
    ),
    Operation(
        "rewrite_data_files",
        "maintenance.compaction.rewrite_files",
        "Rewrite files with many deleted rows.",
        "forklake rewrite-data-files orders --delete-threshold 0.5",
        (
            _TABLE,
            _SCHEMA,
            OperationParameter(
                "delete_threshold",
                float,
                "Minimum share of deleted rows, from 0 to 1.",
                metavar="SHARE",
            ),
        ),
        effect="commit",
        uses_spark=True,
    ),
    Operation(
        "flush_inlined_data",
        "maintenance.compaction.flush_tables",
        "Move inlined rows to files.",
        "forklake flush-inlined-data orders",
        (_TABLE, replace(_SCHEMA, ducklake_name="schema_name")),
        effect="commit",
        uses_spark=True,
    ),
    Operation(
        "add_data_files",
        "maintenance.adding.add_files",
        "Register existing Parquet files in a table without copying them.",
        "forklake add-data-files orders 'incoming/*.parquet'",
        (
            OperationParameter(
                "table_name", str, "Name of the table, optionally with its schema.", by_name=False, required=True
            ),
            OperationParameter(
                "files", Sequence[str], "Files, folders, or quoted patterns.", by_name=False, required=True
            ),
            _SCHEMA,
            OperationParameter("allow_missing", bool, "Allow files without some of the columns.", default=False),
            OperationParameter(
                "ignore_extra_columns", bool, "Ignore columns that the table does not have.", default=False
            ),
            OperationParameter("hive_partitioning", bool, "Read column values from folders such as region=a/."),
            OperationParameter("allow_duplicates", bool, "Allow files that the table already contains.", default=False),
        ),
        effect="commit",
        uses_spark=True,
        columns=("filename",),
        nothing="The files contain no rows.",
    ),
)
OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation for operation in (*EVERYTHING_OPERATIONS, *HISTORY_OPERATIONS, *FILES_OPERATIONS)
}
