"""Secrets of object stores for Spark: settings of Hadoop, in the configuration that each job takes with it.

Hadoop keeps one file system for each scheme and bucket, with the credentials that it was opened with, on every machine.
So when secrets change while Spark is running, paths get a scheme that it has not seen yet: `s3a-1`, `s3a-2` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from forklake.errors import InvalidOption
from forklake.model.quiet_log import log_suppressor
from forklake.model.store_secrets import CHAIN, NO_SECRETS, PRINCIPAL, Secret, StoreSecrets

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

_S3A = "fs.s3a."
_BY_HADOOP = "org.apache.hadoop.fs.s3a."
_BY_SDK = "software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider"
_COMMITTERS = "mapreduce.outputcommitter.factory.scheme."
_REGION = "endpoint.region"
REDACTION = "spark.redaction.regex"
"""The setting of Spark for names of settings whose values it does not show."""
_REDACTED = "(?i)secret|password|token|access[.]?key"
"""Its default."""
REDACTED = f"{_REDACTED}|account[.]key"
_HIDDEN = re.compile(r"secret|token$|account\.key")
"""Names of settings with secrets."""

next_generation = count(1).__next__
"""Sessions of one process share Spark, and so the numbers of schemes."""


def hadoop_settings(secrets: StoreSecrets, before: Callable[[str], str | None]) -> dict[str, str]:
    """The settings with the credentials of secrets; `before` returns those that are there without them."""
    general = next((_s3a_settings(each) for each in secrets.secrets if "s3://" in each.scopes), {})
    found = {f"{_S3A}{name}": value for name, value in general.items()}
    for bucket, secret in secrets.by_bucket.items():
        # What the secret leaves open must not be taken from the one that applies to all other buckets.
        own = {name: before(f"{_S3A}{name}") or "" for name in general} | _s3a_settings(secret)
        if not own.get(_REGION):
            own.pop(_REGION, None)
        found |= {f"{_S3A}bucket.{bucket.partition('://')[2]}.{name}": value for name, value in own.items()}
    for secret in secrets.secrets:
        found |= _azure_settings(secret) if secret.type == "azure" else {}
    return found


def scheme_settings(secrets: StoreSecrets) -> dict[str, str]:
    """What makes the scheme of the secrets another name of S3."""
    scheme = secrets.s3_scheme
    if scheme == NO_SECRETS.s3_scheme:
        return {}
    return {
        f"fs.{scheme}.impl": f"{_BY_HADOOP}S3AFileSystem",
        f"{_COMMITTERS}{scheme}": f"{_BY_HADOOP}commit.S3ACommitterFactory",
    }


def _s3a_settings(secret: Secret) -> dict[str, str]:
    found = {"endpoint": secret.endpoint, _REGION: secret.region, **_s3a_credentials(secret)}
    if secret.endpoint is not None:
        found["connection.ssl.enabled"] = "false" if secret.endpoint.startswith("http://") else "true"
    if secret.url_style is not None:
        found["path.style.access"] = "true" if secret.url_style == "path" else "false"
    if secret.type == "gcs":
        found["multiobjectdelete.enable"] = "false"
    return {name: value for name, value in found.items() if value is not None}


def _s3a_credentials(secret: Secret) -> dict[str, str | None]:
    provider = "aws.credentials.provider"
    if secret.get("ASSUME_ROLE_ARN") is not None:
        return {
            provider: f"{_BY_HADOOP}auth.AssumedRoleCredentialProvider",
            "assumed.role.credentials.provider": _BY_SDK,
            "assumed.role.arn": secret.get("ASSUME_ROLE_ARN"),
            "assumed.role.session.name": secret.get("SESSION_NAME"),
            "assumed.role.external.id": secret.get("EXTERNAL_ID"),
        }
    if secret.provider == CHAIN:
        return {provider: _BY_SDK}
    if secret.get("SECRET") is None:
        return {provider: f"{_BY_HADOOP}AnonymousAWSCredentialsProvider"}
    token = secret.get("SESSION_TOKEN")
    return {
        provider: f"{_BY_HADOOP}{'Simple' if token is None else 'Temporary'}AWSCredentialsProvider",
        "access.key": secret.get("KEY_ID"),
        "secret.key": secret.get("SECRET"),
        "session.token": token,
    }


def _azure_settings(secret: Secret) -> dict[str, str]:
    account = f"{secret.account}.dfs.core.windows.net"
    if secret.provider == PRINCIPAL:
        login = f"https://login.microsoftonline.com/{secret.get('TENANT_ID')}/oauth2/token"
        return {
            f"fs.azure.account.auth.type.{account}": "OAuth",
            f"fs.azure.account.oauth.provider.type.{account}": (
                "org.apache.hadoop.fs.azurebfs.oauth2.ClientCredsTokenProvider"
            ),
            f"fs.azure.account.oauth2.client.endpoint.{account}": login,
            f"fs.azure.account.oauth2.client.id.{account}": secret.get("CLIENT_ID") or "",
            f"fs.azure.account.oauth2.client.secret.{account}": secret.get("CLIENT_SECRET") or "",
        }
    key = secret.connection.get("AccountKey")
    return {} if key is None else {f"fs.azure.account.key.{account}": key}


_without_log = log_suppressor("py4j.java_gateway", "py4j.clientserver")
"""Suppresses the log of the connection to the JVM, which repeats all values."""


class HadoopSecrets:
    """The secrets that a session has told Spark of."""

    def __init__(self) -> None:
        self._told = NO_SECRETS

    def tell(self, spark: SparkSession, secrets: StoreSecrets) -> None:
        """Make Spark use the secrets from now on, and those of before no more."""
        if secrets is self._told:
            return
        with _LOCK, _without_log():
            _CONFIGURATIONS.setdefault(spark.sparkContext, _Configuration(spark.sparkContext)).change(self, secrets)
        self._told = secrets


class _Configuration:
    """Hadoop's settings in a context of Spark, which sessions of a process share."""

    def __init__(self, context: SparkContext) -> None:
        self._hadoop = cast("Any", context)._jsc.hadoopConfiguration()
        self._redaction = context.getConf().get(REDACTION, _REDACTED) or ""
        self._wanted: WeakKeyDictionary[HadoopSecrets, dict[str, str]] = WeakKeyDictionary()
        self._set: dict[str, str] = {}
        self._original: dict[str, str | None] = {}

    def change(self, session: HadoopSecrets, secrets: StoreSecrets) -> None:
        """Set what all sessions want; of two that differ, the last one counts."""
        own = hadoop_settings(secrets, self._before)
        _check_redacted(own, self._redaction)
        self._wanted.pop(session, None)
        self._wanted[session] = own
        wanted = {name: value for settings in self._wanted.values() for name, value in settings.items()}
        for name in self._set.keys() - wanted.keys():
            self._put(name, self._original[name])
        for name, value in wanted.items():
            self._original.setdefault(name, self._before(name))
            if self._set.get(name) != value:
                self._put(name, value)
        self._set = wanted
        for name, value in scheme_settings(secrets).items():
            # Stays: what was planned with this scheme may run later.
            self._put(name, value)

    def _before(self, name: str) -> str | None:
        found: str | None = self._original[name] if name in self._original else self._hadoop.get(name)
        return found

    def _put(self, name: str, value: str | None) -> None:
        if value is None:
            self._hadoop.unset(name)
        else:
            self._hadoop.set(name, value)


_CONFIGURATIONS: WeakKeyDictionary[SparkContext, _Configuration] = WeakKeyDictionary()
_LOCK = Lock()


def _check_redacted(settings: Iterable[str], redaction: str) -> None:
    """Check that Spark shows none of the settings with a secret: its interface and its event log have all of them."""
    for name in settings:
        hidden = _HIDDEN.search(name)
        if hidden is not None and not re.search(redaction, name):
            raise InvalidOption(
                f"Spark would show a secret: its setting {REDACTION} must match '{hidden[0]}', as '{REDACTED}' does. It"
                " is set before Spark is started."
            )
