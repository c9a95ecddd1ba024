"""Footers that make Arrow end the process: told like any other damage."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from forklake.errors import InvalidInput
from forklake.maintenance.footers import footer_canary
from forklake.maintenance.footers.footer_canary import deadly_footers
from tests.backends.adding import Adding, adding_to
from tests.conftest import Place

LOOK = "import sys, pyarrow.parquet as pq; pq.read_metadata(sys.argv[1]).row_group(0).column(1)"


@pytest.fixture
def local(sqlite_place: Place, tmp_path: Path) -> Iterator[Adding]:
    with adding_to(sqlite_place, tmp_path) as opened:
        opened.given.mkdir()
        yield opened


def deadly(paths: list[str]) -> set[str]:
    return deadly_footers([(fs.LocalFileSystem(), path) for path in paths])


def write(path: Path) -> Path:
    pq.write_table(pa.table({"id": pa.array([1, 2], pa.int32()), "v": ["a", "b"]}), path, store_schema=False)
    return path


def spoil(path: Path) -> Path:
    """In its schema, the column `v` can have no NULLs; what is counted of them stays as it was."""
    content = bytearray(path.read_bytes())
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    optional = content.index(b"\x02\x18\x01v", footer)
    content[optional] = 0
    path.write_bytes(content)
    return path


def test_there_are_such_footers(tmp_path: Path) -> None:
    for path, dies in ((write(tmp_path / "a.parquet"), False), (spoil(write(tmp_path / "b.parquet")), True)):
        done = subprocess.run([sys.executable, "-c", LOOK, path], capture_output=True, check=False)
        assert (done.returncode not in (0, 1)) is dies, done.stderr


def test_each_of_them_is_found_among_others(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{number}.parquet") for number in range(7)]
    spoiled = [spoil(paths[at]) for at in (0, 3, 4, 6)]
    paths[1].write_bytes(b"no Parquet at all")
    names = [str(path) for path in paths]
    assert deadly(names) == {str(path) for path in spoiled}
    assert deadly([]) == set()


def test_a_process_that_was_not_asked_for_a_while_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(spoil(write(tmp_path / "a.parquet")))
    sound = str(write(tmp_path / "b.parquet"))
    canary = footer_canary._Canary()
    monkeypatch.setattr(footer_canary, "_CANARY", canary)
    assert deadly([sound]) == set()
    assert canary._process is not None
    assert canary._process.stdin is not None
    # As if it had ended by itself.
    canary._process.kill()
    canary._process.wait()
    canary._process.returncode = 0
    assert deadly([path, sound]) == {path}
    assert deadly([sound]) == set()
    canary.close()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_was_killed_while_it_waited_says_nothing_of_a_file(
    how: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary = footer_canary._Canary()
    monkeypatch.setattr(footer_canary, "_CANARY", canary)
    sound, spoiled = str(write(tmp_path / "a.parquet")), str(spoil(write(tmp_path / "b.parquet")))
    assert deadly([sound]) == set()
    assert canary._process is not None
    canary._process.send_signal(how)
    canary._process.wait()
    assert deadly([sound, spoiled, sound]) == {spoiled}
    canary.close()


@pytest.mark.parametrize("program", ["/bin/false", "/bin/true", "", "/no/such/program"])
def test_nothing_is_said_of_a_file_when_the_process_cannot_run(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(footer_canary, "_CANARY", footer_canary._Canary())
    monkeypatch.setattr(sys, "executable", program)
    assert deadly([str(write(tmp_path / "a.parquet"))]) == set()


def test_a_file_with_such_a_footer_is_refused(local: Adding) -> None:
    table = local.lake.create_table("t", {"id": "int", "v": "varchar"})
    write(local.given / "a.parquet")
    spoil(write(local.given / "b.parquet"))
    with pytest.raises(InvalidInput, match=r"b\.parquet' cannot be read as Parquet: Arrow ends the process"):
        local.lake.add_data_files("t", str(local.given))
    assert table.count() == 0


def test_verify_names_a_file_whose_footer_has_become_one(local: Adding) -> None:
    local.lake.create_table("t", {"id": "int", "v": "varchar"})
    path = write(local.given / "a.parquet")
    local.lake.add_data_files("t", str(path))
    assert local.lake.verify(deep=True) == []
    spoil(path)
    assert [(found.problem, found.detail) for found in local.lake.verify(deep=True)] == [
        ("damaged_file", "Arrow ends the process that reads its footer.")
    ]
