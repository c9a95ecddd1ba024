"""Options shared by several commands, and parsers of their values."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from forklake.errors import InvalidInput
from forklake.model.options import parse_interval

_TARGET = "Lake and catalog"
_OUTPUT = "Output"


def parse_point_in_time(text: str) -> datetime:
    """Parse a time, or an age such as '7 days' relative to now; a time without a zone is in UTC."""
    found = parse_age_or_time(text)
    try:
        return datetime.now(UTC) - found if isinstance(found, timedelta) else found
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def parse_age_or_time(text: str) -> datetime | timedelta:
    """Like `parse_point_in_time`, but keeps an age: whose clock applies is known once the lake is open."""
    try:
        return parse_interval(text)
    except InvalidInput:
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"'{text}' is neither an age such as '7 days' nor a time such as 2026-01-31."
        ) from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def parse_numbers(texts: list[str] | None) -> list[int] | None:
    """Parse integers, given separately or comma-separated; None if there are none."""
    if not texts:
        return None
    try:
        return [int(part) for text in texts for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"'{','.join(texts)}' is not a list of snapshots such as 3,4,5.") from None


LakeOption = Annotated[
    str | None,
    typer.Option(
        "--lake",
        help="Location of the metadata: a SQLite file, or postgres: and a connection string. (env: FORKLAKE_LAKE)",
        metavar="TARGET",
        rich_help_panel=_TARGET,
    ),
]
CatalogOption = Annotated[
    str | None,
    typer.Option(
        "--catalog",
        help="Name of the catalog; main by default. (env: FORKLAKE_CATALOG)",
        metavar="NAME",
        rich_help_panel=_TARGET,
    ),
]
DataPathOption = Annotated[
    str | None,
    typer.Option(
        "--data-path",
        help="Folder or URL for data files, if not yet set for the lake. (env: FORKLAKE_DATA_PATH)",
        metavar="FOLDER",
        rich_help_panel=_TARGET,
    ),
]
MetadataSchemaOption = Annotated[
    str | None,
    typer.Option(
        "--metadata-schema",
        help="Schema that contains the metadata on PostgreSQL. (env: FORKLAKE_METADATA_SCHEMA)",
        metavar="NAME",
        rich_help_panel=_TARGET,
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile",
        help="Table of config.toml that defines these options. (env: FORKLAKE_PROFILE)",
        metavar="NAME",
        rich_help_panel=_TARGET,
    ),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print a JSON array of objects.", rich_help_panel=_OUTPUT)]
QuietFlag = Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.", rich_help_panel=_OUTPUT)]
DebugFlag = Annotated[bool, typer.Option("--debug", help="Show the traceback of errors.", rich_help_panel=_OUTPUT)]

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only report what would be done.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
TableName = Annotated[str, typer.Argument(metavar="TABLE", help="Name of the table, optionally with its schema.")]
AtVersion = Annotated[int | None, typer.Option("--version", metavar="N", help="As of this snapshot.", min=0)]
Timestamp = Annotated[
    datetime | None,
    typer.Option(
        "--timestamp",
        parser=parse_point_in_time,
        metavar="TIME",
        help="As of a time such as 2026-01-31, or an age such as '7 days'.",
    ),
]
ForTable = Annotated[str | None, typer.Option("--table", metavar="TABLE", help="Only for this table.")]
ForSchema = Annotated[str | None, typer.Option("--schema", metavar="NAME", help="Only for this schema.")]
NoShortcuts = Annotated[
    bool, typer.Option("--no-shortcuts", help="Read every file, and evaluate every condition in Spark.")
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", help="Maximum number of rows; by default 100 on a terminal, otherwise all.", min=0
    ),
]
