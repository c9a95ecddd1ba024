"""A catalog of a new lake, attached."""

from pathlib import Path

from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from tests.conftest import Place


def attach_main(session: Session, place: Place, folder: Path, name: str = "lake") -> CatalogHandle:
    """The catalog `main` under a name, with its files in `data` below a folder."""
    return session.attach(
        place.url,
        name,
        catalog="main",
        data_path=str(folder / "data"),
        metadata_schema=place.metadata_schema,
        create_if_not_exists=True,
    )
