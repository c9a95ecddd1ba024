"""The command line does what SQL and Python do, and says so to people and programs alike."""

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from forklake.cli.command import common_options
from forklake.cli.main import app
from tests.backends.conftest import FORKLAKE, Shell
from tests.terminal import Terminal


def test_every_command_has_the_common_options_and_an_example() -> None:
    common = set(common_options.__annotations__) - {"return"}
    for name, command in commands().items():
        assert common <= {parameter.name for parameter in command.params}, name
        assert command.epilog is not None
        assert command.epilog.startswith(f"Example: forklake {name}")


def commands() -> dict[str, TyperCommand]:
    """All commands by name, those of groups with the name of the group in front."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    found = dict(group.commands)
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            found |= {f"{name} {inner}": below for inner, below in command.commands.items()}
    return cast("dict[str, TyperCommand]", found)


def test_snapshots_expire_and_files_go(shell: Shell) -> None:
    assert shell.rows("flush-inlined-data") == [{"schema_name": "main", "table_name": "t", "rows_flushed": 3}]
    shell.lake.table("t").delete()
    head = shell.lake.snapshots()[-1].snapshot_id
    would = shell.rows("expire-snapshots", "--older-than", "0 days", "--dry-run")
    assert [row["snapshot_id"] for row in would] == [found.snapshot_id for found in shell.lake.snapshots()][:-1]
    assert shell.rows("expire-snapshots", "--older-than", "0 days") == would
    assert [found.snapshot_id for found in shell.lake.snapshots()] == [head]
    [waiting] = shell.rows("cleanup-old-files", "--cleanup-all", "--dry-run")
    assert shell.rows("file-holders", waiting["path"])[0]["reason"] == "waiting"
    assert Path(waiting["path"]).exists()
    assert shell.rows("cleanup-old-files", "--older-than", "1 day") == []
    assert shell.rows("cleanup-old-files", "--cleanup-all") == [waiting]
    assert not Path(waiting["path"]).exists()


def test_snapshots_expire_by_number(shell: Shell) -> None:
    assert [row["snapshot_id"] for row in shell.rows("expire-snapshots", "--versions", "1,2", "--versions", "3")] == [
        1,
        2,
        3,
    ]


def test_catalogs_are_dropped_and_cleaned_up(shell: Shell) -> None:
    shell.lake.fork("agent").table("t").append([(number,) for number in range(20)])
    assert shell.rows("catalog-storage", "--catalog", "agent")[0]["files_alone"] == 1
    [report] = shell.rows("drop-catalog", "agent", "--dry-run")
    assert (report["catalog_name"], report["files_freed"], report["some_forks"]) == ("agent", 1, [])
    assert shell.rows("drop-catalog", "agent", "--yes") == [report]
    assert shell.run("catalog-storage", "--catalog", "agent").exit_code == 1
    [left] = shell.rows("cleanup-dropped-catalogs", "--cleanup-all")
    assert left["catalog_name"] == "agent"
    assert not Path(left["path"]).exists()


def test_files_are_added_and_orphans_deleted(shell: Shell) -> None:
    shell.lake.create_schema("s")
    shell.lake.create_table("s.t", {"id": "bigint"}).append([(number,) for number in range(20)])
    [written] = (shell.folder / "data").rglob("*.parquet")
    copy = shell.folder / "copy.parquet"
    copy.write_bytes(written.read_bytes())
    assert shell.rows("add-data-files", "t", str(copy), "--schema", "s") == [{"filename": str(copy)}]
    assert shell.lake.table("s.t").count() == 40
    orphan = written.with_name("orphan.parquet")
    orphan.write_bytes(copy.read_bytes())
    assert shell.rows("delete-orphaned-files", "--older-than", "1 hour") == []
    assert shell.rows("delete-orphaned-files", "--cleanup-all") == [{"path": str(orphan)}]
    assert written.exists()


def test_checkpoint_and_maintain_do_everything(shell: Shell) -> None:
    shell.lake.fork("agent")
    steps = {row["step"]: row["done"] for row in shell.rows("checkpoint")}
    assert steps["flush_inlined_data"] == 3
    done = shell.rows("maintain", "--all")
    assert {row["catalog_name"] for row in done} == {"agent", "main", None}
    assert {"catalog_name": "agent", "step": "flush_inlined_data", "done": 3} in done
    assert {row["catalog_name"] for row in shell.rows("maintain")} == {"main", None}


def test_a_catalog_that_fails_keeps_no_other_from_being_maintained(shell: Shell) -> None:
    shell.lake.fork("agent").set_option("require_commit_message", True)
    done = shell.run("maintain", "--all", "--json")
    assert done.exit_code == 1
    assert done.stderr.startswith("forklake: catalog 'agent': ")
    assert {row["catalog_name"] for row in json.loads(done.stdout)} == {"main", None}


def test_verify_exits_with_3_when_there_is_a_problem(shell: Shell) -> None:
    assert shell.run("verify", "--deep").exit_code == 0
    shell.run("flush-inlined-data")
    [file] = (shell.folder / "data").rglob("*.parquet")
    file.unlink()
    found = shell.run("verify", "--json")
    assert found.exit_code == 3
    [finding] = json.loads(found.stdout)
    assert (finding["problem"], finding["table"], finding["path"]) == ("missing_file", "main.t", str(file))
    piped = shell.run("verify").stdout.splitlines()
    assert piped[0] == "problem\ttable\tpath\tsnapshot_id\tdetail"
    assert piped[1].startswith(f"missing_file\tmain.t\t{file}\t")


def test_options_may_stand_before_the_command(shell: Shell) -> None:
    shell.lake.fork("agent")
    before = CliRunner().invoke(app, [*shell.target, "--json", "--catalog", "agent", "catalog-storage"])
    assert json.loads(before.stdout)[0]["catalog_name"] == "agent"
    behind = CliRunner().invoke(
        app, ["--catalog", "agent", "catalog-storage", *shell.target, "--catalog", "main", "--json"]
    )
    assert json.loads(behind.stdout)[0]["catalog_name"] == "main"


def test_the_environment_and_profiles_name_the_lake(shell: Shell) -> None:
    shell.lake.fork("agent")
    schema = shell.place.metadata_schema or ""
    env = {"FORKLAKE_LAKE": shell.place.url, "FORKLAKE_CATALOG": "agent", "FORKLAKE_METADATA_SCHEMA": schema}
    told = CliRunner().invoke(app, ["catalog-storage", "--json"], env=env)
    assert json.loads(told.stdout)[0]["catalog_name"] == "agent"
    file = shell.folder / "config" / "forklake" / "config.toml"
    file.parent.mkdir(parents=True)
    lines = ["[default]", f"lake = {json.dumps(shell.place.url)}", 'catalog = "agent"']
    lines += [f"metadata_schema = {json.dumps(schema)}"] if schema else []
    file.write_text("\n".join(lines), encoding="utf-8")
    told = CliRunner().invoke(app, ["catalog-storage", "--json"])
    assert json.loads(told.stdout)[0]["catalog_name"] == "agent"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["verify", "--catalog", "mian"], 1, "Catalog 'mian' does not exist"),
        (["verify", "--catalog", "nope"], 1, "Create it with `forklake init`"),
        (["sql", "-c", "SELECT 1", "--catalog", "nope"], 1, "Create it with `forklake init`"),
        (["expire-snapshots", "--versions", "1", "--older-than", "1 day"], 2, "--older-than or --versions, not both"),
        (["cleanup-old-files", "--cleanup-all", "--older-than", "1 day"], 2, "--older-than or --cleanup-all, not both"),
        (["drop-catalog", "main"], 2, "Cannot ask for confirmation without a terminal"),
        (["drop-catalog", "nobody", "--yes"], 1, "Catalog 'nobody' does not exist"),
        (["merge-adjacent-files", "nothing"], 1, "nothing"),
        (["add-data-files", "t", "nowhere.parquet"], 1, "nowhere.parquet"),
        (["expire-snapshots", "--older-than", "soon"], 2, "neither an age"),
        (["expire-snapshots", "--versions", "x"], 2, "not a list"),
        (["merge-adjacent-files", "--min-file-size", "-1"], 2, "should be greater than or equal"),
        (["merge-adjacent-files", "--max-file-size", "0"], 2, "should be greater than or"),
        (["merge-adjacent-files", "--max-file-size", "-1"], 2, "should be greater than or"),
        (["merge-adjacent-files", "--max-compacted-files", "0"], 2, "should be greater than or"),
        (["verify", "--dry-run"], 2, "No such option"),
        (["drop-catalog"], 2, "Missing argument"),
        (["forget-everything"], 2, "No such command"),
        (["verify", "--profile", "none"], 2, "no profile 'none'"),
    ],
)
def test_failures_are_told_in_a_line(shell: Shell, arguments: list[str], code: int, message: str) -> None:
    shell.fails(arguments, code, message)


def test_debugging_shows_where_an_error_comes_from(shell: Shell) -> None:
    done = CliRunner().invoke(app, ["drop-catalog", "nobody", "--yes", "--debug", *shell.target])
    assert done.exit_code == 1
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("forklake: Catalog 'nobody'")


@pytest.mark.parametrize(
    "lake", ["postgres:postgresql://me:secret@127.0.0.1:1/x", "postgres:host=127.0.0.1 port=1 password=secret"]
)
def test_no_password_is_shown(lake: str) -> None:
    done = CliRunner().invoke(app, ["verify", "--debug", "--lake", lake])
    assert done.exit_code == 1
    assert "secret" not in done.output


def test_nobody_has_said_which_lake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FORKLAKE_LAKE", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    done = CliRunner().invoke(app, ["verify"])
    assert (done.exit_code, done.stderr) == (2, "forklake: No lake is given; use --lake, or set FORKLAKE_LAKE.\n")


# As processes of their own


def test_an_interrupt_before_the_command_runs_says_nothing() -> None:
    code = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, *rest):
        if name == "forklake.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
from forklake.cli.start import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_help_and_version_need_nothing_heavy() -> None:
    heavy = "('pyspark', 'pandas', 'pyarrow', 'sqlalchemy', 'psycopg', 'sqlglot')"
    for argument in ("--help", "--version"):
        code = f"""
