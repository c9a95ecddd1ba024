"""Values and rules. No I/O, standard library only.

Every other package may import it.
"""
