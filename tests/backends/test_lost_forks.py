"""The connection is lost around a fork: it has been made exactly once, and its caller knows that it is theirs."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from forklake.catalog.lakes.catalogs import create_catalog, list_catalogs
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake, RetrySettings
from forklake.catalog.lakes.open_lake import open_lake
from forklake.errors import AlreadyExists, StoreBusy
from forklake.store.connection import ForkRequest
from tests.backends.cutting_proxy import FORK, LOSSES, QUICK_RETRIES, CuttingProxy, Loss
from tests.conftest import Place
from tests.lakes import append, file_ids, make_table

SEQUENCES: list[list[Loss]] = [
    *([loss] for loss in LOSSES),
    ["the commit is lost", "the commit is stuck", "the answer is lost"],
]
SLOW = """
    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END $$;
    CREATE TRIGGER slow AFTER INSERT ON lake_catalog_ancestor FOR EACH STATEMENT EXECUTE FUNCTION slow();
"""


@pytest.fixture
def witness(postgres_place: Place) -> Iterator[Lake]:
    """The lake over connections that nobody cuts."""
    lake = open_lake(postgres_place.url, metadata_schema=postgres_place.metadata_schema, create=True)
    main = create_catalog(lake, "main")
    make_table(main)
    append(main)
    yield lake
    lake.close()


@pytest.fixture
def through(proxy: CuttingProxy, postgres_place: Place, witness: Lake) -> Iterator[Lake]:
    """The same lake through the proxy."""
    lake = open_lake(f"postgres:{proxy.conninfo}", metadata_schema=postgres_place.metadata_schema, retry=QUICK_RETRIES)
    yield lake
    lake.close()


def names(lake: Lake) -> list[str]:
    return [info.name for info in list_catalogs(lake)]


@pytest.mark.parametrize("losses", SEQUENCES, ids=" - ".join)
def test_a_fork_is_made_once_when(losses: list[Loss], proxy: CuttingProxy, through: Lake, witness: Lake) -> None:
    proxy.lose(losses, marker=FORK)
    fork, created = fork_catalog(through, "main", "f")
    assert proxy.losses == []
    assert created
    assert names(witness) == ["f", "main"]
    append(fork)
    assert len(file_ids(fork)) == 2


def test_a_fork_is_made_once_when_the_server_goes_on_working_without_its_client(
    proxy: CuttingProxy, through: Lake, witness: Lake, postgres_place: Place
) -> None:
    with psycopg.connect(
        postgres_place.url.removeprefix("postgres:"), options=f"-c search_path={postgres_place.metadata_schema}"
    ) as session:
        session.execute(SLOW)
    proxy.lose(["the client is cut off"], marker=FORK)
    assert fork_catalog(through, "main", "f")[1]
    assert names(witness) == ["f", "main"]


def test_a_fork_that_landed_is_found_though_nothing_may_be_tried_again(proxy: CuttingProxy, through: Lake) -> None:
    never = through.with_retry(RetrySettings(max_retry_count=0))
    proxy.lose(["the answer is lost"], marker=FORK)
    assert fork_catalog(never, "main", "f")[1]
    proxy.lose(["the commit is lost"], marker=FORK)
    with pytest.raises(StoreBusy, match="after 0 retries"):
        fork_catalog(never, "main", "g")
    assert names(through) == ["f", "main"]


def test_the_fork_of_somebody_else_is_not_taken_for_ones_own(proxy: CuttingProxy, through: Lake, witness: Lake) -> None:
    proxy.lose(["the commit is lost"], then=lambda: fork_catalog(witness, "main", "f"), marker=FORK)
    with pytest.raises(AlreadyExists):
        fork_catalog(through, "main", "f")
    proxy.lose(["the commit is lost"], then=lambda: fork_catalog(witness, "main", "g"), marker=FORK)
    assert not fork_catalog(through, "main", "g", if_not_exists=True)[1]


def test_the_same_request_again_makes_no_second_fork_and_says_that_it_was_made(lake: Lake, main: Catalog) -> None:
    request = ForkRequest("main", "f", str(uuid4()))
    assert lake.store.fork(request)
    assert lake.store.fork(request)
    with pytest.raises(AlreadyExists):
        lake.store.fork(ForkRequest("main", "f", str(uuid4())))
    assert names(lake) == ["f", "main"]
