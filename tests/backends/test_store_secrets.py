"""Secrets of object stores without Spark: statements, a real S3 server, and the command line."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import forklake
from forklake.api.session import Session
from forklake.cli.main import app
from forklake.errors import (
    AlreadyExists,
    ForklakeError,
    InvalidInput,
    InvalidOption,
    NotFound,
    UnreachableDataPath,
)
from tests.s3_server import ACCESS_KEY, BUCKET, SECRET_KEY, NoGo, S3Server, s3_program, s3_server

HUSH = "hUsH+0nlyM1ne/"


@pytest.fixture(params=["spark", "duckdb"])
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    with forklake.connect(dialect=request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    try:
        s3_program()
    except NoGo as reason:
        pytest.skip(f"NOT TESTED HERE: {reason}")
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def nothing_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An environment without credentials."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))


def keys(s3: S3Server, **other: object) -> dict[str, object]:
    given = {"key_id": ACCESS_KEY, "secret": SECRET_KEY, "endpoint": s3.address, "region": "us-east-1"}
    return {**given, "scope": f"s3://{BUCKET}", **other}


def attach(session: Session, folder: Path, key: str, bucket: str = BUCKET) -> None:
    session.attach(
        f"sqlite:{folder / key}.db",
        key,
        catalog="main",
        data_path=f"s3://{bucket}/{key}",
        create_if_not_exists=True,
        data_inlining_row_limit=0,
    )


def test_secrets_are_made_listed_replaced_and_dropped(session: Session) -> None:
    run = session.sql
    run(f"CREATE SECRET one (TYPE s3, KEY_ID 'me', SECRET '{HUSH}', SCOPE 's3a://b/x/', USE_SSL false)")
    run("CREATE TEMPORARY SECRET IF NOT EXISTS one (TYPE s3)")
    run("CREATE OR REPLACE TEMPORARY SECRET (TYPE S3, PROVIDER credential_chain, REGION 'eu-west-1')")
    session.create_secret("two", "gcs", {"key_id": "me", "SECRET": HUSH, "scope": ["gcs://c", "gs://d/e"]})
    run("CREATE SECRET three (TYPE ducklake, METADATA_PATH 'x.db')")
    with pytest.raises(AlreadyExists, match='Secret "ONE" already exists'):
        run("CREATE SECRET ONE (TYPE s3)")
    assert run("SELECT name, type, provider, persistent, storage, scope FROM duckdb_secrets()").fetchall() == [
        ("__default_s3", "s3", "credential_chain", False, "memory", ["s3://"]),
        ("one", "s3", "config", False, "memory", ["s3://b/x"]),
        ("three", "ducklake", "config", False, "memory", []),
        ("two", "gcs", "config", False, "memory", ["gs://c", "gs://d/e"]),
    ]
    assert session.secrets().fetchall() == run("SELECT * FROM duckdb_secrets()").fetchall()
    assert run("CALL duckdb_secrets()").fetchall()[1][-1] == (
        "name=one;type=s3;provider=config;scope=s3://b/x;key_id=me;secret=redacted;use_ssl=false"
    )
    assert run("SELECT * FROM which_secret('s3://b/x/y', 'S3')").fetchall() == [("one", "TEMPORARY", "memory")]
    assert run("SELECT name FROM which_secret('s3://b/xy', 's3')").fetchall() == [("__default_s3",)]
    assert run("SELECT name FROM which_secret('gs://c/x', 's3')").fetchall() == []
    cursor = session.cursor()
    cursor.sql("DROP SECRET one")
    session.drop_secret("two")
    with pytest.raises(NotFound, match='Secret "one" was not found'):
        run("DROP SECRET one")
    run("DROP SECRET IF EXISTS one")
    assert [row[0] for row in cursor.secrets().fetchall()] == ["__default_s3", "three"]


def test_values_may_be_parameters(session: Session) -> None:
    session.sql("CREATE SECRET one (TYPE s3, KEY_ID 'me', SECRET :hush)", {"hush": HUSH})
    assert session._state.provider.secrets.stores.secrets[0].get("SECRET") == HUSH


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE PERSISTENT SECRET s (TYPE s3, KEY_ID 'me', SECRET '{}')", "PERSISTENT secrets .* are not supported"),
        ("CREATE SECRET s (TYPE s3, KEY_ID 'me', SECRET upper('{}'))", "value of SECRET in CREATE SECRET is not a"),
        ("CREATE SECRET s (TYPE s3, KEY_ID 'me', SECRET '{}', SECRET '{}')", "SECRET is given twice"),
        ("CREATE /* ( */ SECRET s (TYPE s3, KEY_ID 'me', SECRET '{}'", "Expected , or"),
        ("CREATE SECRET s (TYPE s3, KEY_ID 'me', SECRET '{}') AND MORE", "Expected the end|after"),
        ("CREATE SECRET s (TYPE s3, KEY_ID 'me' SECRET '{}')", "not a constant"),
        ("CREATE SECRET s (TYPE s3, KEY_ID '{}')", "belong together"),
        ("CREATE SECRET s (TYPE '{}')", "TYPE of a secret must be one of"),
        ("SELECT * FROM which_secret('{}')", "which_secret takes 2 arguments"),
        ("SELECT * FROM which_secret(1, '{}')", "which_secret takes a path and a type"),
    ],
)
def test_a_statement_that_is_refused_does_not_show_its_secret(session: Session, statement: str, message: str) -> None:
    with pytest.raises(ForklakeError, match=message) as raised:
        session.sql(statement.replace("{}", HUSH))
    assert HUSH not in str(raised.value)
    assert session.secrets().fetchall() == []


@pytest.mark.parametrize("values", [HUSH, [("secret", HUSH)], {1: HUSH}, {"secret": HUSH.encode()}, None])
def test_an_argument_that_is_refused_is_not_shown(session: Session, values: object) -> None:
    with pytest.raises(InvalidInput) as raised:
        session.create_secret("s", "s3", values)
    assert HUSH not in str(raised.value)


def test_secrets_of_stores_are_not_for_a_connect_server() -> None:
    with forklake.connect(settings={"spark.remote": "sc://nowhere"}) as session:
        session.sql("CREATE SECRET three (TYPE ducklake, METADATA_PATH 'x.db')")
        with pytest.raises(InvalidOption, match="Over Spark Connect, the server has the credentials"):
            session.sql("CREATE SECRET one (TYPE s3)")


@pytest.mark.usefixtures("nothing_known")
def test_a_replaced_secret_counts_from_the_next_statement_on(session: Session, tmp_path: Path, s3: S3Server) -> None:
    run, name = session.sql, f"replaced_{session.dialect}"
    session.create_secret("mine", "s3", keys(s3))
    attach(session, tmp_path, name)
    run("CREATE TABLE t (id BIGINT)")
    run("INSERT INTO t VALUES (1), (2), (3)")
    table = session.catalog(name).table("t")
    for wrong in ({"secret": HUSH}, {"session_token": HUSH}, {"key_id": "nobody"}):
        session.create_secret("mine", "s3", keys(s3, **wrong), or_replace=True)
        for refused in ("SELECT id FROM t", "INSERT INTO t VALUES (4)", "DELETE FROM t WHERE id = 1"):
            with pytest.raises(ForklakeError) as raised:
                run(refused).fetchall()
            assert HUSH not in str(raised.value)
        with pytest.raises(ForklakeError):
            table.append([(5,)])
        session.create_secret("mine", "s3", keys(s3), or_replace=True)
        assert run("SELECT id FROM t WHERE id > 1").fetchall() == [(2,), (3,)]
        assert table.count("id > 1") == 2
    session.drop_secret("mine")
    session.create_secret("other", "s3", keys(s3, scope=f"s3://{BUCKET}/{name}/"))
    assert run("SELECT id FROM t WHERE id > 1").fetchall() == [(2,), (3,)]
    assert not list(session.catalog(name).verify(deep=True))


@pytest.mark.usefixtures("nothing_known")
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"bucket": "nowhere", "scope": "s3://"}, "there is no bucket 'nowhere'"),
        ({"secret": HUSH}, "refuses the credentials of secret 'mine', or what they ask for .*signature"),
        ({"key_id": "nobody"}, "refuses the credentials of secret 'mine', or what they ask for .*No user exists"),
        ({"endpoint": "http://127.0.0.1:1"}, "there is no connection to the store .*; check the network, ENDPOINT"),
        (
            {"scope": "s3://elsewhere"},
            r"\(Access Denied\), and neither a secret .* nor the environment has credentials",
        ),
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_attach_says_why_a_data_path_cannot_be_used(
    changed: dict[str, str],
    message: str,
    read_only: bool,
    tmp_path: Path,
    s3: S3Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.address)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    given, bucket = {**keys(s3), **changed}, changed.get("bucket", BUCKET)
    given.pop("bucket", None)
    with forklake.connect() as session:
        session.create_secret("mine", "s3", given)
        with pytest.raises(UnreachableDataPath, match=message) as raised:
            session.attach(
                f"sqlite:{tmp_path / 'lake.db'}",
                "lake",
                catalog="main",
                data_path=f"s3a://{bucket}/x",
                create_if_not_exists=not read_only,
                read_only=read_only,
            )
    assert "\n" not in str(raised.value)
    assert HUSH not in str(raised.value)
    assert not (tmp_path / "lake.db").exists()


@pytest.mark.usefixtures("nothing_known")
def test_attach_without_a_data_path_asks_no_store(tmp_path: Path, s3: S3Server) -> None:
    with forklake.connect() as session:
        session.create_secret("mine", "s3", keys(s3))
        attach(session, tmp_path, "known")
        session.sql("CREATE TABLE t (id BIGINT)")
    with forklake.connect() as session:
        session.attach(f"sqlite:{tmp_path / 'known'}.db", "known", catalog="main")
        assert session.sql("SHOW TABLES").fetchall() == [("t",)]


@pytest.mark.usefixtures("nothing_known")
def test_commands_take_secrets_from_a_private_file(tmp_path: Path, s3: S3Server) -> None:
    file = tmp_path / "secrets.sql"
    file.write_text(
        f"CREATE SECRET mine (TYPE s3, KEY_ID '{ACCESS_KEY}', SECRET '{SECRET_KEY}', SCOPE 's3://{BUCKET}',\n"
        f"    ENDPOINT '{s3.address}', REGION 'us-east-1'); -- and nothing else\n"
    )
    target = ["--lake", f"{tmp_path / 'lake.db'}", "--secrets", str(file)]

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, [*arguments, *target], catch_exceptions=False)
        assert SECRET_KEY not in done.output
        return done.exit_code, " ".join(done.output.split())

    init = ["init", "--data-path", f"s3://{BUCKET}/commands"]
    file.chmod(0o640)
    assert run(*init) == (
        1,
        f"forklake: The file of secrets '{file}' must be yours, and closed to others: chmod 600.",
    )
    file.chmod(0o600)
    assert run(*init)[0] == 0
    sql = "CREATE TABLE t (id BIGINT); CALL set_option('data_inlining_row_limit', 0); INSERT INTO t VALUES (1), (2)"
    assert run("sql", "-c", sql)[0] == 0
    assert run("sql", "-c", "SELECT max(id) AS m FROM t WHERE id > 0", "--json") == (0, '[ {"m": 2} ]')
    assert run("verify", "--deep")[0] == 0
    assert run("delete-orphaned-files", "--dry-run")[0] == 0
    file.write_text("DROP TABLE t")
    assert "has a statement other than CREATE SECRET" in run("verify")[1]
