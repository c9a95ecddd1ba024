"""What every fault is given: chance, folders, a PostgreSQL and perhaps a Spark."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from forklake.api.session import Session
from tests.postgres_server import TestPostgres
from trust.surroundings.house import House, open_house
from trust.surroundings.tally import Tally
from trust.trial import Trial

BACKENDS = ("sqlite", "postgres")


@dataclass(slots=True)
class Setting:
    """Where faults take place."""

    trial: Trial
    server: TestPostgres
    session: Session | None = None
    """With a Spark, for what needs one."""
    database: str = field(init=False)
    """The address of one for these faults alone."""
    _numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.database = self.server.create_database()

    @property
    def times(self) -> int:
        return self.trial.times

    def rng(self, *names: object) -> random.Random:
        return self.trial.rng("surroundings", *names)

    def tally(self, what: str, at_least: int, outcome: str) -> Tally:
        return Tally(what, at_least, outcome, f"seed {self.trial.seed}")

    def folder(self) -> Path:
        """A new one, which everybody may enter."""
        made = self.trial.sub_folder(f"fault-{next(self._numbers)}")
        made.chmod(0o777)
        return made

    @contextmanager
    def house(
        self, backend: str, *, data: Path | None = None, metadata: Path | None = None, retries: int = 2
    ) -> Iterator[House]:
        """A new lake on a backend; the files of SQLite go to `metadata`, data to `data`."""
        url, schema = f"sqlite:{(metadata or self.folder()) / 'lake.db'}", None
        if backend == "postgres":
            url, schema = f"postgres:{self.database}", f"lake_{next(self._numbers)}"
        with self.house_at(url, schema, data=data, retries=retries) as house:
            yield house

    @contextmanager
    def house_at(self, url: str, schema: str | None, *, data: Path | None = None, retries: int = 2) -> Iterator[House]:
        """A new lake at an address."""
        where = data or self.folder() / "data"
        rng = self.rng("house", next(self._numbers))
        with open_house(url, where, rng, metadata_schema=schema, session=self.session, retries=retries) as house:
            yield house
