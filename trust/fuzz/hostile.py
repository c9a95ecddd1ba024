"""Names and texts that are meant to do harm."""

import random
from collections.abc import Sequence

NAMES: Sequence[str] = (
    "",
    " ",
    ".",
    "..",
    "../..",
    "../../etc/passwd",
    "..\\..\\windows",
    "a/b",
    "a\\b",
    "/",
    "/absolute",
    "~",
    "~root",
    "%2e%2e",
    "%2e%2e%2f%2e%2e%2f",
    "a%2fb",
    "%00",
    "a\0b",
    "a\nb",
    "a\rb",
    "\t",
    "\x1b[2J",
    "\x7f",
    "\x85",
    "\u2028",
    "\u202egnp.exe",
    "\ufeffbom",
    "zero\u200bwidth",
    "caf\u00e9",
    "cafe\u0301",
    "\u212b",
    "\u00c5",
    "A",
    "a",
    "Main",
    "MAIN",
    "STRASSE",
    "stra\u00dfe",
    "\u0130",
    "i\u0307",
    "\ud800",
    "a\udfff",
    "\U0001f600",
    "\U0010ffff",
    "\U000e0001",
    "CON",
    "NUL",
    "aux.txt",
    "name.",
    "name..",
    "name ",
    " name",
    "na me",
    "-rf",
    "--",
    "*",
    "?",
    "[a]",
    "{a,b}",
    "$HOME",
    "${env:HOME}",
    "${spark.app.name}",
    "$(id)",
    "`id`",
    "a`b",
    'a"b',
    "a'b",
    "a''b",
    "a;b",
    "'; DROP TABLE lake_catalog; --",
    '"; DROP TABLE lake_catalog; --',
    "' OR '1'='1",
    "1) UNION SELECT * FROM lake_info --",
    "%s",
    "%(name)s",
    "%n%n%n",
    "{}",
    "{0.__class__}",
    "{self}",
    ":name",
    "?1",
    "$1",
    "file:",
    "file:///etc/passwd",
    "file:%2e%2e",
    "s3:",
    "C:",
    "C:\\x",
    "x=1",
    "a=b/c=d",
    "__HIVE_DEFAULT_PARTITION__",
    "rowid",
    "snapshot_id",
    "_ducklake_internal_row_id",
    "__ducklake_metadata_lake",
    "__forklake_frame_0",
    "select",
    "null",
    "true",
    "table",
    "main",
    "lake",
    "0",
    "-1",
    "1e999",
    "a" * 255,
    "a" * 256,
    "\u00e9" * 127,
    "\u00e9" * 128,
    "a" * 3_000,
)
HUGE = "x" * 1_000_000

_BEGINNINGS = ("", "\ufeff", "--", "/*", "#", "'", '"', "`", "(", "\\", "$$", ";", "\0")


def any_text(rng: random.Random, longest: int = 40) -> str:
    """A text of all planes of Unicode, halves of characters included."""
    length = rng.randint(0, longest)
    kinds = ((32, 126), (0, 255), (0, 0xFFFF), (0xD800, 0xDFFF), (0, 0x10FFFF))
    low, high = rng.choice(kinds)
    return rng.choice(_BEGINNINGS) + "".join(chr(rng.randint(low, high)) for _ in range(length))


def any_name(rng: random.Random) -> str:
    """A name from the list, two of them together, or any text."""
    chance = rng.random()
    if chance < 0.7:
        return rng.choice(NAMES)
    return rng.choice(NAMES) + rng.choice(NAMES) if chance < 0.85 else any_text(rng)


def raw(rng: random.Random) -> str:
    """Bytes as a program would read them: as text, with whatever is none kept as half a character."""
    given = rng.randbytes(rng.randint(0, 60))
    coding, errors = rng.choice((("latin-1", "strict"), ("utf-8", "surrogateescape"), ("utf-16-le", "replace")))
    return given.decode(coding, errors)
