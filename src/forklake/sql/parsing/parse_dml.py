"""Parsers of DML statements and COPY."""

from forklake.errors import InvalidInput
from forklake.model.names import fold
from forklake.sql.parsing.cursor import Cursor, check_end, quoted_name
from forklake.sql.parsing.parse_session import at_clause, option_list
from forklake.sql.parsing.statements import Copy, Delete, Insert, Merge, MergeMatch, MergeWhen, Name, Truncate, Update

_QUERY_BEGINNINGS = ("SELECT", "VALUES", "WITH", "FROM", "TABLE")


def insert(cursor: Cursor) -> Insert:
    cursor.expect("INSERT")
    if cursor.next_is("OR"):
        raise InvalidInput("ON CONFLICT clause not yet supported for insertion into DuckLake table: use MERGE INTO")
    overwrite = cursor.accept("OVERWRITE")
    if not overwrite:
        cursor.expect("INTO")
    else:
        cursor.accept("INTO")
    if cursor.next_is("TABLE") and cursor.peek(1) != ".":
        cursor.accept("TABLE")
    name = cursor.dotted_name()
    by_name = cursor.accept("BY NAME")
    cursor.accept("BY POSITION")
    columns: tuple[str, ...] = ()
    if cursor.next_is("(") and cursor.peek(1) not in _QUERY_BEGINNINGS:
        columns = names_in_brackets(cursor)
    by_name = cursor.accept("BY NAME") or by_name
    if cursor.accept("DEFAULT VALUES"):
        return check_end(cursor, Insert(name, None, columns, overwrite=overwrite))
    if cursor.at_end:
        raise cursor.problem("Expected VALUES or a query")
    _refuse_clauses(cursor, "insertion into")
    return Insert(name, cursor.rest_of_text(), columns, by_name, overwrite)


def update(cursor: Cursor) -> Update:
    cursor.expect("UPDATE")
    name = cursor.dotted_name()
    alias = _alias(cursor, "SET")
    cursor.expect("SET")
    assignments = _assignments(cursor, alias or name[-1], "FROM", "WHERE", "RETURNING")
    sources = cursor.text_until("WHERE", "RETURNING") if cursor.accept("FROM") else None
    where = cursor.text_until("RETURNING") if cursor.accept("WHERE") else None
    _refuse_returning(cursor, "updates of")
    return check_end(cursor, Update(name, alias, assignments, sources, where))


def delete(cursor: Cursor) -> Delete:
    cursor.expect("DELETE FROM")
    name = cursor.dotted_name()
    alias = _alias(cursor, "USING", "WHERE", "RETURNING")
    sources = cursor.text_until("WHERE", "RETURNING") if cursor.accept("USING") else None
    where = cursor.text_until("RETURNING") if cursor.accept("WHERE") else None
    _refuse_returning(cursor, "deletion of")
    return check_end(cursor, Delete(name, alias, sources, where))


def truncate(cursor: Cursor) -> Truncate:
    cursor.expect("TRUNCATE")
    cursor.accept("TABLE")
    return check_end(cursor, Truncate(cursor.dotted_name()))


def merge(cursor: Cursor) -> Merge:
    cursor.expect("MERGE INTO")
    name = cursor.dotted_name()
    alias = _alias(cursor, "USING")
    cursor.expect("USING")
    target = alias or name[-1]
    source, table = (f"({cursor.in_brackets()})", ()) if cursor.next_is("(") else _merge_source(cursor)
    source_alias = _alias(cursor, "ON", "USING")
    columns = names_in_brackets(cursor) if source_alias is not None and cursor.next_is("(") else ()
    source_name = source_alias or (table[-1] if table else "source")
    on = _merge_condition(cursor, target, source_name)
    clauses = []
    while cursor.accept("WHEN"):
        clauses.append(_merge_clause(cursor, target))
    _refuse_returning(cursor, "merges into")
    named = table if table and source_alias is None else None
    return check_end(cursor, Merge(name, alias, source, source_name, on, tuple(clauses), named, columns))


def _merge_source(cursor: Cursor) -> tuple[str, Name]:
    """The text of a table or table function, including a time travel clause, and its name."""
    start = cursor.position
    name = cursor.dotted_name()
    if cursor.next_is("("):
        cursor.in_brackets()
    at_clause(cursor)
    return cursor.text[start : cursor.last_end], name


def _merge_condition(cursor: Cursor, target: str, source: str) -> str:
    if cursor.accept("USING"):
        sides = [quoted_name(side, cursor.dialect) for side in (target, source)]
        keys = [quoted_name(key, cursor.dialect) for key in names_in_brackets(cursor)]
        return " AND ".join(f"{sides[0]}.{key} = {sides[1]}.{key}" for key in keys)
    cursor.expect("ON")
    return cursor.text_until("WHEN MATCHED", "WHEN NOT MATCHED")


