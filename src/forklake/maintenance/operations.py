"""The registry of maintenance operations, of which SQL functions and commands are made; Python's methods call it.

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
    """A parameter under the name that it has in SQL and on the command line; in Python positions have other names."""

    name: str
    type: Any
    """Its type in Python. Where the default is None, None is allowed, too."""
    help: str
    default: Any = None
    by_name: bool = True
    """Whether it is given by name: an option of a command. Otherwise it has a position."""
    required: bool = False
    least: int = 0
    """The smallest whole number that the function takes; a command refuses smaller ones."""
    metavar: str | None = None
    """Its value in the help of a command."""
    ducklake_name: str | None = None
    """Its name in SQL, where DuckLake has another one."""

    @property
    def sql_name(self) -> str:
        return self.ducklake_name or self.name


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on a catalog, done by the function of the same name in a module."""

    name: str
    module: str
    help: str
    example: str
    parameters: tuple[OperationParameter, ...] = ()
    effect: Literal["none", "commit", "final"] = "final"
    """Final effects cannot be rolled back, and are refused inside a transaction."""
    uses_spark: bool = False
    columns: tuple[str, ...] = ()
    """Names of the texts in a row. Dataclasses as rows have names of their own."""
    nothing: str = "Nothing to do."
    """What people are told if there are no rows."""

    @property
    def function(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(import_module(f"forklake.{self.module}"), self.name)
        return found

    def takes(self, name: str) -> bool:
        return name in signature(self.function).parameters

    def run(self, provided: Mapping[str, Callable[[], Any]], arguments: Mapping[str, Any]) -> Any:
        """Call the function with the arguments of a user, and with what it takes of the catalog, its storage etc."""
        taken = {name: provide() for name, provide in provided.items() if self.takes(name)}
        return self.function(**taken, **arguments)

    def row_types(self) -> dict[str, Any]:
        """The columns of its rows and their types."""
        found = get_type_hints(self.function)["return"]
        row = get_args(found)[0] if get_origin(found) is list else found
        return get_type_hints(row) if is_dataclass(row) else dict.fromkeys(self.columns, str)


def operation_rows(found: Any) -> list[tuple[Any, ...]]:
    """What an operation returns, as rows."""
    entries = found if isinstance(found, list) else [found]
    return [astuple(each) if is_dataclass(each) else each if isinstance(each, tuple) else (each,) for each in entries]  # type: ignore[arg-type]


_TABLE = OperationParameter("table_name", str, "The table, or schema.table; all tables by default.", by_name=False)
_SCHEMA = OperationParameter("schema", str, "The schema.", metavar="NAME")
_DRY_RUN = OperationParameter("dry_run", bool, "Only say what would be done.", default=False)
_OLDER_THAN = OperationParameter(
    "older_than", datetime | timedelta, "An age such as '7 days', or a time.", metavar="AGE"
)
_AGES = (_OLDER_THAN, OperationParameter("cleanup_all", bool, "Whatever their age.", default=False), _DRY_RUN)

EVERYTHING_OPERATIONS = (
    Operation(
        "checkpoint",
        "maintenance.checkpoint",
        "Flush, expire, merge, rewrite, clean up and delete orphans, as the options of the catalog say.",
        "forklake checkpoint --catalog agent_7",
        uses_spark=True,
    ),
    Operation(
        "verify",
        "maintenance.verification.verify",
        "Check metadata and files, and repair nothing. Exits with 3 when a problem is found.",
        "forklake verify --deep",
        (OperationParameter("deep", bool, "Read the footers of all files as well.", default=False),),
        effect="none",
        nothing="No problem was found.",
    ),
)
HISTORY_OPERATIONS = (
    Operation(
        "expire_snapshots",
        "catalog.retention.expiry",
        "Expire snapshots by age or number, or by the option expire_older_than; never the newest.",
        "forklake expire-snapshots --older-than '7 days' --dry-run",
        (
            _OLDER_THAN,
            OperationParameter("versions", Collection[int], "Snapshots by number: 3,4,5.", metavar="IDS"),
            _DRY_RUN,
        ),
        nothing="No snapshot is to expire.",
    ),
    Operation(
        "cleanup_old_files",
        "maintenance.cleanup.old_files",
        "Delete files that nobody can see for some time, by default as long as delete_older_than says.",
        "forklake cleanup-old-files --older-than '1 day'",
        _AGES,
        columns=("path",),
    ),
    Operation(
        "delete_orphaned_files",
        "maintenance.cleanup.orphans",
        "Delete files below the catalog's folder that no catalog knows, if they are old enough.",
        "forklake delete-orphaned-files --older-than 2026-01-31 --dry-run",
        _AGES,
        columns=("path",),
    ),
    Operation(
        "cleanup_dropped_catalogs",
        "maintenance.cleanup.old_files",
        "Delete what dropped catalogs have left and no fork sees.",
        "forklake cleanup-dropped-catalogs --cleanup-all",
        _AGES,
        columns=("catalog_name", "path"),
    ),
    Operation(
        "drop_catalog",
        "maintenance.drop_catalog",
        "Drop a catalog, and say what that frees and what its forks keep.",
        "forklake drop-catalog agent_7 --dry-run",
        (OperationParameter("catalog_name", str, "The catalog to drop.", by_name=False, required=True), _DRY_RUN),
    ),
    Operation(
        "file_holders",
        "maintenance.cleanup.file_holders",
        "Say which catalogs keep a file, and by which snapshots.",
        "forklake file-holders data/main/main/orders/x.parquet",
        (
            OperationParameter("path", str, "A file, in full or from the data path on.", by_name=False, required=True),
            OperationParameter("limit", int, "So many catalogs at most.", default=1000, metavar="N"),
        ),
        effect="none",
        nothing="No catalog knows this file.",
    ),
    Operation(
        "catalog_storage",
        "catalog.retention.file_holders",
        "Say how much the catalog keeps alone, which dropping it would free, and how much it shares.",
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
            OperationParameter("min_file_size", int, "Leave smaller files alone.", metavar="BYTES"),
            OperationParameter("max_file_size", int, "Leave larger files alone.", least=1, metavar="BYTES"),
            OperationParameter("max_compacted_files", int, "Make so many files at most.", least=1, metavar="N"),
        ),
        effect="commit",
        uses_spark=True,
    ),
    Operation(
        "rewrite_data_files",
        "maintenance.compaction.rewrite_files",
        "Rewrite files of which many rows are deleted.",
        "forklake rewrite-data-files orders --delete-threshold 0.5",
        (
            _TABLE,
            _SCHEMA,
            OperationParameter(
                "delete_threshold",
                float,
                "Files of which this share of the rows is deleted: 0 to 1.",
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
        "Add Parquet files to a table, as they are and where they are.",
        "forklake add-data-files orders 'incoming/*.parquet'",
        (
            OperationParameter("table_name", str, "The table, or schema.table.", by_name=False, required=True),
            OperationParameter(
                "files", Sequence[str], "Files, folders, or patterns in quotes.", by_name=False, required=True
            ),
            _SCHEMA,
            OperationParameter("allow_missing", bool, "Files may lack columns.", default=False),
            OperationParameter("ignore_extra_columns", bool, "Files may have other columns.", default=False),
            OperationParameter("hive_partitioning", bool, "Whether folders such as region=a/ give values of columns."),
            OperationParameter("allow_duplicates", bool, "The table may have a file already.", default=False),
        ),
        effect="commit",
        uses_spark=True,
        columns=("filename",),
        nothing="The files have no rows.",
    ),
)
OPERATIONS: Mapping[str, Operation] = {
    operation.name: operation for operation in (*EVERYTHING_OPERATIONS, *HISTORY_OPERATIONS, *FILES_OPERATIONS)
}
