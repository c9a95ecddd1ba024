"""Statements that nobody should send: those that broke something once, new ones, and faults planted on purpose."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from forklake.api.session import Session
from forklake.sql.execution import run_session
from forklake.store.metadata_tables import TABLES
from tests.conftest import Place
from trust.fuzz import statement_run
from trust.fuzz.fuzzed_lake import FuzzedLake, fuzzed_lake
from trust.fuzz.judging import Verdict, judge
from trust.fuzz.statement_run import Orders, minimise, run_statements

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.sql"))


@pytest.fixture(params=["spark", "duckdb"])
def subject(
    request: pytest.FixtureRequest, tmp_path: Path, sqlite_place: Place, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FuzzedLake]:
    monkeypatch.chdir(tmp_path)
    with fuzzed_lake(tmp_path / "lake", sqlite_place.url, None, request.param, "kept-here") as made:
        yield made


def judged(subject: FuzzedLake, text: str, seconds: float = 5) -> Verdict:
    return judge(subject, text, subject.state(), seconds)[0]


def test_what_broke_something_once_does_not_any_more(subject: FuzzedLake) -> None:
    for path in CORPUS:
        subject.settle()
        verdict = judged(subject, path.read_text(encoding="utf-8"))
        assert not verdict.problem, f"{path.name}: {verdict}"
        if subject.session._state.transactions.is_open:
            subject.session.rollback()
    assert subject.problems() == []
    assert len(CORPUS) >= 20


def test_new_statements_break_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told: list[int] = []
    tally = run_statements(Orders("small", tmp_path, 300, "sqlite"), told.append)
    assert tally.found == []
    assert tally.tried == 300
    assert told == list(range(300))
    assert min(tally.kinds.values()) > 5


def test_the_same_seed_gives_the_same_statements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[list[str]] = [[], []]
    monkeypatch.chdir(tmp_path)
    for run, seen in enumerate(texts):
        monkeypatch.setattr(statement_run, "judge", partial(_note, seen))
        run_statements(Orders("same", tmp_path / f"run_{run}", 50, "sqlite"), lambda number: None)
    assert [text.replace("run_0", "run_1") for text in texts[0]] == texts[1]


def _note(seen: list[str], subject: object, text: str, before: object) -> tuple[Verdict, object]:
    seen.append(text)
    return Verdict("answer"), None


def test_an_error_of_no_kind_of_ours_is_noticed_and_made_small(
    subject: FuzzedLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr(run_session, "use", broken)
    text = "/* long */ USE lake -- and more"
    verdict = judged(subject, text)
    assert verdict.problem == "KeyError: 'planted'"
    assert len(minimise(subject, text, verdict)) < len(text)


def test_a_statement_without_end_is_noticed(subject: FuzzedLake, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*arguments: object) -> None:
        while True:
            pass

    monkeypatch.setattr(run_session, "use", endless)
    assert judged(subject, "USE lake", 0.2).where == "hung"


def test_a_failed_statement_that_changed_something_is_noticed(
    subject: FuzzedLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(self: FuzzedLake, text: str) -> None:
        Session.sql(self.session, "CREATE SCHEMA half")
        Session.sql(self.session, text)

    monkeypatch.setattr(FuzzedLake, "run", half)
    assert judged(subject, "USE nowhere").where == "changed"


def test_a_statement_that_reaches_the_canary_is_noticed(subject: FuzzedLake) -> None:
    assert subject.problems() == []
    kept = "(SELECT catalog_id FROM lake_catalog WHERE catalog_name = :name)"
    subject.lake.store.fetch(
        f"UPDATE {TABLES['lake_object'].name} SET name = 'x' WHERE catalog_id = {kept}", {"name": subject.kept_name}
    )
    assert "the catalog that no statement names has changed" in subject.problems()


def test_a_file_of_the_canary_that_is_gone_is_noticed(subject: FuzzedLake) -> None:
    next((subject.folder / "kept").iterdir()).unlink()
    assert subject.problems() == ["the catalog that no statement names has changed"]
