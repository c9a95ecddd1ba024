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
    """The SQL that is spoken."""

    SPARK = "spark"
    DUCKDB = "duckdb"


class FileFormat(StrEnum):
    """What files of rows may be."""

    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"


def parse_snapshot_point(text: str) -> int | datetime:
    """A snapshot by its number, or a time, or how long ago it was."""
    return int(text) if text.isdecimal() else parse_point_in_time(text)


@command(ROWS, "forklake sql 'SELECT count(*) FROM orders', or: forklake sql report.sql > report.tsv")
def sql(
    run: Run,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SQL|FILE]...", help="Statements, with ; between them, or files of statements."),
    ] = None,
    text: Annotated[
        list[str] | None, typer.Option("--command", "-c", metavar="SQL", help="Statements, whatever they look like.")
    ] = None,
    files: Annotated[
        list[Path] | None, typer.Option("--file", "-f", metavar="FILE", help="A file of statements.")
    ] = None,
    dialect: Annotated[SqlDialect, typer.Option("--dialect", help="The SQL that you speak.")] = SqlDialect.SPARK,
    limit: Limit = None,
    no_shortcuts: NoShortcuts = False,
) -> None:
    """Run SQL: as an argument, from files, from the standard input, or as you type it.

    An argument that names an existing file is a file, any other is SQL. Options come first: -c, then -f, then the
    arguments. Names without a catalog are looked for in --catalog. Statements that need no rows of files answer at
    once; the first that does starts Spark. On a terminal, without anything to run, there is a prompt: .help says what
    it knows. With --json, the rows of the last statement are printed.
    """
    given: dict[str, Any] = {"dialect": str(dialect), "limit": limit, "shortcuts": not no_shortcuts}
    if text or files or arguments:
        run.show_each("sql", texts=text or [], files=files or [], arguments=arguments or [], **given)
    elif sys.stdin.isatty():
        run.show_each("prompt", **given)
    else:
        run.show_each("sql", texts=[sys.stdin.read()], **given)


@command(ROWS, "forklake changes orders --since 42")
def changes(
    run: Run,
    table: TableName,
    since: Annotated[str, typer.Option("--since", metavar="N", help="The first snapshot, or a time.")],
    until: Annotated[
        str | None, typer.Option("--until", metavar="M", help="The last snapshot, or a time; the newest by default.")
    ] = None,
    limit: Limit = None,
    no_shortcuts: NoShortcuts = False,
) -> None:
    """Show the rows of a table that were inserted, updated and deleted, from one snapshot to another, both included."""
    last = None if until is None else parse_snapshot_point(until)
    run("changes", table=table, since=parse_snapshot_point(since), until=last, limit=limit, shortcuts=not no_shortcuts)


@command(ROWS, "forklake import orders 'incoming/*.csv' --create", "import")
def import_files(
    run: Run,
    table: TableName,
    files: Annotated[list[str], typer.Argument(help="Files, folders, or patterns in quotes.")],
    create: Annotated[
        bool | None,
        typer.Option("--create/--append", help="Only create the table, or only add to it; whichever fits by default."),
    ] = None,
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="What the files are; their names tell by default.")
    ] = None,
    delimiter: Annotated[str, typer.Option("--delimiter", metavar="C", help="What is between values of CSV.")] = ",",
    no_shortcuts: NoShortcuts = False,
) -> None:
    """Copy the rows of CSV, JSON or Parquet files into a table, a new one or one that is there.

    A new table gets the columns that the files have. CSV files begin with a line of names. Columns are matched by
    name, and values are cast as SQL casts them. Everything is imported, or nothing.
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
            help="A name that ends in .csv, .json or .parquet is a file; any other is a folder of files.",
        ),
    ],
    file_format: Annotated[
        FileFormat | None, typer.Option("--format", help="What to write; by default as the name says, or Parquet.")
    ] = None,
    version: AtVersion = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")] = False,
    no_shortcuts: NoShortcuts = False,
) -> None:
    """Copy the rows of a table, now or as of a snapshot, to files that are yours."""
    run(
        "export",
        table=table,
        place=place,
        file_format=None if file_format is None else str(file_format),
        version=version,
        overwrite=overwrite,
        shortcuts=not no_shortcuts,
    )
