"""Parsers of CREATE, ALTER, DROP and COMMENT."""

from collections.abc import Mapping
from contextlib import suppress

from sqlglot import exp
from sqlglot.errors import SqlglotError

from forklake.errors import InvalidChange
from forklake.model.table_alterations import DropColumn, MoveColumn, RenameColumn, SetNotNull, SetPartitioning
from forklake.sql.parsing.cursor import Cursor, check_end, parse_text, syntax_problem, tokens_of
from forklake.sql.parsing.statements import (
    AddColumnText,
    AlterationText,
    AlterTable,
    AlterView,
    ColumnText,
    Comment,
    CommentKind,
    CreateMacro,
    CreateSchema,
    CreateTable,
    CreateView,
    Drop,
    DropKind,
    MacroText,
    Name,
    RenameTo,
    SetDefaultText,
    SetSortingText,
    SetTypeText,
    SortText,
    Statement,
)

_COLUMN_ENDS = (
    ",",
    "NOT NULL",
    "NULL",
    "DEFAULT",
    "COMMENT",
    "PRIMARY KEY",
    "UNIQUE",
    "CHECK",
    "REFERENCES",
    "GENERATED",
    "CONSTRAINT",
)
_REFUSED = {
    "PRIMARY KEY": "PRIMARY KEY/UNIQUE constraints are not supported in DuckLake",
    "UNIQUE": "PRIMARY KEY/UNIQUE constraints are not supported in DuckLake",
    "CHECK": "CHECK constraints are not supported in DuckLake",
    "FOREIGN KEY": "FOREIGN KEY constraints are not supported in DuckLake",
    "REFERENCES": "FOREIGN KEY constraints are not supported in DuckLake",
    "GENERATED": "DuckLake does not support generated columns",
    "CONSTRAINT": "Constraints with names are not supported in DuckLake",
}


_DROPPED: Mapping[str, DropKind] = {
    "SCHEMA": "schema",
    "TABLE": "table",
    "VIEW": "view",
    "MACRO TABLE": "macro table",
    "MACRO": "macro",
    "FUNCTION": "macro",
}
_COMMENTED: Mapping[str, CommentKind] = {
    "TABLE": "table",
    "VIEW": "view",
    "COLUMN": "column",
    "SCHEMA": "schema",
    "DATABASE": "schema",
    "MACRO TABLE": "macro",
    "MACRO": "macro",
    "FUNCTION": "macro",
}


def create(cursor: Cursor) -> Statement:
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR REPLACE")
    for refused in ("INDEX", "SEQUENCE", "TYPE"):
        if cursor.next_is(refused):
            plural = {"INDEX": "indexes", "SEQUENCE": "sequences", "TYPE": "user-defined types"}[refused]
            raise InvalidChange(f"DuckLake does not support {plural}")
    if cursor.accept("SCHEMA") or cursor.accept("DATABASE"):
        if_not_exists = cursor.accept("IF NOT EXISTS")
        return check_end(cursor, CreateSchema(cursor.dotted_name(), if_not_exists))
    if cursor.accept("TABLE"):
        return _create_table(cursor, or_replace)
    if cursor.accept("VIEW"):
        return _create_view(cursor, or_replace)
    if cursor.accept("MACRO") or cursor.accept("FUNCTION"):
        return _create_macro(cursor, or_replace)
    raise cursor.problem("Expected SCHEMA, TABLE, VIEW or MACRO")


