import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.errors import (
    AlreadyExists,
    ForklakeError,
    InvalidChange,
    InvalidName,
    InvalidType,
    NoSuchColumn,
)
from forklake.model import alterations
from forklake.model.alterations import (
    ColumnSpec,
    DefaultType,
    add_column,
    drop_column,
    drop_default,
    drop_not_null,
    field_count,
    find_column,
    is_tightening,
    move_column,
    new_definition,
    rename_column,
    reset_partition,
    reset_sort,
    set_column_type,
    set_default,
    set_not_null,
    set_partition,
    set_sort,
    set_tag,
)
from forklake.model.column_tree import Path
from forklake.model.column_types import ColumnType, list_of, map_of, parse_type, struct_of
from forklake.model.documents import read_definition, write_definition
from forklake.model.entities import COMMENT, UNCOMMITTED, Column, SortKey, TableDefinition
from forklake.model.ids import ColumnId, PartitionId, SnapshotId, SortId
from forklake.model.names import fold
from forklake.model.partitions import PartitionKey, transform_accepts


def spec(name: str, text: str = "int", *, nulls: bool = True, default: str | None = None) -> ColumnSpec:
    return ColumnSpec(name, parse_type(text), nulls, default)


def table(**columns: str) -> TableDefinition:
    return new_definition([spec(name, text) for name, text in columns.items()])


def ids(first: int = 1_000_001) -> Iterator[ColumnId]:
    return map(ColumnId, itertools.count(first))


def names(definition: TableDefinition) -> list[str]:
    return [column.name for column in definition.columns]


TABLE = table(a="int", st="struct(x int, y varchar)", items="struct(q int)[]", m="map(varchar, int)")


def test_fields_are_numbered_parents_first() -> None:
    assert [(field.column_id, field.name) for field in TABLE.fields()] == [
        *[(1, "a"), (2, "st"), (3, "x"), (4, "y"), (5, "items"), (6, "element"), (7, "q")],
        *[(8, "m"), (9, "key"), (10, "value")],
    ]
    assert {field.added for field in TABLE.fields()} == {None}


def test_a_literal_default_is_also_what_older_files_hold() -> None:
    literal, expression, plain = new_definition(
        [
            ColumnSpec("a", parse_type("int"), default_value="1", comment="one"),
            ColumnSpec("b", parse_type("int"), False, "rand()", "expression", "spark"),
            ColumnSpec("c", parse_type("int"), default_value_type="literal", default_value_dialect="spark"),
        ]
    ).columns
    assert (literal.initial_default, literal.default_value_type, literal.tags) == (
        "1",
        "literal",
        {COMMENT: "one"},
    )
    assert (expression.initial_default, expression.default_value) == (None, "rand()")
    assert (expression.default_value_dialect, expression.nulls_allowed) == ("spark", False)
    assert (plain.default_value_type, plain.default_value_dialect) == (None, None)


@pytest.mark.parametrize(
    ("specs", "error", "phrase"),
    [
        ([], InvalidChange, "at least one column"),
        ([spec("a"), spec("A")], AlreadyExists, "Column with name A already exists!"),
        ([spec("")], InvalidName, "empty"),
        ([spec("a", "int[]", default="[]")], InvalidChange, "Default value for LIST type not supported"),
        ([ColumnSpec("a", ColumnType("struct"))], InvalidType, "at least one field"),
    ],
)
def test_a_table_that_cannot_be_is_refused(specs: list[ColumnSpec], error: type[ForklakeError], phrase: str) -> None:
    with pytest.raises(error, match=phrase):
        new_definition(specs)


def test_a_new_table_leaves_the_ids_of_later_columns_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alterations, "MAX_NEW_FIELDS", 3)
    assert len(list(table(a="int", b="int[]").fields())) == 3
    with pytest.raises(InvalidChange, match="more than 3"):
        table(a="int[]", b="int[]")


def test_an_added_column_is_last_and_uncommitted() -> None:
    after = add_column(TABLE, spec("new", "struct(x int)", default=None), ids())
    assert names(after) == ["a", "st", "items", "m", "new"]
    assert [(f.column_id, f.added) for f in after.columns[-1].walk()] == [
        (1_000_001, UNCOMMITTED),
        (1_000_002, UNCOMMITTED),
    ]
    assert {f.added for f in after.committed_as(SnapshotId(7)).columns[-1].walk()} == {7}


