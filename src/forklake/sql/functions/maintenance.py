"""Procedures that add files, and that maintain a catalog."""

from dataclasses import astuple

import pyarrow as pa

from forklake.catalog.transaction.names import get_table
from forklake.maintenance.adding.add_files import add_data_files
from forklake.maintenance.checkpoint import checkpoint
from forklake.maintenance.verification.verify import verify
from forklake.spark.work import storage_of
from forklake.sql.functions.signatures import FLAG, TEXT, TEXTS, Function, FunctionCall, Parameter
from forklake.sql.results.arrow_rows import arrow_rows
from forklake.sql.session.catalog_changes import refuse_in_transaction
from forklake.sql.session.maintenance_commits import commits_to

_STEPS = pa.schema([("step", pa.string()), ("done", pa.int64())])
_ADDED = pa.schema([("filename", pa.string())])
_FINDINGS = pa.schema(
    [
        ("problem", pa.string()),
        ("table", pa.string()),
        ("path", pa.string()),
        ("snapshot_id", pa.int64()),
        ("detail", pa.string()),
    ]
)


def _checkpoint(call: FunctionCall) -> pa.Table:
    """Run all maintenance steps; returns a row per step with the amount of work done."""
    refuse_in_transaction(call.state, "ducklake_checkpoint")
    commits = commits_to(call.state, call.attachment)
    steps = checkpoint(call.attachment.catalog, storage_of(call.attachment.lake), commits)
    return arrow_rows(_STEPS, map(astuple, steps))


def _add_data_files(call: FunctionCall) -> pa.Table:
    """Add files to a table; returns the files added."""
    with call.state.writing(call.attachment) as tx:
        added = add_data_files(
            call.state.work(tx, call.attachment),
            get_table(tx, call.get("schema") or call.schema, call.get("table_name")),
            call.get("files"),
            allow_missing=bool(call.get("allow_missing")),
            ignore_extra_columns=bool(call.get("ignore_extra_columns")),
            hive_partitioning=call.get("hive_partitioning"),
            allow_duplicates=bool(call.get("allow_duplicates")),
        )
    return arrow_rows(_ADDED, [(path,) for path in added])


def _verify(call: FunctionCall) -> pa.Table:
    """Inconsistencies of the catalog; no rows if there are none."""
    attachment = call.attachment
    found = verify(attachment.catalog, storage_of(attachment.lake), deep=bool(call.get("deep")))
    return arrow_rows(_FINDINGS, [astuple(finding) for finding in found])


_SCHEMA = Parameter("schema", TEXT, by_name=True)
MAINTENANCE = (
    Function("checkpoint", (), _checkpoint),
    Function("verify", (Parameter("deep", FLAG, by_name=True),), _verify),
    Function(
        "add_data_files",
        (
            Parameter("table_name", TEXT, required=True),
            Parameter("files", TEXTS, required=True),
            _SCHEMA,
            Parameter("allow_missing", FLAG, by_name=True),
            Parameter("ignore_extra_columns", FLAG, by_name=True),
            Parameter("hive_partitioning", FLAG, by_name=True),
            Parameter("allow_duplicates", FLAG, by_name=True),
        ),
        _add_data_files,
    ),
)