def _create_table(cursor: Cursor, or_replace: bool) -> CreateTable:
    if_not_exists = cursor.accept("IF NOT EXISTS")
    name = cursor.dotted_name()
    columns = _column_list(cursor) if cursor.next_is("(") else ()
    partitioned_by: tuple[tuple[str, str], ...] = ()
    sorted_by: tuple[SortText, ...] = ()
    comment = None
    while not cursor.at_end and not cursor.next_is("AS"):
        if cursor.accept("PARTITIONED BY") or cursor.accept("PARTITION BY"):
            partitioned_by = partition_keys(cursor)
        elif cursor.accept("SORTED BY") or cursor.accept("CLUSTER BY"):
            sorted_by = sort_texts(cursor)
        elif cursor.accept("COMMENT"):
            cursor.accept("=")
            comment = cursor.string()
        elif cursor.accept("USING"):
            if cursor.identifier().lower() not in ("forklake", "ducklake", "parquet"):
                raise cursor.problem("Tables are kept as Parquet: expected USING forklake before")
        else:
            raise cursor.problem("Expected PARTITIONED BY, SORTED BY, COMMENT or AS")
    query, with_data = None, True
    if cursor.accept("AS"):
        query, with_data = _query_with_data(cursor)
    elif not columns:
        raise cursor.problem("Expected columns, or AS and a query")
    return CreateTable(name, columns, partitioned_by, sorted_by, comment, query, with_data, or_replace, if_not_exists)


def _query_with_data(cursor: Cursor) -> tuple[str, bool]:
    text = cursor.rest_of_text()
    tokens = tokens_of(text, cursor.dialect)
    for ending, with_data in ((["WITH", "NO", "DATA"], False), (["WITH", "DATA"], True)):
        last = tokens[-len(ending) :]
        if [text[token.start : token.end + 1].upper() for token in last] == ending:
            return text[: last[0].start].rstrip(), with_data
    return text, True


def _column_list(cursor: Cursor) -> tuple[ColumnText, ...]:
    cursor.expect("(")
    columns = []
    while True:
        if cursor.peek() in _REFUSED:
            raise InvalidChange(_REFUSED[cursor.peek()])
        columns.append(_column_definition(cursor, cursor.identifier()))
        if cursor.accept(")"):
            return tuple(columns)
        cursor.expect(",")


def _column_definition(cursor: Cursor, name: str) -> ColumnText:
    """The rest of a column definition after its name."""
    type_text = "" if cursor.peek() in (",", ")") else cursor.type_until(*_COLUMN_ENDS, "AFTER", "FIRST")
    nullable, default, comment = True, None, None
    while not cursor.at_end and cursor.peek() not in (",", ")", "AFTER", "FIRST"):
        if cursor.accept("NOT NULL"):
            nullable = False
        elif cursor.accept("NULL"):
            nullable = True
        elif cursor.accept("DEFAULT"):
            default = cursor.text_until(*_COLUMN_ENDS, "AFTER", "FIRST", first="NULL")
        elif cursor.accept("COMMENT"):
            comment = cursor.string()
        elif cursor.peek() in _REFUSED:
            raise InvalidChange(_REFUSED[cursor.peek()])
        else:
            raise cursor.problem("Expected NOT NULL, DEFAULT or COMMENT")
    return ColumnText(name, type_text, nullable, default, comment)


def partition_keys(cursor: Cursor) -> tuple[tuple[str, str], ...]:
    """Keys in brackets: a column, or a transform of one."""
    cursor.expect("(")
    keys = []
    while True:
        name = cursor.dotted_name()
        if cursor.next_is("("):
            keys.append(_partition_transform(cursor, name[-1].lower()))
        else:
            keys.append((_unqualified_name(cursor, name), "identity"))
        if cursor.accept(")"):
            return tuple(keys)
        cursor.expect(",")


def _partition_transform(cursor: Cursor, function: str) -> tuple[str, str]:
    cursor.expect("(")
    if function != "bucket":
        column = _unqualified_name(cursor, cursor.dotted_name())
        cursor.expect(")")
        return column, function
    sign = "-" if cursor.accept("-") else ""
    count = f"{sign}{cursor.number()}"
    cursor.expect(",")
    column = _unqualified_name(cursor, cursor.dotted_name())
    cursor.expect(")")
    return column, f"bucket({count})"


def _unqualified_name(cursor: Cursor, name: Name) -> str:
    if len(name) > 1:
        raise InvalidChange(f"Unexpected qualified column reference {'.'.join(name)}: partition keys are columns")
    return name[0]


