"""Implementation of commands on options."""

from typing import cast

from forklake.api.naming import split_name
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.options import OptionValue, list_options
from forklake.catalog.transaction.options import set_option as stage_option
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.cli.opening import opened_catalog
from forklake.cli.output import OutputRows
from forklake.cli.target import LakeTarget
from forklake.maintenance.progress import Progress
from forklake.model.entities import Table
from forklake.model.options import OPTIONS, find_option

_COLUMNS = ("option_name", "value", "scope", "scope_entry", "description")


def options(target: LakeTarget, progress: Progress, *, everything: bool) -> OutputRows:
    with opened_catalog(target, read_only=True) as catalog:
        tx = begin(catalog)
        rows = [row for option in list_options(tx) if (row := _option_row(tx, option)) is not None]
    if everything:
        known = {row[0] for row in rows if row[2] in ("instance", "catalog")}
        rows += [
            (name, option.default, "default", None, option.description)
            for name, option in OPTIONS.items()
            if name not in known
        ]
    return OutputRows(_COLUMNS, sorted(rows, key=lambda row: row[0]), "No option is set; --all shows what there is.")


def set_option(
    target: LakeTarget, progress: Progress, *, name: str, value: str | None, table: str | None, schema: str | None
) -> OutputRows:
    """Set an option, or unset it with None; returns the option's values at every scope."""
    if table is not None and schema is None:
        schema, table = split_name(table)
    with opened_catalog(target) as catalog:
        tx = begin(catalog)
        stage_option(tx, name, value, schema=schema, table=table)
        commit(tx)
        key, now = find_option(name).name, begin(catalog)
        found = [_option_row(now, option) for option in list_options(now) if option.key == key]
        rows = [row for row in found if row is not None]
        rows = rows or [(key, OPTIONS[key].default, "default", None, OPTIONS[key].description)]
    return OutputRows(_COLUMNS, rows)


def _option_row(tx: Transaction, option: OptionValue) -> tuple[str, str | None, str, str | None, str] | None:
    """None if the object that the option was set for has been dropped."""
    entry = tx.object_with_id(option.scope_id) if option.scope in ("schema", "table") else None
    if entry is None and option.scope in ("schema", "table"):
        return None
    name = None if entry is None else entry.name
    if option.scope == "table" and entry is not None:
        schema = tx.object_with_id(cast("Table", entry).schema_id)
        name = f"{schema.name}.{entry.name}" if schema else entry.name
    return option.key, option.value, option.scope, name, OPTIONS[option.key].description
