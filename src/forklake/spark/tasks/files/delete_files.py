"""Delete files: the positions of deleted rows of a data file."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs

from forklake.errors import DamagedFile
from forklake.spark.tasks.files.write_errors import translate_file_errors
from forklake.spark.tasks.types.reserved_columns import FIELD_IDS, FILE_PATH, POSITION, SNAPSHOT_ID

Positions = npt.NDArray[np.int64]

_SCHEMA = pa.schema(
    [
        pa.field(name, kind, metadata={b"PARQUET:field_id": str(FIELD_IDS[name]).encode()})
        for name, kind in ((FILE_PATH, pa.dictionary(pa.int32(), pa.string())), (POSITION, pa.int64()))
    ]
)
"""Both are plain columns in the file; the dictionary avoids repeating the common path for each row in memory."""


def read_positions(files: fs.FileSystem, path: str, upto: int) -> Positions:
    """The deleted positions, ascending; up to a snapshot, if the file has the snapshot of each delete."""
    with pq.ParquetFile(path, filesystem=files, page_checksum_verification=True) as source:
        names = source.schema_arrow.names
        if names[:2] != [FILE_PATH, POSITION]:
            raise DamagedFile(f"Invalid schema contained in the delete file {path}: its columns are {names}.")
        table = source.read([POSITION, *(name for name in names if name == SNAPSHOT_ID)])
    if SNAPSHOT_ID in table.column_names:
        table = table.filter(pc.less_equal(table[SNAPSHOT_ID], upto))
    if table[POSITION].null_count:
        raise DamagedFile(f"The delete file {path} holds a NULL; delete data cannot have NULL values.")
    positions: Positions = table[POSITION].to_numpy().astype(np.int64)
    if len(positions) and (positions[0] < 0 or (np.diff(positions) <= 0).any()):
        raise DamagedFile(f"The positions in the delete file {path} must be sorted and strictly increasing.")
    return positions


def write_positions(files: fs.FileSystem, path: str, data_file: str, positions: Positions) -> tuple[int, int]:
    """Write a delete file; returns its size and the size of its footer."""
    paths = pa.DictionaryArray.from_arrays(np.zeros(len(positions), np.int32), [data_file])
    with translate_file_errors(path), files.open_output_stream(path) as sink:
        pq.write_table(
            pa.table([paths, positions], _SCHEMA),
            sink,
            compression="snappy",
            use_dictionary=[FILE_PATH],
            column_encoding={POSITION: "DELTA_BINARY_PACKED"},
            write_page_checksum=True,
            store_schema=False,
        )
        size = sink.tell()
    with pq.ParquetFile(path, filesystem=files) as written:
        return size, written.metadata.serialized_size
