"""The way in."""

from collections.abc import Mapping

from pyspark.sql import SparkSession

from forklake.api.session import Session
from forklake.errors import InvalidInput
from forklake.model.arguments import checked_arguments
from forklake.spark.session.provider import SparkProvider
from forklake.sql.session.state import SessionState

DIALECTS = ("spark", "duckdb")


@checked_arguments
def connect(
    dialect: str = "spark",
    spark: SparkSession | None = None,
    settings: Mapping[str, str] | None = None,
    shortcuts: bool = True,
) -> Session:
    """A session. Spark is not started before something needs it.

    `spark` takes a SparkSession of yours, classic or Connect, and leaves its settings alone. Otherwise one is started
    for this machine when it is needed, with `settings` over our own. Without `shortcuts`, Spark decides about every
    row, as after `SET forklake_shortcuts = false`.
    """
    if dialect not in DIALECTS:
        raise InvalidInput(f"There is no dialect '{dialect}'; use one of {', '.join(DIALECTS)}.")
    if spark is not None and settings:
        raise InvalidInput("Settings are for a Spark session of our own; set them on yours instead.")
    provider = SparkProvider(spark, settings)
    # Settings that we cannot work with are refused now, and again whenever they are changed.
    _ = provider.settings if spark is not None or settings else None
    return Session(SessionState(provider, dialect, shortcuts=shortcuts))
