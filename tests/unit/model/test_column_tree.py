import pytest

from forklake.errors import InvalidChange, InvalidName, InvalidType, NoSuchColumn
from forklake.model.alterations import ColumnSpec, new_definition
from forklake.model.column_tree import (
    Path,
    check_sort_keys,
    check_type,
    field_count,
    find_column,
    renamed_sort_key,
    sorts_by,
)
from forklake.model.column_types import ColumnType, parse_type
from forklake.model.entities import SortKey, TableDefinition


def table(**columns: str) -> TableDefinition:
    return new_definition([ColumnSpec(name, parse_type(text)) for name, text in columns.items()])


TABLE = table(a="int", st="struct(x int, y struct(z int))", items="struct(q int)[]", m="map(varchar, int)")


@pytest.mark.parametrize(
    ("text", "count"),
    [("int", 1), ("int[]", 2), ("map(int, int[])", 4), ("struct(a int, b struct(c int))", 4)],
)
def test_every_node_of_a_type_counts_as_a_field(text: str, count: int) -> None:
    assert field_count(parse_type(text)) == count


@pytest.mark.parametrize("path", [("a",), ("ST", "Y", "z"), ("items", "element", "q"), ("m", "key"), ("m", "VALUE")])
def test_a_field_is_found_by_its_path_whatever_the_case(path: Path) -> None:
    assert find_column(TABLE, path).name.lower() == path[-1].lower()


def test_a_missing_field_is_named_with_the_nearest_one_at_its_level() -> None:
    definition = table(st="struct(amount int, other int)")
    with pytest.raises(NoSuchColumn, match=r"does not have a column with name st\.amuont\. Did you mean amount"):
        find_column(definition, ("st", "amuont"))


@pytest.mark.parametrize("path", [(), ("b",), ("a", "x"), ("items", "q"), ("st", "x", "x")])
def test_a_path_that_leads_nowhere_is_refused(path: Path) -> None:
    with pytest.raises(NoSuchColumn):
        find_column(TABLE, path)


def test_a_struct_in_a_type_must_have_distinct_proper_names() -> None:
    number = ColumnType("int32")
    with pytest.raises(InvalidType, match="two fields"):
        check_type(
            ColumnType("list", fields=(("element", ColumnType("struct", fields=(("a", number), ("A", number)))),))
        )
    with pytest.raises(InvalidName):
        check_type(ColumnType("struct", fields=(("a\n", number),)))


@pytest.mark.parametrize(
    ("expression", "dialect", "path", "used"),
    [
        ("a", "spark", ("A",), True),
        (" A ", "duckdb", ("a",), True),
        ("`a`", "spark", ("a",), True),
        ('"a"', "duckdb", ("a",), True),
        ('concat("a", st.x)', "spark", ("a",), False),
        ("concat('a', st.x)", "duckdb", ("a",), False),
        (r"concat('it\'s', a)", "spark", ("a",), True),
        ("concat('it''s', a)", "duckdb", ("a",), True),
        ("lower(a)", "spark", ("a",), True),
        ("a(1)", "spark", ("a",), False),
        ("a.lower()", "duckdb", ("a",), True),
        ("st.x", "spark", ("st",), True),
        ("st . `x` + 1", "spark", ("st", "x"), True),
        ("st.x", "spark", ("st", "y"), False),
        ("st.x", "spark", ("x",), False),
        ("st", "spark", ("st", "x"), False),
        ("t.a", "spark", ("a",), True),
        ("abs(t.a)", "spark", ("a",), True),
        ("ab + 1a", "spark", ("a",), False),
    ],
)
def test_a_sort_expression_uses_the_columns_it_names(expression: str, dialect: str, path: Path, used: bool) -> None:
    assert sorts_by(TABLE, SortKey(expression, dialect=dialect), path) is used


@pytest.mark.parametrize(
    ("expression", "dialect", "path", "new_name", "rewritten"),
    [
        ("A", "spark", ("a",), "b", "b"),
        ("a", "spark", ("a",), "my `b`", "`my ``b```"),
        ('"a"', "duckdb", ("a",), 'my "b"', '"my ""b"""'),
        ("st.x", "spark", ("st",), "other", "other.x"),
        ("st.x", "spark", ("st", "x"), "w", "st.w"),
        ("t.a", "spark", ("a",), "b", "b"),
        ("lower(st.x)", "spark", ("a",), "b", "lower(st.x)"),
    ],
)
def test_a_rename_rewrites_a_sort_expression_that_is_just_the_column(
    expression: str, dialect: str, path: Path, new_name: str, rewritten: str
) -> None:
    key = SortKey(expression, "DESC", dialect=dialect)
    assert renamed_sort_key(TABLE, key, path, new_name) == SortKey(rewritten, "DESC", dialect=dialect)


def test_a_rename_does_not_touch_an_expression_that_computes_with_the_column() -> None:
    with pytest.raises(InvalidChange, match="sorted by a % 10, which cannot be rewritten"):
        renamed_sort_key(TABLE, SortKey("a % 10"), ("a",), "b")


def test_a_name_with_a_blank_is_known_as_a_sort_expression() -> None:
    definition = new_definition([ColumnSpec("my col", parse_type("int"))])
    assert sorts_by(definition, SortKey("My Col"), ("my col",))
    assert renamed_sort_key(definition, SortKey("my col"), ("my col",), "c").expression == "c"


def test_sort_columns_must_exist() -> None:
    check_sort_keys(TABLE, [SortKey("ST.x"), SortKey("hash(anything)"), SortKey("items[0].q")])
    with pytest.raises(NoSuchColumn, match=r"SET SORTED BY statement were not found: itens\. Did you mean items"):
        check_sort_keys(TABLE, [SortKey("itens")])
    with pytest.raises(InvalidChange, match="empty"):
        check_sort_keys(TABLE, [SortKey(" ")])
