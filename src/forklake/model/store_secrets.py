"""Secrets: credentials of object stores, and connections of lakes, by name.

A secret of an object store applies to the paths below its scopes; the longest scope that contains a path is chosen.
Values that must not be shown are in no text that is made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from forklake.errors import AlreadyExists, InvalidInput, InvalidOption, NotFound
from forklake.model.data_paths import usual_scheme
from forklake.model.names import closest_name, fold
from forklake.model.secrets import without_passwords

_HIDDEN = frozenset({"SECRET", "SESSION_TOKEN", "CLIENT_SECRET", "CONNECTION_STRING"})
_KEYS = frozenset({"KEY_ID", "SECRET", "SESSION_TOKEN"})
_S3 = frozenset({"REGION", "ENDPOINT", "URL_STYLE", "USE_SSL"})
_ROLE = frozenset({"CHAIN", "ASSUME_ROLE_ARN", "SESSION_NAME", "EXTERNAL_ID"})
_ANY = frozenset({"TYPE", "PROVIDER", "SCOPE"})
CONFIG, CHAIN, PRINCIPAL = "config", "credential_chain", "service_principal"
PARAMETERS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "s3": {CONFIG: _KEYS | _S3, CHAIN: _S3 | _ROLE},
    "r2": {CONFIG: _KEYS | _S3 | {"ACCOUNT_ID"}},
    "gcs": {CONFIG: _KEYS | _S3},
    "azure": {
        CONFIG: frozenset({"CONNECTION_STRING"}),
        CHAIN: frozenset({"ACCOUNT_NAME"}),
        PRINCIPAL: frozenset({"ACCOUNT_NAME", "TENANT_ID", "CLIENT_ID", "CLIENT_SECRET"}),
    },
    "ducklake": {
        CONFIG: frozenset(
            {"METADATA_PATH", "DATA_PATH", "METADATA_SCHEMA", "METADATA_CATALOG", "CATALOG", "CATALOG_ID"}
        )
    },
}
"""By type and provider, the parameters of a secret."""
_SCOPES = {"s3": "s3://", "r2": "s3://", "gcs": "gs://", "azure": "abfss://"}
"""By type, the beginning of its paths."""
_WORDS = {"URL_STYLE": ("path", "vhost"), "USE_SSL": ("true", "false"), "CHAIN": ("sts",)}
_ENDPOINTS = {"gcs": "storage.googleapis.com"}


@dataclass(frozen=True, slots=True)
class Secret:
    """A named secret, as `read_secret` makes it."""

    name: str
    type: str
    provider: str
    scopes: tuple[str, ...]
    """Without a slash at the end, unless they are a scheme alone."""
    values: tuple[tuple[str, str], ...] = field(repr=False)

    def get(self, name: str) -> str | None:
        return dict(self.values).get(name)

    @property
    def shown(self) -> str:
        """The parameters in one text, without those that must not be shown."""
        pairs = [("name", self.name), ("type", self.type), ("provider", self.provider)]
        pairs.append(("scope", ",".join(self.scopes)))
        pairs += [(name.lower(), "redacted" if name in _HIDDEN else value) for name, value in self.values]
        return without_passwords(";".join(f"{name}={value}" for name, value in pairs))

    @property
    def places(self) -> set[tuple[str, str | None]]:
        """Scopes that no other secret may have; those of accounts differ."""
        return {(scope, self.account) for scope in self.scopes}

    @property
    def speaks_s3(self) -> bool:
        """Whether its paths are accessed by the protocol of S3."""
        return self.type in ("s3", "r2", "gcs")

    @property
    def endpoint(self) -> str | None:
        """The URL of the server; None for that of Amazon, or the one that the environment names."""
        host = self.get("ENDPOINT") or _ENDPOINTS.get(self.type)
        if self.type == "r2" and host is None:
            host = f"{self.get('ACCOUNT_ID')}.r2.cloudflarestorage.com"
        if host is None:
            return None
        scheme = "http" if self.get("USE_SSL") == "false" else "https"
        return host.rstrip("/") if "://" in host else f"{scheme}://{host.rstrip('/')}"

    @property
    def region(self) -> str | None:
        return self.get("REGION") or ("auto" if self.type in ("r2", "gcs") else None)

    @property
    def url_style(self) -> str | None:
        """Where a request has the bucket: `vhost` or `path`, the default of another server than Amazon's."""
        return self.get("URL_STYLE") or (None if self.endpoint is None else "path")

    def applies_to(self, url: str, scope: str) -> bool:
        """Whether a path is below one of the scopes, and for Azure, in the account."""
        if url != scope and not url.startswith(scope if scope.endswith("/") else f"{scope}/"):
            return False
        return self.type != "azure" or url.split("/")[2].rpartition("@")[2].partition(".")[0] == self.account

    @property
    def account(self) -> str | None:
        """The storage account, for Azure."""
        return self.get("ACCOUNT_NAME") or self.connection.get("AccountName")

    @property
    def connection(self) -> dict[str, str]:
        """The parts of a connection string, for Azure."""
        parts = (part.partition("=") for part in (self.get("CONNECTION_STRING") or "").split(";") if part.strip())
        return {name.strip(): value.strip() for name, _, value in parts}


