"""Commands on catalogs and tables. They read and write metadata only, and never start Spark."""

from typing import Annotated

import typer

from forklake.cli.app import LAKE, command
from forklake.cli.confirming import drop_confirmed
from forklake.cli.options import AtVersion, DryRun, TableName, Timestamp, Yes
from forklake.cli.running import Run


@command(LAKE, "forklake init --lake lake.db --data-path data")
def init(run: Run) -> None:
    """Create a lake and a catalog in it, unless they already exist.

    Metadata are stored in --lake, files below --data-path, by default next to the SQLite file.
    """
    run("init")


@command(LAKE, "forklake catalogs --tree --catalog main")
def catalogs(
    run: Run,
    tree: Annotated[bool, typer.Option("--tree", help="Show the tree of forks below --catalog.")] = False,
) -> None:
    """List live catalogs with parent, fork point and head snapshot."""
    run("tree" if tree else "catalogs")


@command(LAKE, "forklake fork main agent_7 --version 42")
def fork(
    run: Run,
    names: Annotated[
        list[str], typer.Argument(metavar="[PARENT] NAME", help="Name of the fork, optionally preceded by its parent.")
    ],
    version: AtVersion = None,
    timestamp: Timestamp = None,
    if_not_exists: Annotated[
        bool, typer.Option("--if-not-exists", help="Do nothing if the fork already exists.")
    ] = False,
) -> None:
    """Fork a catalog, now or as of an earlier snapshot. The parent defaults to --catalog.

    A fork takes milliseconds regardless of the size of its parent. Later changes of one are not visible in the other.
    """
    if len(names) > 2:
        raise typer.BadParameter("Give the name of the fork, or its parent and its name.")
    *parent, name = names
    run(
        "fork",
        parent=parent[0] if parent else None,
        name=name,
        version=version,
        timestamp=timestamp,
        if_not_exists=if_not_exists,
    )


@command(LAKE, "forklake drop agent_7 --dry-run")
def drop(
    run: Run,
    name: Annotated[str, typer.Argument(help="Catalog to drop.")],
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Drop a catalog. On a terminal, shows what would be freed and asks for confirmation; otherwise requires `--yes`.

    Files visible to forks are kept; `maintain` deletes the others.
    """
    drop_confirmed(run, name, dry_run=dry_run, yes=yes)


@command(LAKE, "forklake tables --catalog agent_7")
def tables(run: Run, version: AtVersion = None) -> None:
    """List tables and views with their numbers of rows, files and bytes."""
    run("tables", version=version)


@command(LAKE, "forklake describe sales.orders")
def describe(run: Run, table: TableName, version: AtVersion = None) -> None:
    """Show columns, partitioning, sort order, comment and options of a table, or the query of a view."""
    run("describe", table=table, version=version)


@command(LAKE, "forklake snapshots --limit 5")
def snapshots(
    run: Run,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help="Maximum number of snapshots; 0 for all.", min=0)
    ] = 20,
) -> None:
    """List the snapshots of a catalog with their changes, newest first."""
    run("snapshots", limit=limit or None)


@command(LAKE, "forklake diff 40 42, or: forklake diff --catalog main --with agent_7")
def diff(
    run: Run,
    versions: Annotated[
        list[int] | None, typer.Argument(metavar="[A] [B]", help="Snapshots to compare; B defaults to the newest.")
    ] = None,
    other: Annotated[
        str | None, typer.Option("--with", metavar="NAME", help="Compare with the current state of another catalog.")
    ] = None,
) -> None:
    """Show the differences between two snapshots, or between two catalogs.

    Lists created, dropped and altered objects, and the numbers of rows and files added to and removed from each
    table. An updated row counts as removed and added. No files are read.
    """
    asked = versions or []
    if (other is None) == (not asked) or len(asked) > 2:
        raise typer.BadParameter("Give one or two snapshots, or --with and a catalog.")
    run("diff", versions=asked, other=other)


@command(LAKE, "forklake files sales.orders --version 42")
def files(run: Run, table: TableName, version: AtVersion = None) -> None:
    """List the data files of a table. Rows inlined in the metadata are not included."""
    run("files", table=table, version=version)
