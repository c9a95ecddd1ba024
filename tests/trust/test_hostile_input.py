"""Hostile names, files, rows and links on a small scale, and faults planted on purpose, each of which is noticed."""

import random
import re
from pathlib import Path

import pytest

from forklake.catalog.checks.verify import verify_metadata
from forklake.catalog.lakes import catalogs
from forklake.catalog.lakes.catalogs import find_catalog
from forklake.catalog.lakes.forks import catalog_tree
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.maintenance.adding import foreign_file
from forklake.maintenance.cleanup import old_files as cleanup
from forklake.maintenance.cleanup.old_files import cleanup_old_files
from forklake.maintenance.cleanup.orphans import delete_orphaned_files
from forklake.model import names as naming
from forklake.spark.storage.storage import Storage, storage_at
from forklake.spark.work import storage_of
from trust.fuzz import links, names, parquet_files
from trust.fuzz.damaged_lake import ATTACKER, OTHER, World
from trust.fuzz.damages import Damage
from trust.fuzz.guard import Escaped, is_within
from trust.fuzz.metadata_rows import RowsTally, fuzz_rows, try_damaged
from trust.fuzz.parquet_bytes import KINDS


def names_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *given: str) -> names.NamesTally:
    monkeypatch.setattr(names, "NAMES", given)
    monkeypatch.setattr(names, "HUGE", "x" * 100_000)
    tmp_path.mkdir(exist_ok=True)
    return names.fuzz_names(World(tmp_path, f"sqlite:{tmp_path / 'lake.db'}"), random.Random("names"), 0)


def test_names_are_kept_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = names_of(tmp_path, monkeypatch, "..", "../../x", "a\0b", "a'b", "é", "\ud800", "name.", "%2e%2e", "CON")
    assert tally.found == []
    assert tally.tried == 60
    assert 0 < tally.accepted < tally.tried


def test_a_name_that_leads_out_of_its_folder_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "_SAFE_SEGMENT", re.compile(r".*"))
    monkeypatch.setattr(catalogs, "path_segment", lambda name, uuid: f"../{name}", raising=False)
    found = names_of(tmp_path / "inner", monkeypatch, "..", "../../x", "x").found
    assert found


def test_an_error_that_is_none_of_ours_is_noticed_for_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "_utf8_size", lambda name: len(name.encode()))
    assert any("UnicodeEncodeError" in problem for problem in names_of(tmp_path, monkeypatch, "\ud800").found)


def test_links_are_not_followed(tmp_path: Path) -> None:
    assert links.try_links(tmp_path) == (len(links.TRICKS), [])


def test_a_deletion_through_a_link_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Storage, "_leads_elsewhere", lambda storage, path: False)
    monkeypatch.setattr(links, "TRICKS", (links.table_folder,))
    assert "files of others are gone" in links.try_links(tmp_path)[1][0]


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/x", "a//x", "", "a\0b", "a/./x"])
def test_storage_deletes_nothing_that_is_not_below_its_root(path: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"kept")
    (tmp_path / "root").mkdir()
    assert not storage_at(str(tmp_path / "root")).delete(path)
    assert (tmp_path / "x").exists()


def test_files_are_refused_or_fit(tmp_path: Path) -> None:
    tally = parquet_files.fuzz_files(tmp_path, "files", len(KINDS) + 10)
    assert tally.found == []
    assert 0 < tally.added < tally.tried


def test_a_file_that_breaks_the_reader_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise AssertionError("planted")

    monkeypatch.setattr(foreign_file, "read_footer", broken)
    assert "AssertionError: planted" in parquet_files.fuzz_files(tmp_path, "files", 1).found[0]


def test_damaged_rows_do_no_harm_to_others(tmp_path: Path) -> None:
    tally = fuzz_rows("rows", tmp_path, 4)
    assert tally.found == []
    assert tally.damages >= 3
    assert tally.noticed > 0


def scheduled(path: str) -> Damage:
    return Damage(
        "INSERT INTO lake_scheduled_file SELECT catalog_id, 999, :path, TRUE, head_time, 1 FROM lake_catalog"
        " WHERE catalog_name = :name",
        {"path": path, "name": ATTACKER},
        crosses=False,
    )


PRECIOUS = ("../outside/keep.parquet", f"{OTHER}/main/t/orphan.parquet", f"{ATTACKER}/../../outside/keep.parquet")


@pytest.mark.parametrize("path", PRECIOUS)
def test_a_row_that_schedules_a_file_of_others_deletes_nothing(path: str, world: World) -> None:
    lake = open_lake(world.url)
    damage = scheduled(path)
    lake.store.fetch(f"{damage.sql} RETURNING 1", damage.values)
    before = world.precious()
    cleanup_old_files(find_catalog(lake, ATTACKER), storage_of(lake), cleanup_all=True)
    lake.close()
    assert world.precious() == before


def test_a_cleanup_that_believes_every_row_is_noticed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "is_owned", lambda path, folder: True)
    monkeypatch.setattr("trust.fuzz.metadata_rows.damage", lambda rng, lake, owner: _done(lake, scheduled(PRECIOUS[1])))
    tally = RowsTally()
    try_damaged(random.Random("one"), world, tally, "planted")
    assert "files of others are gone" in tally.found[0]


def _done(lake: Lake, damage: Damage) -> Damage:
    lake.store.fetch(f"{damage.sql.replace('INSERT', 'INSERT OR IGNORE')} RETURNING 1", damage.values)
    return damage


@pytest.mark.parametrize("folder", [f"{OTHER}/main", "../outside", "", "."])
def test_a_catalog_whose_folder_was_moved_deletes_nothing_there(folder: str, world: World) -> None:
    lake = open_lake(world.url)
    changed = "UPDATE lake_catalog SET path = :path WHERE catalog_name = :name RETURNING 1"
    lake.store.fetch(changed, {"path": folder, "name": ATTACKER})
    before = world.precious()
    catalog = find_catalog(lake, ATTACKER)
    assert delete_orphaned_files(catalog, storage_of(lake), cleanup_all=True) == []
    assert any("not its own" in finding.detail for finding in verify_metadata(catalog))
    lake.close()
    assert world.precious() == before


def test_parents_in_a_circle_end(world: World) -> None:
    lake = open_lake(world.url)
    circle = (
        "UPDATE lake_catalog SET parent_catalog_id = (SELECT catalog_id FROM lake_catalog WHERE catalog_name = 'leaf')"
    )
    lake.store.fetch(f"{circle} WHERE catalog_name = :name RETURNING 1", {"name": ATTACKER})
    assert {node.info.name for node in catalog_tree(lake, ATTACKER)} >= {ATTACKER, "fork", "leaf"}
    assert verify_metadata(find_catalog(lake, ATTACKER))
    lake.close()


def test_an_error_that_is_none_of_ours_is_noticed_for_rows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr("trust.fuzz.damaged_lake.catalog_tree", broken)
    monkeypatch.setattr("trust.fuzz.metadata_rows._SKIPPED", 0)
    tally = RowsTally()
    try_damaged(random.Random("row"), world, tally, "planted")
    assert any("KeyError: 'planted'" in problem for problem in tally.found)


def test_the_guard_knows_what_is_within(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "link").symlink_to(tmp_path)
    assert is_within(str(tmp_path / "inside" / "x"), tmp_path / "inside")
    assert not is_within(str(tmp_path / "inside" / ".." / "x"), tmp_path / "inside")
    assert not is_within(str(tmp_path / "inside" / "link" / "x"), tmp_path / "inside")
    assert not issubclass(Escaped, Exception)
