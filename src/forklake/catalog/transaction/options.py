"""Options of the instance, a catalog, a schema or a table; the narrowest scope takes precedence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from forklake.catalog.lakes.lake import Lake
from forklake.catalog.transaction.names import get_schema, get_table
from forklake.catalog.transaction.staged import StagedOption
from forklake.catalog.transaction.transaction import Transaction
from forklake.errors import CorruptMetadata, InvalidOption, ReadOnly
from forklake.model.entities import Table
from forklake.model.names import DEFAULT_SCHEMA, check_text
from forklake.model.options import OPTIONS, find_option, normalise_option
from forklake.store.options import (
    OptionRow,
    as_instance_options,
    catalog_options,
    instance_options,
    write_instance_option,
)

OptionScope = Literal["instance", "catalog", "schema", "table"]
_SCOPES: tuple[OptionScope, ...] = get_args(OptionScope)


@dataclass(frozen=True, slots=True)
class OptionValue:
    """An option that is set. `scope_id` is the id of the schema or table, 0 otherwise."""

    key: str
    value: str
    scope: OptionScope
    scope_id: int = 0


def set_option(
    tx: Transaction, key: str, value: object, *, schema: str | None = None, table: str | None = None
) -> None:
    """Stage an option for the catalog, a schema or a table; None unsets it.

    Options are versioned: a fork inherits them as of the fork point, and is not affected by later changes of its
    parent.
    """
    tx.check_changeable()
    option = find_option(key)
    scope, scope_id = _resolve_scope(tx, schema, table)
    if (scope if scope != "catalog" else "global") not in option.scopes:
        raise InvalidOption(f"The option {option.name} can only be set for a whole catalog.")
    stored = _stored_value(key, value)
    [option_id] = tx.new_ids("entity")
    rows = _committed_options(tx)
    committed = {(row.scope, row.scope_id, row.key): row.value for row in rows}
    staged = StagedOption(option_id, scope, scope_id, option.name, stored)
    tx.stage_option(staged, committed.get((scope, scope_id, option.name)))


def set_instance_option(lake: Lake, key: str, value: object) -> None:
    """Set a default for all catalogs of the lake; None unsets it. Not versioned."""
    option = find_option(key)
    if lake.store.read_only:
        raise ReadOnly(f"{lake.store.location} is open for reading only.")
    step = write_instance_option(option.name, _stored_value(key, value))
    with lake.store.writing([]) as (transaction, _):
        transaction.commit([step])


def list_options(tx: Transaction) -> list[OptionValue]:
    """All options that are set, from the instance to single tables."""
    tx.check_open()
    staged = tx.options
    kept = [row for row in _committed_options(tx) if (row.scope, row.scope_id, row.key) not in staged]
    mine = [option for option in staged.values() if option.value is not None]
    both: list[OptionRow | StagedOption] = [*kept, *mine]
    found = [OptionValue(o.key, o.value or "", _as_scope(o.scope), o.scope_id) for o in both]
    return sorted(found, key=lambda option: (option.key, option.scope, option.scope_id))


def list_named_options(tx: Transaction) -> list[tuple[OptionValue, tuple[str, ...]]]:
    """The same options, each with the name of its schema or table, but without those of dropped objects."""
    named = ((option, _scope_name(tx, option)) for option in list_options(tx))
    return [(option, name) for option, name in named if name is not None]


def _scope_name(tx: Transaction, option: OptionValue) -> tuple[str, ...] | None:
    """Empty for options of the catalog or instance; None if the object has been dropped."""
    if option.scope not in ("schema", "table"):
        return ()
    found = tx.object_with_id(option.scope_id)
    if found is None or option.scope == "schema":
        return None if found is None else (found.name,)
    schema = tx.object_with_id(cast("Table", found).schema_id)
    return None if schema is None else (schema.name, found.name)


def effective_option(tx: Transaction, key: str, table: Table | None = None) -> str | None:
    """The effective value for a table or for the catalog; see `effective_options`."""
    name = find_option(key).name
    return checked_option(name, effective_options(tx, table)[name])


def effective_options(
    tx: Transaction, table: Table | None = None, defaults: Mapping[str, str] | None = None
) -> dict[str, str | None]:
    """The effective values of all options for a table or for the catalog.

    The first one that is set applies: table, schema, catalog, instance, given defaults, built-in default.
    """
    values: dict[str, str | None] = {name: option.default for name, option in OPTIONS.items()} | dict(defaults or {})
    return values | {key: option.value for key, option in options_in_effect(tx, table).items() if key in OPTIONS}


def options_in_effect(tx: Transaction, table: Table | None = None) -> dict[str, OptionValue]:
    """The options that are set for a table or for the catalog, each as set in the narrowest scope."""
    set_options = list_options(tx)
    return {
        option.key: option
        for place in option_places(table)
        for option in set_options
        if (option.scope, option.scope_id) == place
    }


def option_places(table: Table | None = None) -> list[tuple[OptionScope, int]]:
    """The scopes, with their ids, whose options apply to a table or to the catalog: each overrides those before it."""
    places: list[tuple[OptionScope, int]] = [("instance", 0), ("catalog", 0)]
    if table is not None:
        places += [("schema", table.schema_id), ("table", table.object_id)]
    return places


def checked_option(name: str, value: str | None) -> str | None:
    """Returns the value if it is valid: the row may have been written by others."""
    if value is not None:
        try:
            normalise_option(name, value)
        except InvalidOption as error:
            raise CorruptMetadata(f"The option {name} has an invalid value: {error}") from None
    return value


def _committed_options(tx: Transaction) -> list[OptionRow]:
    """The options as of the transaction's base. Those of the instance are not versioned, and read anew.

    A transaction on a known head takes them from the cache, as its commit verifies them.
    """
    lake = tx.catalog.lake
    if tx.known_head is not None:
        return [*tx.known_head.options, *as_instance_options(tx.known_head.instance_options)]
    known = lake.cache.facts.options(tx.catalog.catalog_id, tx.view.snapshot_id)
    if known is None:
        found = catalog_options(lake.store, tx.view.object_scope)
    else:
        found = [*known, *instance_options(lake.store, tx.view.scope)]
    lake.cache.facts.learn_instance_options({row.key: row.value for row in found if row.scope == "instance"})
    return found


def _stored_value(key: str, value: object) -> str | None:
    if isinstance(value, str):
        check_text(value, "option value")
    return None if value is None else normalise_option(key, value)


def _as_scope(text: str) -> OptionScope:
    return next((scope for scope in _SCOPES if scope == text), "catalog")


def _resolve_scope(tx: Transaction, schema: str | None, table: str | None) -> tuple[OptionScope, int]:
    if table is not None:
        return "table", _committed_id(tx, get_table(tx, schema or DEFAULT_SCHEMA, table).object_id)
    if schema is not None:
        return "schema", _committed_id(tx, get_schema(tx, schema).object_id)
    return "catalog", 0


def _committed_id(tx: Transaction, object_id: int) -> int:
    if tx.is_new(object_id):
        raise InvalidOption("Settings cannot be set for transaction-local schemas and tables; commit them first.")
    return object_id