def read_secret(name: str | None, given: Mapping[str, Any]) -> Secret:
    """A secret from its parameters by uppercase name. Raises InvalidInput, without values, if they do not fit."""
    given = {key: value for key, value in given.items() if value is not None}
    type_ = _word(given, "TYPE", PARAMETERS)
    provider = _word(given, "PROVIDER", PARAMETERS[type_], CONFIG)
    known = PARAMETERS[type_][provider] | _ANY
    for key in given:
        if key not in known:
            nearest = closest_name(key.lower(), [each.lower() for each in sorted(known)])
            hint = f" Did you mean {nearest.upper()}?" if nearest else ""
            raise InvalidOption(
                f"A secret of TYPE {type_} and PROVIDER {provider} has no parameter {_as_word(key)}.{hint}"
            )
    values = tuple((key, _text(key, value)) for key, value in given.items() if key not in _ANY)
    if type_ == "ducklake" and "SCOPE" in given:
        raise InvalidOption("A secret of TYPE ducklake has no SCOPE.")
    found = Secret(name or default_name(type_), type_, provider, _scopes(type_, given.get("SCOPE")), values)
    _check(found)
    return found


def default_name(type_: str) -> str:
    """The name of a secret that was given none."""
    return f"__default_{type_}"


def _word(given: Mapping[str, Any], key: str, known: Iterable[str], default: str | None = None) -> str:
    word = str(given.get(key, default or "")).lower()
    if word not in known:
        raise InvalidInput(f"{key} of a secret must be one of {', '.join(known)}.")
    return word


def _as_word(key: str) -> str:
    # A secret that is written in the wrong place must not be shown.
    return key if key.replace("_", "a").isalpha() and len(key) <= 32 else "of this name"


def _text(key: str, value: object) -> str:
    if isinstance(value, bool):
        value = "true" if value else "false"
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"{key} of a secret must be a text that is not empty.")
    if key in _WORDS:
        value = value.lower()
        if value not in _WORDS[key]:
            also = " The chain of the AWS SDK is asked as a whole: leave CHAIN out." if key == "CHAIN" else ""
            raise InvalidInput(f"{key} of a secret must be {' or '.join(_WORDS[key])}.{also}")
    return value


def _scopes(type_: str, given: Any) -> tuple[str, ...]:
    if type_ == "ducklake":
        return ()
    begin = _SCOPES[type_]
    scopes = [begin] if given is None else [given] if isinstance(given, str) else given
    if not isinstance(scopes, list | tuple) or not scopes or not all(isinstance(each, str) for each in scopes):
        raise InvalidInput("SCOPE of a secret must be a URL such as s3://bucket/folder, or a list of them.")
    found = []
    for scope in map(usual_scheme, scopes):
        if not scope.startswith(begin):
            raise InvalidInput(f"SCOPE of a secret of TYPE {type_} must begin with {begin}.")
        if "@" in scope and type_ != "azure":
            raise InvalidInput("SCOPE of a secret must be the URL of a bucket or folder, without credentials.")
        found.append(scope if scope == begin else scope.rstrip("/"))
    return tuple(found)


def _check(secret: Secret) -> None:
    """Check that the parameters that belong together are there."""
    get = secret.get
    if secret.type == "ducklake" and not get("METADATA_PATH"):
        raise InvalidInput("metadata_path must be defined in a secret of TYPE ducklake.")
    if (get("KEY_ID") is None) != (get("SECRET") is None):
        raise InvalidInput("KEY_ID and SECRET of a secret belong together.")
    if get("SESSION_TOKEN") is not None and get("SECRET") is None:
        raise InvalidInput("SESSION_TOKEN of a secret needs KEY_ID and SECRET.")
    if secret.type in ("r2", "gcs") and get("SECRET") is None:
        raise InvalidInput(f"A secret of TYPE {secret.type} needs KEY_ID and SECRET.")
    if secret.type == "gcs" and "gs://" in secret.scopes:
        # Spark knows of it by the name of the bucket only: other buckets are those of S3.
        raise InvalidInput("A secret of TYPE gcs needs a SCOPE with the name of a bucket, such as gs://bucket.")
    if secret.type == "r2" and get("ACCOUNT_ID") is None and get("ENDPOINT") is None:
        raise InvalidInput("A secret of TYPE r2 needs ACCOUNT_ID.")
    role = get("ASSUME_ROLE_ARN")
    if role is None and any(get(name) is not None for name in ("CHAIN", "SESSION_NAME", "EXTERNAL_ID")):
        raise InvalidInput("CHAIN, SESSION_NAME and EXTERNAL_ID of a secret are for a role: give ASSUME_ROLE_ARN.")
    if secret.type != "azure":
        return
    if secret.account is None:
        raise InvalidInput("A secret of TYPE azure needs ACCOUNT_NAME, or a CONNECTION_STRING with AccountName.")
    if secret.provider == CONFIG and not secret.connection.get("AccountKey"):
        raise InvalidInput("CONNECTION_STRING of a secret must have an AccountKey.")
    if secret.provider == PRINCIPAL and None in map(get, ("TENANT_ID", "CLIENT_ID", "CLIENT_SECRET")):
        raise InvalidInput("A service principal needs TENANT_ID, CLIENT_ID and CLIENT_SECRET.")


