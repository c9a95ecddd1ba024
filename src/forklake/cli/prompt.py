"""Interactive prompt of `forklake sql`: multi-line statements, with history and completion."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from types import FrameType

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from forklake.cli.attaching import AttachedSession, attached_session
from forklake.cli.completion import SqlCompleter, completion_names
from forklake.cli.describing import describe_table_or_view, listed_tables
from forklake.cli.drawing import draw
from forklake.cli.output import OutputRows
from forklake.cli.results import rows_of_result
from forklake.cli.running import CommonOptions, error_text, print_error
from forklake.cli.target import LakeTarget
from forklake.errors import InvalidInput, SyntaxProblem
from forklake.model.names import DEFAULT_SCHEMA
from forklake.model.secrets import without_passwords
from forklake.sql.parsing.cursor import split_statements, tokens_of

_HELP = """\
Statements end with ; and may go over several lines.
  .tables         the tables of the catalog in use
  .schema TABLE   the columns of a table, and all else that it is
  .help           this
  .quit           leave, as Ctrl-D does; what is not committed is rolled back
Tab completes, Up and Down go through earlier statements, Ctrl-R searches them, Ctrl-C drops what you have typed."""


def prompt(
    target: LakeTarget, common: CommonOptions, *, dialect: str, limit: int | None, shortcuts: bool, lazy: bool
) -> Iterator[OutputRows]:
    """Read and run statements until end of input. Rows are shown here; the returned iterator is empty.

    Unless `lazy`, Spark starts while the first statement is typed.
    """
    with attached_session(target, common, dialect, shortcuts=shortcuts) as attached:
        if not lazy and attached.state.small_queries != "driver":
            attached.state.provider.start_in_background()
        _Prompt(attached, common, dialect, limit).run()
    return iter(())


class _Prompt:
    def __init__(self, attached: AttachedSession, common: CommonOptions, dialect: str, limit: int | None) -> None:
        self._session, self._state = attached.session, attached.state
        self._common, self._dialect, self._limit = common, dialect, limit
        self._stopped = False
        self._commands: Mapping[str, Callable[[str], None]] = {
            ".help": lambda _: print(_HELP),
            ".tables": lambda _: draw(listed_tables(self._state.transaction(self._state.current).view)),
            ".schema": self._describe,
            ".quit": _quit,
        }
        self._completer = SqlCompleter(lambda: completion_names(self._state), self._commands, dialect)

    def run(self) -> None:
        asking: PromptSession[str] = PromptSession(
            history=_History(str(history_file())),
            completer=self._completer,
            complete_while_typing=False,
            multiline=True,
            prompt_continuation=lambda width, *_: "> ".rjust(width, "."),
            key_bindings=_key_bindings(self._dialect),
        )
        print("Statements end with a semicolon; type .help for help.")
        while True:
            try:
                text = asking.prompt(self._prompt_text).strip()
                with self._noticing_interrupts():
                    self._carry_out(text)
            except KeyboardInterrupt:
                # At the prompt, Ctrl-C discards the input; later, it stops the statement.
                if self._stopped:
                    print_error("Interrupted.")
                self._stopped = False
            except EOFError:
                return
            except Exception as error:
                # Spark reports a cancelled query as a failed one.
                print_error("Interrupted." if self._stopped else _short_message(error))
                self._stopped = False

    @contextmanager
    def _noticing_interrupts(self) -> Iterator[None]:
        """Record whether Ctrl-C is pressed, and pass the signal on to the previous handler."""
        before = signal.getsignal(signal.SIGINT)

        def notice(number: int, frame: FrameType | None) -> None:
            self._stopped = True
            if callable(before):
                before(number, frame)

        self._stopped = False
        signal.signal(signal.SIGINT, notice)
        try:
            yield
        finally:
            # Spark may have replaced our handler when it started.
            if signal.getsignal(signal.SIGINT) is notice:
                signal.signal(signal.SIGINT, before)

    def _prompt_text(self) -> str:
        """The current catalog, with an asterisk while a transaction is open."""
        name, schema = self._state.current_catalog or "", self._state.current_schema
        place = name if schema == DEFAULT_SCHEMA else f"{name}.{schema}"
        return f"{place}{'*' if self._state.transactions.is_open else ''}> "

    def _carry_out(self, text: str) -> None:
        self._completer.forget()
        if text.startswith("."):
            name, _, argument = text.rstrip(";").partition(" ")
            command = self._commands.get(name)
            if command is None:
                raise InvalidInput(f"Unknown command {name}; type .help for a list of commands.")
            command(argument.strip())
            return
        for statement in split_statements(text, self._dialect):
            began = perf_counter()
            result = self._session.sql(statement, debug=self._common.debug)
            rows_of_result(result, self._limit, began, as_json=self._common.json).show(as_json=self._common.json)

    def _describe(self, table: str) -> None:
        if not table:
            raise InvalidInput("No table is given; write .schema TABLE.")
        draw(describe_table_or_view(self._state.transaction(self._state.current), table))


class _History(FileHistory):
    """History of statements, in a file readable by its owner only, without passwords."""

    def store_string(self, string: str) -> None:
        super().store_string(without_passwords(string))


def history_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Path of the history file; created with owner-only permissions if it does not exist."""
    home = environment.get("XDG_STATE_HOME")
    file = (Path(home) if home else Path.home() / ".local" / "state") / "forklake" / "history"
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(file, os.O_CREAT | os.O_APPEND, 0o600))
    return file


def is_complete(text: str, dialect: str) -> bool:
    """Whether Enter runs a text rather than beginning a new line."""
    if not text.strip() or text.startswith("."):
        return True
    try:
        tokens = tokens_of(text, dialect)
    except SyntaxProblem:
        # Inside a string or a comment.
        return False
    return not tokens or tokens[-1].text == ";"


def _key_bindings(dialect: str) -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            # Accept the selected completion; the statement continues.
            buffer.complete_state = None
        elif is_complete(buffer.text, dialect):
            buffer.validate_and_handle()
        else:
            buffer.newline()

    return bindings


def _quit(_: str) -> None:
    raise EOFError


def _short_message(error: Exception) -> str:
    """An error message in one line, without the excerpt of the statement."""
    message = error_text(error)
    return message.split("\nLINE ")[0].split("\n\n== SQL")[0]
