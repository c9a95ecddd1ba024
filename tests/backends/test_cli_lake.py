"""Commands about catalogs and tables: metadata alone, on both backends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from forklake.cli.main import app
from tests.backends.conftest import FORKLAKE, Shell
from tests.conftest import Place
from tests.terminal import ENTER, Terminal

METADATA = (
    ["init"],
    ["catalogs"],
    ["catalogs", "--tree"],
    ["fork", "agent"],
    ["drop", "agent", "--yes"],
    ["tables"],
    ["describe", "t"],
    ["snapshots"],
    ["diff", "1"],
    ["files", "t"],
    ["options"],
    ["options", "set", "target_file_size", "1MB"],
    ["options", "unset", "target_file_size"],
)


def twenty() -> list[tuple[int]]:
    return [(number,) for number in range(20)]


def test_a_lake_begins_with_init(place: Place, tmp_path: Path) -> None:
    schema = [] if place.metadata_schema is None else ["--metadata-schema", place.metadata_schema]
    target = ["--lake", place.url, *schema, "--json"]
    if place.backend == "postgres":
        refused = CliRunner().invoke(app, ["init", *target])
        assert (refused.exit_code, "--data-path" in refused.stderr) == (1, True)
    for _ in range(2):
        done = CliRunner().invoke(app, ["init", "--catalog", "sales", "--data-path", str(tmp_path / "files"), *target])
        assert done.exit_code == 0
        [made] = json.loads(done.stdout)
        assert (made["catalog_name"], made["data_path"]) == ("sales", f"{tmp_path}/files/")
    listed = json.loads(CliRunner().invoke(app, ["catalogs", *target]).stdout)
    assert "sales" in [row["catalog_name"] for row in listed]


def test_catalogs_are_forked_listed_and_dropped(shell: Shell) -> None:
    head = shell.lake.snapshots()[-1].snapshot_id
    [fork] = shell.rows("fork", "agent")
    assert (fork["parent"], fork["fork_snapshot"], fork["created"]) == ("main", head, True)
    assert shell.rows("fork", "main", "agent", "--if-not-exists")[0]["created"] is False
    [old] = shell.rows("fork", "agent", "old", "--version", str(head - 1))
    assert (old["parent"], old["fork_snapshot"]) == ("agent", head - 1)
    listed = {row["catalog_name"]: row["parent"] for row in shell.rows("catalogs")}
    assert listed == {"main": None, "agent": "main", "old": "agent"}
    tree = [(row["catalog_name"], row["forks_below"]) for row in shell.rows("catalogs", "--tree")]
    assert tree == [("main", 2), ("agent", 1), ("old", 0)]
    assert [row["catalog_name"] for row in shell.rows("catalogs", "--tree", "--catalog", "agent")] == ["agent", "old"]
    [report] = shell.rows("drop", "agent", "--dry-run")
    assert (report["catalog_name"], report["files_freed"]) == ("agent", 0)
    assert shell.rows("drop", "agent", "--yes") == [report]
    assert {row["catalog_name"]: row["parent"] for row in shell.rows("catalogs")} == {"main": None, "old": None}


def test_a_fork_is_made_as_of_a_time(shell: Shell) -> None:
    begun = shell.lake.snapshots()[0].snapshot_time
    assert shell.rows("fork", "early", "--timestamp", begun.isoformat())[0]["fork_snapshot"] == 1
    assert shell.rows("tables", "--catalog", "early") == []
    refused = shell.run("fork", "never", "--timestamp", "10 weeks")
    assert (refused.exit_code, len(refused.stderr.splitlines())) == (1, 1)


def test_tables_have_rows_files_and_bytes(shell: Shell) -> None:
    shell.lake.create_schema("s")
    shell.lake.create_table("s.u", {"id": "bigint"}).append(twenty())
    [t, u] = shell.rows("tables")
    assert t == {"schema_name": "main", "table_name": "t", "kind": "table", "rows": 3, "files": 0, "bytes": 0}
    assert (u["schema_name"], u["table_name"], u["rows"], u["files"]) == ("s", "u", 20, 1)
    [file] = shell.rows("files", "s.u")
    assert (file["rows"], file["deleted_rows"], file["delete_path"]) == (20, 0, None)
    assert Path(file["path"]).stat().st_size == file["bytes"] == u["bytes"]
    before = str(shell.lake.snapshots()[-1].snapshot_id)
    shell.lake.table("s.u").delete()
    assert shell.rows("files", "s.u") == []
    assert shell.rows("files", "s.u", "--version", before) == [file]
    assert shell.rows("tables", "--version", before) == [t, u]


def test_a_table_is_described_with_all_that_it_is(shell: Shell) -> None:
    with_all = shell.lake.create_table(
        "orders",
        {"id": "bigint", "item": "varchar", "day": "date"},
        partitioned_by=[("id", "bucket(4)"), ("day", "year"), "item"],
        sorted_by=["id DESC"],
        comment="What was sold",
    )
    with_all.set_default("item", "it's")
    with_all.set_not_null("id")
    shell.lake.set_option("target_file_size", "1MB", table="orders")
    parts = [tuple(row.values()) for row in shell.rows("describe", "main.orders")]
    assert parts == [
        ("table", "orders", None, None, None, "What was sold"),
        ("column", "id", "BIGINT", False, None, None),
        ("column", "item", "VARCHAR", True, "'it''s'", None),
        ("column", "day", "DATE", True, None, None),
        ("partition", "bucket(4, id)", None, None, None, None),
        ("partition", "year(day)", None, None, None, None),
        ("partition", "item", None, None, None, None),
        ("sort", "id", "DESC NULLS LAST", None, None, None),
        ("option", "data_inlining_row_limit", "10", None, None, "set for the catalog"),
        ("option", "target_file_size", "1000000", None, None, "set for the table"),
    ]


def test_snapshots_come_newest_first_with_names(shell: Shell) -> None:
    rows = shell.rows("snapshots", "--limit", "2")
    ids = [found.snapshot_id for found in shell.lake.snapshots()]
    assert [row["snapshot_id"] for row in rows] == ids[:-3:-1]
    assert rows[0]["changes"] == "inlined_insert:main.t"
    assert [row["snapshot_id"] for row in shell.rows("snapshots", "--limit", "0")] == ids[::-1]
    shell.lake.drop_table("t")
    assert shell.rows("snapshots", "--limit", "2")[1]["changes"].startswith("inlined_insert:")


def test_options_are_set_listed_and_unset(shell: Shell) -> None:
    [kept] = shell.rows("options")
    assert (kept["option_name"], kept["value"], kept["scope"]) == ("data_inlining_row_limit", "10", "catalog")
    [made] = shell.rows("options", "set", "target_file_size", "256MB", "--table", "t")
    assert (made["value"], made["scope"], made["scope_entry"]) == ("256000000", "table", "main.t")
    shell.rows("options", "set", "target_file_size", "1MB", "--schema", "main")
    assert len(shell.rows("options")) == 3
    assert len(shell.rows("options", "unset", "target_file_size", "--table", "t")) == 1
    [default] = shell.rows("options", "unset", "target_file_size", "--schema", "main")
    assert default["scope"] == "default"
    everything = shell.rows("options", "--all")
    assert {"expire_older_than", "data_inlining_row_limit"} <= {row["option_name"] for row in everything}
    before = CliRunner().invoke(app, [*shell.target, "--json", "options", "unset", "data_inlining_row_limit"])
    assert json.loads(before.stdout)[0]["scope"] == "default"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["describe", "x"], 1, "'main.x' does not exist"),
        (["describe", "a.b.c"], 1, "not a table's name"),
        (["files", "t", "--version", "99"], 1, "No snapshot found at version 99"),
        (["files", "t", "--version", "0"], 1, "No snapshot found at version 0"),
        (["fork", "main"], 1, "already exists"),
        (["fork", "a", "b", "c"], 2, "Give the name of the fork"),
        (["diff"], 2, "Give one or two snapshots"),
        (["diff", "1", "--with", "main"], 2, "Give one or two snapshots"),
        (["diff", "--with", "nobody"], 1, "Catalog 'nobody' does not exist"),
        (["drop", "main"], 2, "Cannot ask for confirmation without a terminal"),
        (["drop", "nobody", "--yes"], 1, "Catalog 'nobody' does not exist"),
        (["options", "set", "x", "1"], 1, "Unsupported option x"),
        (["options", "set", "target_file_size"], 2, "Missing argument"),
        (["changes", "t", "--since", "soon"], 2, "neither an age"),
        (["import", "t", "rows.txt"], 1, "--format"),
        (["export", "t", "here", "--format", "xml"], 2, "xml"),
        (["sql", "-c", "DROP TABLE x"], 1, "'main.x' does not exist"),
        (["sql", "-c", "SELECT 'x"], 1, "without an end"),
        (["sql", "SELECT 1", "--dialect", "latin"], 2, "latin"),
    ],
)
def test_failures_are_told_in_a_line(shell: Shell, arguments: list[str], code: int, message: str) -> None:
    shell.fails(arguments, code, message)


# SQL that needs no Spark


def test_statements_give_their_rows_one_after_the_other(shell: Shell) -> None:
    done = shell.run("sql", "-c", "SELECT id FROM t; SELECT count(*) AS n FROM t;")
    assert (done.exit_code, done.stdout) == (0, "id\n0\n1\n2\nn\n3\n")
    assert shell.rows("sql", "-c", "SELECT id FROM t; SELECT count(*) AS n FROM t", "--limit", "1") == [{"n": 3}]
    assert shell.rows("sql", "-c", "SELECT id FROM t", "--limit", "2") == [{"id": 0}, {"id": 1}]


def test_statements_come_from_files_and_from_the_standard_input(shell: Shell) -> None:
    script = shell.folder / "script.sql"
    script.write_text("CREATE TABLE u (a INT); -- a comment; with a semicolon\nINSERT INTO u VALUES (1), (2);")
    assert shell.run("sql", str(script)).stdout == "Count\n2\n"
    assert shell.run("sql", typed="SELECT a, a FROM u").stdout == "a\ta\n1\t1\n2\t2\n"
    assert json.loads(shell.run("sql", "--json", typed="SELECT a, a FROM u").stdout)[0] == {"a": 1, "a_1": 1}
    assert shell.rows("sql", "--dialect", "duckdb", "-c", "FROM u", "--limit", "0") == []


def test_an_argument_is_sql_unless_it_names_a_file(sqlite_shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sqlite_shell.folder)
    long = "SELECT count(*) AS n FROM t" + " -- " + "so " * 2000
    for text in ("SELECT count(*) AS n FROM t", "SELECT id FROM t;\nSELECT count(*) AS n FROM main.t;", long):
        assert sqlite_shell.rows("sql", text) == [{"n": 3}]
    (sqlite_shell.folder / "SELECT 1").write_text("\ufeffSELECT max(id) AS n FROM t", encoding="utf-8")
    assert sqlite_shell.rows("sql", "SELECT 1") == sqlite_shell.rows("sql", "-f", "SELECT 1") == [{"n": 2}]


def test_options_run_before_arguments_and_everything_in_one_session(sqlite_shell: Shell) -> None:
    script = sqlite_shell.folder / "script.sql"
    script.write_text("INSERT INTO t VALUES (8)")
    done = sqlite_shell.run("sql", "SELECT count(*) AS n FROM t", "ROLLBACK", "-f", str(script), "-c", "BEGIN")
    assert (done.exit_code, done.stdout) == (0, "Count\n1\nn\n4\n")
    assert sqlite_shell.lake.table("t").count() == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.sql"], "There is no file 'nowhere.sql'. Use -c to run it as SQL."),
        (["reports/daily"], "There is no file 'reports/daily'. Use -c to run it as SQL."),
        (["-f", "nowhere"], "The file 'nowhere' cannot be read: No such file or directory."),
        (["INSERT INTO t VALUES (9)", "nowhere.sql"], "There is no file 'nowhere.sql'"),
        (["-f", "SELECT 1"], "The file 'SELECT 1' cannot be read: No such file or directory."),
        (["DROP TABLE nothing"], "'main.nothing' does not exist"),
        (["."], "The file '.' cannot be read: Is a directory."),
        ([sys.executable], "is not a text file in UTF-8"),
    ],
)
def test_nothing_runs_when_something_to_run_is_not_there(
    sqlite_shell: Shell, arguments: list[str], message: str
) -> None:
    sqlite_shell.fails(["sql", *arguments], 1, message)
    assert sqlite_shell.lake.table("t").count() == 3


def test_what_was_done_before_a_failure_is_there(shell: Shell) -> None:
    done = shell.run("sql", "-c", "INSERT INTO t VALUES (7); DROP TABLE nothing; INSERT INTO t VALUES (8)")
    assert (done.exit_code, done.stdout) == (1, "Count\n1\n")
    assert shell.lake.table("t").count() == 4


# As processes of their own


def test_commands_about_metadata_import_nothing_heavy(shell: Shell) -> None:
    code = f"""
