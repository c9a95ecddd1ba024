"""Spark drivers that are killed while they write, and a reader that checks what they have left."""
