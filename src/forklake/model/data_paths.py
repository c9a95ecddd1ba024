"""Spellings of data paths and files of users: one scheme for each kind of storage."""

import os
import re

_SCHEMES = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}
"""Schemes of other programs for the same storage."""
_SPECIAL = re.compile(r"([\\{}\[\]*?])")


def usual_scheme(url: str) -> str:
    """A URL with the usual scheme of its storage, in lower case; local paths are unchanged."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    return f"{_SCHEMES.get(scheme.lower(), scheme.lower())}://{rest}"


def all_schemes(url: str) -> list[str]:
    """A URL in all schemes of its storage, the usual one first; local paths are unchanged."""
    scheme, separator, rest = usual_scheme(url).partition("://")
    others = [other for other, usual in _SCHEMES.items() if usual == scheme] if separator else []
    return [usual_scheme(url), *(f"{other}://{rest}" for other in others)]


def as_pattern(path: str) -> str:
    """A pattern of Spark's readers that only this path matches."""
    return _SPECIAL.sub(r"\\\1", path)


def absolute_folder(path: str) -> str:
    """The absolute path of a local folder, or a URL with its usual scheme, with a slash at the end."""
    return os.path.join(usual_scheme(path) if "://" in path else os.path.abspath(path), "")
