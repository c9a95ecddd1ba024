"""What a catalog shows at a snapshot, as a flat mapping, and changes of it as edits of single keys.

Keys: `<table>/name`, `<table>/columns`, `<table>/file/<token>`, `<table>/row/<token>/<position>`, `option/<name>`. A
table is known by the token of the transaction that made it, which is its comment; its name may change.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""Something that survives JSON: text, a number, or a list."""
Picture: TypeAlias = dict[str, Value]

OPTION = "option"


@dataclass(frozen=True, slots=True)
class Edit:
    """One key that gets another value; `None` is what is not there. A key without `/` is a whole table to drop."""

    key: str
    before: Value
    after: Value

    @property
    def is_drop(self) -> bool:
        return "/" not in self.key


def table_of(key: str) -> str:
    return key.split("/", 1)[0]


def tables_in(picture: Mapping[str, Value]) -> list[str]:
    return sorted(table_of(key) for key in picture if key.endswith("/name") and key.count("/") == 1)


def part_of(picture: Mapping[str, Value], aspect: str, table: str) -> Picture:
    """What a table has of one kind: `file` or `row`, by the rest of the key."""
    start = f"{table}/{aspect}/"
    return {key.removeprefix(start): value for key, value in picture.items() if key.startswith(start)}


def only_tables(picture: Picture, tables: Iterable[str] | None) -> Picture:
    """Without the rows of other tables; names, columns and options of all."""
    if tables is None:
        return picture
    kept = set(tables)
    return {key: value for key, value in picture.items() if _is_definition(key) or table_of(key) in kept}


def _is_definition(key: str) -> bool:
    return key.startswith(f"{OPTION}/") or key.split("/")[1] in ("name", "columns")


def apply(picture: Mapping[str, Value], edits: Iterable[Edit]) -> tuple[Picture, list[str]]:
    """The picture after the edits, and what does not fit: an edit of what is no longer as it was seen."""
    now, wrong = dict(picture), []
    edits = list(edits)
    # What a transaction did to rows of a table before it dropped it counts for nothing.
    dropped = {edit.key for edit in edits if edit.is_drop}
    for edit in edits:
        if edit.is_drop:
            if f"{edit.key}/name" not in now:
                wrong.append(f"it drops the table {edit.key}, which is not there")
            now = {key: value for key, value in now.items() if table_of(key) != edit.key}
            continue
        if (problem := _misfit(now, edit)) is not None and table_of(edit.key) not in dropped:
            wrong.append(problem)
        if edit.after is None:
            now.pop(edit.key, None)
        else:
            now[edit.key] = edit.after
    return now, wrong


def _misfit(now: Picture, edit: Edit) -> str | None:
    table, _, aspect = edit.key.partition("/")
    if table == OPTION:
        return None  # the last one counts, whatever it was before
    if now.get(edit.key) != edit.before:
        return f"it makes {edit.after} of {edit.key}, which it saw as {edit.before}, but which was {now.get(edit.key)}"
    if aspect != "name" and f"{table}/name" not in now:
        return f"it changes {edit.key} of a table that is not there"
    if aspect == "name" and edit.after in (now[f"{other}/name"] for other in tables_in(now) if other != table):
        return f"it names a second table {edit.after}"
    return None


def difference(expected: Mapping[str, Value], found: Mapping[str, Value], limit: int = 4) -> str:
    """Where two pictures differ, in a few words."""
    keys = sorted(key for key in {*expected, *found} if expected.get(key) != found.get(key))
    told = [f"{key} is {found.get(key)} instead of {expected.get(key)}" for key in keys[:limit]]
    return "; ".join([*told, *([f"and {len(keys) - limit} more"] if len(keys) > limit else [])])


def has_effect(edits: Iterable[Edit]) -> bool:
    """Whether something must have come of them, whatever others did: options may be set to what they are."""
    before: Picture = {}
    after: Picture = {}
    for edit in edits:
        if edit.is_drop:
            if before.get(f"{edit.key}/name", "there") is not None:
                return True
            after = {key: value for key, value in after.items() if table_of(key) != edit.key}
        elif table_of(edit.key) != OPTION:
            before.setdefault(edit.key, edit.before)
            after[edit.key] = edit.after
    return any(value != before[key] for key, value in after.items())