def sort_texts(cursor: Cursor) -> tuple[SortText, ...]:
    """Keys in brackets: expressions, each with its direction and the place of NULLs."""
    cursor.expect("(")
    keys = []
    while True:
        expression = _sort_expression(cursor)
        descending = cursor.accept("DESC")
        cursor.accept("ASC")
        nulls_first = True if cursor.accept("NULLS FIRST") else False if cursor.accept("NULLS LAST") else None
        keys.append(SortText(expression.strip(), descending, nulls_first))
        if cursor.accept(")"):
            return tuple(keys)
        cursor.expect(",")


def _sort_expression(cursor: Cursor) -> str:
    """An expression without alias: Spark and sqlglot would take a misspelt DESC for one, and sort ascending."""
    start = cursor.position
    expression = cursor.text_until(",", "ASC", "DESC", "NULLS FIRST", "NULLS LAST")
    with suppress(SqlglotError):
        if isinstance(parse_text(expression, cursor.dialect), exp.Alias):
            last = tokens_of(expression, cursor.dialect)[-1]
            expected = "Expected ASC, DESC, NULLS FIRST, NULLS LAST or the end of the sort key"
            raise syntax_problem(f"{expected}, not {last.text!r}.", cursor.text, start + last.start)
    return expression


def _create_view(cursor: Cursor, or_replace: bool) -> CreateView:
    if_not_exists = cursor.accept("IF NOT EXISTS")
    name = cursor.dotted_name()
    aliases: list[str] = []
    if cursor.accept("("):
        aliases.append(cursor.identifier())
        while cursor.accept(","):
            aliases.append(cursor.identifier())
        cursor.expect(")")
    comment = cursor.string() if cursor.accept("COMMENT") else None
    cursor.expect("AS")
    return CreateView(name, cursor.rest_of_text(), tuple(aliases), comment, or_replace, if_not_exists)


def _create_macro(cursor: Cursor, or_replace: bool) -> CreateMacro:
    if_not_exists = cursor.accept("IF NOT EXISTS")
    name = cursor.dotted_name()
    implementations = [_macro_implementation(cursor)]
    while cursor.accept(","):
        implementations.append(_macro_implementation(cursor))
    return check_end(cursor, CreateMacro(name, tuple(implementations), or_replace, if_not_exists))


def _macro_implementation(cursor: Cursor) -> MacroText:
    cursor.expect("(")
    parameters: list[tuple[str, str | None]] = []
    while not cursor.accept(")"):
        parameter = cursor.identifier()
        default = cursor.text_until(",") if cursor.accept(":=") or cursor.accept("=>") else None
        parameters.append((parameter, default))
        if not cursor.accept(",") and cursor.peek() != ")":
            raise cursor.problem("Expected , or )")
    cursor.expect("AS")
    is_table = cursor.accept("TABLE")
    # The next implementation begins with a comma and its parameters.
    return MacroText(tuple(parameters), cursor.text_until(", ("), is_table)


def drop(cursor: Cursor) -> Drop:
    cursor.expect("DROP")
    kind = next((kind for words, kind in _DROPPED.items() if cursor.accept(words)), None)
    if kind is None:
        raise cursor.problem("Expected SCHEMA, TABLE, VIEW, MACRO, CATALOG or SECRET")
    if_exists = cursor.accept("IF EXISTS")
    name = cursor.dotted_name()
    cascade = cursor.accept("CASCADE")
    cursor.accept("RESTRICT")
    return check_end(cursor, Drop(kind, name, if_exists, cascade))


def alter(cursor: Cursor) -> Statement:
    cursor.expect("ALTER")
    if cursor.accept("VIEW"):
        if_exists = cursor.accept("IF EXISTS")
        name = cursor.dotted_name()
        cursor.expect("RENAME TO")
        return check_end(cursor, AlterView(name, cursor.identifier(), if_exists))
    cursor.expect("TABLE")
    if_exists = cursor.accept("IF EXISTS")
    name = cursor.dotted_name()
    alterations = [*_alteration(cursor)]
    while cursor.accept(","):
        alterations += _alteration(cursor)
    return check_end(cursor, AlterTable(name, tuple(alterations), if_exists))


