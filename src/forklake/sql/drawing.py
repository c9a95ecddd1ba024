"""Rows drawn as a table, for people."""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from html import escape
from unicodedata import east_asian_width

import pyarrow as pa
import pyarrow.types as pt

from forklake.errors import InvalidType
from forklake.spark.type_in_arrow import type_in_arrow
from forklake.sql.arrow_rows import shown_columns

_WIDEST = 40
_NUMBERS: Sequence[Callable[[pa.DataType], bool]] = (pt.is_integer, pt.is_floating, pt.is_decimal)


def drawn(table: pa.Table, rows: int, *, more: bool = False) -> str:
    """The first rows in a box, with the types below the names; `more` says that the table is only a beginning."""
    if not table.num_columns:
        return "no rows"
    titles, kinds, cells = table.column_names, _kinds(table), _cells(table, rows)
    columns = list(zip(map(_cut, titles), map(_cut, kinds), *cells, strict=True))
    widths = [max(map(_width, column)) for column in columns]
    to_right = [any(is_number(kind) for is_number in _NUMBERS) for kind in table.schema.types]
    lines = [_rule("┌┬┐", widths)]
    lines += [
        _line([_centred(text, width) for text, width in zip(row, widths, strict=True)]) for row in (titles, kinds)
    ]
    lines.append(_rule("├┼┤", widths))
    for row in cells:
        lines.append(_line([_padded(*cell) for cell in zip(row, widths, to_right, strict=True)]))
    return "\n".join([*lines, _rule("└┴┘", widths), _count(table.num_rows, rows, more)])


def drawn_as_html(table: pa.Table, rows: int, *, more: bool = False) -> str:
    """The same for a notebook."""
    heads = "".join(
        f"<th>{escape(title)}<br><small>{escape(kind)}</small></th>"
        for title, kind in zip(table.column_names, _kinds(table), strict=True)
    )
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in _cells(table, rows)
    )
    note = escape(_count(table.num_rows, rows, more).strip())
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table><p>{note}</p>"


def _kinds(table: pa.Table) -> list[str]:
    return [_kind(kind) for kind in table.schema.types]


def _kind(kind: pa.DataType) -> str:
    try:
        found = type_in_arrow(kind)
    except InvalidType:
        # A query may give what no table can hold.
        found = None
    return str(kind) if found is None else found.sql().lower()


def _cells(table: pa.Table, rows: int) -> list[tuple[str, ...]]:
    first = table.slice(0, rows)
    return list(zip(*([_cut(shown_text(value)) for value in column] for column in shown_columns(first)), strict=True))


def shown_text(value: object) -> str:
    """A value as people read it."""
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
            return "[" + ", ".join(map(_pair, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{name}: {shown_text(item)}" for name, item in value.items()) + "}"
    return str(value)


def _pair(item: object) -> str:
    """An entry of a list; those of maps come as pairs."""
    return f"{shown_text(item[0])}: {shown_text(item[1])}" if isinstance(item, tuple) else shown_text(item)


def _cut(text: str) -> str:
    """A text on one line, and not too long."""
    plain = "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text[: _WIDEST + 1]
    )
    while _width(plain) > _WIDEST:
        plain = plain[: -2 if plain.endswith("…") else -1] + "…"
    return plain


def _width(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _rule(corners: str, widths: Sequence[int]) -> str:
    return corners[0] + corners[1].join("─" * (width + 2) for width in widths) + corners[2]


def _line(cells: Sequence[str]) -> str:
    return "│" + "│".join(f" {cell} " for cell in cells) + "│"


def _centred(text: str, width: int) -> str:
    before = (width - _width(text := _cut(text))) // 2
    return " " * before + text + " " * (width - _width(text) - before)


def _padded(text: str, width: int, to_right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if to_right else text + space


def _count(found: int, shown: int, more: bool) -> str:
    if more:
        return f"  first {shown:,} rows, and there are more"
    rows = "1 row" if found == 1 else f"{found:,} rows"
    return f"  {rows}" if found <= shown else f"  {rows}, {shown:,} of them shown"
