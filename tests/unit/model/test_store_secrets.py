"""Which secrets there can be, for which paths they are, and that none of them is shown."""

import pickle
from typing import Any

import pytest

from forklake.errors import AlreadyExists, InvalidInput, NotFound
from forklake.model.store_secrets import NO_SECRETS, Secret, SecretRegistry, StoreSecrets, read_secret

HUSH = "hUsH+0nlyM1ne/"
KEYS = {"KEY_ID": "AKIA", "SECRET": HUSH}
AZURE = {"CONNECTION_STRING": f"AccountName=here;AccountKey={HUSH}=="}


def s3(name: str, *scopes: str, **more: object) -> Secret:
    return read_secret(name, {"TYPE": "s3", **KEYS, **({"SCOPE": list(scopes)} if scopes else {}), **more})


def chosen(secrets: StoreSecrets, path: str) -> str | None:
    found = secrets.for_path(path)
    return None if found is None else found.name


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("s3://bucket/folder/x.parquet", "folder"),
        ("s3a://bucket/folder", "folder"),
        ("S3N://bucket/folder/", "folder"),
        ("s3://bucket/folders", "bucket"),
        ("s3://bucket", "bucket"),
        ("s3://bucket2/folder", "any"),
        ("s3://second/x", "bucket"),
        ("gcs://cloud/x", "cloud"),
        ("gs://other/x", None),
        ("abfss://box@here.dfs.core.windows.net/x", "azure"),
        ("abfss://box@there.dfs.core.windows.net/x", None),
        ("/bucket/folder", None),
        ("hdfs://bucket/folder", None),
    ],
)
def test_the_longest_scope_that_contains_a_path_is_chosen(path: str, expected: str | None) -> None:
    found = StoreSecrets(
        (
            s3("any"),
            s3("folder", "s3a://bucket/folder/"),
            s3("bucket", "s3://bucket", "s3://second"),
            read_secret("cloud", {"TYPE": "gcs", **KEYS, "SCOPE": "gcs://cloud"}),
            read_secret("azure", {"TYPE": "azure", **AZURE}),
        )
    )
    assert chosen(found, path) == expected
    assert chosen(found.only_for(path), path) == expected
    assert len(found.only_for(path).secrets) == (expected is not None)


def test_a_bucket_has_the_secret_with_the_shortest_scope_in_it() -> None:
    found = StoreSecrets((s3("any"), s3("deep", "s3://b/x/y"), s3("less", "s3://b/x"), s3("own", "s3://c")))
    assert {bucket: secret.name for bucket, secret in found.by_bucket.items()} == {"s3://b": "less", "s3://c": "own"}
    for path, expected in {"s3://b/x/y/z": "less", "s3a://c/x": "own", "s3://d/x": "any"}.items():
        of_bucket = found.for_bucket(path)
        assert of_bucket is not None
        assert of_bucket.name == expected