import sys
from typer.testing import CliRunner
from forklake.cli.main import app
for command in {METADATA!r}:
    done = CliRunner().invoke(app, [*command, *{shell.target!r}], catch_exceptions=False)
    assert done.exit_code == 0, done.output
assert not [name for name in ("pyspark", "pandas", "pyarrow", "sqlglot", "prompt_toolkit") if name in sys.modules]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["drop", "drop-catalog"])
def test_a_catalog_is_dropped_when_that_is_confirmed(sqlite_shell: Shell, name: str) -> None:
    sqlite_shell.lake.fork("agent")
    command = [*FORKLAKE, name, "agent", *sqlite_shell.target]
    for answer, code in (("n", 1), ("y", 0)):
        with Terminal(command, sqlite_shell.folder) as terminal:
            assert "files_freed" in terminal.wait_for("Drop catalog 'agent'?")
            terminal.press(answer + ENTER)
            done, shown = terminal.finish()
            assert (done, "has been dropped" in shown) == (code, code == 0)
    assert [row["catalog_name"] for row in sqlite_shell.rows("catalogs")] == ["main"]


def test_the_shell_completes_commands_and_options() -> None:
    for words, expected in (("forklake desc", "describe"), ("forklake catalogs --tr", "--tree")):
        env = {"_FORKLAKE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        done = CliRunner().invoke(app, [], prog_name="forklake", env=env)
        assert expected in done.stdout.split()


def test_a_reader_that_has_seen_enough_is_no_error(sqlite_shell: Shell) -> None:
    program = " ".join([*FORKLAKE, "options", "--all", *(f"'{word}'" for word in sqlite_shell.target)])
    done = subprocess.run(["bash", "-c", f"{program} | head -n 1"], capture_output=True, text=True, check=True)
    assert (done.stdout.split("\t")[0], done.stderr) == ("option_name", "")


def test_what_is_in_rows_commands_no_terminal(sqlite_shell: Shell) -> None:
    sqlite_shell.lake.create_table("notes", {"text": "varchar"}).append([("\x1b[2Jgone\t[red]",)])
    command = [*FORKLAKE, "sql", "-c", "SELECT text FROM notes", *sqlite_shell.target]
    with Terminal(command, sqlite_shell.folder) as terminal:
        code, shown = terminal.finish()
    assert code == 0
    assert r"\x1b[2Jgone\t[red]" in shown


def test_statements_that_leave_a_transaction_open_fail(sqlite_shell: Shell) -> None:
    done = sqlite_shell.run("sql", "-c", "BEGIN; INSERT INTO t VALUES (9)")
    assert (done.exit_code, done.stdout) == (1, "Count\n1\n")
    assert "the open transaction was rolled back" in done.stderr
    assert sqlite_shell.rows("sql", "-c", "SELECT count(*) AS n FROM t") == [{"n": 3}]


@pytest.mark.parametrize(
    "arguments", [["drop", "nix", "--yes"], ["drop-catalog", "nix", "--yes"], ["diff", "--with", "nix"]]
)
def test_a_catalog_that_is_not_there_is_not_to_be_created(sqlite_shell: Shell, arguments: list[str]) -> None:
    done = sqlite_shell.run(*arguments)
    assert done.exit_code == 1
    assert "'nix' does not exist" in done.stderr
    assert "CREATE_IF_NOT_EXISTS" not in done.stderr


def test_a_directory_is_no_lake(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["tables", "--lake", str(tmp_path)])
    assert done.exit_code == 1
    assert "is a directory" in done.stderr
