"""Draws rows as a table for people."""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from html import escape

import pyarrow as pa
import pyarrow.types as pt
from rich.box import SQUARE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from forklake.errors import InvalidType
from forklake.spark.values.arrow_type import type_in_arrow
from forklake.sql.results.arrow_rows import shown_columns

_WIDEST = 40
_ANY_WIDTH = 1_000_000
_NUMBERS: Sequence[Callable[[pa.DataType], bool]] = (pt.is_integer, pt.is_floating, pt.is_decimal)


def draw_table(table: pa.Table, rows: int, *, more: bool = False) -> str:
    """The first rows in a box, with types below the names; `more` means that the table is truncated."""
    if not table.num_columns:
        return "no rows"
    box = Table(box=SQUARE)
    for title, kind, type_ in zip(table.column_names, _type_names(table), table.schema.types, strict=True):
        is_number = any(is_of_kind(type_) for is_of_kind in _NUMBERS)
        head = Text(f"{_cut_to_width(title)}\n{_cut_to_width(kind)}", justify="center")
        box.add_column(head, justify="right" if is_number else "left", no_wrap=True)
    for row in _cell_texts(table, rows):
        box.add_row(*map(Text, row))
    # Full width: the terminal wraps what it cannot show. Plain text, without colours or markup.
    console = Console(width=_ANY_WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    with console.capture() as captured:
        console.print(box)
    return captured.get() + _row_count_line(table.num_rows, rows, more)


def draw_table_as_html(table: pa.Table, rows: int, *, more: bool = False) -> str:
    """The first rows as an HTML table, for notebooks."""
    heads = "".join(
        f"<th>{escape(title)}<br><small>{escape(kind)}</small></th>"
        for title, kind in zip(table.column_names, _type_names(table), strict=True)
    )
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in _cell_texts(table, rows)
    )
    note = escape(_row_count_line(table.num_rows, rows, more).strip())
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table><p>{note}</p>"


def _type_names(table: pa.Table) -> list[str]:
    return [_type_name(kind) for kind in table.schema.types]


def _type_name(kind: pa.DataType) -> str:
    try:
        found = type_in_arrow(kind)
    except InvalidType:
        # A query may return types that no table can store.
        found = None
    return str(kind) if found is None else found.sql().lower()


def _cell_texts(table: pa.Table, rows: int) -> list[tuple[str, ...]]:
    first = table.slice(0, rows)
    return list(
        zip(*([_cut_to_width(shown_text(value)) for value in column] for column in shown_columns(first)), strict=True)
    )


def shown_text(value: object) -> str:
    """A value as displayed to people."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case str():
            return value
        case datetime():
            return value.isoformat(" ")
        case Decimal():
            return format(value, "f")
        case bytes():
            return value.hex(" ")
        case list():
            return "[" + ", ".join(map(_entry_text, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{name}: {shown_text(item)}" for name, item in value.items()) + "}"
    return str(value)


def _entry_text(item: object) -> str:
    """An entry of a list; entries of maps are pairs."""
    return f"{shown_text(item[0])}: {shown_text(item[1])}" if isinstance(item, tuple) else shown_text(item)


def _cut_to_width(text: str) -> str:
    """Text on one line, truncated to the maximum width."""
    plain = "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text[: _WIDEST + 1]
    )
    cut = Text(plain)
    cut.truncate(_WIDEST, overflow="ellipsis")
    return cut.plain


def _row_count_line(found: int, shown: int, more: bool) -> str:
    if more:
        return f"  first {shown:,} rows, and there are more"
    rows = "1 row" if found == 1 else f"{found:,} rows"
    return f"  {rows}" if found <= shown else f"  {rows}, {shown:,} of them shown"
