"""Commands that move rows, on the Spark of the process if there is one."""

import json
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from forklake.cli.main import app
from tests.spark.conftest import Lakehouse
from tests.terminal import Terminal


def invoke(lakehouse: Lakehouse, *arguments: str) -> Result:
    schema = lakehouse.place.metadata_schema
    target = ["--lake", lakehouse.place.url, *([] if schema is None else ["--metadata-schema", schema])]
    return CliRunner().invoke(app, [*arguments, *target, "--json"], catch_exceptions=False)


def refused(lakehouse: Lakehouse, *arguments: str) -> str:
    """The line that says why."""
    done = invoke(lakehouse, *arguments)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    return done.stderr


def run(lakehouse: Lakehouse, *arguments: str) -> list[dict[str, Any]]:
    done = invoke(lakehouse, *arguments)
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


def test_changes_of_rows_are_shown_and_counted(lakehouse: Lakehouse) -> None:
    table = lakehouse.lake.create_table("t", {"id": "bigint", "v": "varchar"})
    table.append([(number, "x") for number in range(20)])
    before = lakehouse.lake.snapshots()[-1].snapshot_id
    table.update({"v": "'y'"}, "id < 3")
    table.delete("id = 7")
    [diff] = run(lakehouse, "diff", str(before))
    assert (diff["change"], diff["rows_added"], diff["rows_removed"]) == ("changed", 3, 4)
    feed = run(lakehouse, "changes", "t", "--since", str(before + 1))
    kinds = sorted(row["change_type"] for row in feed)
    assert kinds == ["delete", *["update_postimage"] * 3, *["update_preimage"] * 3]
    [last] = run(lakehouse, "changes", "t", "--since", str(before + 2), "--until", str(before + 2))
    assert (last["id"], last["v"], last["change_type"]) == (7, "x", "delete")
    assert len(run(lakehouse, "changes", "t", "--since", str(before + 1), "--limit", "2")) == 2


@pytest.mark.parametrize("file_format", ["parquet", "csv", "json"])
def test_rows_go_out_to_a_file_and_come_back(local: Lakehouse, tmp_path: Path, file_format: str) -> None:
    columns = {"id": "bigint", "name": "varchar", "at": "timestamp", "day": "date"}
    table = local.lake.create_table("t", columns)
    rows = [(1, 'a "b", c', datetime(2026, 1, 31, 12), date(2026, 1, 31)), (2, None, None, None)]
    table.append(rows)
    file = tmp_path / "out" / f"rows.{file_format}"
    [done] = run(local, "export", "t", str(file))
    assert (done["rows_exported"], done["path"], file.is_file()) == (2, str(file), True)
    assert [path.name for path in file.parent.iterdir() if path.suffix != ".crc"] == [file.name]
    assert run(local, "import", "t", str(file), "--append")[0]["rows_imported"] == 2
    assert sorted(table.scan().fetchall(), key=str) == sorted([*rows, *rows], key=str)
    [made] = run(local, "import", "copied", str(file))
    assert (made["rows_imported"], made["created"], local.lake.table("copied").count()) == (2, True, 2)


def test_rows_go_out_to_a_folder_as_of_a_snapshot(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"id": "bigint"})
    table.append([(number,) for number in range(20)])
    before = str(local.lake.snapshots()[-1].snapshot_id)
    table.append([(20,)])
    folder = tmp_path / "out"
    assert run(local, "export", "t", str(folder), "--format", "json", "--version", before)[0]["rows_exported"] == 20
    assert refused(local, "export", "t", str(folder))
    assert run(local, "export", "t", str(folder), "--overwrite")[0]["rows_exported"] == 21
    assert run(local, "import", "u", str(folder), "--format", "parquet")[0]["rows_imported"] == 21


