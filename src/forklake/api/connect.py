"""Entry point of the Python API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from forklake.api.session import Session
from forklake.errors import InvalidInput
from forklake.model.arguments import checked_arguments
from forklake.model.module_on_use import module_on_use
from forklake.spark.session.provider import SparkProvider
from forklake.sql.parsing.cursor import DIALECTS
from forklake.sql.session.state import SessionState

if TYPE_CHECKING:
    from pyspark import sql as spark_sql
else:
    spark_sql = module_on_use("pyspark.sql")


@checked_arguments
def connect(
    dialect: str = "spark",
    spark: spark_sql.SparkSession | None = None,
    settings: Mapping[str, str] | None = None,
    shortcuts: bool = True,
    start_spark: bool = False,
) -> Session:
    """Open a session. Spark starts on first use, or now in the background with `start_spark`.

    `spark` takes an existing SparkSession, classic or Connect, and leaves its settings unchanged. Otherwise a local one
    is started on first use, with `settings` overriding our defaults. Without `shortcuts`, every row is evaluated by
    Spark, as after `SET forklake_shortcuts = false`.
    """
    if dialect not in DIALECTS:
        raise InvalidInput(f"There is no dialect '{dialect}'; use one of {', '.join(DIALECTS)}.")
    if spark is not None and settings:
        raise InvalidInput(
            "Settings apply only to a Spark session started by Forklake; set them on your own session instead."
        )
    provider = SparkProvider(spark, settings)
    # Unsupported settings are rejected now, and again whenever they are changed.
    _ = provider.settings if spark is not None or settings else None
    if start_spark:
        provider.start_in_background()
    return Session(SessionState(provider, dialect, shortcuts=shortcuts))
