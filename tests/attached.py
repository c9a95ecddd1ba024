"""A catalog of a new lake, attached, and what its transactions see."""

from pathlib import Path

from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from forklake.api.table import TableHandle
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.transaction import Transaction, begin
from forklake.model.ids import TableId
from tests.conftest import Place


def attach_main(
    session: Session, place: Place, folder: Path, name: str = "lake", data_path: str | None = None
) -> CatalogHandle:
    """The catalog `main` under a name, with its files in `data` below a folder unless there is another data path."""
    return session.attach(
        place.url,
        name,
        catalog="main",
        data_path=data_path or str(folder / "data"),
        metadata_schema=place.metadata_schema,
        create_if_not_exists=True,
    )


def read_table(table: TableHandle) -> tuple[Transaction, TableId]:
    """A transaction that sees the table as it is now, and the table's id."""
    tx = begin(table._attachment.catalog)
    return tx, TableId(get_table(tx, table._schema, table._name).object_id)