def test_an_export_overwrites_neither_a_lake_nor_the_current_folder(
    local: Lakehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.lake.create_table("t", {"id": "bigint"}).append([(1,)])
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("mine.csv").write_text("mine")
    other = tmp_path / "meta" / "other.csv"
    other.parent.mkdir()
    local.session.attach(f"ducklake:{other}", "other", catalog="main", create_if_not_exists=True)
    for place in (other, other.parent, f"{other}-wal", f"file://{other}"):
        told = refused(local, "export", "t", str(place), "--format", "csv", "--overwrite")
        assert "SQLite database" in told
        assert other.is_file()
    for place in ("", "  "):
        assert "The path is empty" in refused(local, "export", "t", place, "--overwrite")
        assert "The path is empty" in refused(local, "import", "u", place, "--format", "csv")
    assert "holds files that no export has written" in refused(local, "export", "t", ".", "--overwrite")
    assert Path("mine.csv").read_text() == "mine"


def test_imports_match_columns_by_name_and_take_all_rows_or_none(local: Lakehouse, tmp_path: Path) -> None:
    table = local.lake.create_table("t", {"id": "bigint", "code": "varchar"})
    (tmp_path / "a.csv").write_text("Code;id\n007;1\n")
    (tmp_path / "b.csv").write_text("Code;id\n008;2\n009;two\n")
    (tmp_path / "c.json").write_text('[\n  {"id": 3, "code": "x"},\n  {"id": 4}\n]\n')
    (tmp_path / "d.csv").write_text("id,nothing\n1,2\n")
    run(local, "import", "t", str(tmp_path / "a.csv"), "--delimiter", ";")
    assert refused(local, "import", "t", str(tmp_path / "b.csv"), "--delimiter", ";")
    run(local, "import", "t", str(tmp_path / "c.json"))
    assert sorted(table.scan().fetchall()) == [(1, "007"), (3, "x"), (4, None)]
    assert "nothing" in refused(local, "import", "t", str(tmp_path / "d.csv"))
    assert "already exists" in refused(local, "import", "t", str(tmp_path / "d.csv"), "--create")
    assert "does not exist" in refused(local, "import", "u", str(tmp_path / "d.csv"), "--append")
    assert "nowhere.csv" in refused(local, "import", "u", str(tmp_path / "nowhere.csv"))
    assert not local.lake.has_table("u")


def test_queries_run_on_spark(lakehouse: Lakehouse) -> None:
    lakehouse.lake.create_table("t", {"id": "bigint"}).append([(number,) for number in range(20)])
    text = "SELECT id % 2 AS odd, count(*) AS n, map('a', id % 2) AS m, array(1.5, 2) AS l FROM t GROUP BY id % 2"
    found = run(lakehouse, "sql", "-c", f"{text} ORDER BY odd")
    assert found[1] == {"odd": 1, "n": 10, "m": {"a": 1}, "l": ["1.5", "2.0"]}
    assert len(run(lakehouse, "sql", "-c", "SELECT * FROM t", "--limit", "3")) == 3
    assert run(lakehouse, "sql", "--dialect", "duckdb", "-c", "FROM t SELECT max(id) AS m") == [{"m": 19}]
    assert "nowhere" in refused(lakehouse, "sql", "-c", "SELECT * FROM nowhere")


def test_spark_starts_quietly_in_a_process_of_its_own(local: Lakehouse) -> None:
    command = [sys.executable, "-m", "forklake", "sql", "--lake", local.place.url, "-c", "SELECT 1 + 1 AS two"]
    with Terminal(command, local.data.parent) as terminal:
        code, shown = terminal.finish(250)
    assert code == 0
    assert shown.splitlines()[0] == "Starting Spark ..."
    assert [line for line in shown.splitlines() if "WARN" in line or "log4j" in line] == []
    assert "two" in shown.split()


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_rows_come_back_from_a_file_as_they_went_out(local: Lakehouse, tmp_path: Path, ending: str) -> None:
    rows = [(1, "", 0.5), (2, None, None), (3, " a ", float("inf")), (4, "x\ny", 1e300), (5, 'q"q,', 0.1)]
    types = {"id": "int", "s": "varchar", "d": "double"}
    local.lake.create_table("t", types).append([*rows, (6, "nan", float("nan"))])
    local.lake.create_table("u", types)
    file = tmp_path / f"rows.{ending}"
    run(local, "export", "t", str(file))
    run(local, "import", "u", str(file), "--append")
    found = sorted(local.lake.table("u").scan().fetchall())
    assert found[:5] == rows
    assert found[5][2] != found[5][2]


def test_csv_files_with_columns_in_another_order_are_not_mixed(local: Lakehouse, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,code\n1,x\n")
    (tmp_path / "b.csv").write_text("code,id\ny,2\n")
    assert "b.csv" in refused(local, "import", "t", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", 'id,code\n1,"x\n2,y\n'), ("a.json", '{"id":1} {"id":2}\n'), ("b.json", '[{"id":1}] {"id":2}\n')],
)
def test_files_of_which_something_would_be_left_out_are_not_imported(
    local: Lakehouse, tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    assert name in refused(local, "import", "t", str(tmp_path / name))
