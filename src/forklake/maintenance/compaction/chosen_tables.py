"""The tables that maintenance was asked to work on."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from forklake.catalog.transaction.names import get_schema, get_table, list_schemas
from forklake.catalog.transaction.options import list_options
from forklake.model.entities import Table
from forklake.model.ids import TableId
from forklake.model.names import DEFAULT_SCHEMA
from forklake.model.options import OPTIONS
from forklake.spark.work import Work

_OPTION = "auto_compact"


@dataclass(frozen=True, slots=True)
class Place:
    """One table, the tables of a schema, or all of a catalog."""

    schema: str | None = None
    table: str | None = None


EVERYWHERE = Place()


def chosen_tables(work: Work, place: Place, among: Callable[[Work], Iterable[Table]]) -> list[TableId]:
    """The table that was named, whichever it is; or else those of the place that are `among` others, by name.

    The option `auto_compact` leaves tables out unless they are named.
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
    """What the option says of a table: asked for once, for there may be many."""
    values = {
        (option.scope, option.scope_id): option.value for option in list_options(work.tx) if option.key == _OPTION
    }
    default = work.defaults.get(_OPTION, OPTIONS[_OPTION].default)

    def find(table: Table) -> bool:
        places = (("table", table.object_id), ("schema", table.schema_id), ("catalog", 0), ("instance", 0))
        return next((values[place] for place in places if place in values), default) == "true"

    return find
