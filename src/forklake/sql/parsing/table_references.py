"""Table references of a query, with their positions in the text."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from forklake.sql.parsing.cursor import Cursor, parse_text, quoted_name, tokens_of
from forklake.sql.parsing.parse_session import at_clause
from forklake.sql.parsing.statements import Name, PointInPast

_TRAVEL = "__forklake_at_"


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in FROM, from `start` to `end` of the text. With arguments it is a function."""

    name: Name
    start: int
    end: int
    node: exp.Table
    at: PointInPast | None = None
    stands_for: Name | None = None
    """The table whose rows these are; columns may be qualified by its name although it has an alias here."""

    @property
    def alias(self) -> str | None:
        return self.node.alias or None

    @property
    def arguments(self) -> list[exp.Expr] | None:
        return self.node.this.expressions if isinstance(self.node.this, exp.Func) else None

    @property
    def end_of_name(self) -> int:
        """End of the name, before the arguments."""
        return int(self.node.this.meta["end"]) + 1


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query with its time travel clauses cut out, as a tree and with its references."""

    text: str
    tree: exp.Expr | None
    """None if sqlglot cannot parse it; Spark may."""
    references: tuple[Reference, ...]


def parse_query(text: str, dialect: str, expand: Callable[[str], str] = str) -> ParsedQuery:
    """Find the references of a query, except those to its own CTEs; `expand` may replace macros first."""
    plain, travels = _cut_time_travel(_as_select(text), dialect)
    plain = expand(plain)
    try:
        tree = parse_text(plain, dialect)
    except SqlglotError:
        return ParsedQuery(plain, None, ())
    references = tuple(_find_references(plain, tree, travels, dialect))
    if isinstance(tree, exp.Command) or _has_unseen_tables(plain, tree, references, dialect):
        return ParsedQuery(plain, None, ())
    return ParsedQuery(plain, tree, references)


def _as_select(text: str) -> str:
    """TABLE name is short for SELECT * FROM name."""
    found = re.match(r"\s*TABLE\s+(.*)", text, re.IGNORECASE | re.DOTALL)
    return f"SELECT * FROM {found[1]}" if found else text


def _has_unseen_tables(text: str, tree: exp.Expr, references: Sequence[Reference], dialect: str) -> bool:
    """Whether TABLE precedes something not parsed as a table; sqlglot may parse TABLE itself as a name."""
    if "TABLE" not in text.upper():
        return False
    seen = {reference.start for reference in references}
    names = (name for name in tree.find_all(exp.Identifier) if not isinstance(name.parent, exp.Table))
    columns = {name.meta.get("start") for name in names}
    tokens = tokens_of(text, dialect)
    return any(
        before.text.upper() == "TABLE" and (token.text == "(" or is_name(token)) and token.start not in seen
        for first, before, token in zip([None, *tokens], tokens, tokens[1:], strict=False)
        if before.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
        # Where a query may begin, sqlglot takes the word for a column as well.
        and (before.start not in columns or first is None or first.text.upper() in _BEFORE_QUERIES)
    )


_BEFORE_QUERIES = frozenset({"(", "UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS"})


def _find_references(
    text: str, tree: exp.Expr, travels: Mapping[str, tuple[Name, PointInPast]], dialect: str
) -> Iterator[Reference]:
    for node in tree.find_all(exp.Table):
        name, start, end = _name_and_place(text, node, dialect)
        if not name:
            continue
        if len(name) == 1 and name[0] in travels:
            travelled, at = travels[name[0]]
            yield Reference(travelled, start, end, node, at)
        elif len(name) > 1 or isinstance(node.this, exp.Func) or not _is_cte(node, name[0]):
            yield Reference(name, start, end, node)


def _name_and_place(text: str, node: exp.Table, dialect: str) -> tuple[Name, int, int]:
    parts = [part for part in (node.args.get("catalog"), node.args.get("db"), node.this) if part is not None]
    if any(not isinstance(part, exp.Expr) or "start" not in part.meta for part in parts):
        return (), 0, 0
    name = tuple(part.name for part in parts)
    start = parts[0].meta["start"]
    end = parts[-1].meta["end"] + 1
    if isinstance(node.this, exp.Func):
        end = end_of_brackets(text, end, dialect)
    return name, start, end


def alias_place(text: str, reference: Reference, dialect: str) -> int:
    """Position for an alias of the name: in Spark after its sample clause, in DuckDB before it."""
    if dialect == "duckdb" or reference.node.args.get("sample") is None:
        return reference.end
    end = end_of_brackets(text, reference.end, dialect)
    repeatable = Cursor(text[end:], dialect).next_is("REPEATABLE")
    return end_of_brackets(text, end, dialect) if repeatable else end


def alias_edits(text: str, reference: Reference, dialect: str) -> list[tuple[int, int, str]]:
    """Edits that keep the name usable as a qualifier when the reference is replaced."""
    if reference.alias:
        return []
    place = alias_place(text, reference, dialect)
    return [(place, place, f" AS {quoted_name(reference.name[-1], dialect)}")]


def argument_name(argument: exp.Expr) -> str | None:
    """The lowercase name of an argument given by name; None if positional."""
    return argument.this.name.lower() if isinstance(argument, exp.Kwarg | exp.PropertyEQ) else None


def argument_places(text: str, reference: Reference, dialect: str) -> list[tuple[int, int]]:
    """Start and end of each argument of a function."""
    start, depth = reference.end_of_name, 0
    tokens: list[list[Token]] = [[]]
    for token in tokens_of(text[start : reference.end], dialect):
        is_text = token.token_type == TokenType.STRING
        depth -= not is_text and token.text in (")", "]", "}")
        if depth == 1 and token.token_type == TokenType.COMMA:
            tokens.append([])
        elif depth >= 1:
            tokens[-1].append(token)
        depth += not is_text and token.text in ("(", "[", "{")
    return [(start + found[0].start, start + found[-1].end + 1) for found in tokens if found]


def end_of_brackets(text: str, start: int, dialect: str) -> int:
    """End of the next brackets at or after a position."""
    depth = 0
    for token in tokens_of(text[start:], dialect):
        if token.token_type == TokenType.STRING:
            continue
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.text == ")":
            return start + token.end + 1
    return len(text)


def _is_cte(node: exp.Expr, name: str) -> bool:
    """Whether an enclosing WITH defines the name. A definition sees those before it, but not itself."""
    inside, above = node, node.parent
    while above is not None:
        if isinstance(above, exp.With):
            names = above.expressions
            seen = names if above.args.get("recursive") else names[: names.index(inside)]
            # The query that the WITH belongs to sees all definitions, but this definition does not.
            inside, above = above.parent or above, (above.parent or above).parent
        else:
            with_ = above.args.get("with_")
            seen = [] if with_ is None else with_.expressions
            inside, above = above, above.parent
        if any(cte.alias.lower() == name.lower() for cte in seen):
            return True
    return False


def _cut_time_travel(text: str, dialect: str) -> tuple[str, dict[str, tuple[Name, PointInPast]]]:
    """The text with a placeholder for each name that has a time travel clause."""
    tokens = tokens_of(text, dialect)
    travels: dict[str, tuple[Name, PointInPast]] = {}
    edits: list[tuple[int, int, str]] = []
    for place, token in enumerate(tokens):
        begins = token.text.split(" ")[0].upper() in ("AT", "FOR", "VERSION", "TIMESTAMP")
        if not begins or not place or (edits and token.start < edits[-1][1]):
            continue
        named = _table_before(tokens, place)
        if named is None:
            continue
        first, name, alias = named
        cursor = Cursor(text[token.start :], dialect)
        at = _parse_at_clause(cursor)
        if at is None:
            continue
        placeholder = f"{_TRAVEL}{len(travels)}"
        travels[placeholder] = (name, at)
        end = token.start + cursor.last_end
        written = "" if alias is None and _has_alias(cursor) else f" AS {quoted_name(alias or name[-1], dialect)}"
        edits.append((tokens[first].start, end, placeholder + written))
    return apply_edits(text, edits), travels


def _table_before(tokens: Sequence[Token], place: int) -> tuple[int, Name, str | None] | None:
    """Position of a table named just before a token, its name and, if given there, its alias."""
    first, last, alias = _start_of_name(tokens, place - 1), place, None
    if first is None and place >= 2 and is_name(tokens[place - 1]):
        last = place - 2 if tokens[place - 2].text.upper() == "AS" and place > 2 else place - 1
        first, alias = _start_of_name(tokens, last - 1), tokens[place - 1].text
    if first is None:
        return None
    return first, tuple(part.text for part in tokens[first:last] if part.token_type != TokenType.DOT), alias


def _parse_at_clause(cursor: Cursor) -> PointInPast | None:
    if cursor.next_is("AT") or cursor.next_is("FOR") or cursor.next_is("VERSION AS OF"):
        return at_clause(cursor)
    return at_clause(cursor) if cursor.next_is("TIMESTAMP AS OF") else None


def _has_alias(cursor: Cursor) -> bool:
    if cursor.next_is("AS"):
        return True
    return cursor.is_plain_name()


def _start_of_name(tokens: Sequence[Token], last: int) -> int | None:
    """Start of the dotted name that ends at a token; None if no name ends there."""
    place = last
    if not is_name(tokens[place]):
        return None
    while place >= 2 and tokens[place - 1].token_type == TokenType.DOT and is_name(tokens[place - 2]):
        place -= 2
    before = tokens[place - 1].text.upper() if place else ""
    return place if before.split(" ")[-1] in ("FROM", "JOIN", ",", "USING", "INTO", "TABLE", "UPDATE") else None


def is_name(token: Token) -> bool:
    """Whether a token may be part of a name."""
    return token.token_type == TokenType.IDENTIFIER or (
        token.token_type not in (TokenType.STRING, TokenType.NUMBER) and token.text.replace("_", "a").isalnum()
    )


def apply_edits(text: str, edits: list[tuple[int, int, str]]) -> str:
    """The text with non-overlapping ranges replaced."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text
