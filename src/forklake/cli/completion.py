"""Completion at the prompt: SQL keywords, and names of catalogs, schemas, tables and columns."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from forklake.catalog.lakes.catalogs import list_catalogs
from forklake.errors import ForklakeError
from forklake.model.entities import TableDefinition
from forklake.model.names import fold, quote_if_needed
from forklake.sql.parsing.cursor import sqlglot_dialect
from forklake.sql.session.state import SessionState

_OWN_WORDS = frozenset(
    {"CATALOG", "CATALOGS", "CHECKPOINT", "FORK", "SCHEMAS", "SUMMARIZE", "TABLES", "VERSION", "VIEWS"}
)
"""Keywords of statements that only we have."""
_WORD = re.compile(r"[\w.\"`]*\Z")
_MOST_CATALOGS = 1000


@dataclass(frozen=True, slots=True)
class CompletionNames:
    """The names that statements may use. `inside` maps a folded name to the names that may follow its dot."""

    plain: frozenset[str] = frozenset()
    inside: dict[str, set[str]] = field(default_factory=dict)
    tables: frozenset[str] = frozenset()


class SqlCompleter(Completer):
    """Completes the word at the cursor. Names are looked up on demand and cached until `forget`."""

    def __init__(self, look_up: Callable[[], CompletionNames], commands: Iterable[str], dialect: str) -> None:
        self._look_up = look_up
        known = sqlglot_dialect(dialect).tokenizer_class.KEYWORDS
        self._keywords = _OWN_WORDS | {word for word in known if word.isalpha()}
        self._commands = sorted(commands)
        self._names: CompletionNames | None = None

    def forget(self) -> None:
        """Invalidate the cached names."""
        self._names = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        text = document.text_before_cursor
        word = _WORD.search(text)
        typed = word[0] if word else ""
        for candidate in self._candidates(text, typed):
            yield Completion(candidate, start_position=-len(typed.rpartition(".")[2]))

    def _candidates(self, text: str, typed: str) -> list[str]:
        if text.startswith(".") and " " not in text:
            return _names_starting_with([command[1:] for command in self._commands], typed.removeprefix("."))
        names = self._cached_names()
        before, dot, last = typed.rpartition(".")
        if dot:
            owner = fold(before.rpartition(".")[2].strip('"`'))
            meant = [owner, *_alias_targets(text, owner)]
            return _names_starting_with(next((names.inside[name] for name in meant if name in names.inside), ()), last)
        if text.startswith("."):
            return _names_starting_with(names.tables, last)
        return _names_starting_with(names.plain, last) + (_names_starting_with(self._keywords, last) if last else [])

    def _cached_names(self) -> CompletionNames:
        if self._names is None:
            try:
                self._names = self._look_up()
            except ForklakeError:
                # Completion is best effort; the problem is reported when the statement runs.
                return CompletionNames()
        return self._names


def completion_names(state: SessionState) -> CompletionNames:
    """The names in all attached catalogs, and the other catalogs in the lake of the current one."""
    plain: set[str] = set()
    tables: set[str] = set()
    inside: dict[str, set[str]] = {}
    for attachment in state.attachments:
        entries = state.transaction(attachment).view.all_objects()
        schemas = {entry.object_id: entry.name for entry in entries if entry.kind == "schema"}
        inside.setdefault(fold(attachment.name), set()).update(map(quote_if_needed, schemas.values()))
        plain |= {attachment.name, *schemas.values()}
        for entry in entries:
            if entry.kind not in ("table", "view"):
                continue
            name = quote_if_needed(entry.name)
            inside.setdefault(fold(schemas[entry.schema_id]), set()).add(name)
            tables.add(name)
            if isinstance(entry.definition, TableDefinition):
                columns = {quote_if_needed(column.name) for column in entry.definition.columns}
                inside.setdefault(fold(entry.name), set()).update(columns)
                plain |= columns
    if state.current_catalog is not None:
        plain |= {info.name for info in islice(list_catalogs(state.current.lake), _MOST_CATALOGS)}
    return CompletionNames(frozenset({*map(quote_if_needed, plain), *tables}), inside, frozenset(tables))


def _alias_targets(text: str, alias: str) -> list[str]:
    """Names that an alias may stand for: `FROM orders o`, or `FROM orders AS o`."""
    found = re.findall(rf"(\w+)[\"`]?\s+(?:AS\s+)?{re.escape(alias)}\b", text, re.IGNORECASE)
    return [fold(name) for name in found]


def _names_starting_with(names: Iterable[str], typed: str) -> list[str]:
    return sorted(name for name in names if fold(name.strip('"')).startswith(fold(typed.strip('"`'))))
