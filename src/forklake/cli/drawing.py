"""Draws rows as a table on a terminal."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from forklake.cli.output import OutputRows, cell_text


def draw(rows: OutputRows, *, to_errors: bool = False) -> None:
    """Print the rows for people, to stdout or stderr."""
    console = Console(highlight=False, markup=False, stderr=to_errors)
    if not rows.rows:
        console.print(rows.nothing)
    else:
        console.print(_rich_table(rows))
    if rows.note:
        console.print(Text(rows.note, style="dim"))


def _rich_table(rows: OutputRows) -> Table:
    table = Table(box=SIMPLE_HEAD)
    for at, column in enumerate(rows.columns):
        is_number = any(isinstance(row[at], int | float) and not isinstance(row[at], bool) for row in rows.rows)
        # Paths are folded over several lines rather than truncated: part of a path is useless.
        table.add_column(Text(_printable(column)), justify="right" if is_number else "left", overflow="fold")
    for row in rows.rows if rows.drawn is None else rows.drawn:
        # Text, so that brackets in a name are not taken for markup.
        table.add_row(*(Text(_printable(cell_text(value, "seconds"))) for value in row))
    return table


def _printable(text: str) -> str:
    """Escape control characters, which could manipulate the terminal."""
    return "".join(each if each.isprintable() or each == "\n" else repr(each)[1:-1] for each in text)
