"""Geometries in Arrow."""

import pyarrow as pa


class Geometry(pa.ExtensionType):
    """Well-known binary. Arrow's Parquet writer recognises the type by its name, and writes GEOMETRY."""

    def __init__(self) -> None:
        super().__init__(pa.binary(), "geoarrow.wkb")

    def __arrow_ext_serialize__(self) -> bytes:
        return b"{}"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> "Geometry":
        return cls()
