"""What a transaction does next: decided from what it sees and from chance alone."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from trust.history.picture import OPTION, Edit, Picture, apply, part_of, tables_in
from trust.history.records import Verb

COUNTER = "counter"
"""A table with one file, whose number of rows counts the commits that replaced it."""
MANY_FILES = 6
MOST_TABLES = 4
_ROWS = 10
_OPTION = "data_inlining_row_limit"


@dataclass(frozen=True, slots=True)
class Hand:
    """What a decision is made with: chance, and names that nobody else uses."""

    rng: random.Random
    tokens: Iterator[str]


Decision: TypeAlias = Callable[[Picture, str, Hand], list[Edit]]
"""Edits of one table; none, if there is nothing to do."""


def add_file(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    return [_new_file(table, hand, _ROWS) for _ in range(hand.rng.randint(1, 2))]


def add_rows(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    token = next(hand.tokens)
    return [Edit(f"{table}/row/{token}/{position}", None, 1) for position in range(hand.rng.randint(1, 3))]


def delete_from_file(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    files = {token: file for token, file in part_of(picture, "file", table).items() if file[2] < _ROWS - 3}
    if not files:
        return []
    token = hand.rng.choice(sorted(files))
    rows, _, deleted = files[token]
    after = [rows, next(hand.tokens), deleted + hand.rng.randint(1, 2)]
    return [Edit(f"{table}/file/{token}", files[token], after)]


def end_file(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    files = part_of(picture, "file", table)
    return [_removal(table, "file", token, files) for token in hand.rng.sample(sorted(files), min(1, len(files)))]


def delete_row(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    rows = part_of(picture, "row", table)
    return [_removal(table, "row", row, rows) for row in hand.rng.sample(sorted(rows), min(1, len(rows)))]


def replace_all(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    """As a merge does that finds something to update everywhere."""
    files = part_of(picture, "file", table)
    return [*(_removal(table, "file", token, files) for token in sorted(files)), _new_file(table, hand, _ROWS)]


def change_columns(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    columns = picture[f"{table}/columns"]
    if len(columns) > 3:
        after = [column for column in columns if column != hand.rng.choice(columns[1:])]
    else:
        after = [*columns, f"c_{next(hand.tokens)}"]
    return [Edit(f"{table}/columns", columns, after)] if after != columns else []


def rename(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    before = picture[f"{table}/name"]
    # Few names, so that two who want the same one meet.
    after = f"n{hand.rng.randint(0, 9)}"
    taken = {picture[f"{other}/name"] for other in tables_in(picture)}
    return [] if after in taken else [Edit(f"{table}/name", before, after)]


def drop(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    return [Edit(table, None, None)] if len(tables_in(picture)) > 2 else []


def create(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    name = f"n{hand.rng.randint(0, 9)}"
    if len(tables_in(picture)) > MOST_TABLES or name in {picture[f"{other}/name"] for other in tables_in(picture)}:
        return []
    token = next(hand.tokens)
    made = [Edit(f"{token}/name", None, name), Edit(f"{token}/columns", None, ["id"])]
    return [*made, *add_rows({}, token, hand)] if hand.rng.random() < 0.5 else made


def set_option(picture: Picture, table: str, hand: Hand) -> list[Edit]:
    key, after = f"{OPTION}/{_OPTION}", str(hand.rng.randint(1, 5))
    return [Edit(key, picture.get(key), after)] if picture.get(key) != after else []


_CHANGES: dict[Decision, int] = {
    add_file: 30,
    add_rows: 15,
    delete_from_file: 10,
    end_file: 6,
    delete_row: 6,
    replace_all: 4,
    change_columns: 4,
    rename: 3,
    drop: 2,
    create: 4,
    set_option: 3,
}


def decide_changes(picture: Picture, table: str, hand: Hand) -> tuple[Verb, list[Edit]]:
    """A few changes of a table, or a compaction when many files are there."""
    if hand.rng.random() < 0.5 and (compaction := _decide_compaction(picture, table, hand)) is not None:
        return compaction
    edits: list[Edit] = []
    for decision in hand.rng.choices(list(_CHANGES), [*_CHANGES.values()], k=hand.rng.choice((1, 1, 2, 3))):
        if f"{table}/name" in picture:
            more = decision(picture, table, hand)
            picture, _ = apply(picture, more)
            edits += more
    return "change", edits


def decide_count(picture: Picture, hand: Hand) -> list[Edit]:
    """Replace what was counted by one more: whoever does so on top of a value that is no longer there loses it."""
    files = part_of(picture, "file", COUNTER)
    [(token, (rows, _, _))] = files.items()
    return [_removal(COUNTER, "file", token, files), _new_file(COUNTER, hand, rows + 1)]


def _decide_compaction(picture: Picture, table: str, hand: Hand) -> tuple[Verb, list[Edit]] | None:
    files, rows = part_of(picture, "file", table), part_of(picture, "row", table)
    deleted = {token: file for token, file in files.items() if file[2]}
    if len(rows) > MANY_FILES:
        return "flush", [
            *(_removal(table, "row", row, rows) for row in sorted(rows)),
            _new_file(table, hand, len(rows)),
        ]
    if len(files) > MANY_FILES:
        return "merge", _moves(table, files, hand)
    return ("rewrite", _moves(table, deleted, hand)) if len(deleted) > 1 else None


def _moves(table: str, files: Picture, hand: Hand) -> list[Edit]:
    live = sum(file[0] - file[2] for file in files.values())
    return [*(_removal(table, "file", token, files) for token in sorted(files)), _new_file(table, hand, live)]


def _new_file(table: str, hand: Hand, rows: int) -> Edit:
    return Edit(f"{table}/file/{next(hand.tokens)}", None, [rows, "", 0])


def _removal(table: str, aspect: str, rest: str, there: Picture) -> Edit:
    return Edit(f"{table}/{aspect}/{rest}", there[rest], None)
