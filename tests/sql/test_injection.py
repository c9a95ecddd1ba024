"""Names and values that look like SQL are names and values, in every place and in both dialects."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import forklake
from forklake.api.session import Session
from forklake.errors import ForklakeError, TransactionError
from forklake.spark.session.provider import SparkProvider
from forklake.sql.parsing.cursor import quoted_name
from tests.effort import examples

PIECES = (
    "'", "''", '"', '""', "`", "``", ";", "--", "/*", "*/", "{", "}", "{0}", "{x}", "%", "%s", "%(a)s", ":a", "?", "$1",
    "\\", "\\'", "\n", "\t", "\0", "\x7f", "\x85", " ", ".", ",", "(", ")", "[", "=>", "@", "#", "é", "ß", "İ",
    "日", "😀", "\u202e", "\ufeff", "\ud800", "a", "b", "1", "_", "DROP TABLE victim", "; DROP TABLE victim; --",
    "' OR 1=1 --", "') --", "` ; --", '" ; --', "main", "lake", "select", "__forklake_frame_0", "__forklake_at_0",
    "AT (VERSION => 1)",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=5).map("".join)
DIALECTS = ("spark", "duckdb")
VICTIM = [("victim",)]


def string(value: str, dialect: str) -> str:
    """A string literal, written as the manuals of the dialects say."""
    if dialect == "spark":
        value = value.replace("\\", "\\\\")
    return "'" + value.replace("'", "''") + "'"


@contextmanager
def lake(dialect: str) -> Iterator[Session]:
    """A session that must not need Spark, in a lake with a table that nobody may touch."""
    with tempfile.TemporaryDirectory() as folder, forklake.connect(dialect=dialect) as session:
        session.attach(
            f"{folder}/lake.db",
            "lake",
            catalog="main",
            create_if_not_exists=True,
            data_inlining_row_limit=100,
        )
        session._spark_provider.get = _refuse  # type: ignore[method-assign]
        session.sql("CREATE TABLE victim (id BIGINT)")
        session.sql("INSERT INTO victim VALUES (1)")
        yield session


def tables(session: Session, schema: str = "main") -> list[str]:
    return [name for (name,) in session.sql(f"SHOW TABLES FROM lake.{quoted_name(schema, session.dialect)}").fetchall()]


def versions(session: Session) -> int:
    return len(session.sql("SELECT snapshot_id FROM lake.snapshots()").fetchall())


def check_unharmed(session: Session) -> None:
    assert session.sql("SELECT * FROM victim").fetchall() == [(1,)]


@pytest.mark.parametrize("dialect", DIALECTS)
@given(table=TEXTS, column=TEXTS, value=TEXTS)
@settings(max_examples=examples(25))
def test_a_table_is_found_under_exactly_its_name_or_refused(dialect: str, table: str, column: str, value: str) -> None:
    with lake(dialect) as session:
        name, field = quoted_name(table, dialect), quoted_name(column, dialect)
        before = versions(session)
        try:
            session.sql(f"CREATE TABLE {name} ({field} {'STRING' if dialect == 'spark' else 'VARCHAR'})")
        except ForklakeError:
            assert tables(session) == ["victim"]
            assert versions(session) == before
        else:
            assert tables(session) == sorted([table, "victim"])
            assert versions(session) == before + 1
            described = session.sql(f"DESCRIBE {name}").fetchall()
            assert [row[0] for row in described] == [column]
            check_value(session, table, column, value)
            session.sql(f"ALTER TABLE {name} ADD COLUMN {quoted_name(column + '2', dialect)} INTEGER")
            session.sql(f"ALTER TABLE {name} RENAME COLUMN {field} TO {quoted_name('x' + column[:20], dialect)}")
            session.sql(f"COMMENT ON TABLE {name} IS 'x'")
            session.sql(f"ALTER TABLE {name} RENAME TO {quoted_name('moved', dialect)}")
            assert tables(session) == ["moved", "victim"]
            session.sql("DROP TABLE moved")
        check_unharmed(session)


def check_value(session: Session, table: str, column: str, value: str) -> None:
    """A value comes back as it was, given as a literal and as a parameter, or it is refused."""
    name = quoted_name(table, session.dialect)
    field = quoted_name(column, session.dialect)
    expected = []
    for text, parameters in (
        (f"INSERT INTO {name} VALUES ({string(value, session.dialect)})", None),
        (f"INSERT INTO {name} ({field}) VALUES (:value)", {"value": value}),
    ):
        try:
            session.sql(text, parameters)
            expected.append((value,))
        except ForklakeError:
            assert not storable(value)
        except _SparkNeeded:
            # What a backslash or a variable means is for Spark to say.
            assert parameters is None
            assert session.dialect == "spark"
            assert "\\" in value or "${" in value
    assert session.sql(f"SELECT * FROM {name}").fetchall() == expected
    assert session.sql(f"SELECT {field} FROM lake.main.{name}").fetchall() == expected


def storable(value: str) -> bool:
    """Half a character is none; NUL ends a text in the databases that hold inlined rows."""
    return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(schema=TEXTS, view=TEXTS)
@settings(max_examples=examples(20))
def test_schemas_and_macros_have_exactly_their_names(dialect: str, schema: str, view: str) -> None:
    with lake(dialect) as session:
        inner, macro = quoted_name(schema, dialect), quoted_name(view, dialect)
        try:
            session.sql(f"CREATE SCHEMA {inner}")
        except ForklakeError:
            schemas = session.sql("SHOW SCHEMAS").fetchall()
            assert [name for _, name, _ in schemas] == ["main"]
            return
        assert {name for _, name, _ in session.sql("SHOW SCHEMAS").fetchall()} == {"main", schema}
        session.sql(f"CREATE TABLE lake.{inner}.t (id BIGINT)")
        assert tables(session, schema) == ["t"]
        try:
            session.sql(f"CREATE MACRO lake.{inner}.{macro}(x) AS x + 1")
        except ForklakeError:
            assert session.sql("SELECT macro_name FROM __ducklake_metadata_lake.ducklake_macro").fetchall() == []
        else:
            found = session.sql("SELECT macro_name FROM __ducklake_metadata_lake.ducklake_macro").fetchall()
            assert found == [(view,)]
            session.sql(f"DROP MACRO lake.{inner}.{macro}")
        session.sql(f"USE lake.{inner}")
        session.sql("DROP TABLE t")
        session.sql("USE lake")
        session.sql(f"DROP SCHEMA {inner}")
        check_unharmed(session)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(catalog=TEXTS, alias=TEXTS)
@settings(max_examples=examples(20))
def test_catalogs_and_attachments_have_exactly_their_names(dialect: str, catalog: str, alias: str) -> None:
    with lake(dialect) as session:
        name, attached = string(catalog, dialect), quoted_name(alias, dialect)
        target = string(session.catalog("lake")._attachment.lake.store.location, dialect)
        try:
            session.sql(f"FORK CATALOG lake AS {name}")
        except ForklakeError:
            catalogs = session.sql("SELECT catalog_name FROM lake.catalogs()").fetchall()
            assert catalogs == [("main",)]
            return
        catalogs = session.sql("SELECT catalog_name FROM lake.catalogs()").fetchall()
        assert catalogs == [("main",), (catalog,)]
        try:
            session.sql(f"ATTACH {target} AS {attached} (CATALOG {name})")
        except ForklakeError:
            assert session.sql("SHOW DATABASES").fetchall() == [("lake",)]
        else:
            assert set(session.sql("SHOW DATABASES").fetchall()) == {("lake",), (alias,)}
            assert session.sql(f"SELECT id FROM {attached}.main.victim").fetchall() == [(1,)]
            functions = session.sql(f"SELECT id FROM ducklake_current_snapshot({string(alias, dialect)})").fetchall()
            assert len(functions) == 1
            session.sql(f"DETACH {attached}")
        if catalog == "lake":
            with pytest.raises(ForklakeError, match="also the name under which 'main' is attached"):
                session.sql(f"DROP CATALOG {name}")
            return
        session.sql(f"DROP CATALOG {name}")
        assert session.sql("SELECT catalog_name FROM lake.catalogs()").fetchall() == [("main",)]
        check_unharmed(session)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(text=TEXTS)
@settings(max_examples=examples(25))
def test_texts_in_comments_messages_and_options_stay_texts(dialect: str, text: str) -> None:
    with lake(dialect) as session:
        written = string(text, dialect)
        try:
            session.sql(f"COMMENT ON TABLE victim IS {written}")
        except ForklakeError:
            assert not storable(text)
        else:
            tags = session.sql("SELECT value FROM __ducklake_metadata_lake.ducklake_tag").fetchall()
            assert tags == [(text,)]
        try:
            session.sql(f"BEGIN; CREATE SCHEMA s; CALL lake.set_commit_message({written}, {written}); COMMIT")
        except ForklakeError:
            # A text that cannot be encoded is refused before anything of it runs.
            with suppress(TransactionError):
                session.rollback()
            assert not storable(text)
        else:
            snapshots = session.sql("SELECT author, commit_message FROM lake.snapshots()").fetchall()
            assert snapshots[-1] == (text, text)
        with pytest.raises(ForklakeError):
            session.sql(f"CALL lake.set_option({written}, {written})")
        with pytest.raises(ForklakeError):
            session.sql(f"SELECT * FROM ducklake_snapshots({string('x' + text, dialect)})")
        check_unharmed(session)


@given(text=TEXTS)
@settings(max_examples=examples(60))
def test_any_text_is_a_statement_or_an_error_of_ours(text: str) -> None:
    with lake("spark") as session:
        for statement in (text, f"CREATE {text}", f"INSERT INTO victim {text}x", f"ALTER TABLE victim {text}"):
            with suppress(ForklakeError, _SparkNeeded):
                session.sql(statement)


class _SparkNeeded(Exception):
    pass


def _refuse() -> SparkSession:
    raise _SparkNeeded


@pytest.mark.parametrize("dialect", DIALECTS)
@given(values=st.lists(TEXTS.filter(storable), min_size=1, max_size=3), name=TEXTS)
@settings(max_examples=examples(4))
def test_spark_sees_values_and_names_as_they_are(
    dialect: str, values: list[str], name: str, spark: SparkSession
) -> None:
    """What needs Spark: conditions, assignments and aliases, for names that a table can have."""
    with lake(dialect) as session:
        session._state.provider = SparkProvider(spark)
        try:
            session.sql(f"CREATE TABLE {quoted_name(name, dialect)} (id INTEGER, v VARCHAR)")
        except ForklakeError:
            name = "plain"
            session.sql("CREATE TABLE plain (id INTEGER, v VARCHAR)")
        table, alias = quoted_name(name, dialect), quoted_name("x" + name[:20], dialect)
        for at, value in enumerate(values):
            session.sql(f"INSERT INTO {table} VALUES ({at}, {string(value, dialect)})")
        value = values[0]
        count = values.count(value)
        found = session.sql(f"SELECT {alias}.v FROM {table} AS {alias} WHERE {alias}.v = {string(value, dialect)}")
        assert found.fetchall() == [(value,)] * count
        [(shown,)] = session.sql(f"SELECT {string(value, dialect)} AS {alias} FROM {table} LIMIT 1").fetchall()
        assert shown == value
        changed = session.sql(f"UPDATE {table} SET v = concat(v, {string(value, dialect)}) WHERE id = 0").fetchall()
        assert changed == [(1,)]
        gone = session.sql(f"DELETE FROM {table} AS {alias} WHERE {alias}.v = {string(value * 2, dialect)}").fetchall()
        assert gone[0][0] >= 1
        check_unharmed(session)
