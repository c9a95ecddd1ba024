"""Users' SQL for Spark, protected from variable substitution.

By default Spark replaces `${name}` anywhere in a text, even in strings, by a setting or an environment variable. In
strings the dollar sign is escaped; for identifiers, which have no escapes, substitution is disabled while Spark parses
the text.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from forklake.errors import InvalidInput
from forklake.spark.session.job_settings import spark_settings
from forklake.spark.session.provider import is_remote

_VARIABLE = "${"
_SUBSTITUTE = "spark.sql.variable.substitute"
_DOLLAR = re.compile(r"\\?\$\{|(\\.)", re.DOTALL)
_PARTS = re.compile(
    r"""(?P<comment>--(?:\\\n|[^\r\n])*|/\*(?!\+))
      | (?P<name>`(?:[^`]|``)*`)
      | (?P<raw>\b[rR](?:'[^']*'|"[^"]*"))
      | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""",
    re.DOTALL | re.VERBOSE,
)
"""Tokens that may contain unintended variables; of a bracketed comment, only the start."""
_BRACKETS = re.compile(r"/\*(?!\+)|\*/")


def without_variables(text: str) -> str:
    """The text with variables in strings escaped, and without comments that contain variables."""
    if _VARIABLE not in text:
        return text
    written, at = [], 0
    while (part := _PARTS.search(text, at)) is not None:
        end = _comment_end(text, part.start()) if part[0] == "/*" else part.end()
        if end is None:
            break
        written += [text[at : part.start()], _escape_variables(part, text[part.start() : end])]
        at = end
    return "".join([*written, text[at:]])


def _comment_end(text: str, start: int) -> int | None:
    """The end of a bracketed comment, which may be nested; None if it is not closed."""
    depth = 0
    for bracket in _BRACKETS.finditer(text, start):
        depth += 1 if bracket[0] == "/*" else -1
        if depth == 0:
            return bracket.end()
    return None


def _escape_variables(part: re.Match[str], found: str) -> str:
    match part.lastgroup:
        case "string":
            return _DOLLAR.sub(lambda at: at[1] or r"\u0024{", found)
        case "raw":
            # Adjacent strings are concatenated.
            quote = found[1]
            return found.replace(_VARIABLE, f"${quote} {found[0]}{quote}{{")
        case "comment" if _VARIABLE in found:
            return " "
    return found


@contextmanager
def without_substitution(spark: SparkSession, *texts: str) -> Iterator[None]:
    """Disables substitution for texts returned by `without_variables` while the block runs."""
    if not any(_VARIABLE in text for text in texts):
        yield
        return
    if is_remote(spark):
        raise InvalidInput("A server of Spark Connect would replace ${…} in a name; use other names.")
    with spark_settings(spark, {_SUBSTITUTE: "false"}):
        yield


def user_expression(text: str) -> Column:
    """Parses a user's expression."""
    plain = without_variables(text)
    if _VARIABLE not in plain:
        return F.expr(plain)
    with without_substitution(SparkSession.active(), plain):
        return F.expr(plain)
