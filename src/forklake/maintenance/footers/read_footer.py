"""Validated footers of foreign files: nothing is trusted that could cause errors later."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from forklake.errors import InvalidInput
from forklake.spark.tasks.statistics.file_fields import FileField, file_fields

_MARK = b"PAR1"
_ENCRYPTED = b"PARE"
_TAIL_BYTES = 8
"""Follows a footer: its length, and the magic number of Parquet."""
_LEAST_BYTES = 12
MOST_BYTES = 128 * 2**20
"""Longer footers are not read: they usually have a few kilobytes, and need a multiple of that in memory."""

_REASON_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Footer:
    """The footer of a file, with its fields and the file size."""

    metadata: pq.FileMetaData
    fields: tuple[FileField, ...]
    file_size_bytes: int


def read_footer(files: fs.FileSystem, path: str, name: str) -> Footer:
    """The footer of a file; raises InvalidInput with the file name if it is not a complete Parquet file."""
    try:
        with files.open_input_file(path) as source:
            size = source.size()
            _check_tail(source, size, name)
            metadata = pq.read_metadata(source)
        footer = Footer(metadata, file_fields(metadata), size)
        _check_rows(footer, name)
    except FileNotFoundError:
        raise InvalidInput(f'No files found that match the pattern "{name}"') from None
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0][:_REASON_CHARACTERS]
        raise InvalidInput(f"File '{name}' cannot be read as Parquet: {reason}") from error
    return footer


def _check_tail(source: pa.NativeFile, size: int, name: str) -> None:
    if size < _LEAST_BYTES:
        raise InvalidInput(f"File '{name}' too small to be a Parquet file")
    source.seek(size - _TAIL_BYTES)
    tail = source.read(_TAIL_BYTES)
    if tail[4:] == _ENCRYPTED:
        raise InvalidInput(f"File '{name}' is encrypted, and cannot be added.")
    if tail[4:] != _MARK:
        raise InvalidInput(f"No magic bytes found at end of file '{name}'")
    length = int.from_bytes(tail[:4], "little")
    if length > size - _LEAST_BYTES:
        raise InvalidInput(f"File '{name}' is incomplete: its footer should have {length} bytes.")
    if length > MOST_BYTES:
        raise InvalidInput(f"File '{name}' has a footer of {length} bytes, more than {MOST_BYTES}.")


def _check_rows(footer: Footer, name: str) -> None:
    """All rows must be in this file: their number is stored in the metadata, and Spark reads them."""
    metadata, counted = footer.metadata, 0
    end = footer.file_size_bytes - _TAIL_BYTES - metadata.serialized_size
    for at in range(metadata.num_row_groups):
        group = metadata.row_group(at)
        counted += group.num_rows
        for place in range(group.num_columns):
            chunk = group.column(place)
            if chunk.file_path:
                raise InvalidInput(f"File '{name}' only describes the rows of other files, such as {chunk.file_path}.")
            if not 0 <= _chunk_start(chunk) <= end - chunk.total_compressed_size:
                raise InvalidInput(f"File '{name}' is incomplete: its footer refers to rows beyond its end.")
    if counted != metadata.num_rows or counted < 0:
        raise InvalidInput(
            f"File '{name}' has {metadata.num_rows} rows by its footer, but {counted} in its row groups."
        )


def _chunk_start(chunk: pq.ColumnChunkMetaData) -> int:
    data, dictionary = int(chunk.data_page_offset), chunk.dictionary_page_offset
    # Some writers write 0 for a missing dictionary.
    return min(data, int(dictionary)) if dictionary else data