@pytest.mark.parametrize(
    ("given", "endpoint", "region", "style"),
    [
        ({"TYPE": "s3"}, None, None, None),
        ({"TYPE": "s3", "REGION": "eu-west-1", "URL_STYLE": "VHOST"}, None, "eu-west-1", "vhost"),
        ({"TYPE": "s3", "ENDPOINT": "host:9000", "USE_SSL": False}, "http://host:9000", None, "path"),
        ({"TYPE": "s3", "ENDPOINT": "http://host:9000/"}, "http://host:9000", None, "path"),
        ({"TYPE": "r2", "ACCOUNT_ID": "me"}, "https://me.r2.cloudflarestorage.com", "auto", "path"),
        ({"TYPE": "gcs", "SCOPE": "gs://b"}, "https://storage.googleapis.com", "auto", "path"),
    ],
)
def test_a_server_has_what_is_usual_there(
    given: dict[str, Any], endpoint: str | None, region: str | None, style: str | None
) -> None:
    found = read_secret("x", {**KEYS, **given})
    assert (found.endpoint, found.region, found.url_style) == (endpoint, region, style)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "TYPE of a secret must be one of s3, r2, gcs, azure, ducklake"),
        ({"TYPE": HUSH}, "TYPE of a secret must be"),
        ({"TYPE": "s3", "PROVIDER": HUSH}, "PROVIDER of a secret must be one of config, credential_chain"),
        ({"TYPE": "r2", "PROVIDER": "credential_chain"}, "PROVIDER of a secret must be one of config"),
        ({"TYPE": "s3", **KEYS, "REGIO": "x"}, "no parameter REGIO. Did you mean REGION?"),
        ({"TYPE": "s3", **KEYS, HUSH: True}, "no parameter of this name"),
        ({"TYPE": "s3", "PROVIDER": "credential_chain", **KEYS}, "no parameter KEY_ID"),
        ({"TYPE": "s3", "SECRET": HUSH}, "KEY_ID and SECRET of a secret belong together"),
        ({"TYPE": "s3", "SESSION_TOKEN": HUSH}, "SESSION_TOKEN of a secret needs KEY_ID and SECRET"),
        ({"TYPE": "s3", "KEY_ID": "me", "SECRET": [HUSH]}, "SECRET of a secret must be a text"),
        ({"TYPE": "s3", "KEY_ID": "me", "SECRET": ""}, "SECRET of a secret must be a text that is not empty"),
        ({"TYPE": "s3", **KEYS, "URL_STYLE": HUSH}, "URL_STYLE of a secret must be path or vhost"),
        ({"TYPE": "s3", **KEYS, "USE_SSL": "maybe"}, "USE_SSL of a secret must be true or false"),
        ({"TYPE": "s3", **KEYS, "SCOPE": "gs://b"}, "SCOPE of a secret of TYPE s3 must begin with s3://"),
        ({"TYPE": "s3", **KEYS, "SCOPE": f"s3://me:{HUSH}@b"}, "without credentials"),
        ({"TYPE": "s3", **KEYS, "SCOPE": 5}, "SCOPE of a secret must be a URL"),
        ({"TYPE": "r2", **KEYS}, "needs ACCOUNT_ID"),
        ({"TYPE": "gcs", "SCOPE": "gs://b"}, "TYPE gcs needs KEY_ID and SECRET"),
        ({"TYPE": "gcs", **KEYS}, "TYPE gcs needs a SCOPE with the name of a bucket"),
        ({"TYPE": "s3", "PROVIDER": "credential_chain", "CHAIN": "env"}, "CHAIN of a secret must be sts"),
        ({"TYPE": "s3", "PROVIDER": "credential_chain", "CHAIN": "sts"}, "give ASSUME_ROLE_ARN"),
        ({"TYPE": "s3", "PROVIDER": "credential_chain", "PROFILE": "x"}, "no parameter PROFILE"),
        ({"TYPE": "azure"}, "needs ACCOUNT_NAME"),
        ({"TYPE": "azure", "CONNECTION_STRING": f"AccountName=x;{HUSH}"}, "must have an AccountKey"),
        ({"TYPE": "azure", "PROVIDER": "service_principal", "ACCOUNT_NAME": "x"}, "needs TENANT_ID"),
        ({"TYPE": "ducklake"}, "metadata_path must be defined"),
        ({"TYPE": "ducklake", "METADATA_PATH": "x", "SCOPE": "s3://b"}, "has no SCOPE"),
    ],
)
def test_what_does_not_fit_is_refused_without_its_values(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_secret("x", given)
    assert message in str(raised.value)
    assert HUSH not in str(raised.value)


@pytest.mark.parametrize(
    "given",
    [
        {"TYPE": "s3", **KEYS, "SESSION_TOKEN": HUSH},
        {"TYPE": "azure", **AZURE},
        {
            "TYPE": "azure",
            "PROVIDER": "service_principal",
            "ACCOUNT_NAME": "x",
            "TENANT_ID": "t",
            "CLIENT_ID": "c",
            "CLIENT_SECRET": HUSH,
        },
        {"TYPE": "ducklake", "METADATA_PATH": f"postgres:host=h password={HUSH}"},
    ],
)
def test_nothing_that_shows_a_secret_shows_its_values(given: dict[str, Any]) -> None:
    secret, registry = read_secret("x", given), SecretRegistry()
    registry.add(secret)
    for shown in (secret, registry, registry.stores, [secret]):
        assert HUSH not in repr(shown)
        assert HUSH not in f"{shown}"
    assert HUSH not in secret.shown


def test_a_name_is_given_once_unless_it_is_replaced() -> None:
    found = SecretRegistry()
    assert found.add(s3("Mine", REGION="a"))
    with pytest.raises(AlreadyExists, match='Secret "mine" already exists'):
        found.add(s3("mine"))
    assert not found.add(s3("mine"), if_not_exists=True)
    before = found.stores
    assert found.add(s3("MINE", REGION="b"), or_replace=True)
    assert [secret.region for secret in found] == ["b"]
    assert [secret.region for secret in before.secrets] == ["a"]
    found.drop("mine")
    assert list(found) == []
    with pytest.raises(NotFound, match='Secret "mine" was not found'):
        found.drop("mine")
    found.drop("mine", if_exists=True)


def test_two_secrets_cannot_have_the_same_scope() -> None:
    found = SecretRegistry()
    found.add(s3("one", "s3://b/x"))
    with pytest.raises(AlreadyExists, match='Secret "one" has the same SCOPE'):
        found.add(s3("two", "s3://other", "s3a://b/x/"))
    found.add(s3("two", "s3://b"))
    found.add(read_secret("three", {"TYPE": "azure", **AZURE}))
    found.add(read_secret("four", {"TYPE": "azure", "PROVIDER": "credential_chain", "ACCOUNT_NAME": "there"}))


def test_a_secret_without_a_name_is_named_by_its_type() -> None:
    assert read_secret(None, {"TYPE": "s3", **KEYS}).name == "__default_s3"
    assert read_secret("", {"TYPE": "ducklake", "METADATA_PATH": "x"}).name == "__default_ducklake"


def test_executors_get_the_secrets_as_they_are() -> None:
    found = StoreSecrets((s3("x", "s3://b"),), 7)
    assert pickle.loads(pickle.dumps(found)) == found
    assert hash(found)
    assert found.s3_scheme == "s3a-7"
    assert NO_SECRETS.s3_scheme == "s3a"
