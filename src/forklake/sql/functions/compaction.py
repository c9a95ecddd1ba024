"""Procedures that move rows between files, and from the metadata database to files."""

from dataclasses import astuple

import pyarrow as pa

from forklake.errors import InvalidInput
from forklake.maintenance.compaction.chosen_tables import Place
from forklake.maintenance.compaction.commits import Commits
from forklake.maintenance.compaction.compact import Compacted
from forklake.maintenance.compaction.flush_tables import flush_inlined_in_tables
from forklake.maintenance.compaction.merge_adjacent import merge_adjacent_in_tables
from forklake.maintenance.compaction.rewrite_files import rewrite_in_tables
from forklake.sql.functions.signatures import COUNT, NUMBER, TEXT, Function, FunctionCall, Parameter
from forklake.sql.results.arrow_rows import arrow_rows
from forklake.sql.session.maintenance_commits import commits_to

_COMPACTED = pa.schema(
    [
        ("schema_name", pa.string()),
        ("table_name", pa.string()),
        ("files_processed", pa.int64()),
        ("files_created", pa.int64()),
    ]
)
_FLUSHED = pa.schema([("schema_name", pa.string()), ("table_name", pa.string()), ("rows_flushed", pa.int64())])
_SIZES = ("min_file_size", "max_file_size", "max_compacted_files")


def _merge_adjacent_files(call: FunctionCall) -> pa.Table:
    for limit in _SIZES:
        if limit in call.given and call.get(limit) is None:
            raise InvalidInput(f"The {limit} option must be a non-null integer.")
    limits = {limit: call.get(limit) for limit in _SIZES}
    return _compaction_rows(merge_adjacent_in_tables(_commits(call), _place(call, "schema"), **limits))


def _rewrite_data_files(call: FunctionCall) -> pa.Table:
    threshold = call.get("delete_threshold")
    return _compaction_rows(rewrite_in_tables(_commits(call), _place(call, "schema"), delete_threshold=threshold))


def _flush_inlined_data(call: FunctionCall) -> pa.Table:
    flushed = flush_inlined_in_tables(_commits(call), _place(call, "schema_name"))
    return arrow_rows(_FLUSHED, map(astuple, flushed))


def _compaction_rows(done: list[Compacted]) -> pa.Table:
    """One row per file created."""
    return arrow_rows(_COMPACTED, map(astuple, done))


def _commits(call: FunctionCall) -> Commits:
    return commits_to(call.state, call.attachment)


def _place(call: FunctionCall, schema_parameter: str) -> Place:
    schema, table = call.get(schema_parameter), call.get("table_name")
    return Place(schema if schema is not None or table is None else call.schema, table)


COMPACTION = (
    Function(
        "merge_adjacent_files",
        (
            Parameter("table_name", TEXT),
            Parameter("schema", TEXT, by_name=True),
            *(Parameter(limit, COUNT, by_name=True) for limit in _SIZES),
        ),
        _merge_adjacent_files,
    ),
    Function(
        "rewrite_data_files",
        (
            Parameter("table_name", TEXT),
            Parameter("schema", TEXT, by_name=True),
            Parameter("delete_threshold", NUMBER, by_name=True),
        ),
        _rewrite_data_files,
    ),
    Function(
        "flush_inlined_data",
        (Parameter("schema_name", TEXT, by_name=True), Parameter("table_name", TEXT, by_name=True)),
        _flush_inlined_data,
    ),
)
