"""A password that nobody may see: given in every way there is, and looked for in everything that comes back."""

import io
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import quote

import forklake
from forklake.api.session import Session
from forklake.catalog.lakes.open_lake import open_lake
from forklake.cli.prompt import _History
from forklake.store.metadata_tables import TABLES
from trust.fuzz.judging import NoSpark
from trust.fuzz.seeds import ROOT

PASSWORD = "Canary-7f3e9b!x"
_LOGS = ("forklake", "sqlalchemy.engine", "psycopg", "psycopg.pool", "sqlglot")
_FORMS = (PASSWORD, quote(PASSWORD, safe=""))


@dataclass(slots=True)
class Search:
    """Everything that was shown, by where, and the places where the password was in it."""

    looked_at: int = 0
    found: list[str] = field(default_factory=list)

    def look(self, where: str, text: str) -> None:
        self.looked_at += 1
        if any(form in text for form in _FORMS):
            self.found.append(f"the password is in {where}: {text[:300]!r}")


def search_passwords(folder: Path, host: str, database: str) -> Search:
    """Do much with passwords in it, right and wrong, against a PostgreSQL that asks for none."""
    search, log = Search(), io.StringIO()
    out, err = io.StringIO(), io.StringIO()
    with _all_logs(log), redirect_stdout(out), redirect_stderr(err):
        for target in _targets(host, database):
            _use(search, target)
        for statement in _statements(host, database, folder):
            _fail(search, statement)
        _direct(search, host, database)
    search.look("a log", log.getvalue())
    search.look("the output", out.getvalue() + err.getvalue())
    _look_at_rows(search, host, database)
    _look_at_history(search, folder, host, database)
    for command in _COMMANDS:
        _look_at_command(search, folder, [part.format(target=_targets(host, database)[0]) for part in command])
    return search


def _targets(host: str, database: str) -> Sequence[str]:
    place = f"host={quote(host, safe='')}"
    return (
        f"postgresql://postgres:{quote(PASSWORD, safe='')}@/{database}?{place}",
        f"postgres:host={host} user=postgres dbname={database} password={PASSWORD}",
        f"postgres:host={host} user=postgres dbname={database} password='{PASSWORD}'",
        f"postgres:postgresql:///{database}?user=postgres&{place}&password={quote(PASSWORD, safe='')}",
    )


def _statements(host: str, database: str, folder: Path) -> Iterator[str]:
    """Each fails somewhere else: in the text, in an option, on the way to the server, and behind it."""
    for target in _targets(host, database):
        written = target.replace("'", "''")
        yield f"ATTACH '{written}' AS x (CATALOG 'nowhere')"
        yield f"ATTACH '{written}' AS x (CATALOG"
        yield f"ATTACH '{written}' AS x (CATALOG 'main', NOPE 1)"
        yield f"ATTACH '{written}' AS x (CATALOG 'main', SNAPSHOT_VERSION 'x')"
        yield f"ATTACH '{written}' x y z"
        yield f"ATTACH '{written}"
        yield f"ATTACH '{written.replace(host, '/nowhere')}' AS x (CATALOG 'main')"
        yield f"ATTACH '{written.replace(database, 'no_such_database')}' AS x (CATALOG 'main')"
        yield f"ATTACH '{written} nonsense=1' AS x (CATALOG 'main')"
        yield f"ATTACH 'ducklake:{written}' AS x (CATALOG 'main', DATA_PATH '')"
        yield f"ATTACH '{written}' AS x (CATALOG 'main', METADATA_SCHEMA '{'x' * 80}')"
        yield f"CREATE SECRET s (TYPE ducklake, METADATA_PATH '{written}', NOPE 1)"
        yield f"CREATE SECRET s (TYPE ducklake, METADATA_PATH '{written}'"
        yield f"CREATE SECRET s (TYPE ducklake, METADATA_PATH concat('{written}', x))"
        yield f"CREATE OR REPLACE SECRET s (TYPE ducklake, METADATA_PATH '{written}'); ATTACH 'ducklake:s' (CATALOG q)"
        yield f"EXPLAIN ATTACH '{written}' AS x"
        yield f"COPY t TO '{written}'"
    yield f"CREATE SECRET a (TYPE s3, KEY_ID 'me', SECRET '{PASSWORD}')"
    yield f"CREATE SECRET a (TYPE s3, KEY_ID 'me', SECRET '{PASSWORD}'"
    yield f"CREATE SECRET a (TYPE s3, SESSION_TOKEN '{PASSWORD}', SECRET"
    yield f"ATTACH '{folder}/x.db' AS x (CATALOG 'main', PASSWORD '{PASSWORD}')"
    yield f"CREATE SECRET b (TYPE ducklake, METADATA_PATH 'mysql:password={PASSWORD}'); ATTACH 'ducklake:b' (CATALOG x)"


