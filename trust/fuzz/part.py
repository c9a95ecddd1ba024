"""Hostile input: what nobody should send, sent by the thousands."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.postgres_server import TestPostgres
from trust.fuzz.child import run_child
from trust.fuzz.credentials import search_passwords
from trust.fuzz.statements import fuzz_statements
from trust.trial import Line, Trial

QUERIES, ROWS, ROWS_ON_POSTGRES, NAMES, FILES = 200, 80, 8, 20, 400
_SECONDS = 420.0
_PASSWORDS_LOOKED_AT = 400


def run(trial: Trial) -> Iterator[Line]:
    """Statements, queries, names, Parquet files, metadata rows, links, and a search for passwords."""
    yield fuzz_statements(trial)
    with TestPostgres() as server, ThreadPoolExecutor(2) as threads:
        database = server.create_database()
        url = f"postgres:{database}"
        started = {
            (piece, place): threads.submit(
                run_child,
                piece,
                trial.folder / f"{piece}_{place}",
                f"{trial.seed}",
                count * trial.times,
                url if place == "postgres" else "",
                _SECONDS * trial.times,
            )
            for piece, place, count in (
                ("rows", "sqlite", ROWS),
                ("names", "sqlite", NAMES),
                ("files", "sqlite", FILES),
                ("names", "postgres", NAMES),
                ("rows", "postgres", ROWS_ON_POSTGRES),
                ("links", "sqlite", 1),
                ("queries", "sqlite", QUERIES),
            )
        }
        told = {which: future.result() for which, future in started.items()}
        trial.say("names, files, rows and links are done")
        name = database.rpartition("/")[2].partition("?")[0]
        search = search_passwords(trial.sub_folder("passwords"), str(server._home()), name)
    yield from _lines(trial, told)
    yield Line(
        "places where a password could show",
        search.looked_at,
        _PASSWORDS_LOOKED_AT,
        "struck out, or not there",
        tuple(search.found),
    )


def _lines(trial: Trial, told: dict[tuple[str, str], dict[str, Any]]) -> Iterator[Line]:
    queries, files = told["queries", "sqlite"], told["files", "sqlite"]
    yield _line(
        trial, "queries through Spark", [queries], QUERIES, f"{queries.get('answers', 0)} answers, else an error"
    )
    names = [told["names", "sqlite"], told["names", "postgres"]]
    outcome = f"{sum(each.get('accepted', 0) for each in names)} kept as they are, others refused"
    yield _line(trial, "hostile names of things", names, 2 * 6 * NAMES, outcome)
    yield _line(
        trial, "hostile Parquet files", [files], FILES, f"{files.get('added', 0)} fit the table, others refused"
    )
    rows = [told["rows", "sqlite"], told["rows", "postgres"]]
    noticed = sum(each.get("noticed", 0) for each in rows)
    outcome = f"{noticed} noticed by a check, no file of others lost"
    yield _line(trial, "metadata rows damaged by SQL", rows, (ROWS + ROWS_ON_POSTGRES) * 3 // 4, outcome)
    yield Line("of these, noticed by a check", noticed, sum(each["tried"] for each in rows) // 2, "verify names them")
    links = told["links", "sqlite"]
    yield Line("links in the folders of a lake", links["tried"], 5, "not followed", tuple(links["found"]))


def _line(trial: Trial, what: str, told: Sequence[dict[str, Any]], at_least: int, outcome: str) -> Line:
    found = tuple(text for each in told for text in each["found"])
    return Line(what, sum(each["tried"] for each in told), at_least * trial.times, outcome, found)
