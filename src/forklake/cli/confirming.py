"""Asks before a catalog is dropped, for every command that drops one."""

import sys

import typer

from forklake.cli.running import FAILED, Run


def drop_confirmed(run: Run, name: str, *, dry_run: bool, yes: bool) -> None:
    """Drop a catalog. Without `yes`, shows on a terminal what that frees, and asks; elsewhere it is refused."""
    asks = not dry_run and not yes
    if asks and not sys.stdin.isatty():
        raise typer.BadParameter(
            "Cannot ask for confirmation without a terminal; pass --yes to drop the catalog, or --dry-run."
        )
    if asks:
        run.tell("drop_catalog", catalog_name=name, dry_run=True)
        if not typer.confirm(f"Drop catalog '{name}'?", err=True):
            raise typer.Exit(FAILED)
    if asks and not run.common.json:
        run.run_silently("drop_catalog", catalog_name=name, dry_run=False)
        typer.echo(f"Catalog '{name}' has been dropped.", err=True)
    else:
        run("drop_catalog", catalog_name=name, dry_run=dry_run)
