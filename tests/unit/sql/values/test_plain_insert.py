"""INSERTs of literals that are read without a tokenizer are read as with it."""

import random
from time import process_time

import pytest

from forklake.errors import ForklakeError
from forklake.sql.parsing.cursor import DIALECTS
from forklake.sql.parsing.parse import parse
from forklake.sql.parsing.statements import Insert
from forklake.sql.values.plain_insert import plain_insert

PLAIN = [
    "INSERT INTO t VALUES (1, 'a')",
    "insert into lake.main.T(x, _y) values (-1.5e3, 'it''s; (x'), (TRUE, NULL);",
    " INSERT\tINTO\nlake.t ( a ,b ) VALUES (DATE '2024-01-01', DEFAULT) ; ",
    "INSERT INTO t(a)VALUES(1)",
]
OTHER = [
    "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)",
    "INSERT INTO t VALUES (1 + 1)",
    "INSERT INTO t VALUES (1) -- note",
    "INSERT INTO t /* note */ VALUES (1)",
    "INSERT INTO t SELECT 1",
    "INSERT INTO t BY NAME VALUES (1)",
    "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
    "INSERT OVERWRITE t VALUES (1)",
    "INSERT INTO TABLE t VALUES (1)",
    "INSERT INTO TABLE VALUES (1)",
    "INSERT INTO VALUES (1)",
    "INSERT INTO tVALUES (1)",
    "INSERT INTO t (values) VALUES (1)",
    "INSERT INTO t (select) VALUES (1)",
    'INSERT INTO "t" VALUES (1)',
    "INSERT INTO `t` VALUES (1)",
    "INSERT INTO a.b.c.d VALUES (1)",
    "INSERT INTO tä VALUES (1)",
    "INSERT INTO t VALUES (?)",
    "INSERT INTO t VALUES ()",
    "UPDATE t SET a = 1",
    "",
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", PLAIN)
def test_plain_inserts_are_read_as_by_the_parser(text: str, dialect: str) -> None:
    found = plain_insert(text, dialect)
    assert isinstance(found, Insert)
    assert [found] == parse(text, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", OTHER)
def test_everything_else_is_left_to_the_parser(text: str, dialect: str) -> None:
    assert plain_insert(text, dialect) is None


@pytest.mark.parametrize(
    "text",
    [f"INSERT INTO t VALUES (1){' ' * 10**5}x", f"INSERT INTO t{' ' * 10**5}x", f"INSERT INTO t VALUES {'( ' * 10**5}",
     f"INSERT INTO t ({'a , ' * 10**5}) VALUES (1)", f"INSERT INTO t VALUES (1{') ' * 10**5}x"],
    ids=["spaces at the end", "spaces", "brackets", "columns", "closing brackets"],
)  # fmt: skip
def test_long_texts_of_other_forms_take_linear_time(text: str) -> None:
    began = process_time()
    assert plain_insert(text, "spark") is None
    assert process_time() - began < 1


PIECES = [
    "INSERT", "INTO", "TABLE", "VALUES", "OVERWRITE", "BY NAME", "BY", "t", "a.b", ".", "values", "default", "order",
    "(", ")", "(a, b)", "(a)", ",", "1", "-2.5", "'x'", "''", "'", ";", "--", "/*", "*/", "NULL", "${x}", "\\", "e5",
    "DATE '2024-01-01'", "(1, 'a')", "('b''', 2)", "\n", "x''", "$$", "?", ":p", "ON CONFLICT", "true", "DEFAULT",
]  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
def test_random_texts_are_read_as_by_the_parser_or_left_to_it(dialect: str) -> None:
    random_ = random.Random(7)
    plain = 0
    for number in range(20_000):
        pieces = ["INSERT", " ", "INTO", " ", "t", " ", "(a)", "VALUES", " ", "(1, 'a')", ""]
        for _ in range(number % 5):
            at = random_.randrange(len(pieces))
            pieces[at : at + random_.randrange(2)] = [random_.choice(PIECES), random_.choice(["", " "])]
        text = "".join(pieces)
        found = plain_insert(text, dialect)
        if found is not None:
            plain += 1
            assert [found] == parse(text, dialect), text
    assert plain > 4_000


def test_a_keyword_is_left_to_the_parser_which_may_accept_it() -> None:
    text = "INSERT INTO t (date) VALUES (1)"
    assert plain_insert(text, "spark") is None
    try:
        assert parse(text, "spark") == [Insert(("t",), "VALUES (1)", ("date",))]
    except ForklakeError:
        pytest.fail("the parser takes keywords for names")


def test_a_text_that_no_database_can_store_is_left_to_the_parser() -> None:
    assert plain_insert("INSERT INTO t VALUES ('\ud800')", "spark") is None
