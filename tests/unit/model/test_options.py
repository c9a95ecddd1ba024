"""Options: what is known, what a value is stored as, and what is refused."""

from datetime import timedelta
from decimal import Decimal

import pytest

from forklake.errors import InvalidOption
from forklake.model.options import FIXED_OPTIONS, OPTIONS, find_option, normalise_option, parse_interval

STORED = [
    ("data_inlining_row_limit", 10, "10"),
    ("data_inlining_row_limit", " 0 ", "0"),
    ("data_inlining_row_limit", "007", "7"),
    ("target_file_size", "10MB", "10000000"),
    ("target_file_size", "512MiB", "536870912"),
    ("target_file_size", "512 mib", "536870912"),
    ("target_file_size", "1.5GB", "1500000000"),
    ("target_file_size", "1TiB", str(2**40)),
    ("target_file_size", "100 bytes", "100"),
    ("target_file_size", 1000, "1000"),
    ("parquet_compression", "ZSTD", "zstd"),
    ("parquet_compression_level", 9, "9"),
    ("parquet_row_group_size", "122880", "122880"),
    ("parquet_row_group_size_bytes", "1KB", "1000"),
    ("parquet_version", 1, "V1"),
    ("parquet_version", "v2", "V2"),
    ("auto_compact", True, "true"),
    ("auto_compact", "OFF", "false"),
    ("auto_compact", "on", "true"),
    ("auto_compact", 0, "false"),
    ("auto_compact", "1", "true"),
    ("rewrite_delete_threshold", "0.5", "0.5"),
    ("rewrite_delete_threshold", Decimal("0.25"), "0.25"),
    ("rewrite_delete_threshold", 1, "1.0"),
    ("rewrite_delete_threshold", -0.0, "0.0"),
    ("delete_older_than", "2 DAYS", "2 days"),
    ("delete_older_than", "1 weeks", "1 week"),
    ("delete_older_than", "36h", "36 hours"),
    ("expire_older_than", "1 day  12 hours", "1 day 12 hours"),
    ("expire_older_than", timedelta(days=1, hours=1), "1 day 3600 seconds"),
    ("expire_older_than", timedelta(), "0 seconds"),
]


@pytest.mark.parametrize(("name", "value", "stored"), STORED)
def test_a_value_is_stored_in_one_form(name: str, value: object, stored: str) -> None:
    assert normalise_option(name, value) == stored


@pytest.mark.parametrize(("name", "stored"), [(name, stored) for name, _, stored in STORED])
def test_a_stored_value_is_stored_as_itself(name: str, stored: str) -> None:
    assert normalise_option(name, stored) == stored


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_a_default_is_what_would_be_stored_for_it(option) -> None:
    assert option.default is None or normalise_option(option.name, option.default) == option.default


REFUSED = [
    ("data_inlining_row_limit", -1, "whole number of at least 0"),
    ("data_inlining_row_limit", "ten", "whole number"),
    ("data_inlining_row_limit", True, "whole number"),
    ("data_inlining_row_limit", 2**63, "whole number"),
    ("data_inlining_row_limit", "٣", "whole number"),
    ("target_file_size", 0, "greater than zero"),
    ("target_file_size", "-1MB", "size such as"),
    ("target_file_size", "10 parsecs", "size such as"),
    ("target_file_size", "9999999TB", "63 bits"),
    ("parquet_compression", "rar", 'Unsupported codec "rar" for parquet'),
    ("parquet_compression_level", 23, "from 0 to 22"),
    ("parquet_row_group_size", 0, "Row group size cannot be 0"),
    ("parquet_row_group_size", -5, "at least 1"),
    ("parquet_row_group_size_bytes", "0", "Row group size cannot be 0"),
    ("parquet_version", 3, "Only Parquet version 1 and 2 are supported"),
    ("parquet_version", True, "Only Parquet version"),
    ("auto_compact", None, r"The auto_compact option can't be null\."),
    ("auto_compact", "maybe", "true or false"),
    ("auto_compact", 2, "true or false"),
    ("rewrite_delete_threshold", 1.01, "The rewrite_delete_threshold must be between 0 and 1"),
    ("rewrite_delete_threshold", "nan", "between 0 and 1"),
    ("rewrite_delete_threshold", "much", "between 0 and 1"),
    ("rewrite_delete_threshold", True, "between 0 and 1"),
    ("delete_older_than", "soon", r"'soon' is not a valid interval value\."),
    ("delete_older_than", 2, r"2 is not a valid interval value\."),
    ("delete_older_than", timedelta(days=-1), "negative"),
]


@pytest.mark.parametrize(("name", "value", "reason"), REFUSED)
def test_a_bad_value_is_refused_with_the_reason(name: str, value: object, reason: str) -> None:
    with pytest.raises(InvalidOption, match=reason):
        normalise_option(name, value)


def test_a_message_does_not_repeat_a_very_long_value() -> None:
    with pytest.raises(InvalidOption) as refused:
        normalise_option("auto_compact", "x" * 10_000)
    assert len(str(refused.value)) < 200


def test_an_option_is_found_in_any_case() -> None:
    assert find_option("Auto_Compact").name == "auto_compact"


def test_an_unknown_option_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InvalidOption, match="Unsupported option target_filesize; did you mean target_file_size"):
        normalise_option("target_filesize", 1)


def test_an_option_unlike_any_other_is_refused_with_the_list() -> None:
    with pytest.raises(InvalidOption, match=r"Unsupported option zzz; the options are .*sort_on_insert"):
        normalise_option("zzz", 1)


@pytest.mark.parametrize("name", sorted(FIXED_OPTIONS))
def test_a_fixed_option_cannot_be_set(name: str) -> None:
    with pytest.raises(InvalidOption, match=f"{name} is fixed when the lake is created"):
        normalise_option(name, "x")


def test_retention_belongs_to_the_whole_lake() -> None:
    names = ("delete_older_than", "expire_older_than", "require_commit_message")
    assert all(OPTIONS[name].scopes == {"global"} for name in names)
    assert OPTIONS["target_file_size"].scopes == {"global", "schema", "table"}


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("2 days", timedelta(days=2)),
        ("1 week", timedelta(weeks=1)),
        ("36 hours", timedelta(hours=36)),
        ("90 min", timedelta(minutes=90)),
        ("1 day 30 seconds", timedelta(days=1, seconds=30)),
        ("5ms 7us", timedelta(milliseconds=5, microseconds=7)),
        ("0 days", timedelta()),
    ],
)
def test_an_interval_of_fixed_units_is_understood(text: str, length: timedelta) -> None:
    assert parse_interval(text) == length


@pytest.mark.parametrize("text", ["1 month", "2 years", "1 day 3 months"])
def test_months_and_years_are_refused_because_their_length_varies(text: str) -> None:
    with pytest.raises(InvalidOption, match="no fixed length"):
        parse_interval(text)


@pytest.mark.parametrize(
    "text", ["", " ", "days", "2", "2 days ago", "-2 days", "two days", "1.5 days", "999999999999 weeks"]
)
def test_anything_else_is_no_interval(text: str) -> None:
    with pytest.raises(InvalidOption, match="is not a valid interval value"):
        parse_interval(text)
