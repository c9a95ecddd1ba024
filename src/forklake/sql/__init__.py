"""SQL text to what the layers below can do. The only place that knows sqlglot."""
