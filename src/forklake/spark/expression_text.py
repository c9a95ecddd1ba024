"""Users' SQL as it goes to Spark: what looks like a variable stays as it is.

By default Spark replaces `${name}` anywhere in a text, in strings as well, by a setting or by a variable of its
environment. In strings the dollar is written as an escape; in names, which know no escapes, the setting is turned off
while Spark reads the text.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from forklake.errors import InvalidInput
from forklake.spark.session import is_remote
from forklake.spark.settings import spark_settings

_VARIABLE = "${"
_SUBSTITUTE = "spark.sql.variable.substitute"
_DOLLAR = re.compile(r"\\?\$\{|(\\.)", re.DOTALL)
_PARTS = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?\*/)
      | (?P<name>`(?:[^`]|``)*`)
      | (?P<raw>\b[rR](?:'[^']*'|"[^"]*"))
      | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""",
    re.DOTALL | re.VERBOSE,
)
"""What variables can stand in without being meant."""


def without_variables(text: str) -> str:
    """The text with strings that Spark takes as they are, and without comments that look like variables."""
    if _VARIABLE not in text:
        return text
    return _PARTS.sub(_written, text)


def _written(part: re.Match[str]) -> str:
    found = part[0]
    match part.lastgroup:
        case "string":
            return _DOLLAR.sub(lambda at: at[1] or r"\u0024{", found)
        case "raw":
            # Strings side by side are one.
            quote = found[1]
            return found.replace(_VARIABLE, f"${quote} {found[0]}{quote}{{")
        case "comment" if _VARIABLE in found:
            return " "
    return found


@contextmanager
def read_as_written(spark: SparkSession, *texts: str) -> Iterator[None]:
    """While the block runs, Spark reads texts from `without_variables` as they are."""
    if not any(_VARIABLE in text for text in texts):
        yield
        return
    if is_remote(spark):
        raise InvalidInput("A server of Spark Connect would replace ${…} in a name; use other names.")
    with spark_settings(spark, {_SUBSTITUTE: "false"}):
        yield


def expression(text: str) -> Column:
    """An expression of a user."""
    plain = without_variables(text)
    if _VARIABLE not in plain:
        return F.expr(plain)
    with read_as_written(SparkSession.active(), plain):
        return F.expr(plain)
