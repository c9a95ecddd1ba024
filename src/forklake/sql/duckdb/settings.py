"""DuckDB settings: those that affect results are applied, or rejected unless they match the actual behaviour."""

from collections.abc import Mapping

from forklake.errors import InvalidOption
from forklake.model.names import did_you_mean, fold
from forklake.spark.session.session_settings import ZONE

SPARK_NAMES: Mapping[str, str] = {"timezone": ZONE}
"""Settings that Spark has under another name."""

ONLY: Mapping[str, frozenset[str]] = {
    "default_null_order": frozenset({"nulls_last", "nulls last", "last"}),
    "null_order": frozenset({"nulls_last", "nulls last", "last"}),
    "default_order": frozenset({"asc", "ascending"}),
    "default_collation": frozenset({"", "binary"}),
    "integer_division": frozenset({"false", "0"}),
    "ieee_floating_point_ops": frozenset({"true", "1"}),
    "old_implicit_casting": frozenset({"false", "0"}),
    "calendar": frozenset({"gregorian"}),
    "scalar_subquery_error_on_multiple_rows": frozenset({"true", "1"}),
    "order_by_non_integer_literal": frozenset({"false", "0"}),
    "preserve_identifier_case": frozenset({"true", "1"}),
    "lambda_syntax": frozenset({"default", "enable_single_arrow"}),
}
"""Settings that would affect results, with the values that change nothing."""

WITHOUT_EFFECT = frozenset({
    "threads", "worker_threads", "external_threads", "memory_limit", "max_memory", "temp_directory",
    "max_temp_directory_size", "enable_progress_bar", "enable_progress_bar_print", "progress_bar_time",
    "preserve_insertion_order", "enable_object_cache", "autoinstall_known_extensions", "autoload_known_extensions",
    "custom_extension_repository", "extension_directory", "allow_unsigned_extensions", "checkpoint_threshold",
    "wal_autocheckpoint", "enable_http_metadata_cache", "http_timeout", "http_retries", "log_query_path",
    "enable_profiling", "profiling_mode", "profile_output", "profiling_output", "explain_output", "home_directory",
    "enable_external_access", "errors_as_json", "max_expression_depth", "perfect_ht_threshold",
    "arrow_large_buffer_size",
    "disabled_optimizers", "immediate_transaction_mode", "access_mode", "allocator_flush_threshold",
})  # fmt: skip
"""Settings of DuckDB's engine that do not apply to Spark."""


def is_duckdbs(name: str) -> bool:
    """Whether a setting is not one of Spark's, all of which have a dot in their names."""
    return "." not in name


def check_setting(name: str, value: str | None) -> str | None:
    """The Spark name of a DuckDB setting; None if there is nothing to do. `value` is None for RESET."""
    folded = fold(name)
    if folded in SPARK_NAMES:
        return SPARK_NAMES[folded]
    if folded in WITHOUT_EFFECT:
        return None
    if folded not in ONLY:
        known = [*SPARK_NAMES, *ONLY, *WITHOUT_EFFECT]
        raise InvalidOption(f"There is no setting '{name}' in the dialect duckdb.{did_you_mean(folded, known)}")
    if value is not None and value.lower() not in ONLY[folded]:
        usual = " or ".join(sorted(f"'{each}'" for each in ONLY[folded]))
        raise InvalidOption(f"The setting {name} is supported only as {usual}: Spark would return other results.")
    return None
