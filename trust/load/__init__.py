"""Hundreds of sessions over one PostgreSQL, for as long as is asked for: nothing grows, and nobody starves."""
