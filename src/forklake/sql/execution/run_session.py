"""Execution of session statements: ATTACH, USE, SET, transactions, forks."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, tzinfo
from decimal import Decimal
from typing import Any

from forklake.catalog.lakes.catalogs import catalog_uuid
from forklake.catalog.lakes.lake import RetrySettings
from forklake.catalog.transaction.names import find_schema
from forklake.errors import AlreadyExists, InvalidInput, InvalidOption, NoSuchCatalog, NoSuchSchema, NotFound
from forklake.model.names import DEFAULT_SCHEMA, check_object_name, closest_name, did_you_mean, fold
from forklake.sql.duckdb.settings import check_setting, is_duckdbs
from forklake.sql.parsing.constants import Parameters, as_time, as_version, parse_constant
from forklake.sql.parsing.cursor import Cursor
from forklake.sql.parsing.statements import (
    Attach,
    CreateSecret,
    Detach,
    DropCatalog,
    DropSecret,
    ForkCatalog,
    SetSetting,
    TransactionControl,
    Use,
)
from forklake.sql.session.attachments import CREATE_IT, AttachOptions, open_attachment
from forklake.sql.session.catalog_changes import catalog_to_fork, drop_and_detach, fork_attached
from forklake.sql.session.state import (
    SMALL_QUERIES,
    SMALL_QUERY_LIMIT,
    SessionState,
    SmallQueries,
    default_small_queries,
)

_SECRET_KEYS = frozenset(
    {"TYPE", "METADATA_PATH", "DATA_PATH", "METADATA_SCHEMA", "METADATA_CATALOG", "CATALOG", "CATALOG_ID"}
)


def run_attach(state: SessionState, statement: Attach, parameters: Parameters = None) -> None:
    """ATTACH: open a lake and attach one of its catalogs under a name."""
    given = {name: parse_constant(text, state.dialect, parameters) for name, text in statement.options.items()}
    target, from_secret = _resolve_target(state, statement.target)
    options = attach_options(_unify_catalog_option(from_secret) | _unify_catalog_option(given), state.time_zone)
    name = statement.name or _default_name(target)
    if not statement.if_not_exists or state.attachments.find(name) is None:
        attach(state, target, name, options)


def _unify_catalog_option(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options with CATALOG_ID renamed to its synonym CATALOG."""
    if "CATALOG" in given and "CATALOG_ID" in given and given["CATALOG"] != given["CATALOG_ID"]:
        raise InvalidInput("CATALOG and CATALOG_ID are synonyms: give only one of them.")
    return {"CATALOG" if name == "CATALOG_ID" else name: value for name, value in given.items()}


def attach(state: SessionState, target: str, name: str, options: AttachOptions, *, if_missing: str = CREATE_IT) -> None:
    """Attach with all options resolved. The first catalog attached becomes the current one."""
    check_object_name(name, "attachment")
    if state.attachments.find(name) is not None:
        raise AlreadyExists(f'A catalog is already attached under the name "{name}".')
    attachment = open_attachment(target, name, options, if_missing=if_missing, others=state.attachments)
    lake = attachment.catalog.lake.with_retry(state.retry)
    state.attachments.add(replace(attachment, catalog=replace(attachment.catalog, lake=lake)))
    if state.current_catalog is None:
        state.current_catalog = name


def attach_options(given: Mapping[str, Any], zone: Callable[[], tzinfo] = lambda: UTC) -> AttachOptions:
    """ATTACH options by uppercase name; unknown ones are rejected. Times without a zone are in `zone`."""
    if "CATALOG" not in given:
        raise InvalidInput("CATALOG is required. Please provide CATALOG when attaching the database.")
    if _flag_option(given.get("ENCRYPTED", False), "ENCRYPTED"):
        raise InvalidInput("ENCRYPTED true is not supported: encryption is not implemented.")
    if "SNAPSHOT_VERSION" in given and "SNAPSHOT_TIME" in given:
        raise InvalidInput("Cannot specify both VERSION and TIMESTAMP: give SNAPSHOT_VERSION or SNAPSHOT_TIME.")
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("ENCRYPTED", "TYPE", "METADATA_PATH"):
            continue
        if name not in _OPTIONS:
            nearest = closest_name(name.lower(), [known.lower() for known in _OPTIONS])
            hint = f"; did you mean {nearest.upper()}?" if nearest else ""
            raise InvalidOption(f"Unsupported option {name} for DuckLake{hint}")
        key, read = _OPTIONS[name]
        values[key] = as_time(value, zone) if name == "SNAPSHOT_TIME" else read(value, name)
    return AttachOptions(**values)


