"""File lists for Spark, which then neither lists folders nor inspects files before reading them.

Spark's file sinks write a log of their files, and Spark reads a folder with such a log from the log alone. We write one
for the files of a scan, in a folder of its own. The modification time in the log is returned with every row: we use it
for the number of the file in the scan, or other values needed by a scan.

Reading a list takes longer than all the rest of planning, and most scans have the same list as the previous one, so the
relations of recent lists are cached. Then two scans of the same files are identical for Spark, which reads them only
once if a query uses a table twice.
"""

import json
import re
import shutil
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

from pyspark.sql import DataFrame
from pyspark.sql import types as st

from forklake.model.files import DataFile
from forklake.spark.reading.connect_manifests import LOG, store_file_list
from forklake.spark.session.job_settings import READ_OPTIONS
from forklake.spark.session.provider import is_remote
from forklake.spark.storage.storage import Storage
from forklake.spark.work import Work

_BY_DICTIONARY = "parquet.filter.dictionary.enabled"
"""Whether row groups without matching value in their dictionary are skipped.

Parquet compares the bits of numbers here, and misses rows with 0.0 when -0.0 is requested, and vice versa. So this is
disabled if there are floating-point columns.
"""

_READ_OPTIONS = {
    **READ_OPTIONS,
    "recursiveFileLookup": "true",
    # A corrupted page must raise an error instead of returning wrong values.
    "parquet.page.verify-checksum.enabled": "true",
}
RELATION_KILOBYTES = 200
"""Memory that Spark needs for any relation."""
_PLAIN = re.compile(r"[\w.~/=-]*", re.ASCII)
"""Paths that need no escaping in a URI, as nearly all; up to fifty thousand of them are tested as one text."""


def file_relation(work: Work, schema: st.StructType, files: Sequence[tuple[int, DataFile]]) -> DataFrame:
    """The rows of numbered files, read by Spark's vectorised reader.

    May be shared with another scan: columns shown to users must be created anew.
    """
    log = "\n".join(["v1", *_lines(work.storage, files)])
    if is_remote(work.spark):
        # The server reads the list whenever it plans a query, and can access the lake's folders but not local ones.
        return store_file_list(work, log, lambda folder: _read_folder(work, schema, folder))
    # Spark needs about a kilobyte per file.
    return cached_relation(
        work, f"{schema.json()}\n{log}", lambda: _new_relation(work, schema, log), kilobytes=len(files)
    )


def cached_relation(work: Work, known_by: str, make: Callable[[], DataFrame], kilobytes: int) -> DataFrame:
    """The relation cached for the same text by an earlier scan, or a new one."""
    if not work.shortcuts:
        return make()
    key = sha256(known_by.encode()).digest()
    frame = work.provider.cache.relations.get(key)
    if frame is None:
        # Concurrent threads may create the same relation; either is fine.
        frame = make()
        work.provider.cache.relations.put(key, frame, RELATION_KILOBYTES + kilobytes)
    return frame


def _new_relation(work: Work, schema: st.StructType, log: str) -> DataFrame:
    folder = Path(mkdtemp(prefix="forklake-scan-"))
    try:
        (folder / LOG).parent.mkdir()
        (folder / LOG).write_text(log)
        frame = _read_folder(work, schema, f"file://{folder}")
        # Analysed now, so that the plan holds the list of files.
        _ = frame.columns
        return frame
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _read_folder(work: Work, schema: st.StructType, folder: str) -> DataFrame:
    options = {**_READ_OPTIONS, _BY_DICTIONARY: "false"} if _has_floats(schema) else _READ_OPTIONS
    return work.spark.read.schema(schema).options(**options).parquet(folder)


def _has_floats(schema: st.StructType) -> bool:
    text = schema.json()
    return '"double"' in text or '"float"' in text


def _lines(storage: Storage, files: Sequence[tuple[int, DataFile]]) -> list[str]:
    return [
        f'{{"path":{uri},"size":{file.file_size_bytes},"isDir":false,"modificationTime":{number},'
        '"blockReplication":1,"blockSize":134217728,"action":"add"}'
        for uri, (number, file) in zip(_uris(storage, files), files, strict=True)
    ]


def _uris(storage: Storage, files: Sequence[tuple[int, DataFile]]) -> list[str]:
    """The URIs of the files as JSON."""
    if all(file.path_is_relative for _, file in files) and _PLAIN.fullmatch("".join(file.path for _, file in files)):
        root = json.dumps(storage.uri(""))[:-1]
        return [f'{root}{file.path}"' for _, file in files]
    return [json.dumps(storage.uri(file.path, is_relative=file.path_is_relative)) for _, file in files]
