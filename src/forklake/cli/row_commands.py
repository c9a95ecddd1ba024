"""Commands on rows: SQL, change feed, import and export. They start Spark if needed."""

import sys
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from forklake.cli.app import ROWS, command
from forklake.cli.options import AtVersion, Limit, NoShortcuts, TableName, parse_point_in_time
from forklake.cli.running import Run


class SqlDialect(StrEnum):
    """The SQL dialect of statements."""

    SPARK = "spark"
    DUCKDB = "duckdb"


class FileFormat(StrEnum):
    """The format of imported and exported files."""

    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"


def parse_snapshot_point(text: str) -> int | datetime:
    """A snapshot, given by number, time or age."""
    return int(text) if text.isdecimal() else parse_point_in_time(text)


@command(ROWS, "forklake sql 'SELECT count(*) FROM orders', or: forklake sql report.sql > report.tsv")
def sql(
    run: Run,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SQL|FILE]...", help="SQL statements separated by semicolons, or files that contain them."
        ),
    ] = None,
    text: Annotated[list[str] | None, typer.Option("--command", "-c", metavar="SQL", help="SQL statements.")] = None,
    files: Annotated[
        list[Path] | None, typer.Option("--file", "-f", metavar="FILE", help="File that contains SQL statements.")
    ] = None,
    dialect: Annotated[SqlDialect, typer.Option("--dialect", help="SQL dialect of the statements.")] = SqlDialect.SPARK,
    limit: Limit = None,
    no_shortcuts: NoShortcuts = False,
    lazy: Annotated[
        bool, typer.Option("--lazy", help="At the prompt, start Spark only with a statement that needs it.")
    ] = False,
) -> None:
    """Run SQL given as arguments, in files, on standard input or at a prompt.

    An argument that names an existing file is read as a file, any other is SQL. Statements run in the order -c, -f,
    arguments. Names without a catalog are resolved in --catalog. Spark starts with the first statement that reads
    files. Without statements, a terminal shows a prompt; type .help for its commands. With --json, only the rows of
    the last statement are printed.
    """
    given: dict[str, Any] = {"dialect": str(dialect), "limit": limit, "shortcuts": not no_shortcuts}
    if text or files or arguments:
        run.show_each("sql", texts=text or [], files=files or [], arguments=arguments or [], **given)
    elif sys.stdin.isatty():
        run.show_each("prompt", lazy=lazy, **given)
    else:
        run.show_each("sql", texts=[sys.stdin.read()], **given)


@command(ROWS, "forklake changes orders --since 42")
def changes(
    run: Run,
    table: TableName,
    since: Annotated[str, typer.Option("--since", metavar="N", help="First snapshot, or a time.")],
    until: Annotated[
        str | None, typer.Option("--until", metavar="M", help="Last snapshot, or a time; the newest by default.")
    ] = None,
    limit: Limit = None,
    no_shortcuts: NoShortcuts = False,
) -> None:
    """Show the rows inserted, updated and deleted between two snapshots, both inclusive."""
    last = None if until is None else parse_snapshot_point(until)
    run("changes", table=table, since=parse_snapshot_point(since), until=last, limit=limit, shortcuts=not no_shortcuts)


@command(ROWS, "forklake import orders 'incoming/*.csv' --create", "import")
def import_files(
    run: Run,
    table: TableName,
    files: Annotated[list[str], typer.Argument(help="Files, folders, or quoted patterns.")],
    create: Annotated[
        bool | None,
        typer.Option("--create/--append", help="Require that the table is new, or that it exists; by default either."),
    ] = None,
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="Format of the files; by default determined by their names.")
    ] = None,
    delimiter: Annotated[str, typer.Option("--delimiter", metavar="C", help="Separator of CSV values.")] = ",",
    no_shortcuts: NoShortcuts = False,
) -> None:
    """Import the rows of CSV, JSON or Parquet files into a new or existing table.

    A new table gets the columns of the files. CSV files need a header. Columns are matched by name, and values are
    cast as in SQL. If anything fails, nothing is imported.
    """
    run(
        "import_files",
        table=table,
        files=files,
        create=create,
        file_format=None if file_format is None else str(file_format),
        delimiter=delimiter,
        shortcuts=not no_shortcuts,
    )


@command(ROWS, "forklake export orders orders.csv")
def export(
    run: Run,
    table: TableName,
    place: Annotated[
        str,
        typer.Argument(
            metavar="FILE|FOLDER",
            help="File if the name ends in .csv, .json or .parquet, otherwise a folder of files.",
        ),
    ],
    file_format: Annotated[
        FileFormat | None,
        typer.Option("--format", help="Format to write; by default determined by the name, or Parquet."),
    ] = None,
    version: AtVersion = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
    no_shortcuts: NoShortcuts = False,
) -> None:
    """Export the rows of a table, now or as of a snapshot, to files outside the lake."""
    run(
        "export",
        table=table,
        place=place,
        file_format=None if file_format is None else str(file_format),
        version=version,
        overwrite=overwrite,
        shortcuts=not no_shortcuts,
    )
