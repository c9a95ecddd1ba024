"""Results drawn for people."""

from decimal import Decimal

import pyarrow as pa
import pytest

from forklake.sql.results.result import Result

ORDERS = pa.table(
    {
        "id": pa.array([1, 22, None], pa.int64()),
        "item": ["pen", "日本\n2", "x" * 80],
        "price": pa.array([Decimal("1.50"), None, Decimal("7.00")], pa.decimal128(10, 2)),
    }
)


def shown(result: Result, capsys: pytest.CaptureFixture[str], rows: int = 20) -> list[str]:
    result.show(rows)
    return capsys.readouterr().out.splitlines()


def test_numbers_stand_right_types_below_names_and_long_values_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    cut = "x" * 39 + "…"
    assert shown(Result(ORDERS), capsys) == [
        "┌────────┬──────────────────────────────────────────┬───────────────┐",
        "│   id   │                   item                   │     price     │",
        "│ bigint │                 varchar                  │ decimal(10,2) │",
        "├────────┼──────────────────────────────────────────┼───────────────┤",
        "│      1 │ pen                                      │          1.50 │",
        "│     22 │ 日本\\n2                                  │          NULL │",
        f"│   NULL │ {cut} │          7.00 │",
        "└────────┴──────────────────────────────────────────┴───────────────┘",
        "  3 rows",
    ]


def test_a_result_says_how_many_rows_it_does_not_show(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(Result(ORDERS), capsys, rows=2)
    assert lines[-1] == "  3 rows, 2 of them shown"
    assert len(lines) == 8


def test_a_result_without_columns_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(Result(pa.table({})), capsys) == ["no rows"]


def test_nested_values_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    table = pa.table(
        {
            "l": [[1, None]],
            "s": [{"a": True, "b": "x"}],
            "m": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
            "b": [b"\x00\xff"],
        }
    )
    assert (
        shown(Result(table), capsys)[4] == "│ [1, NULL] │ {a: true, b: x}              │ [k: 1]               │ 00 ff │"
    )


def test_a_notebook_gets_html_in_which_nothing_is_markup() -> None:
    html = Result(pa.table({"<b>": ["<script>"]}))._repr_html_()
    assert "<th>&lt;b&gt;<br><small>varchar</small></th>" in html
    assert "<td>&lt;script&gt;</td>" in html
    assert html.endswith("<p>1 row</p>")