def _use(search: Search, target: str) -> None:
    """What works: then everything that can be shown is."""
    for dialect in ("spark", "duckdb"):
        with forklake.connect(dialect=dialect) as session:
            handle = session.attach(target, "lake", catalog="main", create_if_not_exists=True)
            written = target.replace("'", "''")
            session.sql(f"CREATE OR REPLACE SECRET s (TYPE ducklake, METADATA_PATH '{written}')")
            session.sql("ATTACH 'ducklake:s' AS again (CATALOG 'main')")
            session.sql("CREATE OR REPLACE TABLE t (id INTEGER)")
            attachment = handle._attachment
            inside = (session._state, session._state.attachments, attachment, attachment.lake, attachment.lake.store)
            for each in (session, handle, handle.table("t"), session.sql("SHOW DATABASES"), *inside):
                search.look(f"the repr of {type(each).__name__}", f"{each!r} {each}")
            search.look("the location", attachment.lake.store.location)
            for text in ("SHOW DATABASES", "SELECT * FROM lake.options()", "SELECT * FROM lake.catalogs()"):
                search.look(text, repr(session.sql(text).fetchall()))
            _search_error(search, "a statement that fails", partial(session.sql, "SELECT * FROM lake.main.nope"))


def _fail(search: Search, statement: str) -> None:
    for dialect in ("spark", "duckdb"):
        with forklake.connect(dialect=dialect) as session:
            session._state.provider = NoSpark()
            _search_error(search, statement[:40], partial(_answer, session, statement))


def _direct(search: Search, host: str, database: str) -> None:
    """The doors of Python."""
    for target in _targets(host, database):
        elsewhere = (target.replace(database, "nope"), target.replace(host, "/nowhere"))
        for wrong in (f"{target} x=", f"mysql:{target}", *elsewhere):
            _search_error(search, "open_lake", partial(open_lake, wrong))
            _search_error(search, "attach", partial(forklake.connect().attach, wrong, "x", catalog="main"))


def _answer(session: Session, statement: str) -> object:
    return session.sql(statement).fetchall()


def _search_error(search: Search, what: str, action: Callable[[], object]) -> None:
    try:
        action()
    except Exception as error:
        search.look(f"the error of {what}", f"{error} {error!r} {getattr(error, '__notes__', '')}")
        lines = [line for line in traceback.format_exception(error) if "trust/fuzz" not in line]
        search.look(f"the traceback of {what}", "".join(lines))


def _look_at_rows(search: Search, host: str, database: str) -> None:
    lake = open_lake(_targets(host, database)[1])
    try:
        for table in TABLES:
            search.look(f"the rows of {table}", repr(lake.store.fetch(f"SELECT * FROM {table}", {})))
    finally:
        lake.close()


def _look_at_history(search: Search, folder: Path, host: str, database: str) -> None:
    """What the prompt remembers of what was typed."""
    path = folder / "history"
    history = _History(str(path))
    for statement in _statements(host, database, folder):
        history.store_string(statement)
    search.look("the history of the prompt", path.read_text(encoding="utf-8"))


_COMMANDS = (
    ("catalogs", "--lake", "{target}"),
    ("catalogs", "--lake", "{target}nope", "--debug"),
    ("tables", "--lake", "{target}", "--catalog", "nope"),
)


def _look_at_command(search: Search, folder: Path, command: Sequence[str]) -> None:
    environment = {**os.environ, "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "forklake", *command], cwd=folder, env=environment, capture_output=True, text=True
    )
    search.look(f"the output of {command[0]}", done.stdout + done.stderr)


@contextmanager
def _all_logs(sink: io.StringIO) -> Iterator[None]:
    """Every log of this process at its finest, into one place."""
    root, handler = logging.getLogger(), logging.StreamHandler(sink)
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    named = [
        logging.getLogger(name) for name in ("forklake", "sqlalchemy.engine", "psycopg", "psycopg.pool", "sqlglot")
    ]
    levels = [log.level for log in named]
    for log in named:
        log.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        for log, level in zip(named, levels, strict=True):
            log.setLevel(level)
        root.setLevel(before)
        with suppress(ValueError):
            root.removeHandler(handler)