import sys
sys.argv = ["forklake", "{argument}"]
from forklake.cli.main import main
try:
    main()
finally:
    assert not [name for name in {heavy} if name in sys.modules]
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert "forklake" in done.stdout


def test_commands_about_metadata_need_no_spark(shell: Shell) -> None:
    code = f"""
import sys
from typer.testing import CliRunner
from forklake.cli.main import app
for command in ("verify", "expire-snapshots", "cleanup-old-files", "catalog-storage"):
    done = CliRunner().invoke(app, [command, *{shell.target!r}], catch_exceptions=False)
    assert (done.exit_code, done.stderr) == (0, "")
    assert not [name for name in ("pyspark", "pandas", "sqlglot") if name in sys.modules], command
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_process_exits_with_the_code_of_its_command(sqlite_shell: Shell) -> None:
    sound = subprocess.run([*FORKLAKE, "verify", *sqlite_shell.target], capture_output=True, text=True, check=False)
    assert (sound.returncode, sound.stdout, sound.stderr) == (0, "", "")
    failed = subprocess.run([*FORKLAKE, "verify", "--lake", "nowhere.db"], capture_output=True, text=True, check=False)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("forklake: There is no lake at nowhere.db")


@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_gets_a_table_and_progress(sqlite_shell: Shell, quiet: bool) -> None:
    sqlite_shell.run("flush-inlined-data")
    command = [*FORKLAKE, "verify", "--deep", *sqlite_shell.target, *(["--quiet"] if quiet else [])]
    with Terminal(command, sqlite_shell.folder) as terminal:
        code, shown = terminal.finish()
    assert code == 0
    assert "No problems were found." in shown
    assert ("files" in shown) == (not quiet)
