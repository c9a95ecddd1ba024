"""Selection of tables for maintenance."""

from collections.abc import Callable, Iterable

from forklake.catalog.transaction.names import get_schema, get_table, list_schemas
from forklake.catalog.transaction.options import list_options, option_places
from forklake.maintenance.commits import Place
from forklake.model.entities import Table
from forklake.model.ids import TableId
from forklake.model.names import DEFAULT_SCHEMA
from forklake.model.options import OPTIONS
from forklake.spark.work import Work

_OPTION = "auto_compact"


def chosen_tables(work: Work, place: Place, among: Callable[[Work], Iterable[Table]]) -> list[TableId]:
    """The named table in any case; otherwise the tables of the place that are `among` others, by name.

    Tables with the option `auto_compact` off are omitted unless named.
    """
    tx = work.tx
    if place.table is not None:
        return [TableId(get_table(tx, place.schema or DEFAULT_SCHEMA, place.table).object_id)]
    wanted = [get_schema(tx, place.schema)] if place.schema is not None else list_schemas(tx)
    schemas = {schema.object_id: schema.name for schema in wanted}
    is_compacted = _auto_compact(work)
    tables = [table for table in among(work) if table.schema_id in schemas and is_compacted(table)]
    return [TableId(table.object_id) for table in sorted(tables, key=lambda t: (schemas[t.schema_id], t.name))]


def _auto_compact(work: Work) -> Callable[[Table], bool]:
    """The effective option of a table; options are read once, because there may be many tables."""
    values = {
        (option.scope, option.scope_id): option.value for option in list_options(work.tx) if option.key == _OPTION
    }
    default = work.defaults.get(_OPTION, OPTIONS[_OPTION].default)

    def find(table: Table) -> bool:
        places = reversed(option_places(table))
        return next((values[place] for place in places if place in values), default) == "true"

    return find