def _text_option(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise InvalidOption(f"The option {name} must be a string, not {value!r}.")
    return value


def _flag_option(value: Any, name: str) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    found = words.get(str(value).lower())
    if found is None:
        raise InvalidOption(f"The option {name} must be true or false, not {value!r}.")
    return found


def _count_option(value: Any, name: str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise InvalidOption(f"The option {name} must be a whole number, not {value!r}.") from None


_OPTIONS: dict[str, tuple[str, Callable[[Any, str], Any]]] = {
    "CATALOG": ("catalog", _text_option),
    "DATA_PATH": ("data_path", _text_option),
    "METADATA_SCHEMA": ("metadata_schema", _text_option),
    "METADATA_CATALOG": ("metadata_catalog", _text_option),
    "SNAPSHOT_VERSION": ("snapshot_version", _count_option),
    "SNAPSHOT_TIME": ("snapshot_time", lambda value, _: value),
    "DATA_INLINING_ROW_LIMIT": ("data_inlining_row_limit", _count_option),
    "CREATE_IF_NOT_EXISTS": ("create_if_not_exists", _flag_option),
    "MIGRATE_IF_REQUIRED": ("migrate_if_required", _flag_option),
    "OVERRIDE_DATA_PATH": ("override_data_path", _flag_option),
    "READ_ONLY": ("read_only", _flag_option),
}


def _resolve_target(state: SessionState, target: str) -> tuple[str, dict[str, Any]]:
    """The location of the metadata; a plain word after `ducklake:` is the name of a secret."""
    path = target.removeprefix("ducklake:")
    if target.startswith("ducklake:") and (not path or path.replace("_", "a").isalnum()):
        secret = state.secrets.get(fold(path))
        if secret is None:
            what = f'Secret "{path}" was not found' if path else "Default secret was not found"
            raise NotFound(f"{what}; create it with CREATE SECRET, or give the path of a file with its extension.")
        values: dict[str, Any] = dict(secret)
        return str(values["METADATA_PATH"]), values
    return path, {}


def _default_name(target: str) -> str:
    name = target.rsplit("/", 1)[-1].rsplit(":", 1)[-1].split(".")[0]
    if not name.isidentifier():
        raise InvalidInput("Give the attachment a name: ATTACH '…' AS name.")
    return name


def detach(state: SessionState, statement: Detach) -> None:
    if statement.if_exists and state.attachments.find(statement.name) is None:
        return
    if state.transactions.is_open:
        raise InvalidInput("Cannot detach within a transaction; commit it or roll it back first.")
    state.forget(state.attachments.get(statement.name))


def use(state: SessionState, statement: Use) -> None:
    """USE catalog, USE catalog.schema, or USE schema of the current catalog."""
    match statement.name:
        case (name,):
            if state.attachments.find(name) is not None:
                state.current_catalog, state.current_schema = state.attachments.get(name).name, DEFAULT_SCHEMA
                return
            if state.current_catalog is None:
                state.attachments.get(name)
            _use_schema(state, state.current_catalog or name, name)
        case (catalog, schema):
            _use_schema(state, catalog, schema)
        case _:
            raise InvalidInput(f"USE takes a catalog, or a catalog and a schema, not '{'.'.join(statement.name)}'.")


def _use_schema(state: SessionState, catalog: str, schema: str) -> None:
    attachment = state.attachments.get(catalog)
    found = find_schema(state.transaction(attachment), schema)
    if found is None:
        raise NoSuchSchema(f"No catalog and no schema of '{attachment.name}' is named '{schema}'.")
    state.current_catalog, state.current_schema = attachment.name, found.name


def create_secret(state: SessionState, statement: CreateSecret, parameters: Parameters = None) -> None:
    values = {name: parse_constant(text, state.dialect, parameters) for name, text in statement.values.items()}
    if str(values.get("TYPE", "")).lower() != "ducklake":
        raise InvalidInput("Only secrets of TYPE ducklake are supported.")
    if not values.get("METADATA_PATH"):
        raise InvalidInput("metadata_path must be defined in a secret of TYPE ducklake.")
    unknown = next((name for name in values if name not in _SECRET_KEYS), None)
    if unknown is not None:
        raise InvalidOption(f"Unknown parameter {unknown.lower()} for a secret of TYPE ducklake.")
    name = fold(statement.name)
    if name in state.secrets and not statement.or_replace:
        if statement.if_not_exists:
            return
        raise AlreadyExists(f'Secret "{statement.name}" already exists.')
    state.secrets[name] = values


def drop_secret(state: SessionState, statement: DropSecret) -> None:
    if state.secrets.pop(fold(statement.name), None) is None and not statement.if_exists:
        raise NotFound(f'Secret "{statement.name}" was not found.')


def set_setting(state: SessionState, statement: SetSetting, parameters: Parameters = None) -> None:
    """SET one of our settings, a Spark setting, or a DuckDB setting in its dialect."""
    name = fold(statement.name)
    if name.startswith(("ducklake_", "forklake_")):
        _set_own_setting(state, name, statement, parameters)
        return
    value = None if statement.value is None else _spark_setting_value(statement.value, state.dialect, parameters)
    if state.dialect == "duckdb" and is_duckdbs(statement.name):
        spark_name = check_setting(statement.name, value)
        if spark_name is not None:
            _set_spark(state, spark_name, value)
        return
    _set_spark(state, statement.name, value)


def _set_spark(state: SessionState, name: str, value: str | None) -> None:
    spark = state.provider.get()
    if value is None:
        spark.conf.unset(name)
    else:
        spark.conf.set(name, value)


def _spark_setting_value(text: str, dialect: str, parameters: Parameters) -> str:
    """The value of a Spark setting: the text as written, the contents of its quotes, or a parameter's value."""
    cursor = Cursor(text, dialect)
    if parameters is not None and text.startswith((":", "?", "$")):
        value = parse_constant(text, dialect, parameters)
        return str(value).lower() if isinstance(value, bool) else str(value)
    if cursor.is_string() or cursor.is_quoted_name():
        quoted = cursor.identifier_or_string()
        if cursor.at_end:
            return quoted
    cursor.rest_of_text()
    # Anything after it is a comment.
    return text[: cursor.last_end]


def _set_own_setting(state: SessionState, name: str, statement: SetSetting, parameters: Parameters) -> None:
    value: Any = None if statement.value is None else parse_constant(statement.value, state.dialect, parameters)
    if name == SHORTCUTS:
        state.shortcuts = True if value is None else _setting_flag(name, value)
        return
    if name == SMALL_QUERIES_SETTING:
        state.small_queries = default_small_queries() if value is None else _small_queries(name, value)
        return
    if name == SMALL_QUERY_BYTES:
        state.small_query_bytes = SMALL_QUERY_LIMIT if value is None else _setting_bytes(name, value)
        return
    field_name = _RETRY.get(name)
    if field_name is None:
        known = [*_RETRY, SHORTCUTS, SMALL_QUERIES_SETTING, SMALL_QUERY_BYTES]
        raise InvalidOption(f"There is no setting '{name}'.{did_you_mean(name, known)}")
    if statement.value is None:
        value = getattr(RetrySettings(), field_name)
    value = float(value) if isinstance(value, Decimal) else value
    if not isinstance(value, int | float):
        raise InvalidOption(f"The setting {name} must be a number, not '{value}'.")
    changed: dict[str, Any] = {field_name: value}
    state.retry = replace(state.retry, **changed)
    state.settings[name] = value
    state.attachments.with_retry(state.retry)


def _setting_flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidOption(f"The setting {name} must be true or false, not '{value}'.")
    return value


def _small_queries(name: str, value: Any) -> SmallQueries:
    for known in SMALL_QUERIES:
        if known == value:
            return known
    raise InvalidOption(f"The setting {name} is one of {', '.join(SMALL_QUERIES)}, not '{value}'.")


def _setting_bytes(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidOption(f"The setting {name} must be a number of bytes, not '{value}'.")
    return value


SHORTCUTS = "forklake_shortcuts"
SMALL_QUERIES_SETTING = "forklake_small_queries"
SMALL_QUERY_BYTES = "forklake_small_query_bytes"
_RETRY = {
    "ducklake_max_retry_count": "max_retry_count",
    "ducklake_retry_wait_ms": "retry_wait_ms",
    "ducklake_retry_backoff": "retry_backoff",
}


def control_transaction(state: SessionState, statement: TransactionControl) -> None:
    match statement.what:
        case "begin":
            state.transactions.begin()
        case "commit":
            state.transactions.commit()
        case "rollback":
            state.transactions.rollback()


def run_fork_catalog(
    state: SessionState, statement: ForkCatalog, parameters: Parameters = None
) -> tuple[int, str, bool]:
    """FORK CATALOG: returns its id, its name, and whether it was created now."""
    version = timestamp = None
    if statement.at is not None:
        value = parse_constant(statement.at.value, state.dialect, parameters)
        if statement.at.unit == "version":
            version = as_version(value)
        else:
            timestamp = as_time(value, state.time_zone)
    forked, created = fork_attached(
        state,
        catalog_to_fork(state, statement.parent),
        statement.name,
        version=version,
        timestamp=timestamp,
        if_not_exists=statement.if_not_exists,
    )
    return forked.catalog_id, forked.name, created


def run_drop_catalog(state: SessionState, statement: DropCatalog) -> None:
    """DROP CATALOG in the lake of an attachment of that name, or of the current catalog."""
    attached = state.attachments.find(statement.name)
    attachment = attached or state.current
    name = attached.catalog.name if attached is not None else statement.name
    if fold(name) != fold(statement.name) and catalog_uuid(attachment.lake, statement.name) is not None:
        raise InvalidInput(
            f"'{statement.name}' is a catalog, and also the name under which '{name}' is attached:"
            " detach that, or attach it under another name."
        )
    try:
        drop_and_detach(state, attachment, name)
    except NoSuchCatalog:
        if not statement.if_exists:
            raise
