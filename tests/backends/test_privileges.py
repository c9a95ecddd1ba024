"""Who may do what on PostgreSQL: a role gets what it was granted, and no way around."""

from collections.abc import Iterator

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog, find_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Lake
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import ReadOnly
from forklake.store.format_version import FORMAT_VERSION
from tests.conftest import Place
from tests.lakes import append, file_ids, make_table

Session = psycopg.Connection[tuple[object, ...]]

# What a caller of the fork function could put before the lake's own tables, if those were looked for later.
DISGUISE = """
    CREATE TEMP TABLE lake_catalog (
        catalog_id bigint, catalog_uuid uuid, catalog_name text, path text, parent_catalog_id bigint,
        fork_snapshot bigint, depth int, begin_snapshot bigint, end_snapshot bigint, head_snapshot bigint,
        head_time timestamptz, schema_version bigint);
    INSERT INTO pg_temp.lake_catalog
    VALUES (0, gen_random_uuid(), 'bait', 'bait', NULL, NULL, 0, 1, NULL, 1, now(), 0);
    GRANT ALL ON pg_temp.lake_catalog TO PUBLIC;
    CREATE FUNCTION pg_temp.take_over() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN EXECUTE 'ALTER ROLE {role} SUPERUSER'; RETURN NEW; END $$;
    CREATE TRIGGER take_over BEFORE INSERT ON pg_temp.lake_catalog
    FOR EACH ROW EXECUTE FUNCTION pg_temp.take_over();
"""


def connect(place: Place, role: str = "postgres") -> Session:
    options = f"-c search_path={place.metadata_schema}"
    return psycopg.connect(address(place, role).removeprefix("postgres:"), options=options, autocommit=True)


def address(place: Place, role: str) -> str:
    return place.url.replace("//postgres@", f"//{role}@")


@pytest.fixture
def superuser(postgres_place: Place) -> Iterator[Session]:
    with connect(postgres_place) as session:
        yield session


@pytest.fixture
def role(postgres_place: Place, superuser: Session) -> Iterator[str]:
    """A role without any right of its own."""
    name = f"role_of_{postgres_place.metadata_schema}"
    superuser.execute(f"CREATE ROLE {name} LOGIN".encode())
    yield name
    superuser.execute(f"DROP OWNED BY {name} CASCADE; DROP ROLE {name}".encode())


@pytest.fixture
def owned(postgres_place: Place) -> Iterator[Lake]:
    """A lake whose owner is a superuser, the worst case."""
    lake = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema, create=True)
    make_table(create_catalog(lake, "main"))
    yield lake
    lake.close()


def test_a_role_that_may_fork_cannot_run_code_of_its_own_with_the_rights_of_the_owner(
    postgres_place: Place, owned: Lake, superuser: Session, role: str
) -> None:
    superuser.execute(f"GRANT USAGE ON SCHEMA {postgres_place.metadata_schema} TO {role}".encode())
    superuser.execute(f"GRANT EXECUTE ON FUNCTION ducklake_fork_catalog TO {role}".encode())
    with connect(postgres_place, role) as session:
        session.execute(DISGUISE.format(role=role).encode())
        with pytest.raises(psycopg.Error, match="'bait' does not exist"):
            session.execute("SELECT * FROM ducklake_fork_catalog('bait', 'x')")
        assert session.execute("SELECT created FROM ducklake_fork_catalog('main', 'fork')").fetchall() == [(True,)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            session.execute(f"SELECT * FROM {postgres_place.metadata_schema}.lake_info".encode())
    assert superuser.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [role]).fetchall() == [(False,)]
    assert find_catalog(owned, "fork").lineage


def test_temporary_tables_hide_nothing_from_a_connection_or_a_function(owned: Lake, superuser: Session) -> None:
    [[path]] = owned.store.fetch("SHOW search_path", {})
    assert path.endswith(", pg_temp")
    settings = superuser.execute(
        "SELECT proname, coalesce(%s = ANY(proconfig), false) FROM pg_proc"
        " WHERE pronamespace = current_schema()::regnamespace AND (prosecdef OR proconfig IS NOT NULL)",
        [f"search_path={path}"],
    ).fetchall()
    assert {name for name, _ in settings} >= {"ducklake_fork_catalog", "lake_fork_point"}
    for name, keeps_path in settings:
        assert keeps_path, name


def test_nobody_may_call_a_function_before_it_was_granted(owned: Lake, superuser: Session, role: str) -> None:
    callable_ = superuser.execute(
        "SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace"
        " AND has_function_privilege(%s, oid, 'EXECUTE')",
        [role],
    ).fetchall()
    assert callable_ == []


def test_a_role_that_was_granted_the_tables_can_write_and_with_the_functions_fork(
    postgres_place: Place, owned: Lake, superuser: Session, role: str
) -> None:
    schema = postgres_place.metadata_schema
    for grant in ("USAGE ON SCHEMA", "ALL ON ALL TABLES IN SCHEMA", "ALL ON ALL SEQUENCES IN SCHEMA"):
        superuser.execute(f"GRANT {grant} {schema} TO {role}".encode())
    lake = open_lake(address(postgres_place, role), metadata_schema=schema)
    main = find_catalog(lake, "main")
    append(main)
    # A migration replaces the function of short commits, so that its grant is missing: commits are longer then.
    append(main)
    with pytest.raises(ReadOnly, match="ducklake_fork_catalog"):
        fork_catalog(lake, "main", "fork")
    superuser.execute(f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema} TO {role}".encode())
    append(main)
    append(fork_catalog(lake, "main", "fork")[0])
    assert len(file_ids(find_catalog(lake, "fork"))) == 4
    lake.close()


def test_a_role_that_owns_nothing_but_an_empty_schema_can_create_a_lake_in_it(
    postgres_place: Place, superuser: Session, role: str
) -> None:
    schema = postgres_place.metadata_schema
    with pytest.raises(ReadOnly, match="permission denied"):
        open_lake(address(postgres_place, role), metadata_schema=schema, create=True)
    superuser.execute(f"CREATE SCHEMA {schema} AUTHORIZATION {role}".encode())
    lake = open_lake(address(postgres_place, role), metadata_schema=schema, create=True, data_path="data")
    make_table(create_catalog(lake, "main"))
    fork, _ = fork_catalog(lake, "main", "fork")
    append(fork)
    append(fork)
    assert len(file_ids(fork)) == 2
    lake.close()


def test_a_role_that_does_not_own_the_views_leaves_a_lake_in_its_old_format(
    postgres_place: Place, owned: Lake, superuser: Session, role: str
) -> None:
    schema = postgres_place.metadata_schema
    superuser.execute("UPDATE lake_info SET value = '2' WHERE key = 'format_version'")
    superuser.execute(f"GRANT USAGE, CREATE ON SCHEMA {schema} TO {role}".encode())
    superuser.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {role}".encode())
    with pytest.raises(ReadOnly, match="owner"):
        open_lake(address(postgres_place, role), metadata_schema=schema)
    found = superuser.execute("SELECT value FROM lake_info WHERE key = 'format_version'").fetchall()
    assert found == [("2",)]
    open_lake(postgres_place.url, metadata_schema=schema).close()
    found = superuser.execute("SELECT value FROM lake_info WHERE key = 'format_version'").fetchall()
    assert found == [(str(FORMAT_VERSION),)]
