import pytest
from hypothesis import given
from hypothesis import strategies as st

from forklake.errors import InvalidType
from forklake.model.column_types import (
    ColumnType,
    can_promote,
    decimal_of,
    list_of,
    map_of,
    parse_type,
    struct_of,
)

INT = ColumnType("int32")
TEXT = ColumnType("varchar")
SCALARS = [
    *(
        "boolean",
        "int8",
        "int16",
        "int32",
        "int64",
        "int128",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "uint128",
    ),
    *("float32", "float64", "date", "time", "timetz", "time_ns", "timestamp", "timestamp_s", "timestamp_ms"),
    *("timestamp_ns", "timestamptz", "interval", "varchar", "blob", "uuid", "json", "geometry", "variant"),
]


@pytest.mark.parametrize("name", SCALARS)
def test_a_stored_name_is_read_back_as_itself(name: str) -> None:
    assert parse_type(name) == ColumnType(name)
    assert parse_type(name).text == name
    assert parse_type(parse_type(name).sql()) == ColumnType(name)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("INTEGER", "int32"),
        ("int", "int32"),
        ("BigInt", "int64"),
        ("HUGEINT", "int128"),
        ("UBIGINT", "uint64"),
        ("DOUBLE", "float64"),
        ("double precision", "float64"),
        ("REAL", "float32"),
        ("TEXT", "varchar"),
        ("VARCHAR(10)", "varchar"),
        ("character varying(3)", "varchar"),
        ("TIMESTAMP WITH TIME ZONE", "timestamptz"),
        ("timestamp", "timestamp"),
        ("timestamp_us", "timestamp"),
        ("BYTEA", "blob"),
        ("STRING", "varchar"),
        ("LONG", "int64"),
        ("SHORT", "int16"),
        ("BYTE", "int8"),
        ("BINARY", "blob"),
        ("TIMESTAMP_NTZ", "timestamp"),
        ("TIMESTAMP_LTZ", "timestamptz"),
        ("DECIMAL", "decimal(18,3)"),
        ("NUMERIC(10, 2)", "decimal(10,2)"),
        ("decimal(5)", "decimal(5,0)"),
    ],
)
def test_duckdb_and_spark_spellings_are_accepted(text: str, stored: str) -> None:
    assert parse_type(text).text == stored


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INT[]", list_of(INT)),
        ("int[][]", list_of(list_of(INT))),
        ("ARRAY<ARRAY<INT>>", list_of(list_of(INT))),
        ('STRUCT(a INT, "b c" VARCHAR)', struct_of((("a", INT), ("b c", TEXT)))),
        ("STRUCT<a: INT, `b``c`: STRING>", struct_of((("a", INT), ("b`c", TEXT)))),
        ("MAP(VARCHAR, INT)", map_of(TEXT, INT)),
        ("map<string,array<int>>", map_of(TEXT, list_of(INT))),
        ("STRUCT(t TIMESTAMP WITH TIME ZONE)[]", list_of(struct_of((("t", ColumnType("timestamptz")),)))),
    ],
)
def test_nested_types_are_read(text: str, expected: ColumnType) -> None:
    assert parse_type(text) == expected


def test_sql_shows_the_whole_type_while_text_shows_the_stored_name() -> None:
    nested = parse_type("STRUCT(a INT, b VARCHAR)")
    assert nested.text == "struct"
    assert nested.sql() == "STRUCT(a INTEGER, b VARCHAR)"
    assert parse_type("INT[]").sql() == "INTEGER[]"
    assert parse_type("MAP(VARCHAR, BIGINT)").sql() == "MAP(VARCHAR, BIGINT)"
    assert nested.is_nested
    assert not INT.is_nested


@pytest.mark.parametrize(
    "text",
    [
        "ENUM('a','b')",
        "BIT",
        "BIGNUM",
        "INT[3]",
        "UNION(a INT)",
        "NULL",
        "frob",
        "unknown",
        "",
        "STRUCT",
        "STRUCT()",
        "STRUCT(a INT, A INT)",
        'STRUCT("" INT)',
        "MAP(INT)",
        "DECIMAL(39,0)",
        "DECIMAL(0,0)",
        "DECIMAL(3,4)",
        "INT(3)",
        "INT INT",
        "INT[",
        "ARRAY<INT",
        "list(int>",
        "timestamp with",
        "int2",
        "a;b",
        "3",
    ],
)
def test_a_type_that_cannot_be_stored_is_refused(text: str) -> None:
    with pytest.raises(InvalidType):
        parse_type(text)


def test_the_error_names_the_type() -> None:
    with pytest.raises(InvalidType, match="UNION"):
        parse_type("union(a int)")
    with pytest.raises(InvalidType, match="frob"):
        parse_type("Frob")


def _nest(children: st.SearchStrategy[ColumnType]) -> st.SearchStrategy[ColumnType]:
    names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
    fields = st.lists(st.tuples(names, children), min_size=1, max_size=3, unique_by=lambda f: f[0].lower())
    return st.one_of(
        children.map(list_of),
        st.builds(map_of, children, children),
        fields.map(lambda pairs: struct_of(tuple(pairs))),
    )


LEAVES = st.one_of(
    st.sampled_from(SCALARS).map(ColumnType),
    st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: decimal_of(p, s))),
)


@given(st.recursive(LEAVES, _nest, max_leaves=6))
def test_every_type_is_read_back_from_its_sql(column_type: ColumnType) -> None:
    assert parse_type(column_type.sql()) == column_type


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("boolean", "uint128"),
        ("tinyint", "smallint"),
        ("integer", "hugeint"),
        ("bigint", "float"),
        ("integer", "decimal(12,2)"),
        ("bigint", "decimal(19,0)"),
        ("utinyint", "smallint"),
        ("uinteger", "bigint"),
        ("ubigint", "uhugeint"),
        ("ubigint", "hugeint"),
        ("ubigint", "decimal(38,3)"),
        ("float", "double"),
        ("decimal(10,2)", "decimal(12,4)"),
        ("decimal(10,2)", "double"),
        ("date", "timestamptz"),
        ("timestamp_s", "timestamp_ns"),
        ("timestamp_ms", "timestamp"),
        ("timestamp", "timestamptz"),
        ("integer[]", "bigint[]"),
        ("struct(a int, b varchar)", "struct(B varchar, a bigint)"),
        ("map(int, date)", "map(bigint, timestamp)"),
    ],
)
def test_a_widening_promotion_is_allowed(old: str, new: str) -> None:
    assert can_promote(parse_type(old), parse_type(new))
    assert not can_promote(parse_type(new), parse_type(old))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int", "int"),
        ("int", "varchar"),
        ("int", "json"),
        ("varchar", "json"),
        ("int", "uint64"),
        ("uinteger", "integer"),
        ("integer", "decimal(11,2)"),
        ("bigint", "decimal(18,0)"),
        ("hugeint", "decimal(38,0)"),
        ("decimal(18,4)", "decimal(38,2)"),
        ("decimal(10,2)", "decimal(10,3)"),
        ("timestamp_ns", "timestamp"),
        ("boolean", "float"),
        ("timestamp_s", "timestamptz"),
        ("double", "float"),
        ("int", "boolean"),
        ("struct(a int)", "struct(a int, b int)"),
        ("struct(a int, b int)", "struct(a bigint)"),
        ("int[]", "map(int, int)"),
        ("int", "int[]"),
        ("int[]", "bigint"),
    ],
)
def test_a_change_that_could_lose_something_is_no_promotion(old: str, new: str) -> None:
    assert not can_promote(parse_type(old), parse_type(new))
