"""Options belong to the instance, a catalog, a schema or a table; the narrowest counts, and forks inherit."""

import pytest

from forklake.catalog.lakes.catalogs import create_catalog
from forklake.catalog.lakes.forks import fork_catalog
from forklake.catalog.lakes.lake import Catalog, Lake
from forklake.catalog.reading.history import list_snapshots
from forklake.catalog.transaction.commit import commit
from forklake.catalog.transaction.ddl import create_schema, create_table
from forklake.catalog.transaction.names import get_table
from forklake.catalog.transaction.options import (
    OptionValue,
    effective_option,
    list_options,
    set_instance_option,
    set_option,
)
from forklake.catalog.transaction.transaction import begin
from forklake.errors import CommitMessageRequired, InvalidOption, NoSuchSchema, NoSuchTable
from forklake.model.alterations import ColumnSpec
from forklake.model.changes import SetOption
from forklake.model.column_types import parse_type
from tests.lakes import append, at, make_table, metadata_rows, transaction

KEY = "parquet_row_group_size"
MESSAGE = "require_commit_message"


def put(
    catalog: Catalog, value: object, *, key: str = KEY, schema: str | None = None, table: str | None = None
) -> None:
    with transaction(catalog) as tx:
        set_option(tx, key, value, schema=schema, table=table)


def effective(catalog: Catalog, *, key: str = KEY, table: str | None = None) -> str | None:
    tx = begin(catalog)
    return effective_option(tx, key, get_table(tx, "main", table) if table else None)


@pytest.fixture
def two_tables(main: Catalog) -> Catalog:
    make_table(main, "t")
    make_table(main, "u")
    return main


def test_the_narrowest_scope_counts(lake: Lake, two_tables: Catalog) -> None:
    seen = [(effective(two_tables, table="t"), effective(two_tables, table="u"), effective(two_tables))]
    set_instance_option(lake, KEY, 1)
    seen.append((effective(two_tables, table="t"), effective(two_tables, table="u"), effective(two_tables)))
    for number, place in enumerate(({}, {"schema": "main"}, {"table": "t"}), start=2):
        put(two_tables, number, **place)
        seen.append((effective(two_tables, table="t"), effective(two_tables, table="u"), effective(two_tables)))
    assert seen == [
        (None, None, None),
        ("1", "1", "1"),
        ("2", "2", "2"),
        ("3", "3", "2"),
        ("4", "3", "2"),
    ]


def test_unsetting_an_option_lets_the_wider_scope_count_again(lake: Lake, two_tables: Catalog) -> None:
    set_instance_option(lake, KEY, 1)
    put(two_tables, 2)
    put(two_tables, 3, table="t")
    seen = []
    put(two_tables, None, table="t")
    seen.append(effective(two_tables, table="t"))
    put(two_tables, None)
    seen.append(effective(two_tables, table="t"))
    set_instance_option(lake, KEY, None)
    seen.append(effective(two_tables, table="t"))
    assert seen == ["2", "1", None]


def test_an_option_without_any_setting_has_its_default(main: Catalog) -> None:
    assert effective(main, key="Parquet_Compression") == "snappy"


def test_every_setting_is_listed_with_its_scope(lake: Lake, two_tables: Catalog) -> None:
    set_instance_option(lake, KEY, 1)
    for number, place in enumerate(({}, {"schema": "main"}, {"table": "t"}), start=2):
        put(two_tables, number, **place)
    tx = begin(two_tables)
    table = get_table(tx, "main", "t")
    assert list_options(tx) == [
        OptionValue(KEY, "2", "catalog"),
        OptionValue(KEY, "1", "instance"),
        OptionValue(KEY, "3", "schema", table.schema_id),
        OptionValue(KEY, "4", "table", table.object_id),
    ]


