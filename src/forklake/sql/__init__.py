"""Translates SQL text to calls of the layers below. The only layer that uses sqlglot.

Its packages import each other in one direction: `execution`, `values`, `queries`, `definitions`, `functions`,
`binding`, `session`, then `duckdb` and `pruning`, then `parsing` and `results`. `api` and `cli` import it.
"""
