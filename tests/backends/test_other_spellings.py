"""Words of DuckLake and of its extensions for many tenants that are understood beside our own."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import forklake
from forklake.api.session import Session
from forklake.errors import InvalidInput, InvalidOption, NoSuchCatalog, NoSuchSnapshot
from tests.conftest import Place


@pytest.fixture
def session(place: Place, tmp_path: Path) -> Iterator[Session]:
    """A catalog `shared_data` with a table, attached as `parent` on each backend in turn."""
    schema = f", METADATA_SCHEMA '{place.metadata_schema}'" if place.metadata_schema else ""
    with forklake.connect() as opened:
        opened.sql(
            f"ATTACH 'ducklake:{place.url}' AS parent (CATALOG_ID 'shared_data', DATA_PATH '{tmp_path / 'data'}',"
            f" CREATE_IF_NOT_EXISTS true, DATA_INLINING_ROW_LIMIT 10{schema})"
        )
        opened.sql("CREATE TABLE t (id BIGINT)")
        opened.sql("INSERT INTO t VALUES (1)")
        yield opened


def rows(session: Session, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in session.sql(sql).to_arrow().to_pylist()]


@pytest.mark.parametrize("form", ["SELECT {}", "SELECT * FROM {}", "CALL {}"])
@pytest.mark.parametrize("name", ["shared_data", "parent"])
def test_the_fork_function_takes_the_name_of_a_catalog_or_of_an_attachment(
    session: Session, name: str, form: str
) -> None:
    session.sql(form.format(f"ducklake_fork_catalog('{name}', 'agent_workspace')"))
    assert "agent_workspace" in {
        row[0] for row in rows(session, "SELECT catalog_name FROM ducklake_catalogs('parent')")
    }


def test_the_fork_function_forks_a_catalog_that_is_not_attached(session: Session) -> None:
    session.sql("CALL ducklake_fork_catalog('shared_data', 'one')")
    session.sql("CALL ducklake_fork_catalog('one', 'two')")
    with pytest.raises(NoSuchCatalog, match="nowhere"):
        session.sql("CALL ducklake_fork_catalog('nowhere', 'three')")


def test_catalog_id_names_the_catalog_in_a_secret(session: Session, place: Place) -> None:
    schema = f", METADATA_SCHEMA '{place.metadata_schema}'" if place.metadata_schema else ""
    session.sql(f"CREATE SECRET mine (TYPE ducklake, METADATA_PATH '{place.url}', CATALOG_ID 'shared_data'{schema})")
    session.sql("ATTACH 'ducklake:mine' AS again")
    assert rows(session, "SELECT * FROM again.main.t") == [(1,)]


def test_catalog_and_catalog_id_may_not_contradict_each_other(session: Session, place: Place) -> None:
    with pytest.raises(InvalidInput, match="are synonyms"):
        session.sql(f"ATTACH 'ducklake:{place.url}' AS b (CATALOG 'shared_data', CATALOG_ID 'other')")
    with pytest.raises(InvalidOption):
        session.sql(f"ATTACH 'ducklake:{place.url}' AS b (CATALOG_ID 7)")


def test_orphans_are_cleaned_up_under_either_name(session: Session) -> None:
    for call in ("ducklake_cleanup_orphaned_files('parent', dry_run => true)", "parent.cleanup_orphaned_files()"):
        assert rows(session, f"CALL {call}") == []


def test_version_0_of_an_attachment_or_of_changes_is_the_state_before_anything_was_made(
    session: Session, place: Place
) -> None:
    schema = f", METADATA_SCHEMA '{place.metadata_schema}'" if place.metadata_schema else ""
    session.sql("CALL ducklake_fork_catalog('parent', 'agent')")
    for name in ("shared_data", "agent"):
        session.sql(f"ATTACH 'ducklake:{place.url}' AS past (CATALOG '{name}', SNAPSHOT_VERSION 0{schema})")
        assert rows(session, "SHOW TABLES FROM past.main") == []
        session.sql("DETACH past")
    [(last,)] = rows(session, "SELECT max(snapshot_id) FROM parent.snapshots()")
    assert len(rows(session, f"SELECT * FROM ducklake_table_insertions('parent', 'main', 't', 0, {last})")) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM t AT (VERSION => 0)",
        "SELECT * FROM list_files('t', snapshot_version => 0)",
        "CALL parent.fork_catalog('agent', version => 0)",
    ],
)
def test_there_is_no_version_0_to_read(session: Session, statement: str) -> None:
    with pytest.raises(NoSuchSnapshot, match="No snapshot found at version 0"):
        session.sql(statement)


def test_expiry_names_versions_that_the_catalog_does_not_have(session: Session) -> None:
    versions = [row[0] for row in rows(session, "SELECT snapshot_id FROM parent.snapshots()")]
    with pytest.raises(NoSuchSnapshot, match="has no snapshot 99999"):
        session.sql(f"CALL ducklake_expire_snapshots('parent', versions => [{versions[0]}, 99999])")
    assert [row[0] for row in rows(session, "SELECT snapshot_id FROM parent.snapshots()")] == versions
    assert len(rows(session, f"CALL ducklake_expire_snapshots('parent', versions => [{versions[0]}])")) == 1


@pytest.fixture
def external(tmp_path: Path) -> Path:
    path = tmp_path / "import" / "f.parquet"
    path.parent.mkdir()
    pq.write_table(pa.table({"id": pa.array([5], pa.int64())}), path)
    return path


def add(session: Session, path: object, more: str = "", lake: str = "parent") -> None:
    session.sql(f"CALL ducklake_add_data_files('{lake}', 't', '{path}'{more})")


def count(session: Session, table: str = "t") -> object:
    return rows(session, f"SELECT count(*) FROM {table}")[0][0]


def test_a_file_is_added_to_a_table_once_unless_twice_is_meant(
    session: Session, external: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(session, external)
    monkeypatch.chdir(external.parent)
    for spelling in (
        external,
        "f.parquet",
        f"{external.parent}/../import/f.parquet",
        f"file://{external}",
        "*.parquet",
    ):
        with pytest.raises(InvalidInput, match=r"f\.parquet\" is in the table already.*allow_duplicates"):
            add(session, spelling)
    assert count(session) == 2
    add(session, external, ", allow_duplicates => true")
    assert count(session) == 3


def test_a_file_given_twice_in_one_call_or_transaction_counts_once(session: Session, external: Path) -> None:
    session.sql("BEGIN")
    session.sql(f"CALL parent.add_data_files('t', ['{external}', '{external.parent}/../import/f.parquet'])")
    assert count(session) == 2
    with pytest.raises(InvalidInput, match="is in the table already"):
        add(session, external)
    session.sql("ROLLBACK")
    assert count(session) == 1


def test_a_fork_has_the_files_of_its_parent_and_other_tables_may_have_them_too(
    session: Session, external: Path, place: Place
) -> None:
    add(session, external)
    schema = f", METADATA_SCHEMA '{place.metadata_schema}'" if place.metadata_schema else ""
    session.sql("FORK CATALOG parent AS agent")
    session.sql(f"ATTACH 'ducklake:{place.url}' AS fork (CATALOG 'agent'{schema})")
    with pytest.raises(InvalidInput, match="is in the table already"):
        add(session, external, lake="fork")
    session.sql("CREATE TABLE other (id BIGINT)")
    session.sql(f"CALL parent.add_data_files('other', '{external}')")
    session.sql("DELETE FROM t WHERE id = 5")
    add(session, external)
    assert count(session) == 2
