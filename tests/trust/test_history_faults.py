"""Every fault takes place and does no harm; where the product is broken so that it does, that is noticed."""

from pathlib import Path

import psycopg
import pytest

from tests.backends.cutting_proxy import APPEND, COMMIT
from tests.postgres_server import TestPostgres
from tests.trust.plants import ASYNCHRONOUS, plant_commits_in_two_steps, plant_commits_without_looking_back
from trust.history.faults import Cut, calm, cut_connections, kill_clients, kill_servers
from trust.history.phase import SETTINGS, phase
from trust.trial import Trial

WORKERS = 2


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(seed=5, folder=tmp_path)


def test_many_transactions_without_a_fault(trial: Trial, postgres: TestPostgres) -> None:
    with phase(trial, "calm", postgres, workers=WORKERS) as lake:
        result = calm(lake, 60)
    assert result.found == []
    assert result.transactions >= 60
    assert list(trial.folder.iterdir()) == []


def test_clients_are_killed_in_mid_commit(trial: Trial, postgres: TestPostgres) -> None:
    with phase(trial, "kills", postgres, workers=WORKERS) as lake:
        result = kill_clients(lake, 12)
    assert result.found == []
    assert result.faults >= 12
    assert len(result.places) >= 2


def test_half_a_commit_of_a_killed_client_is_noticed(trial: Trial, postgres: TestPostgres) -> None:
    with phase(trial, "kills", postgres, workers=WORKERS, plant=plant_commits_in_two_steps) as lake:
        result = kill_clients(lake, 15)
    told = ("read something else", "after the newest snapshot")
    assert any(words in sentence for sentence in result.found for words in told)
    assert all("seed 5" in sentence for sentence in result.found)
    assert list((trial.folder / "kills").glob("*.jsonl"))


def test_the_server_is_killed_and_clients_go_on(trial: Trial) -> None:
    with TestPostgres(settings=SETTINGS) as server, phase(trial, "restarts", server, workers=WORKERS) as lake:
        result = kill_servers(lake, 2)
    assert result.found == []
    assert result.faults == 2


def test_commits_that_a_killed_server_forgets_are_noticed(trial: Trial) -> None:
    settings = {**SETTINGS, **ASYNCHRONOUS}
    with TestPostgres(settings=settings) as server, phase(trial, "restarts", server, workers=WORKERS) as lake:
        with psycopg.connect(lake.url.removeprefix("postgres:"), autocommit=True) as session:
            session.execute("CHECKPOINT")  # the lake itself stays
        result = kill_servers(lake, 1)
    assert any("was acknowledged as snapshot" in sentence for sentence in result.found)


def test_connections_are_cut_and_stalled(trial: Trial, postgres: TestPostgres) -> None:
    with phase(trial, "cuts", postgres, workers=WORKERS) as lake:
        result = cut_connections(lake, 12)
    assert result.found == []
    assert result.faults >= 12


def test_a_commit_that_is_done_again_without_looking_is_noticed(trial: Trial, postgres: TestPostgres) -> None:
    # Who does not look does not end a session that is stuck either, and would wait for its locks.
    kinds: list[Cut] = [(COMMIT, "the answer is lost"), (APPEND, "the answer is lost")]
    with phase(trial, "cuts", postgres, workers=WORKERS, plant=plant_commits_without_looking_back) as lake:
        result = cut_connections(lake, 20, kinds)
    assert any(" 2 times" in sentence or "but it is there" in sentence for sentence in result.found)
