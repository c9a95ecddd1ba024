"""What Spark says of many conditions at once: one query over rows that are all read, with nothing left out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

_CHUNK = 120
FALSE, TRUE, NULL, ERROR = 1, 2, 3, None
_LINE = re.compile(r"\bline (\d+)[, ]")


@dataclass(slots=True)
class Judgement:
    """What a condition is for each row, by the row's key; or why it is no condition at all."""

    by_key: dict[int, int | None] = field(default_factory=dict)
    refused: str = ""

    @property
    def fails(self) -> bool:
        """Whether it is an error for some row, or altogether."""
        return bool(self.refused) or ERROR in self.by_key.values()

    def keys(self, *outcomes: int | None) -> set[int]:
        return {key for key, outcome in self.by_key.items() if outcome in outcomes}


def evaluate(rows: DataFrame, key: str, conditions: Sequence[str]) -> list[Judgement]:
    """The outcome of each condition for each row: FALSE, TRUE, NULL, or an error."""
    rows.createOrReplaceTempView("__answers")
    found: list[Judgement] = []
    for start in range(0, len(conditions), _CHUNK):
        found += _chunk(rows.sparkSession, key, conditions[start : start + _CHUNK])
    return found


def _chunk(spark: SparkSession, key: str, conditions: Sequence[str]) -> list[Judgement]:
    found = [Judgement() for _ in conditions]
    left = list(range(len(conditions)))
    while left:
        lines = ",\n".join(_outcome(conditions[at]) for at in left)
        try:
            rows = spark.sql(f"SELECT `{key}` AS k, array(\n{lines}\n) AS o FROM __answers").toArrow()
        except PySparkException as error:
            line = _LINE.search(str(error))
            at = int(line[1]) - 2 if line else -1
            if 0 <= at < len(left):
                found[left.pop(at)].refused = _in_short(error)
                continue
            if len(left) == 1:
                found[left.pop()].refused = _in_short(error)
                continue
            middle = len(left) // 2
            parts = [_chunk(spark, key, [conditions[at] for at in half]) for half in (left[:middle], left[middle:])]
            for at, judged in zip(left, parts[0] + parts[1], strict=True):
                found[at] = judged
            return found
        keys = rows["k"].to_pylist()
        for which, outcomes in zip(keys, rows["o"].to_pylist(), strict=True):
            for at, outcome in zip(left, outcomes, strict=True):
                found[at].by_key[which] = outcome
        return found
    return found


def _outcome(condition: str) -> str:
    """A number for what the condition is; NULL for an error, which `try_add` of an interval catches."""
    number = f"coalesce(CAST(({condition}) AS INT), 2)"
    return f"CAST(dayofmonth(try_add(TIMESTAMP_NTZ '2000-01-01 00:00:00', make_dt_interval({number}))) AS TINYINT)"


def _in_short(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:300]
