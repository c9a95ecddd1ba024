"""Execution of CREATE SECRET and DROP SECRET, for SQL, Python and the command line."""

import os
import stat
from pathlib import Path
from typing import Any

from forklake.errors import InvalidInput
from forklake.model.store_secrets import Secret, SecretRegistry, read_secret
from forklake.spark.session.provider import SparkProvider
from forklake.sql.parsing.constants import Parameters, parse_constant
from forklake.sql.parsing.cursor import split_statements
from forklake.sql.parsing.parse import parse_one
from forklake.sql.parsing.statements import CreateSecret, DropSecret
from forklake.sql.session.state import SessionState

_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def create_secret(state: SessionState, statement: CreateSecret, parameters: Parameters = None) -> None:
    secret = _secret_of(statement, state.dialect, parameters)
    keep_secret(state.provider, secret, or_replace=statement.or_replace, if_not_exists=statement.if_not_exists)


def keep_secret(
    provider: SparkProvider, secret: Secret, *, or_replace: bool = False, if_not_exists: bool = False
) -> None:
    """Add a secret to those of the session. It takes effect for the next statement, also on executors."""
    if secret.scopes:
        provider.check_takes_secrets()
    added = provider.secrets.add(secret, or_replace=or_replace, if_not_exists=if_not_exists)
    if added and secret.scopes:
        provider.renew_secrets()


def drop_secret(provider: SparkProvider, statement: DropSecret) -> None:
    secret = provider.secrets.find(statement.name)
    provider.secrets.drop(statement.name, if_exists=statement.if_exists)
    if secret is not None and secret.scopes:
        provider.renew_secrets()


def read_secrets(file: str) -> SecretRegistry:
    """The secrets of a file of CREATE SECRET statements, which nobody but its owner may read."""
    found = SecretRegistry()
    for text in split_statements(_private_text(Path(file)), "duckdb"):
        statement = parse_one(text, "duckdb")
        if not isinstance(statement, CreateSecret):
            raise InvalidInput(f"The file of secrets '{file}' has a statement other than CREATE SECRET.")
        secret = _secret_of(statement, "duckdb", None)
        found.add(secret, or_replace=statement.or_replace, if_not_exists=statement.if_not_exists)
    return found


def _secret_of(statement: CreateSecret, dialect: str, parameters: Parameters) -> Secret:
    values = {name: _value(name, text, dialect, parameters) for name, text in statement.values.items()}
    secret = read_secret(statement.name, values)
    if statement.is_persistent and secret.scopes:
        raise InvalidInput(
            "PERSISTENT secrets of object stores are not supported: secrets are kept in memory only. Create it in each"
            " session, or let the environment or a profile of the store's own tools have the credentials."
        )
    return secret


def _value(name: str, text: str, dialect: str, parameters: Parameters) -> Any:
    try:
        return parse_constant(text, dialect, parameters)
    except InvalidInput:
        # The error has the text, which may be the secret.
        raise InvalidInput(f"The value of {name} in CREATE SECRET is not a constant.") from None


def _private_text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as opened:
            found = os.fstat(opened.fileno())
            if os.name == "posix" and (found.st_mode & _OF_OTHERS or found.st_uid != os.getuid()):
                raise InvalidInput(f"The file of secrets '{file}' must be yours, and closed to others: chmod 600.")
            return opened.read()
    except UnicodeDecodeError:
        raise InvalidInput(f"The file of secrets '{file}' is not a text in UTF-8.") from None
    except OSError as error:
        raise InvalidInput(f"The file of secrets '{file}' cannot be read: {error.strerror}.") from None
