"""The lake that the drivers share: who works where."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from forklake.api.catalog import CatalogHandle
from forklake.api.session import Session
from trust.drivers.operations import FIRST_ROWS

SETTINGS = {"spark.master": "local[2]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2"}

TABLES: Mapping[str, str] = {"t0": "main", "t1": "main", "t2": "side"}
"""Each thread of a driver has a table of its own, two of them in one catalog, the third in a fork of it."""
CATALOGS = ("main", "side")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the lake is."""

    url: str
    data: str
    metadata_schema: str | None = None

    def attach(self, session: Session, catalog: str, *, create: bool = False) -> CatalogHandle:
        return session.attach(
            self.url,
            catalog,
            catalog=catalog,
            data_path=self.data,
            metadata_schema=self.metadata_schema,
            create_if_not_exists=create,
        )

    @property
    def folder(self) -> Path:
        return Path(self.data)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Self:
        return cls(**found)


def create_lake(session: Session, place: Place) -> dict[str, CatalogHandle]:
    """The catalogs by name. One table is partitioned, so that its rows are written by Arrow on the workers."""
    main = place.attach(session, "main", create=True)
    main.set_option("data_inlining_row_limit", 10)
    main.create_table("seen", {"number": "bigint"})
    for name in TABLES:
        keys = [("id", "bucket(2)")] if name == "t1" else []
        main.create_table(name, {"id": "bigint", "v": "bigint"}, partitioned_by=keys)
        main.table(name).append(pa.table({"id": list(FIRST_ROWS), "v": list(FIRST_ROWS.values())}))
    main.fork("side")
    return {"main": main, "side": place.attach(session, "side")}
