"""A list of files for Spark, which then neither lists a folder nor looks at a file before it reads it.

Spark's file sinks leave a log of what they wrote, and Spark reads a folder with such a log by the log alone. We write
one for the files of a scan, in a folder made for it. What the log says of a file's modification time comes back with
every row: there goes the file's number in the scan, or whatever else a scan has to know of it.

Reading a list takes Spark longer than all the rest of planning, and most scans have the list of the scan before: so the
relations of the last lists are kept. Two scans of the same files are then the same to Spark, which reads them once
where a query reads a table twice.
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
"""Whether row groups are left out whose dictionary has no matching value. Parquet looks there for the bits of a number,
and leaves out rows with 0.0 where -0.0 is asked for, and the other way round: so never where there are such numbers."""

_READ_OPTIONS = {
    **READ_OPTIONS,
    "recursiveFileLookup": "true",
    # A page that is not what was written is an error, and not other values.
    "parquet.page.verify-checksum.enabled": "true",
}
RELATION_KILOBYTES = 200
"""What Spark holds for any relation."""
_PLAIN = re.compile(r"[\w.~/=-]*", re.ASCII)
"""Paths that are the same in a URI, as nearly all are: there may be fifty thousand of them, looked at as one text."""


def file_relation(work: Work, schema: st.StructType, files: Sequence[tuple[int, DataFile]]) -> DataFrame:
    """The rows of numbered files, with Spark's own vectorised reader.

    Another scan may be given the same: columns that are shown to anybody must be made anew.
    """
    log = "\n".join(["v1", *_lines(work.storage, files)])
    if is_remote(work.spark):
        # The server reads the list whenever it plans a query, and knows the lake's folders but not ours.
        return store_file_list(work, log, lambda folder: _read_folder(work, schema, folder))
    # Spark holds about a kilobyte for each file.
    return cached_relation(
        work, f"{schema.json()}\n{log}", lambda: _new_relation(work, schema, log), kilobytes=len(files)
    )


def cached_relation(work: Work, known_by: str, make: Callable[[], DataFrame], kilobytes: int) -> DataFrame:
    """What was made for an earlier scan and is known by the same text, or else what is made now."""
    if not work.shortcuts:
        return make()
    key = sha256(known_by.encode()).digest()
    frame = work.provider.cache.relations.get(key)
    if frame is None:
        # Two may make the same at the same time; either will do.
        frame = make()
        work.provider.cache.relations.put(key, frame, RELATION_KILOBYTES + kilobytes)
    return frame


def _new_relation(work: Work, schema: st.StructType, log: str) -> DataFrame:
    folder = Path(mkdtemp(prefix="forklake-scan-"))
    try:
        (folder / LOG).parent.mkdir()
        (folder / LOG).write_text(log)
        frame = _read_folder(work, schema, f"file://{folder}")
        # Analysed now: the plan holds the list of files from here on.
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
    """Where the files are, as JSON."""
    if all(file.path_is_relative for _, file in files) and _PLAIN.fullmatch("".join(file.path for _, file in files)):
        root = json.dumps(storage.uri(""))[:-1]
        return [f'{root}{file.path}"' for _, file in files]
    return [json.dumps(storage.uri(file.path, is_relative=file.path_is_relative)) for _, file in files]