def _alteration(cursor: Cursor) -> list[AlterationText | RenameTo]:
    if cursor.accept("ADD COLUMNS"):
        return _added_columns(cursor)
    if cursor.accept("ADD"):
        cursor.accept("COLUMN")
        return [_added_column(cursor)]
    if cursor.accept("DROP COLUMNS"):
        cursor.expect("(")
        dropped: list[AlterationText | RenameTo] = [DropColumn(cursor.dotted_name())]
        while cursor.accept(","):
            dropped.append(DropColumn(cursor.dotted_name()))
        cursor.expect(")")
        return dropped
    if cursor.accept("DROP"):
        cursor.accept("COLUMN")
        if_exists = cursor.accept("IF EXISTS")
        return [DropColumn(cursor.dotted_name(), if_exists)]
    if cursor.accept("RENAME TO"):
        return [RenameTo(cursor.identifier())]
    if cursor.accept("RENAME"):
        cursor.accept("COLUMN")
        path = cursor.dotted_name()
        cursor.expect("TO")
        return [RenameColumn(path, cursor.identifier())]
    if cursor.accept("SET PARTITIONED BY"):
        return [SetPartitioning(partition_keys(cursor))]
    if cursor.accept("RESET PARTITIONED BY"):
        return [SetPartitioning(())]
    if cursor.accept("SET SORTED BY"):
        return [SetSortingText(sort_texts(cursor))]
    if cursor.accept("RESET SORTED BY"):
        return [SetSortingText(())]
    if cursor.accept("ALTER") or cursor.accept("CHANGE"):
        cursor.accept("COLUMN")
        return [_altered_column(cursor)]
    raise cursor.problem("Unsupported ALTER TABLE type in DuckLake: expected ADD, DROP, RENAME, ALTER, SET or RESET")


def _added_columns(cursor: Cursor) -> list[AlterationText | RenameTo]:
    cursor.expect("(")
    added: list[AlterationText | RenameTo] = []
    while True:
        added.append(_added_column(cursor))
        if cursor.accept(")"):
            return added
        cursor.expect(",")


def _added_column(cursor: Cursor) -> AddColumnText:
    if_not_exists = cursor.accept("IF NOT EXISTS")
    path = cursor.dotted_name()
    column = _column_definition(cursor, path[-1])
    first = cursor.accept("FIRST")
    after = cursor.identifier() if cursor.accept("AFTER") else None
    return AddColumnText(path, column, if_not_exists, after, first)


def _altered_column(cursor: Cursor) -> AlterationText:
    path = cursor.dotted_name()
    if cursor.accept("SET DATA TYPE") or cursor.accept("TYPE"):
        new_type = cursor.type_until(",", "USING")
        if cursor.next_is("USING"):
            raise InvalidChange("Column type cannot be modified using an expression")
        return SetTypeText(path, new_type)
    if cursor.accept("SET DEFAULT"):
        return SetDefaultText(path, cursor.text_until(","))
    if cursor.accept("DROP DEFAULT"):
        return SetDefaultText(path, None)
    if cursor.accept("SET NOT NULL"):
        return SetNotNull(path, True)
    if cursor.accept("DROP NOT NULL"):
        return SetNotNull(path, False)
    if cursor.accept("FIRST"):
        return MoveColumn(path, None)
    if cursor.accept("AFTER"):
        return MoveColumn(path, cursor.identifier())
    raise cursor.problem("Expected SET DATA TYPE, SET or DROP DEFAULT, SET or DROP NOT NULL, FIRST or AFTER")


def comment(cursor: Cursor) -> Comment:
    cursor.expect("COMMENT ON")
    kind = next((kind for words, kind in _COMMENTED.items() if cursor.accept(words)), None)
    if kind is None:
        raise cursor.problem("Expected TABLE, VIEW, COLUMN, SCHEMA or MACRO")
    name = cursor.dotted_name()
    cursor.expect("IS")
    text = None if cursor.accept("NULL") else cursor.string()
    return check_end(cursor, Comment(kind, name, text))
