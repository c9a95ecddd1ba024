"""Commands that move rows, on the Spark of the process if there is one."""

import json
from typing import Any

from typer.testing import CliRunner

from forklake.cli.main import app
from tests.spark.conftest import Lakehouse


def run(lakehouse: Lakehouse, *arguments: str) -> list[dict[str, Any]]:
    schema = lakehouse.place.metadata_schema
    target = ["--lake", lakehouse.place.url, *([] if schema is None else ["--metadata-schema", schema])]
    done = CliRunner().invoke(app, [*arguments, *target, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def test_files_are_merged_and_rewritten(lakehouse: Lakehouse) -> None:
    table = lakehouse.lake.create_table("t", {"id": "bigint"})
    for low in (0, 20, 40):
        table.append([(number,) for number in range(low, low + 20)])
    table.delete("id < 5")
    assert run(lakehouse, "merge-adjacent-files", "t", "--min-file-size", "1000000") == []
    [rewritten] = run(lakehouse, "rewrite-data-files", "main.t", "--delete-threshold", "0.1")
    assert (rewritten["table_name"], rewritten["files_processed"], rewritten["files_created"]) == ("t", 1, 1)
    [merged] = run(lakehouse, "merge-adjacent-files", "--schema", "main")
    assert (merged["table_name"], merged["files_processed"], merged["files_created"]) == ("t", 3, 1)
    assert table.count() == 55
    assert run(lakehouse, "verify", "--deep") == []


def test_maintenance_of_everything_leaves_a_sound_lake(lakehouse: Lakehouse) -> None:
    table = lakehouse.lake.create_table("t", {"id": "bigint", "v": "varchar"})
    fork = lakehouse.lake.fork("agent")
    for catalog in (lakehouse.lake, fork):
        rows = catalog.table("t")
        rows.append([(number, "x") for number in range(20)])
        rows.update({"v": "'y'"}, "id < 10")
        rows.delete("id >= 12")
    before = sorted(table.scan().fetchall())
    run(lakehouse, "maintain", "--all")
    assert sorted(table.scan().fetchall()) == sorted(fork.table("t").scan().fetchall()) == before
    for name in ("main", "agent"):
        assert run(lakehouse, "verify", "--deep", "--catalog", name) == []
