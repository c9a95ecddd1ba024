"""Values and rules. No I/O, standard library only.

Imports `errors`; every other package may import it.
"""
