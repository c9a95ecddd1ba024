"""Spark's SQL as sqlglot reads it."""

from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.databricks import Databricks
from sqlglot.parsers.databricks import DatabricksParser

NOT_WORDS = frozenset({"SETTINGS", "?::"})
"""Keywords of sqlglot to disable: the name of one of our functions, and a parameter followed by a cast."""


class SparkReadDialect(Databricks):
    """Spark SQL: the Databricks dialect is a superset of it."""

    class Tokenizer(Databricks.Tokenizer):
        KEYWORDS: ClassVar = {
            word: kind for word, kind in Databricks.Tokenizer.KEYWORDS.items() if word not in NOT_WORDS
        }

    class Parser(DatabricksParser):
        # Queries in this dialect are not regenerated: it suffices to find the tables that they name.
        PIPE_SYNTAX_TRANSFORM_PARSERS: ClassVar = {
            **DatabricksParser.PIPE_SYNTAX_TRANSFORM_PARSERS,
            "SET": lambda self, query: self._parse_piped_set(query),
            "DROP": lambda self, query: self._parse_piped_drop(query),
        }

        def _parse_piped_set(self, query: exp.Select) -> exp.Select:
            """Assignments, parsed as conditions among additional columns."""
            self._match_text_seq("SET")
            query.select(*[exp.Star(), *self._parse_expressions()], append=False, copy=False)
            return self._build_pipe_cte(query=query, expressions=[exp.Star()])

        def _parse_piped_drop(self, query: exp.Select) -> exp.Select:
            """Dropped columns; their names refer to no tables."""
            self._match_text_seq("DROP")
            self._parse_csv(self._parse_id_var)
            return self._build_pipe_cte(query=query, expressions=[exp.Star()])
