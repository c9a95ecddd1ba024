"""Commands on catalogs and tables. They read and write metadata only, and never start Spark."""

import sys
from typing import Annotated

import typer

from forklake.cli.app import LAKE, command
from forklake.cli.options import AtVersion, DryRun, TableName, Timestamp
from forklake.cli.running import FAILED, Run


@command(LAKE, "forklake init --lake lake.db --data-path data")
def init(run: Run) -> None:
    """Create a lake and a catalog in it, where they are not there yet.

    The metadata go to --lake and the files below --data-path, which is beside a SQLite file by default.
    """
    run("init")


@command(LAKE, "forklake catalogs --tree --catalog main")
def catalogs(
    run: Run,
    tree: Annotated[bool, typer.Option("--tree", help="Only --catalog and all that was forked from it.")] = False,
) -> None:
    """List the live catalogs: what each was forked from, and where it is now."""
    run("tree" if tree else "catalogs")


@command(LAKE, "forklake fork main agent_7 --version 42")
def fork(
    run: Run,
    names: Annotated[list[str], typer.Argument(metavar="[PARENT] NAME", help="The fork, behind its parent if told.")],
    version: AtVersion = None,
    timestamp: Timestamp = None,
    if_not_exists: Annotated[bool, typer.Option("--if-not-exists", help="Leave a fork that is there alone.")] = False,
) -> None:
    """Fork a catalog as it is, or as it was. The parent is --catalog unless it is told.

    A fork takes milliseconds, whatever the size of its parent, and neither sees what the other does from then on.
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
    name: Annotated[str, typer.Argument(help="The catalog to drop.")],
    dry_run: DryRun = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Drop a catalog. On a terminal it says what that would free, and asks; elsewhere it needs `--yes`.

    Files that forks still see are kept for them; the others go with `maintain`.
    """
    asks = not dry_run and not yes
    if asks and not sys.stdin.isatty():
        raise typer.BadParameter("There is no terminal to ask on; pass --yes to drop the catalog, or --dry-run.")
    if asks:
        run.tell("drop_catalog", catalog_name=name, dry_run=True)
        if not typer.confirm(f"Drop catalog '{name}'?", err=True):
            raise typer.Exit(FAILED)
    if asks and not run.common.json:
        run.run_silently("drop_catalog", catalog_name=name, dry_run=False)
        typer.echo(f"Catalog '{name}' is dropped.", err=True)
    else:
        run("drop_catalog", catalog_name=name, dry_run=dry_run)


@command(LAKE, "forklake tables --catalog agent_7")
def tables(run: Run, version: AtVersion = None) -> None:
    """List tables and views, with the rows, files and bytes of each."""
    run("tables", version=version)


@command(LAKE, "forklake describe sales.orders")
def describe(run: Run, table: TableName, version: AtVersion = None) -> None:
    """Show the columns of a table, and its partitioning, sorting, comment and options; of a view, its query."""
    run("describe", table=table, version=version)


@command(LAKE, "forklake snapshots --limit 5")
def snapshots(
    run: Run,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="So many at most; 0 for all.", min=0)] = 20,
) -> None:
    """List the snapshots of a catalog, the newest first, and what each of them did."""
    run("snapshots", limit=limit or None)


@command(LAKE, "forklake diff 40 42, or: forklake diff --catalog main --with agent_7")
def diff(
    run: Run,
    versions: Annotated[
        list[int] | None, typer.Argument(metavar="[A] [B]", help="Two snapshots; the newest stands for B.")
    ] = None,
    other: Annotated[
        str | None, typer.Option("--with", metavar="NAME", help="Another catalog; both as they are now.")
    ] = None,
) -> None:
    """Show what leads from one snapshot to another, or from one catalog to another.

    Lists what was created, dropped and altered, and how many rows and files each table gained and lost. An updated
    row counts as removed and added. No file is read.
    """
    asked = versions or []
    if (other is None) == (not asked) or len(asked) > 2:
        raise typer.BadParameter("Give one or two snapshots, or --with and a catalog.")
    run("diff", versions=asked, other=other)


@command(LAKE, "forklake files sales.orders --version 42")
def files(run: Run, table: TableName, version: AtVersion = None) -> None:
    """List the files of a table. Rows that are inlined in the metadata are in none."""
    run("files", table=table, version=version)
