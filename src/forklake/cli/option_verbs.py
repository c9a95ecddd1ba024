"""Implementation of commands on options."""

from collections.abc import Sequence
from typing import NamedTuple

from forklake.api.naming import split_name
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.options import OptionValue, list_named_options
from forklake.catalog.transaction.options import set_option as stage_option
from forklake.catalog.transaction.transaction import begin
from forklake.cli.opening import opened_catalog
from forklake.cli.output import OutputRows
from forklake.cli.target import LakeTarget
from forklake.maintenance.progress import Progress
from forklake.model.options import OPTIONS, find_option


def options(target: LakeTarget, progress: Progress, *, everything: bool) -> OutputRows:
    with opened_catalog(target, read_only=True) as catalog:
        rows = [_option_row(option, name) for option, name in list_named_options(begin(catalog))]
    if everything:
        known = {row.option_name for row in rows if row.scope in ("instance", "catalog")}
        rows += [_default_row(name) for name in OPTIONS if name not in known]
    rows.sort(key=lambda row: row.option_name)
    return OutputRows(_OptionRow._fields, rows, "No option is set; --all lists all options.")


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
        key = find_option(name).name
        rows = [_option_row(option, where) for option, where in list_named_options(begin(catalog)) if option.key == key]
    return OutputRows(_OptionRow._fields, rows or [_default_row(key)])


class _OptionRow(NamedTuple):
    option_name: str
    value: str | None
    scope: str
    scope_entry: str | None
    description: str


def _option_row(option: OptionValue, name: Sequence[str]) -> _OptionRow:
    known = OPTIONS.get(option.key)
    return _OptionRow(
        option.key, option.value, option.scope, ".".join(name) or None, known.description if known else ""
    )


def _default_row(name: str) -> _OptionRow:
    return _OptionRow(name, OPTIONS[name].default, "default", None, OPTIONS[name].description)