@dataclass(frozen=True, slots=True)
class StoreSecrets:
    """The secrets of object stores at one time: a value, which tasks on executors get as it is."""

    secrets: tuple[Secret, ...] = ()
    generation: int = 0
    """Another number after each change that Spark must be told of while it is running."""

    def for_path(self, url: str) -> Secret | None:
        """The secret whose longest scope contains a path; None if the environment decides."""
        url = usual_scheme(url)
        found = [(len(scope), each) for each in self.secrets for scope in each.scopes if each.applies_to(url, scope)]
        return max(found, key=lambda pair: pair[0])[1] if found else None

    @property
    def s3_scheme(self) -> str:
        """The scheme by which Spark accesses S3: it keeps the credentials of those it has seen."""
        return f"s3a-{self.generation}" if self.generation else "s3a"

    def only_for(self, url: str) -> StoreSecrets:
        """What is needed to access a path."""
        chosen = self.for_path(url)
        return StoreSecrets(() if chosen is None else (chosen,), self.generation)

    @property
    def by_bucket(self) -> Mapping[str, Secret]:
        """The secret of each bucket that scopes name, by its URL; of several below it, that with the shortest scope."""
        found = sorted((len(scope), scope, each) for each in self.secrets if each.speaks_s3 for scope in each.scopes)
        return {"/".join(scope.split("/")[:3]): each for _, scope, each in reversed(found) if not scope.endswith("//")}

    def for_bucket(self, url: str) -> Secret | None:
        """The secret of the bucket of a path: Spark knows only one for each."""
        bucket = "/".join(usual_scheme(url).split("/")[:3])
        return self.by_bucket.get(bucket) or self.for_path(bucket)


NO_SECRETS = StoreSecrets()


class SecretRegistry:
    """The secrets of a session and its cursors, by case-insensitive name. They are kept in memory only."""

    def __init__(self) -> None:
        self._by_name: dict[str, Secret] = {}
        self._lock = Lock()
        self.stores = NO_SECRETS
        """The secrets of object stores as they are now."""

    def __iter__(self) -> Iterator[Secret]:
        return iter(list(self._by_name.values()))

    def __repr__(self) -> str:
        return f"<{len(self._by_name)} secrets>"

    def find(self, name: str) -> Secret | None:
        return self._by_name.get(fold(name))

    def add(self, secret: Secret, *, or_replace: bool = False, if_not_exists: bool = False) -> bool:
        """Add a secret; returns whether it was added."""
        with self._lock:
            if fold(secret.name) in self._by_name and not or_replace:
                if if_not_exists:
                    return False
                raise AlreadyExists(f'Secret "{secret.name}" already exists.')
            others = {name: other for name, other in self._by_name.items() if name != fold(secret.name)}
            same = next((each for each in others.values() if not each.places.isdisjoint(secret.places)), None)
            if same is not None:
                raise AlreadyExists(
                    f'Secret "{same.name}" has the same SCOPE: replace it, drop it, or give this one another SCOPE.'
                )
            self._keep({**others, fold(secret.name): secret})
            return True

    def drop(self, name: str, *, if_exists: bool = False) -> None:
        with self._lock:
            if fold(name) not in self._by_name:
                if if_exists:
                    return
                raise NotFound(f'Secret "{name}" was not found.')
            self._keep({known: secret for known, secret in self._by_name.items() if known != fold(name)})

    def renew(self, generation: Callable[[], int]) -> None:
        """Give what is known another generation."""
        with self._lock:
            self.stores = StoreSecrets(self.stores.secrets, generation())

    def clear(self) -> None:
        with self._lock:
            self._keep({})

    def _keep(self, secrets: dict[str, Secret]) -> None:
        self._by_name = secrets
        of_stores = tuple(secret for secret in secrets.values() if secret.scopes)
        self.stores = StoreSecrets(of_stores, self.stores.generation)
