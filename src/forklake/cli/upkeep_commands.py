"""Maintenance commands. Names and arguments are those of the functions in SQL and Python."""

from typing import Annotated

import typer

from forklake.cli.app import EVERYTHING, FILES, HISTORY, command
from forklake.cli.options import CleanupAll, DryRun, OlderThan, Schema, Table, parse_numbers
from forklake.cli.running import FOUND_PROBLEMS, Run


@command(EVERYTHING, "forklake maintain --all")
def maintain(
    run: Run, all_catalogs: Annotated[bool, typer.Option("--all", help="Every catalog of the lake.")] = False
) -> None:
    """A checkpoint of the catalog, or of all, and of what dropped catalogs have left."""
    run("maintain", every=all_catalogs)


@command(EVERYTHING, "forklake checkpoint --catalog agent_7")
def checkpoint(run: Run) -> None:
    """Flush, expire, merge, rewrite, clean up and delete orphans, as the options of the catalog say."""
    run("checkpoint")


@command(EVERYTHING, "forklake verify --deep")
def verify(
    run: Run, deep: Annotated[bool, typer.Option("--deep", help="Read the footers of all files as well.")] = False
) -> None:
    """Check metadata and files, and repair nothing. Exits with 3 when a problem is found."""
    if run("verify", deep=deep):
        raise typer.Exit(FOUND_PROBLEMS)


@command(HISTORY, "forklake expire-snapshots --older-than '7 days' --dry-run")
def expire_snapshots(
    run: Run,
    older_than: OlderThan = None,
    versions: Annotated[
        list[str] | None, typer.Option("--versions", metavar="IDS", help="Snapshots by number: 3,4,5.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Expire snapshots by age or number, or by the option expire_older_than; never the newest."""
    run("expire_snapshots", older_than=older_than, versions=parse_numbers(versions), dry_run=dry_run)


@command(HISTORY, "forklake cleanup-old-files --older-than '1 day'")
def cleanup_old_files(
    run: Run, older_than: OlderThan = None, cleanup_all: CleanupAll = False, dry_run: DryRun = False
) -> None:
    """Delete files that nobody can see for some time, by default as long as delete_older_than says."""
    run("cleanup_old_files", older_than=older_than, cleanup_all=cleanup_all, dry_run=dry_run)


@command(HISTORY, "forklake delete-orphaned-files --older-than 2026-01-31 --dry-run")
def delete_orphaned_files(
    run: Run, older_than: OlderThan = None, cleanup_all: CleanupAll = False, dry_run: DryRun = False
) -> None:
    """Delete files below the catalog's folder that no catalog knows, if they are old enough."""
    run("delete_orphaned_files", older_than=older_than, cleanup_all=cleanup_all, dry_run=dry_run)


@command(HISTORY, "forklake cleanup-dropped-catalogs --cleanup-all")
def cleanup_dropped_catalogs(
    run: Run, older_than: OlderThan = None, cleanup_all: CleanupAll = False, dry_run: DryRun = False
) -> None:
    """Delete what dropped catalogs have left and no fork sees."""
    run("cleanup_dropped_catalogs", older_than=older_than, cleanup_all=cleanup_all, dry_run=dry_run)


@command(HISTORY, "forklake drop-catalog agent_7 --dry-run")
def drop_catalog(
    run: Run, catalog_name: Annotated[str, typer.Argument(help="The catalog to drop.")], dry_run: DryRun = False
) -> None:
    """Drop a catalog, and say what that frees and what its forks keep."""
    run("drop_catalog", name=catalog_name, dry_run=dry_run)


@command(HISTORY, "forklake file-holders data/main/main/orders/x.parquet")
def file_holders(
    run: Run,
    path: Annotated[str, typer.Argument(help="A file, in full or from the data path on.")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="So many catalogs at most.", min=0)] = 1000,
) -> None:
    """Say which catalogs keep a file, and by which snapshots."""
    run("file_holders", path=path, limit=limit)


@command(HISTORY, "forklake catalog-storage --catalog agent_7")
def catalog_storage(run: Run) -> None:
    """Say how much the catalog keeps alone, which dropping it would free, and how much it shares."""
    run("catalog_storage")


@command(FILES, "forklake merge-adjacent-files orders --max-file-size 100000000")
def merge_adjacent_files(
    run: Run,
    table_name: Table = None,
    schema: Schema = None,
    min_file_size: Annotated[int | None, typer.Option(metavar="BYTES", help="Leave smaller files alone.")] = None,
    max_file_size: Annotated[int | None, typer.Option(metavar="BYTES", help="Leave larger files alone.")] = None,
    max_compacted_files: Annotated[int | None, typer.Option(metavar="N", help="Make so many files at most.")] = None,
) -> None:
    """Merge small files of a table, a schema or the whole catalog."""
    run(
        "merge_adjacent_files",
        table=table_name,
        schema=schema,
        min_file_size=min_file_size,
        max_file_size=max_file_size,
        max_compacted_files=max_compacted_files,
    )


@command(FILES, "forklake rewrite-data-files orders --delete-threshold 0.5")
def rewrite_data_files(
    run: Run,
    table_name: Table = None,
    schema: Schema = None,
    delete_threshold: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Files of which this share of the rows is deleted: 0 to 1.")
    ] = None,
) -> None:
    """Rewrite files of which many rows are deleted."""
    run("rewrite_data_files", table=table_name, schema=schema, delete_threshold=delete_threshold)


@command(FILES, "forklake flush-inlined-data orders")
def flush_inlined_data(run: Run, table_name: Table = None, schema: Schema = None) -> None:
    """Move inlined rows to files."""
    run("flush_inlined_data", table=table_name, schema=schema)


@command(FILES, "forklake add-data-files orders 'incoming/*.parquet'")
def add_data_files(
    run: Run,
    table_name: Annotated[str, typer.Argument(help="The table, or schema.table.")],
    files: Annotated[list[str], typer.Argument(help="Files, folders, or patterns in quotes.")],
    schema: Schema = None,
    allow_missing: Annotated[bool, typer.Option("--allow-missing", help="Files may lack columns.")] = False,
    ignore_extra_columns: Annotated[
        bool, typer.Option("--ignore-extra-columns", help="Files may have other columns.")
    ] = False,
    hive_partitioning: Annotated[
        bool | None, typer.Option(help="Whether folders such as region=a/ give values of columns.")
    ] = None,
    allow_duplicates: Annotated[
        bool, typer.Option("--allow-duplicates", help="The table may have a file already.")
    ] = False,
) -> None:
    """Add Parquet files to a table, as they are and where they are."""
    run(
        "add_data_files",
        table=table_name,
        files=files,
        schema=schema,
        allow_missing=allow_missing,
        ignore_extra_columns=ignore_extra_columns,
        hive_partitioning=hive_partitioning,
        allow_duplicates=allow_duplicates,
    )
