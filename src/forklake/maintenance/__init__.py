"""Keeping a lake in shape: files merged and rewritten, history expired, and what nobody can see any more deleted."""