def test_a_staged_option_is_seen_inside_its_transaction_only(main: Catalog) -> None:
    put(main, 1)
    tx = begin(main)
    set_option(tx, KEY, 2)
    assert (effective_option(tx, KEY), effective(main)) == ("2", "1")
    set_option(tx, KEY, None)
    assert (effective_option(tx, KEY), effective(main)) == (None, "1")
    commit(tx)
    assert effective(main) is None


def test_options_are_versioned(main: Catalog) -> None:
    for value in (1, 2, None):
        put(main, value)
    history = list_snapshots(main)
    assert [effective(at(main, snapshot.snapshot_id)) for snapshot in history] == [None, "1", "2", None]
    assert history[-1].changes == (SetOption(KEY),)


@pytest.mark.parametrize("scope", [{}, {"schema": "main"}, {"table": "t"}], ids=["catalog", "schema", "table"])
def test_an_option_that_is_set_like_this_already_makes_no_snapshot(two_tables: Catalog, scope: dict[str, str]) -> None:
    made = []
    for value in (None, 1, "1", 2, None, None):
        tx = begin(two_tables)
        set_option(tx, KEY, value, **scope)
        made.append(commit(tx) is not None)
    assert made == [False, True, False, True, True, False]


def test_an_option_that_is_set_back_makes_no_snapshot(main: Catalog) -> None:
    put(main, 1)
    tx = begin(main)
    for value in (2, None, 1):
        set_option(tx, KEY, value)
    assert effective_option(tx, KEY) == "1"
    assert commit(tx) is None


def test_a_fork_that_repeats_what_it_inherited_makes_no_snapshot(lake: Lake, main: Catalog) -> None:
    put(main, 1)
    child, _ = fork_catalog(lake, "main", "f")
    before = metadata_rows(lake, child)["lake_snapshot"]
    put(child, 1)
    assert metadata_rows(lake, child)["lake_snapshot"] == before


@pytest.mark.parametrize("value", [2, None], ids=["set", "unset"])
def test_of_two_who_set_an_option_alike_one_makes_a_snapshot(main: Catalog, value: int | None) -> None:
    put(main, 1)
    first, second = begin(main), begin(main)
    for tx in (first, second):
        set_option(tx, KEY, value)
    assert commit(first) is not None
    before = metadata_rows(main.lake)
    assert commit(second) is None
    after = metadata_rows(main.lake)
    assert (after["lake_snapshot"], after["lake_option"]) == (before["lake_snapshot"], before["lake_option"])


def test_what_others_have_set_alike_is_left_out_of_the_changes(main: Catalog) -> None:
    tx = begin(main)
    set_option(tx, KEY, 2)
    set_option(tx, "target_file_size", 1000)
    put(main, 2)
    assert commit(tx) is not None
    assert list_snapshots(main)[-1].changes == (SetOption("target_file_size"),)


def test_an_option_is_no_change_of_the_schema(main: Catalog) -> None:
    before = list_snapshots(main)[-1].schema_version
    put(main, 1)
    assert list_snapshots(main)[-1].schema_version == before


def test_a_fork_inherits_options_of_every_scope(lake: Lake, two_tables: Catalog) -> None:
    put(two_tables, 1)
    put(two_tables, 2, table="t")
    child, _ = fork_catalog(lake, "main", "f")
    assert (effective(child), effective(child, table="t"), effective(child, table="u")) == ("1", "2", "1")


def test_later_settings_of_parent_and_fork_do_not_reach_each_other(lake: Lake, two_tables: Catalog) -> None:
    put(two_tables, 1)
    put(two_tables, 2, table="t")
    child, _ = fork_catalog(lake, "main", "f")
    before = metadata_rows(lake, two_tables)
    put(child, 10)
    put(child, None, table="t")
    assert metadata_rows(lake, two_tables) == before
    assert (effective(child), effective(child, table="t")) == ("10", "10")
    put(two_tables, 20)
    put(two_tables, 30, table="t")
    assert (effective(child), effective(child, table="t")) == ("10", "10")
    assert (effective(two_tables), effective(two_tables, table="t")) == ("20", "30")
    grandchild, _ = fork_catalog(lake, "f", "g")
    assert (effective(grandchild), effective(grandchild, table="t")) == ("10", "10")


