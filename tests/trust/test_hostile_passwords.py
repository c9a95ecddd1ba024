"""A password is nowhere to be seen, and where it is, that is noticed."""

from pathlib import Path

import pytest

from forklake.api.session import Session
from forklake.sql.parsing import cursor
from tests.postgres_server import TestPostgres
from trust.fuzz import credentials
from trust.fuzz.credentials import PASSWORD, Search, search_passwords


@pytest.fixture
def database(postgres: TestPostgres) -> str:
    return postgres.create_database().rpartition("/")[2].partition("?")[0]


def searched(folder: Path, postgres: TestPostgres, database: str, monkeypatch: pytest.MonkeyPatch) -> Search:
    monkeypatch.setattr(credentials, "_COMMANDS", credentials._COMMANDS[:1])
    return search_passwords(folder, str(postgres._home()), database)


def test_a_password_is_nowhere(
    tmp_path: Path, postgres: TestPostgres, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = searched(tmp_path, postgres, database, monkeypatch)
    assert search.found == []
    assert search.looked_at > 300


def test_a_password_in_a_repr_an_error_and_a_log_is_noticed(
    tmp_path: Path, postgres: TestPostgres, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Session, "__repr__", lambda session: f"<Session {PASSWORD}>")
    monkeypatch.setattr(cursor, "without_passwords", lambda text: text)
    monkeypatch.setattr(credentials, "_COMMANDS", ())
    shown = " ".join(search_passwords(tmp_path, str(postgres._home()), database).found)
    assert "the repr of Session" in shown
    assert "the error of ATTACH" in shown
