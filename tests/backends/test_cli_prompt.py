"""The prompt, on a terminal."""

import stat

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from forklake.cli.completion import CompletionNames, SqlCompleter
from forklake.cli.prompt import is_complete
from tests.backends.conftest import FORKLAKE, Shell
from tests.terminal import CTRL_C, ENTER, TAB, UP, Terminal

PROMPT = "main>"


def open_prompt(shell: Shell) -> Terminal:
    return Terminal([*FORKLAKE, "sql", "--lazy", *shell.target], shell.folder)


def test_statements_are_typed_over_several_lines_with_completion(sqlite_shell: Shell) -> None:
    sqlite_shell.lake.create_table("orders", {"item": "varchar"}).append([("pen",), ("ink",)])
    with open_prompt(sqlite_shell) as terminal:
        terminal.wait_for(PROMPT)
        terminal.press("sel" + TAB)
        terminal.wait_for("SELECT")
        terminal.press(" it" + TAB)
        terminal.wait_for("item")
        terminal.press(ENTER)
        terminal.wait_for("...>")
        terminal.press("FROM order" + TAB)
        terminal.wait_for("orders")
        terminal.press(";" + ENTER)
        shown = terminal.wait_for("2 rows in")
        assert {"item", "pen", "ink"} <= set(shown.split())
        terminal.wait_for(PROMPT)
        terminal.press("SELECT orders." + TAB)
        terminal.wait_for("orders.item")
        terminal.press(CTRL_C)
        terminal.wait_for(PROMPT)
        assert terminal.leave()[0] == 0


def test_a_prompt_that_starts_spark_meanwhile_answers_and_ends(sqlite_shell: Shell) -> None:
    with Terminal([*FORKLAKE, "sql", *sqlite_shell.target], sqlite_shell.folder) as terminal:
        terminal.wait_for(PROMPT)
        terminal.press("SELECT count(*) AS n FROM t;" + ENTER)
        assert "3" in terminal.wait_for("1 row in").split()
        terminal.wait_for(PROMPT)
        code, shown = terminal.leave()
        assert (code, "Traceback" in shown) == (0, False)


def test_the_prompt_goes_on_after_errors_and_dropped_lines(sqlite_shell: Shell) -> None:
    with open_prompt(sqlite_shell) as terminal:
        terminal.wait_for(PROMPT)
        terminal.press("SELECT nonsense" + CTRL_C)
        terminal.wait_for(PROMPT)
        terminal.wait_for(PROMPT)
        for wrong in ("ATTACH nonsense;", ".nonsense", "DESCRIBE nonsense;", ".schema"):
            terminal.press(wrong + ENTER)
            terminal.wait_for("forklake: ")
            assert len(terminal.wait_for(PROMPT).strip().splitlines()) == 2
        terminal.press("BEGIN; INSERT INTO t VALUES (7);" + ENTER)
        terminal.wait_for("main*>")
        terminal.press("SELECT count(*) AS n FROM t;" + ENTER)
        assert "4" in terminal.wait_for("1 row in").split()
        terminal.wait_for("main*>")
        terminal.press(".help" + ENTER)
        terminal.wait_for("Ctrl-R")
        terminal.wait_for("main*>")
        terminal.press(".tables" + ENTER)
        terminal.wait_for("table_name")
        assert "t" in terminal.wait_for("main*>").split()
        terminal.press(".schema t" + ENTER)
        terminal.wait_for("BIGINT")
        terminal.wait_for("main*>")
        terminal.press(".quit" + ENTER)
        assert terminal.finish()[0] == 0
    # What was not committed is gone.
    assert sqlite_shell.lake.table("t").count() == 3


def test_statements_are_remembered_from_one_run_to_the_next(sqlite_shell: Shell) -> None:
    with open_prompt(sqlite_shell) as terminal:
        terminal.wait_for(PROMPT)
        terminal.press("ATTACH 'postgres:host=nowhere password=secret' AS x (CATALOG main);" + ENTER)
        terminal.wait_for("forklake: ")
        terminal.wait_for(PROMPT)
        terminal.press("SELECT count(*)" + ENTER + "AS n FROM t;" + ENTER)
        terminal.wait_for("1 row in")
        terminal.wait_for(PROMPT)
        assert terminal.leave()[0] == 0
    history = sqlite_shell.folder / "state" / "forklake" / "history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert "secret" not in history.read_text()
    with open_prompt(sqlite_shell) as terminal:
        terminal.wait_for(PROMPT)
        terminal.press(UP)
        terminal.wait_for("AS n FROM t;")
        terminal.press(ENTER)
        assert "3" in terminal.wait_for("1 row in").split()
        terminal.wait_for(PROMPT)
        assert terminal.leave()[0] == 0


# Without a terminal


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("", True),
        (".tables", True),
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; ", True),
        ("SELECT ';", False),
        ("SELECT 1; -- more", True),
        ("SELECT 1; SELECT", False),
        ("/* a comment;", False),
    ],
)
@pytest.mark.parametrize("dialect", ["spark", "duckdb"])
def test_a_statement_is_carried_out_when_it_is_complete(text: str, complete: bool, dialect: str) -> None:
    assert is_complete(text, dialect) is complete


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".ta", ["tables"]),
        (".schema or", ["orders"]),
        ("sel", ["SELECT"]),
        ("SELECT it", ["item"]),
        ("SELECT sales.o", ["orders"]),
        ("SELECT main.sales.o", ["orders"]),
        ("SELECT orders.", ['"a b"', "item"]),
        ("SELECT o.i FROM orders o WHERE o.i", ["item"]),
        ('SELECT orders."a', ['"a b"']),
        ("SELECT x.", []),
    ],
)
def test_the_word_at_the_cursor_is_completed(text: str, expected: list[str]) -> None:
    inside = {"main": {"sales"}, "sales": {"orders"}, "orders": {"item", '"a b"'}}
    names = CompletionNames(frozenset({"main", "sales", "orders", "item", '"a b"'}), inside, frozenset({"orders"}))
    completer = SqlCompleter(lambda: names, [".tables", ".schema"], "spark")
    found = completer.get_completions(Document(text), CompleteEvent())
    assert [completion.text for completion in found] == expected