def test_an_instance_option_reaches_every_catalog_at_once_and_a_catalog_option_only_its_own(lake: Lake) -> None:
    a, b = create_catalog(lake, "a"), create_catalog(lake, "b")
    set_instance_option(lake, KEY, 1)
    put(a, 2)
    assert (effective(a), effective(b)) == ("2", "1")
    set_instance_option(lake, KEY, 3)
    assert (effective(a), effective(b)) == ("2", "3")


def test_an_unknown_option_scope_or_value_is_refused(lake: Lake, two_tables: Catalog) -> None:
    before = metadata_rows(lake)
    tx = begin(two_tables)
    with pytest.raises(InvalidOption, match="did you mean target_file_size"):
        set_option(tx, "target_file_sise", 1)
    with pytest.raises(InvalidOption, match="whole number"):
        set_option(tx, KEY, "many")
    with pytest.raises(InvalidOption, match="whole catalog"):
        set_option(tx, MESSAGE, True, table="t")
    with pytest.raises(InvalidOption, match="fixed when the lake is created"):
        set_instance_option(lake, "data_path", "elsewhere")
    with pytest.raises(NoSuchTable):
        set_option(tx, KEY, 1, table="gone")
    with pytest.raises(NoSuchSchema):
        set_option(tx, KEY, 1, schema="gone")
    assert commit(tx) is None
    assert metadata_rows(lake) == before


def test_a_table_or_schema_must_be_committed_before_it_has_options(main: Catalog) -> None:
    tx = begin(main)
    create_schema(tx, "s")
    create_table(tx, "s", "t", [ColumnSpec("a", parse_type("int"))])
    for place in ({"schema": "s"}, {"schema": "s", "table": "t"}):
        with pytest.raises(InvalidOption, match="commit them first"):
            set_option(tx, KEY, 1, **place)


def test_a_commit_without_author_and_message_is_refused_where_they_are_required(main: Catalog) -> None:
    make_table(main)
    put(main, True, key=MESSAGE)
    before = metadata_rows(main.lake)
    for author, message in ((None, None), ("me", None), (None, "why"), ("", "")):
        tx = begin(main)
        tx.set_commit_message(author, message)
        create_schema(tx, "s")
        with pytest.raises(CommitMessageRequired, match="set_commit_message"):
            commit(tx)
        assert not tx.is_open
    assert metadata_rows(main.lake) == before


def test_a_commit_with_author_and_message_keeps_them(main: Catalog) -> None:
    put(main, True, key=MESSAGE)
    with transaction(main) as tx:
        tx.set_commit_message("Anna", "because\n'it' is \"needed\" 💡", '{"ticket": 7}')
        create_schema(tx, "s")
    last = list_snapshots(main)[-1]
    said = (last.author, last.commit_message, last.commit_extra_info)
    assert said == ("Anna", "because\n'it' is \"needed\" 💡", '{"ticket": 7}')


def test_requiring_a_message_can_be_undone_without_one(main: Catalog) -> None:
    put(main, True, key=MESSAGE)
    put(main, False, key=MESSAGE)
    make_table(main)
    assert append(main)


def test_requiring_a_message_is_inherited_by_forks_and_set_for_all_by_the_instance(lake: Lake, main: Catalog) -> None:
    make_table(main)
    put(main, True, key=MESSAGE)
    child, _ = fork_catalog(lake, "main", "f")
    with pytest.raises(CommitMessageRequired):
        append(child)
    put(child, False, key=MESSAGE)
    append(child)
    set_instance_option(lake, MESSAGE, True)
    append(child)  # the catalog's own word counts more
    put(child, None, key=MESSAGE)
    with pytest.raises(CommitMessageRequired):
        append(child)
