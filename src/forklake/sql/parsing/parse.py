"""Parses text to statements."""

from collections.abc import Callable

from forklake.sql.parsing import parse_ddl, parse_dml, parse_session
from forklake.sql.parsing.cursor import Cursor, split_statements
from forklake.sql.parsing.statements import Query, Statement

Parser = Callable[[Cursor], Statement]

_BEGINNINGS: tuple[tuple[str, Parser], ...] = (
    ("ATTACH", parse_session.attach),
    ("DETACH", parse_session.detach),
    ("USE", parse_session.use),
    ("CREATE OR REPLACE SECRET", parse_session.create_secret),
    ("CREATE OR REPLACE PERSISTENT SECRET", parse_session.create_secret),
    ("CREATE OR REPLACE TEMPORARY SECRET", parse_session.create_secret),
    ("CREATE PERSISTENT SECRET", parse_session.create_secret),
    ("CREATE TEMPORARY SECRET", parse_session.create_secret),
    ("CREATE SECRET", parse_session.create_secret),
    ("DROP SECRET", parse_session.drop_secret),
    ("SET", parse_session.set_setting),
    ("PRAGMA", parse_session.pragma),
    ("RESET", parse_session.reset_setting),
    ("BEGIN", parse_session.begin),
    ("START TRANSACTION", parse_session.begin),
    ("COMMIT", parse_session.commit),
    ("END", parse_session.commit),
    ("ROLLBACK", parse_session.rollback),
    ("ABORT", parse_session.rollback),
    ("FORK", parse_session.fork),
    ("DROP CATALOG", parse_session.drop_catalog),
    ("CALL", parse_session.call),
    ("CHECKPOINT", parse_session.checkpoint),
    ("SHOW", parse_session.show),
    ("DESCRIBE", parse_session.describe),
    ("DESC", parse_session.describe),
    ("SUMMARIZE", parse_session.summarize),
    ("EXPLAIN", parse_session.explain),
    ("INSTALL", parse_session.ignore_statement),
    ("LOAD", parse_session.ignore_statement),
    ("CREATE", parse_ddl.create),
    ("DROP", parse_ddl.drop),
    ("ALTER", parse_ddl.alter),
    ("COMMENT", parse_ddl.comment),
    ("INSERT", parse_dml.insert),
    ("UPDATE", parse_dml.update),
    ("DELETE", parse_dml.delete),
    ("TRUNCATE", parse_dml.truncate),
    ("MERGE", parse_dml.merge),
    ("COPY", parse_dml.copy),
)


def parse(text: str, dialect: str) -> list[Statement]:
    """The statements of a text. Whatever does not begin like one of ours is a query, for Spark to parse."""
    return [parse_one(statement, dialect) for statement in split_statements(text, dialect)]


def parse_one(text: str, dialect: str) -> Statement:
    """Parse one statement."""
    cursor = Cursor(text, dialect)
    for words, parser in _BEGINNINGS:
        if cursor.next_is(words):
            return parser(cursor)
    return Query(text)