def test_an_added_column_with_a_default_fills_older_files_with_it() -> None:
    column = add_column(TABLE, spec("n", default="5", nulls=False), ids()).columns[-1]
    assert (column.initial_default, column.default_value, column.nulls_allowed) == ("5", "5", False)


def test_a_field_can_be_added_wherever_there_is_a_struct() -> None:
    after = add_column(TABLE, spec("r", "date"), ids(), parent=("ITEMS", "element"))
    assert find_column(after, ("items",)).type == parse_type("struct(q int, r date)[]")
    assert find_column(after, ("items", "element", "r")).column_id == 1_000_001


@pytest.mark.parametrize(
    ("new", "parent", "error", "phrase"),
    [
        (spec("ST"), (), AlreadyExists, "Column with name ST already exists!"),
        (spec("X"), ("st",), AlreadyExists, 'field "X" already exists in column st'),
        (spec("b"), ("a",), InvalidChange, "Fields can only be added to structs"),
        (spec("b"), ("items",), InvalidChange, "Fields can only be added to structs"),
        (spec("b"), ("stt",), NoSuchColumn, "Did you mean st"),
        (spec("b", nulls=False), (), InvalidChange, "literal default"),
        (spec("b", nulls=False, default="1"), ("st",), InvalidChange, "only columns can be NOT NULL"),
        (
            ColumnSpec("b", parse_type("int"), True, "rand()", "expression"),
            (),
            InvalidChange,
            "We cannot add a column with a non-literal default value",
        ),
    ],
)
def test_a_refused_addition_takes_no_ids(
    new: ColumnSpec, parent: Path, error: type[ForklakeError], phrase: str
) -> None:
    numbers = ids(50)
    with pytest.raises(error, match=phrase):
        add_column(TABLE, new, numbers, parent)
    assert next(numbers) == 50


def test_columns_and_struct_fields_are_dropped() -> None:
    assert names(drop_column(TABLE, ("A",))) == ["st", "items", "m"]
    assert find_column(drop_column(TABLE, ("st", "x")), ("st",)).type == parse_type("struct(y varchar)")


@pytest.mark.parametrize(
    ("definition", "path", "phrase"),
    [
        (table(a="int"), ("a",), "Cannot drop column: table only has one column remaining!"),
        (TABLE, ("items", "element", "q"), "struct only has one field remaining"),
        (TABLE, ("m", "key"), "part of a MAP"),
        (
            set_partition(TABLE, [("a", "identity")], PartitionId(1)),
            ("A",),
            "the table is partitioned by this column",
        ),
        (set_sort(TABLE, [SortKey("abs(A)")], SortId(1)), ("a",), "the table is sorted by this column"),
        (set_sort(TABLE, [SortKey("st.x")], SortId(1)), ("st", "x"), "the table is sorted by this column"),
    ],
)
def test_a_column_in_use_is_not_dropped(definition: TableDefinition, path: Path, phrase: str) -> None:
    with pytest.raises(InvalidChange, match=phrase):
        drop_column(definition, path)


def test_a_renamed_column_keeps_its_id_and_its_place_in_the_sort_order() -> None:
    sorted_table = set_sort(TABLE, [SortKey("A", "DESC"), SortKey("st.x")], SortId(3))
    after = rename_column(rename_column(sorted_table, ("a",), "Alpha"), ("st", "x"), "Z")
    assert find_column(after, ("alpha",)).column_id == 1
    assert find_column(after, ("st",)).type == parse_type("struct(Z int, y varchar)")
    assert after.sort is not None
    assert [key.expression for key in after.sort.keys] == ["Alpha", "st.Z"]


def test_a_rename_may_change_only_the_case() -> None:
    assert names(rename_column(TABLE, ("a",), "A"))[0] == "A"


@pytest.mark.parametrize(
    ("path", "new_name", "error", "phrase"),
    [
        (("b",), "c", NoSuchColumn, "Failed to rename column - column b does not exist"),
        (("a",), "M", AlreadyExists, "Column with name M already exists!"),
        (("st", "x"), "Y", AlreadyExists, 'field "Y" already exists in column st'),
        (("items", "element"), "e", InvalidChange, "part of a LIST"),
        (("a",), "", InvalidName, "empty"),
    ],
)
def test_an_impossible_rename_is_refused(path: Path, new_name: str, error: type[ForklakeError], phrase: str) -> None:
    with pytest.raises(error, match=phrase):
        rename_column(TABLE, path, new_name)


