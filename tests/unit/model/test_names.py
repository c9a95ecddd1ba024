"""What may be a name, and how names are compared, quoted and used in paths."""

import pytest

from forklake.errors import InvalidInput, InvalidName
from forklake.model.names import (
    check_catalog_name,
    check_column_name,
    check_object_name,
    check_text,
    closest_name,
    fold,
    path_segment,
    quote_identifier,
    quote_if_needed,
)

UNUSABLE = ["", "a\0b", "tab\there", "line\nbreak", "\x85", "\ud800", "x" * 256, "é" * 128, None, 7, b"bytes"]


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_unusable_name_is_refused_for_catalogs_and_objects(name: object) -> None:
    with pytest.raises(InvalidName):
        check_catalog_name(name)
    with pytest.raises(InvalidName, match="column"):
        check_object_name(name, "column")


@pytest.mark.parametrize("name", [".", "..", "a/b", "a\\b", " a", "a ", "\u00a0a"])
def test_a_name_that_is_unsafe_as_a_path_is_refused_for_catalogs_only(name: str) -> None:
    with pytest.raises(InvalidName, match="catalog name"):
        check_catalog_name(name)
    assert check_object_name(name, "table") == name


@pytest.mark.parametrize("name", ["main", "agent 7", "Ünïcode", "日本語", 'quo"te', "a.b", "...", "x" * 255, "é" * 127])
def test_a_usable_name_is_returned_as_it_is(name: str) -> None:
    assert check_catalog_name(name) == name
    assert check_object_name(name, "view") == name


@pytest.mark.parametrize("name", ["__forklake_change", "__FORKLAKE_x", "_ducklake_internal_row_id"])
def test_names_of_the_columns_that_we_add_are_refused_for_columns_only(name: str) -> None:
    with pytest.raises(InvalidName, match="reserved for internal columns"):
        check_column_name(name)
    assert check_object_name(name, "table") == name


def test_a_message_does_not_repeat_a_very_long_name() -> None:
    with pytest.raises(InvalidName) as refused:
        check_catalog_name("x" * 10_000)
    assert "10000 bytes" in str(refused.value)
    assert len(str(refused.value)) < 150


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_message_can_always_be_encoded(name: object) -> None:
    with pytest.raises(InvalidName) as refused:
        check_object_name(name, "table")
    assert str(refused.value).encode("utf-8")


def test_names_compare_without_case() -> None:
    assert fold("Orders") == fold("ORDERS") == "orders"


def test_a_safe_name_is_its_own_directory() -> None:
    assert path_segment("order_items-2024", "uuid") == "order_items-2024"


@pytest.mark.parametrize("name", ["..", "a b", "a/b", "é", "a.b", "", "a\n", "٣"])
def test_any_other_name_leaves_the_directory_to_the_uuid(name: str) -> None:
    assert path_segment(name, "0189-uuid") == "0189-uuid"


def test_quotes_inside_an_identifier_are_doubled() -> None:
    assert quote_identifier('a"b') == '"a""b"'


def test_only_names_that_need_quotes_get_them() -> None:
    assert [quote_if_needed(name) for name in ("Ab_1", "1a", "a b", "é")] == ["Ab_1", '"1a"', '"a b"', '"é"']


def test_the_closest_name_is_found_without_case() -> None:
    assert closest_name("ORDRES", ["items", "Orders"]) == "Orders"


def test_nothing_is_suggested_when_nothing_is_close() -> None:
    assert closest_name("zzz", ["items", "orders"]) is None
    assert closest_name("zzz", []) is None


def test_a_text_is_anything_that_the_databases_can_hold() -> None:
    for text in ("", "tab\tand\nline", "💡", "\ufffe", "x" * 10_000):
        assert check_text(text, "comment") == text
    for text in ("a\0b", "\ud800", "\udc00\ud800"):
        with pytest.raises(InvalidInput, match=r"The comment .* contains NUL or an unpaired surrogate"):
            check_text(text, "comment")
