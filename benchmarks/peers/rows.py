"""Small rows for small work."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = {"id": "BIGINT", "name": "STRING", "amount": "DOUBLE"}


def values(number: int) -> str:
    """A row as SQL."""
    return f"({number}, 'row {number}', {number}.5)"


def write_rows(path: Path, rows: int) -> Path:
    """One Parquet file with the ids from 0 on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    ids = range(rows)
    columns = {
        "id": pa.array(ids, pa.int64()),
        "name": [f"row {number}" for number in ids],
        "amount": [number + 0.5 for number in ids],
    }
    pq.write_table(pa.table(columns), path)
    return path
