"""The same text in DuckDB itself and, translated, on Spark: the same rows under the same names."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession
from sqlglot import exp

from forklake.errors import SyntaxProblem, Untranslatable
from forklake.sql.duckdb.summarize import summary_query
from forklake.sql.duckdb.translate import expression_to_spark, parse_duckdb, spark_text, to_spark
from tests.sql.scripts import runs_here
from trust.answers.subject import light

FOLDER = Path(__file__).parent / "duckdb_dialect"


def statements(name: str) -> list[tuple[str, str]]:
    """The statements of a file, each with the last comment before it."""
    found, comment = [], ""
    for block in (FOLDER / name).read_text().split(";\n"):
        lines = block.strip().splitlines()
        while lines and (lines[0].startswith("-- ") or not lines[0]):
            comment = lines.pop(0).removeprefix("-- ") or comment
        if lines:
            found.append(("\n".join(lines), comment))
    return found


SAME = [text for name in ("same.sql", "same_since_4_2.sql") if runs_here(FOLDER / name) for text, _ in statements(name)]
REFUSED = dict(statements("refused.sql"))


@dataclass(frozen=True, slots=True)
class Both:
    """DuckDB and Spark with the same tables."""

    duck: duckdb.DuckDBPyConnection
    spark: SparkSession
    columns: Mapping[str, Mapping[str, str]]

    def translated(self, text: str) -> str:
        return spark_text(self.tree(text))

    def tree(self, text: str) -> exp.Expr:
        return to_spark(parse_duckdb(text), lambda table: self.columns.get(table.name.lower()))

    def problems(self, texts: Sequence[str]) -> list[str]:
        """What Spark answers in another way, of queries that one query of Spark can answer."""
        problem = self.problem(texts)
        if not problem or len(texts) == 1:
            return [problem] if problem else []
        middle = len(texts) // 2
        return [*self.problems(texts[:middle]), *self.problems(texts[middle:])]

    def problem(self, texts: Sequence[str]) -> str:
        try:
            frame = self.spark.sql(spark_text(together([self.tree(text) for text in texts])))
            rows = [tuple(row) for row in frame.collect()]
        except Exception as error:  # Whatever Spark says, the query is named.
            return f"{texts[0]}: {error}"
        end = 0
        for text in texts:
            answer = self.duck.execute(text)
            names, expected = [column[0] for column in answer.description], [plain(row) for row in answer.fetchall()]
            own = slice(end, end := end + len(names))
            found = [plain(row[own]) for row in rows]
            if not is_ordered(text):
                expected.sort(key=repr)
                found.sort(key=repr)
            if (frame.columns[own], found) != (names, expected):
                return f"{text}: {frame.columns[own]} {found} instead of {names} {expected}"
        return "" if end == len(frame.columns) else f"{texts[-1]}: more columns, {frame.columns[end:]}"


def together(trees: Sequence[exp.Expr]) -> exp.Expr:
    """One query with the columns of all of these."""
    first, *others = trees
    for other in others:
        for column in other.expressions:
            first.append("expressions", column)
    return first


def rows_read(text: str, tree: exp.Expr) -> str:
    """The same for queries whose columns one query can have; the text itself of one whose rows are its own."""
    clauses = {name for name, value in tree.args.items() if value} - {"expressions", "from_"}
    if not isinstance(tree, exp.Select) or clauses or "unnest" in text or tree.find(exp.Distinct):
        return text
    return f"{tree.args.get('from_')} {[tree.find(kind) is None for kind in (exp.AggFunc, exp.Window)]}"


@pytest.fixture(scope="module")
def both(spark: SparkSession) -> Iterator[Both]:
    duck = duckdb.connect()
    columns: dict[str, dict[str, str]] = {}
    for statement, _ in statements("tables.sql"):
        duck.execute(statement)
    for (name,) in duck.execute("SHOW TABLES").fetchall():
        frame = spark.createDataFrame(duck.execute(f"FROM {name}").to_arrow_table())
        # PySpark makes moments of a zone of Arrow's moments without one.
        moments = [column for column, type_ in frame.dtypes if type_ == "timestamp"]
        for column in moments:
            frame = frame.withColumn(column, frame[column].cast("timestamp_ntz"))
        frame.createOrReplaceTempView(name)
        columns[name] = dict(frame.dtypes)
    with light(spark):
        yield Both(duck, spark, columns)


def is_ordered(text: str) -> bool:
    """Whether a query says how its rows are ordered, at its end."""
    return "ORDER BY" in text.rsplit(")", 1)[-1]


def plain(value: object) -> object:
    """A value without what only tells its type: decimals and doubles as numbers, structs and maps by their values."""
    match value:
        case bool():
            return value
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(f"{value:.12g}")
        case float():
            return "nan" if math.isnan(value) else float(f"{value:.12g}")
        case bytearray():
            return bytes(value)
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC).replace(tzinfo=None)
        case dict():
            return tuple(plain(part) for part in value.values())
        case tuple():
            return tuple(plain(part) for part in value)
        case list():
            return [plain(part) for part in value]
    return value


def test_spark_answers_what_duckdb_answers(both: Both):
    groups: dict[str, list[str]] = {}
    for text in SAME:
        groups.setdefault(rows_read(text, both.tree(text)), []).append(text)
    assert [problem for texts in groups.values() for problem in both.problems(texts)] == []


@pytest.mark.parametrize("text", REFUSED)
def test_what_spark_has_not_is_refused_by_its_name(both: Both, text: str):
    with pytest.raises(Untranslatable) as refused:
        both.translated(text)
    assert REFUSED[text] in str(refused.value)


def test_an_overflow_is_an_error_in_both(both: Both):
    text = "SELECT 2147483647::INT + 1::INT"
    with pytest.raises(duckdb.Error):
        both.duck.execute(text).fetchall()
    with pytest.raises(Exception, match="ARITHMETIC_OVERFLOW"):
        both.spark.sql(both.translated(text)).collect()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT x FROM range(1, 3, 0) AS v(x)",
        "SELECT x FROM range(DATE '2020-01-01', DATE '2020-01-03', INTERVAL 0 DAY) AS v(x)",
        "SELECT list_reduce(list_filter(l, lambda x: x > 9), lambda x, y: x + y) FROM t",
    ],
)
def test_a_step_of_zero_in_from_and_a_reduced_empty_list_are_errors_in_both(both: Both, text: str):
    with pytest.raises(duckdb.Error):
        both.duck.execute(text).fetchall()
    with pytest.raises(Exception, match=r"step other than 0|initial value"):
        both.spark.sql(both.translated(text)).collect()


@pytest.mark.parametrize(
    "series",
    [
        "generate_series(DATE '2020-01-31', DATE '2020-04-30', INTERVAL 1 MONTH)",
        "generate_series(DATE '2024-01-31', DATE '2024-03-30', INTERVAL 1 MONTH)",
        "range(DATE '2024-01-31', DATE '2024-03-30', INTERVAL 1 MONTH)",
        "generate_series(DATE '2024-03-31', DATE '2024-01-30', INTERVAL '-1 month')",
        "generate_series(DATE '2024-02-29', DATE '2028-02-28', INTERVAL 1 YEAR)",
        "range(TIMESTAMP '2020-12-31 01:00:00', TIMESTAMP '2020-10-30 01:00:00', INTERVAL '-1 month')",
    ],
)
def test_a_series_that_goes_on_behind_a_month_without_its_day_is_an_error(both: Both, series: str):
    with pytest.raises(Exception, match="up to the 28th"):
        both.spark.sql(both.translated(f"SELECT {series}")).collect()


def test_the_place_of_a_syntax_error_is_shown():
    with pytest.raises(SyntaxProblem) as problem:
        parse_duckdb("SELECT a\nFROM t WHERE WHERE b")
    assert problem.value.position == len("SELECT a\nFROM t WHERE ")


@pytest.mark.parametrize("text", ["", "  ", "SELECT 1; SELECT 2", "SELECT 'open"])
def test_only_one_whole_statement_is_read(text: str):
    with pytest.raises(SyntaxProblem):
        parse_duckdb(text)


def test_tables_stay_as_they_are_and_the_tree_given_is_not_changed():
    tree = parse_duckdb("FROM lake.main.t AS x, other.u SELECT DISTINCT ON (x.a) x.a, u.b WHERE x.l[1] = 1")
    before = tree.sql("duckdb")
    translated = to_spark(tree)
    assert tree.sql("duckdb") == before
    assert [table.sql() for table in translated.find_all(exp.Table)] == ["lake.main.t AS x", "other.u"]


def test_an_expression_is_translated_by_the_types_of_its_columns(spark: SparkSession):
    frame = spark.sql("SELECT ARRAY(5, 6) AS l, 'ab' AS s, 2.5D AS x, DATE '2020-01-02' AS d")
    columns = dict(frame.dtypes)
    text = "l[1] = 5 AND l[-1] = 6 AND len(l) = 2 AND len(s) = 2 AND x::INT = 2 AND d - DATE '2020-01-01' = 1"
    assert frame.where(expression_to_spark(text, columns)).count() == 1


def test_an_expression_needs_no_columns():
    assert expression_to_spark("a || 'it''s' IS NULL AND 'it''s' = 'x'").endswith("'it\\'s' = 'x'")


def test_a_text_beside_a_value_of_a_type_that_is_not_known_is_compared_with_texts_only():
    translated = expression_to_spark("a = 'x'")
    assert "TYPEOF(a)" in translated
    assert "RAISE_ERROR" in translated


def test_a_query_is_no_expression():
    with pytest.raises(SyntaxProblem, match="expression"):
        expression_to_spark("SELECT 1")


def test_a_summary_tells_of_each_column_what_duckdb_tells(both: Both):
    answer = both.duck.execute("SUMMARIZE people")
    names, expected = [column[0] for column in answer.description], answer.fetchall()
    found = both.spark.sql(summary_query({row[0]: row[1] for row in expected}, "people"))
    approximate = {"q25", "q50", "q75", "avg", "std"}
    kept = [place for place, name in enumerate(names) if name not in approximate]
    assert found.columns == names
    assert [[row[place] for place in kept] for row in found.collect()] == [
        [row[place] for place in kept] for row in expected
    ]
