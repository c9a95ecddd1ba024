"""Secrets as settings of Hadoop."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from forklake.errors import InvalidOption
from forklake.model.store_secrets import StoreSecrets, read_secret
from forklake.spark.session.hadoop_secrets import (
    REDACTED,
    HadoopSecrets,
    _check_redacted,
    hadoop_settings,
    scheme_settings,
)

KEYS = {"TYPE": "s3", "KEY_ID": "me", "SECRET": "hush"}
SIMPLE = "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"


def settings(*given: Mapping[str, object], before: Mapping[str, str] | None = None) -> dict[str, str]:
    secrets = tuple(read_secret(f"s{number}", each) for number, each in enumerate(given))
    return hadoop_settings(StoreSecrets(secrets), (before or {}).get)


def test_a_secret_of_a_bucket_is_set_for_the_bucket() -> None:
    found = settings({**KEYS, "SCOPE": "s3://b.c", "ENDPOINT": "h:1", "USE_SSL": False, "REGION": "r"})
    assert found == {
        "fs.s3a.bucket.b.c.aws.credentials.provider": SIMPLE,
        "fs.s3a.bucket.b.c.access.key": "me",
        "fs.s3a.bucket.b.c.secret.key": "hush",
        "fs.s3a.bucket.b.c.endpoint": "http://h:1",
        "fs.s3a.bucket.b.c.endpoint.region": "r",
        "fs.s3a.bucket.b.c.connection.ssl.enabled": "false",
        "fs.s3a.bucket.b.c.path.style.access": "true",
    }


def test_a_secret_of_all_buckets_leaves_others_as_they_were() -> None:
    general = {**KEYS, "ENDPOINT": "h:1", "SESSION_TOKEN": "t", "REGION": "r"}
    found = settings(general, {**KEYS, "KEY_ID": "you", "SCOPE": "s3://b"}, before={"fs.s3a.endpoint": "http://own"})
    assert found["fs.s3a.session.token"] == "t"
    assert found["fs.s3a.aws.credentials.provider"].endswith("TemporaryAWSCredentialsProvider")
    assert found["fs.s3a.bucket.b.aws.credentials.provider"] == SIMPLE
    assert found["fs.s3a.bucket.b.access.key"] == "you"
    assert found["fs.s3a.bucket.b.endpoint"] == "http://own"
    assert found["fs.s3a.bucket.b.session.token"] == ""
    assert "fs.s3a.bucket.b.endpoint.region" not in found


@pytest.mark.parametrize(
    ("given", "provider"),
    [
        ({"PROVIDER": "credential_chain"}, "software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider"),
        ({"REGION": "r"}, "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"),
        (
            {"PROVIDER": "credential_chain", "CHAIN": "sts", "ASSUME_ROLE_ARN": "arn", "EXTERNAL_ID": "x"},
            "org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider",
        ),
    ],
)
def test_credentials_of_the_environment_are_found_by_the_sdk(given: dict[str, object], provider: str) -> None:
    found = settings({"TYPE": "s3", **given})
    assert found["fs.s3a.aws.credentials.provider"] == provider
    assert ("fs.s3a.assumed.role.arn" in found) == ("ASSUME_ROLE_ARN" in given)


def test_after_a_change_the_scheme_is_new_to_hadoop() -> None:
    assert scheme_settings(StoreSecrets()) == {}
    assert scheme_settings(StoreSecrets((), 3)) == {
        "fs.s3a-3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
        "mapreduce.outputcommitter.factory.scheme.s3a-3": "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory",
    }


class Hadoop:
    """Stands for the configuration of a JVM."""

    def __init__(self) -> None:
        self.settings = {"fs.s3a.bucket.b.access.key": "own"}

    def get(self, name: str) -> str | None:
        return self.settings.get(name)

    def set(self, name: str, value: str) -> None:
        self.settings[name] = value

    def unset(self, name: str) -> None:
        self.settings.pop(name, None)


class Context:
    """Stands for a context of Spark."""

    def __init__(self) -> None:
        self.hadoop = Hadoop()
        self._jsc = SimpleNamespace(hadoopConfiguration=lambda: self.hadoop)

    def getConf(self) -> dict[str, str]:
        return {}


def test_the_settings_of_a_session_go_with_it_and_those_of_others_stay() -> None:
    context: Any = Context()
    spark: Any = SimpleNamespace(sparkContext=context)
    first, second = HadoopSecrets(), HadoopSecrets()
    secret = read_secret("s", {**KEYS, "SCOPE": "s3://b"})
    first.tell(spark, StoreSecrets((secret,), 1))
    second.tell(spark, StoreSecrets((secret, read_secret("t", {**KEYS, "SCOPE": "s3://c"})), 2))
    first.tell(spark, StoreSecrets((), 3))
    assert context.hadoop.get("fs.s3a.bucket.b.access.key") == "me"
    assert context.hadoop.get("fs.s3a.bucket.c.secret.key") == "hush"
    second.tell(spark, StoreSecrets((), 4))
    left = {name: value for name, value in context.hadoop.settings.items() if "S3A" not in value}
    assert left == {"fs.s3a.bucket.b.access.key": "own"}
    assert "fs.s3a-1.impl" in context.hadoop.settings


def test_storage_accounts_of_azure_have_their_own_settings() -> None:
    found = settings({"TYPE": "azure", "CONNECTION_STRING": "AccountName=a;AccountKey=k=="})
    assert found == {"fs.azure.account.key.a.dfs.core.windows.net": "k=="}
    principal = {"TENANT_ID": "t", "CLIENT_ID": "c", "CLIENT_SECRET": "hush"}
    found = settings({"TYPE": "azure", "PROVIDER": "service_principal", "ACCOUNT_NAME": "a", **principal})
    assert found["fs.azure.account.oauth2.client.secret.a.dfs.core.windows.net"] == "hush"


def test_a_setting_that_spark_would_show_is_refused() -> None:
    usual = "(?i)secret|password|token|access[.]?key"
    shown_by_azure = settings({"TYPE": "azure", "CONNECTION_STRING": "AccountName=a;AccountKey=k=="})
    _check_redacted(settings({**KEYS, "SESSION_TOKEN": "t"}), usual)
    _check_redacted(shown_by_azure, REDACTED)
    with pytest.raises(InvalidOption, match=r"spark.redaction.regex must match 'account.key'"):
        _check_redacted(shown_by_azure, usual)
