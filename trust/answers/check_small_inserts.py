"""INSERTs of small queries: carried out by the driver as by Spark, or left to Spark."""

import random
from dataclasses import dataclass
from typing import ClassVar

from trust.answers.check_small import SmallStatements
from trust.answers.check_small_changes import SmallChangeCheck
from trust.answers.tables import MadeTable

CARRIED_OUT = "inserts carried out by the driver"
LEFT = "inserts left to Spark"


@dataclass(slots=True)
class SmallInsertCheck(SmallChangeCheck):
    """Judges INSERTs of SELECTs in the same way. New row ids are in no order, so they are not compared."""

    carried_out: ClassVar[str] = CARRIED_OUT
    left: ClassVar[str] = LEFT
    compared: ClassVar[str] = "*"

    def statement(self, rng: random.Random, table: MadeTable) -> str:
        """Rows of a table inserted into the table itself, mostly into the columns that they come from."""
        statements = SmallStatements(rng, table, self.dialect)
        names = [column.name for column in statements.columns()]
        targets = rng.sample(names, len(names)) if rng.random() < 0.2 else names
        where = f"WHERE {statements.where()}" if rng.random() < 0.8 else ""
        return f"INSERT INTO {table.name} ({', '.join(targets)}) SELECT {', '.join(names)} FROM {table.name} {where}"