def test_types_widen_in_place_and_fields_keep_their_ids() -> None:
    new_type = parse_type("struct(Y varchar, x bigint)")
    after = find_column(set_column_type(TABLE, ("st",), new_type), ("st",))
    assert after.type == new_type
    assert [(child.column_id, child.name) for child in after.children] == [(4, "Y"), (3, "x")]
    inner = set_column_type(TABLE, ("items", "element", "q"), parse_type("bigint"))
    assert find_column(inner, ("items",)).type == parse_type("struct(q bigint)[]")


def test_the_same_type_is_no_change() -> None:
    assert set_column_type(TABLE, ("st",), find_column(TABLE, ("st",)).type) is TABLE


@pytest.mark.parametrize("text", ["smallint", "varchar", "int[]"])
def test_only_widening_is_allowed(text: str) -> None:
    with pytest.raises(InvalidChange, match="only widening type promotions are allowed"):
        set_column_type(TABLE, ("a",), parse_type(text))


def test_a_boolean_literal_becomes_a_number_with_its_column() -> None:
    before = new_definition([spec("b", "boolean", default="TRUE")])
    column = set_column_type(before, ("b",), parse_type("int")).columns[0]
    assert (column.initial_default, column.default_value) == ("1", "1")


def test_a_new_default_is_not_for_older_files() -> None:
    before = new_definition([spec("a", default="1")])
    after = set_default(before, ("a",), "now()", "expression", "spark")
    assert after.columns[0].initial_default == "1"
    assert after.columns[0].default_value == "now()"
    dropped = drop_default(after, ("a",)).columns[0]
    assert (dropped.default_value, dropped.default_value_type, dropped.default_value_dialect) == (
        None,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("path", "phrase"),
    [(("st",), "Default value for STRUCT type not supported"), (("m", "value"), "part of a MAP")],
)
def test_defaults_belong_to_plain_columns(path: Path, phrase: str) -> None:
    with pytest.raises(InvalidChange, match=phrase):
        set_default(TABLE, path, "1", "literal", None)


def test_not_null_is_set_once_and_dropped_once() -> None:
    strict = set_not_null(TABLE, ("a",))
    assert not strict.columns[0].nulls_allowed
    assert drop_not_null(strict, ("a",)) == TABLE
    with pytest.raises(InvalidChange, match="Cannot SET NOT NULL on column a - it already has a NOT NULL"):
        set_not_null(strict, ("a",))
    with pytest.raises(InvalidChange, match="Cannot DROP NULL on column a - it has no NOT NULL constraint defined"):
        drop_not_null(TABLE, ("a",))


@pytest.mark.parametrize("change", [set_not_null, drop_not_null])
def test_nested_fields_have_no_not_null(change: Callable[[TableDefinition, Path], TableDefinition]) -> None:
    with pytest.raises(InvalidChange, match="only columns can be NOT NULL"):
        change(TABLE, ("st", "x"))


@pytest.mark.parametrize(
    ("name", "after", "order"),
    [
        ("m", None, ["m", "a", "st", "items"]),
        ("a", "ITEMS", ["st", "items", "a", "m"]),
        ("m", "a", ["a", "m", "st", "items"]),
        ("a", "a", ["a", "st", "items", "m"]),
    ],
)
def test_a_column_moves_first_or_behind_another(name: str, after: str | None, order: list[str]) -> None:
    assert names(move_column(TABLE, (name,), after)) == order


def test_a_field_moves_inside_its_struct() -> None:
    moved = move_column(TABLE, ("st", "y"), None)
    assert find_column(moved, ("st",)).type == parse_type("struct(y varchar, x int)")
    with pytest.raises(NoSuchColumn, match=r"st\.a"):
        move_column(TABLE, ("st", "y"), "a")
    with pytest.raises(InvalidChange, match="part of a MAP"):
        move_column(TABLE, ("m", "value"), None)