def _merge_clause(cursor: Cursor, target: str) -> MergeWhen:
    when: MergeMatch
    if cursor.accept("NOT MATCHED BY SOURCE"):
        when = "not matched by source"
    elif cursor.accept("NOT MATCHED BY TARGET") or cursor.accept("NOT MATCHED"):
        when = "not matched"
    else:
        cursor.expect("MATCHED")
        when = "matched"
    condition = cursor.text_until("THEN") if cursor.accept("AND") else None
    cursor.expect("THEN")
    if cursor.accept("DELETE"):
        return MergeWhen(when, "delete", condition)
    if cursor.accept("DO NOTHING"):
        return MergeWhen(when, "nothing", condition)
    if cursor.accept("UPDATE"):
        if cursor.accept("SET") and not cursor.accept("*"):
            values = _assignments(cursor, target, "WHEN MATCHED", "WHEN NOT MATCHED", "RETURNING")
            return MergeWhen(when, "update", condition, values)
        return MergeWhen(when, "update", condition, by_position=_is_by_position(cursor))
    cursor.expect("INSERT")
    if cursor.next_is("(") or cursor.next_is("VALUES"):
        return MergeWhen(when, "insert", condition, *_insert_values(cursor))
    cursor.accept("*")
    return MergeWhen(when, "insert", condition, by_position=_is_by_position(cursor))


def _is_by_position(cursor: Cursor) -> bool:
    """Whether a clause without values takes the columns of the source in their order, as DuckDB does unless told."""
    is_duckdb = cursor.dialect == "duckdb"
    by_name = cursor.accept("BY NAME")
    if not by_name and is_duckdb:
        cursor.accept("BY POSITION")
    cursor.accept("*")
    return is_duckdb and not by_name


def _insert_values(cursor: Cursor) -> tuple[tuple[tuple[str, str], ...] | None, tuple[str, ...] | None]:
    """The values with their columns, or in the order of the table's."""
    columns = names_in_brackets(cursor) if cursor.next_is("(") else None
    cursor.expect("VALUES")
    cursor.expect("(")
    values = [cursor.text_until(",")]
    while cursor.accept(","):
        values.append(cursor.text_until(","))
    cursor.expect(")")
    if columns is None:
        return None, tuple(values)
    if len(columns) != len(values):
        raise InvalidInput(f"INSERT names {len(columns)} columns but gives {len(values)} values.")
    return tuple(zip(columns, values, strict=True)), None


def copy(cursor: Cursor) -> Copy:
    cursor.expect("COPY")
    name: tuple[str, ...] = ()
    query = None
    columns: tuple[str, ...] = ()
    if cursor.next_is("("):
        query = cursor.in_brackets()
    else:
        name = cursor.dotted_name()
        columns = names_in_brackets(cursor) if cursor.next_is("(") else ()
    to_file = cursor.accept("TO")
    if not to_file:
        cursor.expect("FROM")
        if query is not None:
            raise InvalidInput("COPY FROM needs a table, not a query.")
    file = cursor.string()
    options = {} if cursor.at_end else option_list(cursor)
    return check_end(cursor, Copy(to_file, file, name, query, columns, options))


def names_in_brackets(cursor: Cursor) -> tuple[str, ...]:
    cursor.expect("(")
    names = [cursor.identifier()]
    while cursor.accept(","):
        names.append(cursor.identifier())
    cursor.expect(")")
    return tuple(names)


def _assignments(cursor: Cursor, target: str, *stops: str) -> tuple[tuple[str, str], ...]:
    assignments = []
    while True:
        *owner, column = cursor.dotted_name()
        if owner and fold(owner[-1]) != fold(target):
            raise InvalidInput(f"Cannot set {'.'.join([*owner, column])}: only whole columns can be set.")
        cursor.expect("=")
        assignments.append((column, cursor.text_until(",", *stops)))
        if not cursor.accept(","):
            return tuple(assignments)


def _alias(cursor: Cursor, *stops: str) -> str | None:
    if cursor.accept("AS"):
        return cursor.identifier()
    if cursor.at_end or any(cursor.next_is(stop) for stop in stops):
        return None
    return cursor.identifier()


def _refuse_returning(cursor: Cursor, what: str) -> None:
    if cursor.next_is("RETURNING"):
        raise InvalidInput(f"RETURNING clause not yet supported for {what} DuckLake table")


def _refuse_clauses(cursor: Cursor, what: str) -> None:
    if cursor.has_ahead("ON CONFLICT"):
        raise InvalidInput(f"ON CONFLICT clause not yet supported for {what} DuckLake table: use MERGE INTO")
    if cursor.has_ahead("RETURNING"):
        raise InvalidInput(f"RETURNING clause not yet supported for {what} DuckLake table")
