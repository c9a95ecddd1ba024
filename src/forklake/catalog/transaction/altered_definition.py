"""The definition of a table after an alteration, with new ids allocated by the transaction."""

from forklake.catalog.transaction.transaction import Transaction
from forklake.model import alterations
from forklake.model.entities import COMMENT, TableDefinition
from forklake.model.ids import PartitionId, SortId
from forklake.model.table_alterations import (
    AddColumn,
    DropColumn,
    MoveColumn,
    RenameColumn,
    SetColumnComment,
    SetDefault,
    SetNotNull,
    SetPartitioning,
    SetSorting,
    SetType,
    TableAlteration,
)


def altered_definition(tx: Transaction, definition: TableDefinition, alteration: TableAlteration) -> TableDefinition:
    """The altered definition. Rows are not checked."""
    match alteration:
        case AddColumn():
            return _with_column(tx, definition, alteration)
        case DropColumn(path, if_exists):
            if if_exists and not alterations.has_column(definition, path):
                return definition
            return alterations.drop_column(definition, path)
        case RenameColumn(path, new_name):
            return alterations.rename_column(definition, path, new_name)
        case SetType(path, new_type):
            return alterations.set_column_type(definition, path, new_type)
        case SetDefault(path, None):
            return alterations.drop_default(definition, path)
        case SetDefault(path, value, value_type):
            return alterations.set_default(definition, path, value, value_type, "spark")
        case SetNotNull(path, not_null):
            return (
                alterations.set_not_null(definition, path) if not_null else alterations.drop_not_null(definition, path)
            )
        case MoveColumn(path, after):
            return alterations.move_column(definition, path, after)
        case SetPartitioning(keys):
            return _with_partitioning(tx, definition, keys)
        case SetSorting():
            return _with_sort_order(tx, definition, alteration)
        case SetColumnComment(path, text):
            return alterations.set_tag(definition, path, COMMENT, text)


def _with_column(tx: Transaction, definition: TableDefinition, alteration: AddColumn) -> TableDefinition:
    spec, path = alteration.column, (*alteration.parent, alteration.column.name)
    if alteration.if_not_exists and alterations.has_column(definition, path):
        return definition
    ids = tx.new_column_ids(alterations.field_count(spec.type))
    added = alterations.add_column(definition, spec, ids, alteration.parent)
    if alteration.first or alteration.after is not None:
        return alterations.move_column(added, path, alteration.after)
    return added


def _with_partitioning(
    tx: Transaction, definition: TableDefinition, keys: tuple[tuple[str, str], ...]
) -> TableDefinition:
    if not keys:
        return alterations.reset_partition(definition)
    return alterations.set_partition(definition, keys, PartitionId(tx.new_ids("entity")[0]))


def _with_sort_order(tx: Transaction, definition: TableDefinition, alteration: SetSorting) -> TableDefinition:
    if not alteration.keys:
        return alterations.reset_sort(definition)
    return alterations.set_sort(definition, alteration.keys, SortId(tx.new_ids("entity")[0]))