def test_a_partitioning_names_columns_and_transforms() -> None:
    before = table(ts="timestamp", id="bigint")
    after = set_partition(before, [("TS", "years"), ("id", "Bucket( 8 )")], PartitionId(4))
    assert after.partition is not None
    assert after.partition.keys == (PartitionKey(ColumnId(1), "year"), PartitionKey(ColumnId(2), "bucket(8)"))
    assert set_partition(after, [("ts", "year"), ("id", "bucket(8)")], PartitionId(5)) is after
    assert reset_partition(after) == before


@pytest.mark.parametrize(
    ("keys", "error", "phrase"),
    [
        ([], InvalidChange, "at least one"),
        ([("b", "identity")], NoSuchColumn, 'Unexpected partition key - column "b" does not exist'),
        ([("a", "year")], InvalidChange, '"a" of type INTEGER cannot be partitioned by year'),
        ([("st", "identity")], InvalidChange, "cannot be partitioned"),
        ([("a", "truncate(3)")], InvalidChange, "Unsupported partition function truncate"),
        ([("a", "identity"), ("A", "identity")], InvalidChange, "twice"),
    ],
)
def test_an_impossible_partitioning_is_refused(
    keys: list[tuple[str, str]], error: type[ForklakeError], phrase: str
) -> None:
    with pytest.raises(error, match=phrase):
        set_partition(TABLE, keys, PartitionId(1))


def test_a_sort_order_is_set_and_reset() -> None:
    after = set_sort(TABLE, [SortKey("a"), SortKey("hash(a)")], SortId(2))
    assert set_sort(after, [SortKey("a"), SortKey("hash(a)")], SortId(3)) is after
    assert reset_sort(after) == TABLE
    with pytest.raises(InvalidChange, match="at least one"):
        set_sort(TABLE, [], SortId(2))
    with pytest.raises(NoSuchColumn, match="Columns in the SET SORTED BY statement were not found"):
        set_sort(TABLE, [SortKey("b")], SortId(2))


@pytest.mark.parametrize("path", [None, ("a",), ("items", "element")])
def test_tags_are_set_and_removed(path: Path | None) -> None:
    tagged = set_tag(set_tag(TABLE, path, "owner", "me"), path, COMMENT, "hello")
    owner = tagged if path is None else find_column(tagged, path)
    assert owner.tags == {"owner": "me", COMMENT: "hello"}
    assert set_tag(set_tag(tagged, path, "owner", None), path, COMMENT, None) == TABLE


@pytest.mark.parametrize(
    ("after", "tighter"),
    [
        (TABLE, False),
        (set_not_null(TABLE, ("a",)), True),
        (set_column_type(TABLE, ("items", "element", "q"), parse_type("bigint")), True),
        (add_column(TABLE, spec("z", default="1", nulls=False), ids()), False),
        (add_column(TABLE, spec("z"), ids(), ("st",)), False),
        (drop_column(rename_column(TABLE, ("a",), "b"), ("st", "x")), False),
    ],
)
def test_only_not_null_and_new_types_can_make_rows_unfit(after: TableDefinition, tighter: bool) -> None:
    assert is_tightening(TABLE, after) is tighter


def test_relaxing_is_no_tightening() -> None:
    assert not is_tightening(set_not_null(TABLE, ("a",)), TABLE)


some_names = st.sampled_from(["a", "A", "b", "B", "c", "my col", "d.e", "select"])
scalars = st.sampled_from(["boolean", "int8", "int32", "int64", "float64", "date", "timestamp", "varchar"])


def _structs(children: st.SearchStrategy[ColumnType]) -> st.SearchStrategy[ColumnType]:
    fields = st.lists(st.tuples(some_names, children), min_size=1, max_size=3, unique_by=lambda f: fold(f[0]))
    return fields.map(lambda found: struct_of(tuple(found)))


types = st.recursive(
    scalars.map(ColumnType),
    lambda children: st.one_of(children.map(list_of), st.builds(map_of, children, children), _structs(children)),
    max_leaves=4,
)
defaults: st.SearchStrategy[tuple[str | None, DefaultType | None]] = st.sampled_from(
    [(None, None), ("1", "literal"), ("true", None), ("f()", "expression")]
)
sort_keys = st.builds(SortKey, st.one_of(some_names, st.sampled_from(["f(a)", "`my col`", "b + c"])))
transforms = st.sampled_from(["identity", "years", "day", "hour", "bucket(4)"])


@st.composite
def specs(draw: st.DrawFn) -> ColumnSpec:
    column_type = draw(scalars.map(ColumnType) | types)
    value, value_type = (None, None) if column_type.is_nested else draw(defaults)
    return ColumnSpec(draw(some_names), column_type, draw(st.booleans()), value, value_type)


def _wider(column_type: ColumnType) -> ColumnType:
    """A type that this one may be promoted to, for most types."""
    widened = {"boolean": "int8", "int8": "int32", "int32": "int64", "int64": "float64", "date": "timestamp"}
    fields = tuple((name, _wider(child)) for name, child in column_type.fields)
    return ColumnType(widened.get(column_type.name, column_type.name), fields=fields)


def _paths(definition: TableDefinition) -> list[Path]:
    def below(column: Column, path: Path) -> Iterator[Path]:
        yield (*path, column.name)
        for child in column.children:
            yield from below(child, (*path, column.name))

    return [path for column in definition.columns for path in below(column, ())]


def _random_change(data: st.DataObject, d: TableDefinition, numbers: Iterator[ColumnId]) -> TableDefinition:
    path = data.draw(st.sampled_from(_paths(d)))
    structs = [parent for parent in _paths(d) if find_column(d, parent).type.name == "struct"]
    partition_keys = st.lists(st.tuples(st.sampled_from(names(d)), transforms), min_size=1, max_size=2)
    number = next(numbers)
    changes: list[Callable[[], TableDefinition]] = [
        lambda: add_column(d, data.draw(specs()), numbers, data.draw(st.sampled_from([(), path, *structs]))),
        lambda: drop_column(d, path),
        lambda: rename_column(d, path, data.draw(some_names)),
        lambda: set_column_type(d, path, data.draw(types | st.just(_wider(find_column(d, path).type)))),
        lambda: set_default(d, path, *data.draw(defaults), "spark"),
        lambda: drop_default(d, path),
        lambda: set_not_null(d, path),
        lambda: drop_not_null(d, path),
        lambda: move_column(d, path, data.draw(st.none() | some_names)),
        lambda: set_partition(d, data.draw(partition_keys), PartitionId(number)),
        lambda: reset_partition(d),
        lambda: set_sort(d, data.draw(st.lists(sort_keys, max_size=2)), SortId(number)),
        lambda: reset_sort(d),
        lambda: set_tag(d, data.draw(st.sampled_from([None, path])), "k", data.draw(st.sampled_from([None, "v"]))),
    ]
    try:
        return data.draw(st.sampled_from(changes))()
    except ForklakeError:
        return d


def _assert_consistent(definition: TableDefinition) -> None:
    for siblings in (definition.columns, *(field.children for field in definition.fields())):
        assert len({fold(column.name) for column in siblings}) == len(siblings)
    for field in definition.fields():
        assert field.type.fields == tuple((child.name, child.type) for child in field.children)
    top = {column.column_id: column for column in definition.columns}
    for key in definition.partition.keys if definition.partition else ():
        assert transform_accepts(key.transform, top[key.column_id].type)
    written = write_definition(definition)
    assert read_definition("table", json.loads(written)) == definition


@given(st.data())
def test_any_sequence_of_changes_keeps_a_definition_consistent(data: st.DataObject) -> None:
    first = data.draw(st.lists(specs(), min_size=1, max_size=3, unique_by=lambda s: fold(s.name)))
    definition = new_definition([replace(s, default_value=None) for s in first])
    numbers = ids()
    gone: set[ColumnId] = set()
    for _ in range(data.draw(st.integers(1, 12))):
        before = {field.column_id for field in definition.fields()}
        definition = _random_change(data, definition, numbers)
        after = [field.column_id for field in definition.fields()]
        gone |= before - set(after)
        assert len(set(after)) == len(after)
        assert gone.isdisjoint(after)
        _assert_consistent(definition)


@given(types)
def test_an_added_column_takes_as_many_ids_as_its_type_has_fields(column_type: ColumnType) -> None:
    numbers = ids(100)
    add_column(TABLE, ColumnSpec("new", column_type), numbers)
    assert next(numbers) == 100 + field_count(column_type)
